"""Frames row by row."""

from __future__ import annotations

from typing import Any

import pandas as pd


def records(frame: pd.DataFrame) -> list[dict[str, Any]]:
    """The rows as dictionaries, by column."""
    return [{str(column): value for column, value in row.items()} for row in frame.to_dict("records")]
