"""Forecasters: predict what follows in place of the language model."""

from __future__ import annotations

from pathlib import Path

from itcma_s.protention.protention import Forecaster
from language_models.packages import check_installed

MODEL = "model"
"""The name under which the language model predicts."""

LEARNED = "learned:"
"""What stands before the file of a learned protention."""


def check_forecaster(name: str) -> None:
    """Check that a name is ``MODEL`` or names a file.

    Raises:
        ValueError: if not.
    """
    if name == LEARNED:
        raise ValueError(f"protention must name a file after {LEARNED!r}, got {name!r}")
    if name != MODEL and not name.startswith(LEARNED):
        raise ValueError(f"protention must be {MODEL!r} or '{LEARNED}FILE', got {name!r}")


def load_forecaster(name: str) -> Forecaster | None:
    """Load the forecaster with a name; None where the model predicts.

    Raises:
        FileNotFoundError: if there is no such file.
        ImportError: without the package that it needs; the message says how to install it.
        ValueError: if it is no learned protention, or damaged.
    """
    if (path := forecaster_file(name)) is None:
        return None
    check_installed("a learned protention", "torch", "safetensors")
    # Only now, since it takes torch a second to load.
    from itcma_s.protention.learned_protention import LearnedProtention

    return LearnedProtention.load(path)


def forecaster_file(name: str) -> Path | None:
    """Return the path of a forecaster's weights; None where the model predicts."""
    file = name.removeprefix(LEARNED)
    return None if file == name else Path(file).expanduser()
