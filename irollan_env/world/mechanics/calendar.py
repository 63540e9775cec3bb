"""The calendar: time of day, days of the week, opening hours, and what needs light."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import field
from typing import TYPE_CHECKING, NamedTuple

from pydantic import Field
from pydantic.dataclasses import dataclass

from irollan_env.actions import Action, Primitive
from irollan_env.hints import did_you_mean
from irollan_env.map.valley_map import ValleyMap
from irollan_env.world.mechanics.settings import CLOSED, Positive, SettledMechanic, check_name

if TYPE_CHECKING:
    from irollan_env.world.world import World

DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
PARTS: Mapping[str, int] = {"night": 0, "morning": 6, "afternoon": 12, "evening": 18}
"""Part of the day -> the hour in which it begins."""

_DAY = r"day (?P<number>\d{1,6})|(?P<weekday>[A-Z]\w+)|(?P<tomorrow>tomorrow)"
_MOMENT = re.compile(rf"(?:{_DAY})?\s*(?:(?P<hour>\d\d?):(?P<minute>\d\d)|(?P<part>[a-z]+))?")


class Moment(NamedTuple):
    """A moment of the calendar.

    Attributes:
        day: From 1.
        weekday: Its name.
        hour: In [0, 24).
    """

    day: int
    weekday: str
    hour: float

    @property
    def part(self) -> str:
        """The part of the day."""
        return [part for part, begin in PARTS.items() if self.hour >= begin][-1]

    @property
    def clock(self) -> str:
        """The time of day: ``"18:30"``."""
        minutes = int(self.hour * 60)
        return f"{minutes // 60:02d}:{minutes % 60:02d}"


@dataclass(frozen=True, kw_only=True, config=CLOSED)
class CalendarSettings:
    """Settings of the mechanic ``calendar``.

    Attributes:
        steps_a_day: How many steps a day has.
        begins_at: The hour of the first step, in [0, 24).
        first_day: The weekday of the first step.
        hours: Place -> the hours in which one can go in: ``[[8, 12], [14, 18]]``.
        closed_on: Place -> the weekdays on which nobody goes in.
        dark: The hours from which and until which it is dark; none for light at all hours.
        needs_light: Kinds of furniture and items that cannot be used in the dark.
        lit: Places in which there is light at all hours.
    """

    steps_a_day: Positive = 24
    begins_at: float = Field(default=8, ge=0, lt=24)
    first_day: str = "Monday"
    hours: Mapping[str, tuple[tuple[float, float], ...]] = field(default_factory=dict)
    closed_on: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    dark: tuple[float, float] | None = None
    needs_light: tuple[str, ...] = ()
    lit: tuple[str, ...] = ()


class Calendar(SettledMechanic[CalendarSettings]):
    """Tells residents the time, and closes places outside their hours; who is inside may stay and leave."""

    name = "calendar"
    kind = CalendarSettings

    def check(self, valley_map: ValleyMap) -> None:
        """Check that places, kinds and weekdays exist."""
        tables, settings, where = valley_map.tables, self.settings, "mechanics.calendar"
        check_name(f"{where}.first_day", "weekday", settings.first_day, DAYS)
        areas = [area.name for area in valley_map.areas]
        for key, places in (("hours", settings.hours), ("closed_on", settings.closed_on), ("lit", settings.lit)):
            for place in places:
                check_name(f"{where}.{key}", "area", place, areas)
        for place, days in settings.closed_on.items():
            for day in days:
                check_name(f"{where}.closed_on.{place}", "weekday", day, DAYS)
        for place, spans in settings.hours.items():
            for begin, end in spans:
                if not 0 <= begin < end <= 24:
                    raise ValueError(
                        f"{where}.hours.{place} must be spans [from, until] with 0 <= from < until <= 24, "
                        f"got {[begin, end]}"
                    )
        kinds = [*(one.name for one in valley_map.furniture_kinds), *tables.items_of]
        for name in settings.needs_light:
            check_name(f"{where}.needs_light", "kind of furniture or item", name, kinds)

    def moment(self, step: int) -> Moment:
        """Return the moment of a time step."""
        settings = self.settings
        hours = settings.begins_at + step * 24 / settings.steps_a_day
        day = int(hours // 24)
        return Moment(day + 1, DAYS[(DAYS.index(settings.first_day) + day) % 7], hours % 24)

    def step_of(self, when: str, now: int = 0) -> int:
        """Return the first time step from ``now`` on that a text names.

        Args:
            when: ``"18:00"``, ``"evening"``, ``"Tuesday"``, ``"day 3 09:00"``, ``"tomorrow evening"``.
            now: The time step from which it is looked for.

        Raises:
            ValueError: for a text of another form, or a day that is over.
        """
        match, settings = _read(when), self.settings
        first = now
        if match["number"]:
            before = (24 * (int(match["number"]) - 1) - settings.begins_at) * settings.steps_a_day / 24
            first = max(now, int(before))
        today = self.moment(now).day
        for step in range(first, first + 8 * settings.steps_a_day + 1):
            if self._fits(match, step, today):
                return step
        raise ValueError(f"{when!r} does not come after {self.describe(now)}")

    def begins(self, when: str, step: int) -> bool:
        """Return whether a moment that a text names begins with a time step.

        Raises:
            ValueError: for a text that names none.
        """
        match, today = _read(when), self.moment(step).day
        return self._fits(match, step, today) and (step == 0 or not self._fits(match, step - 1, today))

    def _fits(self, match: re.Match[str], step: int, today: int) -> bool:
        """Return whether a step is within what a text names, in which "tomorrow" is the day after today."""
        number, weekday, part, hour, moment = *match.group("number", "weekday", "part", "hour"), self.moment(step)
        return (
            (number is None or moment.day == int(number))
            and (weekday is None or moment.weekday == weekday)
            and (match["tomorrow"] is None or moment.day == today + 1)
            and part in (None, moment.part)
            and (hour is None or self._reaches(step, int(hour) + int(match["minute"]) / 60))
        )

    def describe(self, step: int) -> str:
        """Describe a time step: ``"Monday evening, 18:00 (day 1)"``."""
        moment = self.moment(step)
        return f"{moment.weekday} {moment.part}, {moment.clock} (day {moment.day})"

    def is_dark(self, step: int) -> bool:
        """Return whether it is dark outside."""
        if self.settings.dark is None:
            return False
        (begin, end), hour = self.settings.dark, self.moment(step).hour
        return begin <= hour < end if begin < end else hour >= begin or hour < end

    def _is_dark_for(self, world: World, resident: str) -> bool:
        return self.is_dark(world.time) and world.place_of(resident) not in self.settings.lit

    def refuse(self, world: World, resident: str, action: Action) -> str | None:
        """Refuse to enter what is closed, and to use in the dark what needs light."""
        if action.primitive is Primitive.GO_TO and not self._is_open(action.target, world.time):
            return f"{action.target} is closed{self._open_hours(action.target)}."
        needs_light = action.primitive is Primitive.USE and self.kind_of(action.target) in self.settings.needs_light
        if needs_light and self._is_dark_for(world, resident):
            return f"It is too dark to use the {action.target}."
        return None

    def observe(self, world: World, resident: str) -> Iterable[str]:
        """Tell the time, and what is closed behind the doors of the resident's place."""
        dark = " It is dark." if self._is_dark_for(world, resident) else ""
        yield f"It is {self.describe(world.time)}.{dark}"
        for place in world.doors_of(world.place_of(resident)):
            if not self._is_open(place, world.time):
                yield f"{place} is closed{self._open_hours(place)}."

    def variables(self, world: World, resident: str | None) -> Mapping[str, float]:
        """Return the day, the hour and the weekday, 0 for Monday, which are the same for all."""
        moment = self.moment(world.time)
        return {"day": float(moment.day), "hour": moment.hour, "weekday": float(DAYS.index(moment.weekday))}

    def _reaches(self, step: int, hour: float) -> bool:
        """Return whether a step is the first of its day at or after an hour."""
        moment, before = self.moment(step), self.moment(step - 1)
        return moment.hour >= hour and (before.day < moment.day or before.hour < hour)

    def _is_open(self, place: str, step: int) -> bool:
        moment = self.moment(step)
        if moment.weekday in self.settings.closed_on.get(place, ()):
            return False
        spans = self.settings.hours.get(place)
        return spans is None or any(begin <= moment.hour < end for begin, end in spans)

    def _open_hours(self, place: str) -> str:
        spans = self.settings.hours.get(place, ())
        told = [f"{begin:g} to {end:g} o'clock" for begin, end in spans]
        days = self.settings.closed_on.get(place, ())
        return (f"; it opens {' and '.join(told)}" if told else "") + (f", not on {' and '.join(days)}" if days else "")


def _read(when: str) -> re.Match[str]:
    """Parse a text that names a moment.

    Raises:
        ValueError: for a text of another form.
    """
    match = _MOMENT.fullmatch(when.strip())
    if not match or not when.strip():
        raise ValueError(f"{when!r} is no moment; write '18:00', 'evening', 'Tuesday', 'day 3 09:00'")
    weekday, part = match["weekday"], match["part"]
    if weekday is not None and weekday not in DAYS:
        raise ValueError(f"{weekday!r} is no weekday{did_you_mean(weekday, DAYS)}")
    if part is not None and part not in PARTS:
        hint = did_you_mean(part, PARTS) or f"; name one of {', '.join(PARTS)}"
        raise ValueError(f"{part!r} is no part of the day{hint}")
    return match
