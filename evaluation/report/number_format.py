"""How the report prints numbers, times and amounts."""

from __future__ import annotations

import math
from datetime import datetime
from typing import Any


def moment(value: Any) -> str | None:
    """An ISO 8601 time to the minute; anything else as it is."""
    if value is None:
        return None
    try:
        moment = datetime.fromisoformat(str(value))
    except ValueError:
        return str(value)
    return f"{moment:%Y-%m-%d %H:%M} {moment.tzname() or ''}".rstrip()


def number(value: float | None, digits: int = 2) -> str:
    """A number with a true minus sign; a dash where there is none."""
    return "–" if value is None else f"{value:,.{digits}f}".replace("-", "−")


def known(value: float | None, digits: int = 2) -> str:
    """A number of a table that may not be defined."""
    return number(None if value is None or math.isnan(value) else value, digits)


def amount(value: float | None) -> str:
    """A number without decimals that say nothing: 3, -1.67."""
    text = number(value)
    return text.rstrip("0").rstrip(".") if "." in text else text


def dollars(value: float | None) -> str:
    """An amount in cents; below ten cents its first two digits that say something. A dash where it is not known."""
    if value is None:
        return "–"
    digits = 2 if value == 0 else max(2, 1 - math.floor(math.log10(value)))
    return f"${value:,.{digits}f}"


def signed(value: float, digits: int = 2) -> str:
    """A number with its sign, plus or minus."""
    return f"{value:+,.{digits}f}".replace("-", "−")


def count(value: float) -> str:
    """A whole number."""
    return f"{round(value):,}".replace("-", "−")


def duration(seconds: float) -> str:
    """Seconds as hours, minutes and seconds."""
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    if hours:
        return f"{hours} h {minutes:02d} min"
    return f"{minutes} min {rest:02d} s" if minutes else f"{seconds:.1f} s"
