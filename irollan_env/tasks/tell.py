"""Tasks of telling somebody news and having it acknowledged."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Self

from irollan_env.actions import chat_with
from irollan_env.map.catalogue import WAIT
from irollan_env.tasks.neighbourhood import Neighbourhood
from irollan_env.tasks.people import answered, check_other, said
from irollan_env.tasks.planning import Leg, do, meet, obtain
from irollan_env.tasks.task import SOLVED, Drawing, Moment, Own, Progress, check_named
from irollan_env.tasks.views import View

_TOLD = "told"
_LAST_TOLD = "last told"
_SEEN = "seen in "

_ANSWER = 2
FRESH = 10
"""Time steps for which an observation counts as news."""


@dataclass(frozen=True, kw_only=True)
class Tell(Own):
    """Task of finding out where an item is, telling a person while it is news, and getting an answer.

    The resident sees the item when it is where the item lies, or holds it. Words tell of it when they name the item,
    and the place in which it was seen last, at most ``FRESH`` steps before. They are acknowledged when the person, in
    a later step, says words to the resident that name the item.

    Attributes:
        person: The person to tell: ``"WM"``.
        item: ``"toy 2"``.
    """

    family: ClassVar[str] = "tell"
    person: str
    item: str

    @property
    def own_words(self) -> str:
        """The goal, such as ``"See where the toy 2 is, tell WM within 10 steps, and have WM acknowledge it."``."""
        person = self.person
        return f"See where the {self.item} is, tell {person} within {FRESH} steps, and have {person} acknowledge it."

    def words(self, progress: Progress, resident: str, person: str, time: int) -> str | None:
        """Return the news, such as ``"I saw the toy 2 in WL's Home."``; None if it was not seen recently."""
        place = _seen_in(progress, time)
        return None if place is None else self._news(place)

    def is_mark(self, mark: str, near: Neighbourhood) -> bool:
        """Return whether a mark says when it was told first or last, where and when it was seen, or when solved."""
        return (
            super().is_mark(mark, near)
            or mark in (_TOLD, _LAST_TOLD)
            or (mark.startswith(_SEEN) and mark.removeprefix(_SEEN) in near.tables.place_number)
        )

    def check(self, near: Neighbourhood, resident: str) -> None:
        """Implement ``Task.check``."""
        check_other(self.family, self.person, near, resident)
        check_named(self.family, "item", self.item, tuple(near.start))

    def advance(self, progress: Progress, moment: Moment) -> Progress:
        """Implement ``Task.advance``: solved when the person acknowledges what it was told."""
        if _TOLD in progress and answered(moment, self.person, self.item, progress[_TOLD]):
            return {**progress, SOLVED: moment.time}
        now = moment.time - 1
        place = _seen_in(progress, now)
        if place is not None and said(moment.action, self.person, self.item, place):
            progress = {_TOLD: now, **progress, _LAST_TOLD: now}
        if self.item in (*moment.world.lying_in(moment.place), *moment.world.holding(moment.resident)):
            kept = {mark: time for mark, time in progress.items() if not mark.startswith(_SEEN)}
            progress = {**kept, f"{_SEEN}{moment.place}": moment.time}
        return progress

    def leg(self, progress: Progress, view: View, start: Leg) -> Leg:
        """Implement ``Task.leg``: see the item, go to the person, tell it, and wait for an answer."""
        place = _seen_in(progress, view.time)
        if view.place == view.place_of(self.person) and 0 <= view.time - progress.get(_LAST_TOLD, -9) <= _ANSWER:
            return do(start, WAIT, ends=True)
        if place is not None:
            return meet(view, start, self.person, chat_with(self.person, self._news(place)), WAIT)
        # Seeing the item is enough, but a held item stays in sight on the way.
        leg, item = obtain(view, start, (self.item,))
        told = chat_with(self.person, self._news(leg.place))
        return meet(view, leg, self.person, told, WAIT) if item else leg

    def _news(self, place: str) -> str:
        return f"I saw the {self.item} in {place}."

    @classmethod
    def draw(cls, drawing: Drawing) -> Self:
        """Draw a task for a resident: the item lies in neither resident's home."""
        near, person = drawing.near, drawing.any(drawing.others)
        homes = (near.home(drawing.resident), near.home(person))
        items = [item for item in drawing.items() if near.start[item] not in homes]
        return cls(person=person, item=drawing.any(items))


def _seen_in(progress: Progress, now: int) -> str | None:
    seen = (mark for mark, time in progress.items() if mark.startswith(_SEEN) and now - time < FRESH)
    return next((mark.removeprefix(_SEEN) for mark in seen), None)
