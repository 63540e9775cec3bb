"""Execute the notebooks from top to bottom and keep what they show: `python notebooks/execute.py [NOTEBOOK...]`.

With --quick, in the form that the tests take: in a line such as `steps = 4_000  # quick: 256` the value is the one
behind "quick:", and nothing is kept.
"""

from __future__ import annotations

import argparse
import os
import re
import sys
import time
from pathlib import Path

HERE = Path(__file__).parent
_QUICK = re.compile(r"= [^#\n]*  # quick: (.*)$", re.MULTILINE)


def quick(source: str) -> str:
    """The code of a cell in its quick form."""
    return _QUICK.sub(r"= \1", source)


def execute(path: Path, *, quickly: bool) -> None:
    """Execute one notebook in a kernel of its own; a cell that fails ends it."""
    import nbformat
    from nbclient import NotebookClient

    notebook = nbformat.read(path, as_version=4)
    if quickly:
        for cell in notebook.cells:
            cell.source = quick(cell.source)
    client = NotebookClient(
        notebook, timeout=600, kernel_name="python3", record_timing=False, resources={"metadata": {"path": HERE}}
    )
    # Where no widgets are installed, tqdm says so in each notebook.
    client.execute(env={**os.environ, "PYTHONWARNINGS": "ignore:IProgress not found"})
    # Which Python it was would differ from one machine to the next.
    notebook.metadata.pop("language_info", None)
    if not quickly:
        nbformat.write(notebook, path)


def main(argv: list[str] | None = None) -> None:
    """Execute those that are named, or all."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("notebooks", nargs="*", type=Path, help="all when none is named")
    parser.add_argument("--quick", action="store_true", help="as the tests do; keeps nothing")
    arguments = parser.parse_args(argv)
    for path in arguments.notebooks or sorted(HERE.glob("*.ipynb")):
        began = time.perf_counter()
        print(f"{path.name} ...", file=sys.stderr, flush=True)
        execute(path, quickly=arguments.quick)
        print(f"{path.name}: {time.perf_counter() - began:.0f} s", file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()
