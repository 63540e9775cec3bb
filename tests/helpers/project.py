"""Where the project lies."""

from pathlib import Path

HELPERS = Path(__file__).parent
ROOT = HELPERS.parents[1]
DATA = HELPERS.parent / "data"
DOCS = ROOT / "docs"
EXAMPLES = ROOT / "examples"
