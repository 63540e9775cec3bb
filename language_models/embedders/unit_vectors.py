"""Checks and rounding that all embedders share."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from language_models.protocol import FloatArray

DECIMALS = 6


def check_texts(texts: Sequence[str]) -> None:
    """Check that texts are a sequence and not one string.

    Raises:
        ValueError: if it is one string.
    """
    if isinstance(texts, str):
        raise ValueError(f"texts must be a sequence of strings, got the one string {texts!r}; put it into a list")


def unit_rows(rows: Any) -> FloatArray:
    """Scale rows to length 1 and round them, so that rounding noise in the last bits has no effect."""
    units = rows / np.linalg.norm(rows, axis=1, keepdims=True)
    # Adding 0.0 turns the -0.0 that rounding may leave into 0.0.
    rounded: FloatArray = (np.round(units, DECIMALS) + 0.0).astype(np.float32)
    return rounded
