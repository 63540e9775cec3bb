"""Formatting of numbers, times and amounts in the report."""

from __future__ import annotations

import math
from datetime import datetime
from typing import Any


def moment(value: Any) -> str | None:
    """Format an ISO 8601 time to the minute; return anything else as text unchanged."""
    if value is None:
        return None
    try:
        moment = datetime.fromisoformat(str(value))
    except ValueError:
        return str(value)
    return f"{moment:%Y-%m-%d %H:%M} {moment.tzname() or ''}".rstrip()


def number(value: float | None, digits: int = 2) -> str:
    """Format a number with a true minus sign; a dash for None."""
    return "–" if value is None else f"{value:,.{digits}f}".replace("-", "−")


def known(value: float | None, digits: int = 2) -> str:
    """Format a number; a dash for None or NaN."""
    return number(None if value is None or math.isnan(value) else value, digits)


def amount(value: float | None) -> str:
    """Format a number without trailing zeros: 3, -1.67."""
    text = number(value)
    return text.rstrip("0").rstrip(".") if "." in text else text


def dollars(value: float | None) -> str:
    """Format dollars to the cent, below ten cents with two significant digits; a dash for None."""
    if value is None:
        return "–"
    digits = 2 if value == 0 else max(2, 1 - math.floor(math.log10(value)))
    return f"${value:,.{digits}f}"


def signed(value: float, digits: int = 2) -> str:
    """Format a number with an explicit plus or minus sign."""
    return f"{value:+,.{digits}f}".replace("-", "−")


def count(value: float) -> str:
    """Format a number rounded to an integer."""
    return f"{round(value):,}".replace("-", "−")


def duration(seconds: float) -> str:
    """Format seconds as hours and minutes, minutes and seconds, or seconds."""
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    if hours:
        return f"{hours} h {minutes:02d} min"
    return f"{minutes} min {rest:02d} s" if minutes else f"{seconds:.1f} s"
