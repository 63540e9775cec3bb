"""Numbers as text, numbers and frames as JSON-ready values, and intervals of shares."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd


def wilson_interval(count: float, total: float) -> tuple[float, float]:
    """Compute Wilson's 95 per cent interval of the share `count / total`.

    Args:
        count: Successes, from 0 to `total`.
        total: Trials, at least 0.

    Returns:
        Its ends, each in [0, 1]; 0 and 1 if there is no trial.
    """
    if not total:
        return 0.0, 1.0
    # statsmodels takes seconds to import, which --help should not wait for.
    from statsmodels.stats.proportion import proportion_confint

    low, high = proportion_confint(count, total, method="wilson")
    return float(low), float(high)


def number(value: float | None, digits: int = 2) -> str:
    """Format a number.

    Args:
        value: The number.
        digits: Digits after the point.

    Returns:
        The number with a true minus sign; a dash for None or a value that is not finite.
    """
    if value is None or not np.isfinite(value):
        return "–"
    text = f"{value:,.{digits}f}".replace("-", "−")
    return text.removeprefix("−") if not float(f"{value:.{digits}f}") else text


def row_dicts(frame: pd.DataFrame) -> list[dict[str, Any]]:
    """Convert the rows of a frame to dictionaries by column."""
    return [{str(column): value for column, value in row.items()} for row in frame.to_dict("records")]


def json_ready(value: Any) -> Any:
    """Convert frames, numpy values and nested containers to JSON-ready data; non-finite numbers become None."""
    if isinstance(value, pd.DataFrame):
        return [json_ready(row) for row in row_dicts(value)]
    if isinstance(value, dict):
        return {str(key): json_ready(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [json_ready(one) for one in value]
    if isinstance(value, np.generic):
        value = value.item()
    return None if isinstance(value, float) and not np.isfinite(value) else value
