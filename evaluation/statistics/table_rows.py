"""Frames row by row, and as JSON-ready data."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd


def records(frame: pd.DataFrame) -> list[dict[str, Any]]:
    """The rows as dictionaries, by column."""
    return [{str(column): value for column, value in row.items()} for row in frame.to_dict("records")]


def plain(value: Any) -> Any:
    """Numbers, texts, lists and dictionaries instead of frames and arrays; None instead of what is no number."""
    if isinstance(value, pd.DataFrame):
        return [plain(row) for row in records(value)]
    if isinstance(value, dict):
        return {str(key): plain(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [plain(one) for one in value]
    if isinstance(value, np.generic):
        value = value.item()
    return None if isinstance(value, float) and not np.isfinite(value) else value
