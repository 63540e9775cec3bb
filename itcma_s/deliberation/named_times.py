"""Times that words name, such as "tomorrow evening", on the calendar of a world that has one."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import NamedTuple

DAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
PARTS: Mapping[str, int] = {"morning": 6, "noon": 12, "afternoon": 12, "evening": 18, "night": 18}
"""Part of the day -> the hour from which what was promised for it is due."""

_DAY = re.compile(rf"\b(?:(?P<weekday>{'|'.join(DAYS)})|(?P<tomorrow>tomorrow)|(?P<tonight>tonight))\b", re.IGNORECASE)
_PART = re.compile(rf"\b(?:in the|at|this|tomorrow|{'|'.join(DAYS)}) (?P<part>{'|'.join(PARTS)})\b", re.IGNORECASE)
_CLOCK = re.compile(r"\bat (?P<hour>[01]?\d|2[0-3])(?::(?P<minute>[0-5]\d))?(?![\d:])", re.IGNORECASE)


class Moment(NamedTuple):
    """A moment of the calendar: the day, from 1, and the hour, in [0, 24); later moments are greater."""

    day: int
    hour: float


def clock_of(variables: Mapping[str, float]) -> tuple[Moment, int] | None:
    """Return the moment and the weekday, 0 for Monday, that a resident perceives; None in a world without a calendar.

    Args:
        variables: ``Observation.variables``.
    """
    if not {"day", "hour", "weekday"} <= variables.keys():
        return None
    return Moment(int(variables["day"]), variables["hour"]), int(variables["weekday"])


def named_time(words: str, now: Moment, weekday: int) -> Moment | None:
    """Return the moment that words name, from now on; None where they name none.

    "at 6" in the afternoon means the evening; a weekday means the next one, today's too.

    >>> named_time("I will come tomorrow evening.", Moment(2, 9.0), 1)
    Moment(day=3, hour=18.0)
    >>> named_time("See you on Friday at 9:30!", Moment(2, 9.0), 1)
    Moment(day=5, hour=9.5)
    """
    day, at_part, clock = (pattern.search(words) for pattern in (_DAY, _PART, _CLOCK))
    if not (day or at_part or clock):
        return None
    part = at_part["part"].lower() if at_part else "night" if day and day["tonight"] else ""
    ahead = 0
    if day and day["tomorrow"]:
        ahead = 1
    elif day and day["weekday"]:
        ahead = (DAYS.index(day["weekday"].lower()) - weekday) % 7
    hour = float(PARTS[part]) if part else 0.0
    if clock:
        hour = int(clock["hour"]) + int(clock["minute"] or 0) / 60
        later = part in ("afternoon", "evening", "night") or (ahead == 0 and hour <= now.hour < hour + 12)
        if hour < 12 and later:
            hour += 12
    if not day and hour < now.hour:
        ahead = 1
    return Moment(now.day + ahead, hour)
