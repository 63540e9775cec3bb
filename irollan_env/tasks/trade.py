"""A shared task of exchange: each resident owns what one other needs, and has to find out who that is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from irollan_env.actions import Primitive
from irollan_env.map.catalogue import WAIT
from irollan_env.tasks.neighbourhood import Neighbourhood
from irollan_env.tasks.people import ASKED, ask_around, latest
from irollan_env.tasks.planning import Leg, do, explore, go, meet, obtain
from irollan_env.tasks.task import LOST, SOLVED, Drawing, Moment, NothingToDraw, Progress, Task, check_named
from irollan_env.tasks.together import Shared
from irollan_env.tasks.views import View
from irollan_env.world.requests import request, requested_item

_MATCH, _GAVE = "match ", "gave "


@dataclass(frozen=True, kw_only=True)
class Trade(Shared):
    """Shared task of exchanging one's own thing for a needed one, with a partner who has to be found first.

    The first of the people trades with the second, the third with the fourth, and so on. Only its owner can give a
    thing away, so that nobody wins by collecting what others own.

    Attributes:
        items: The thing that each of the people owns, in their order: ``"lens 2"``.
        place: The place where the thing of ``told`` lies at the start.
        told: The resident that has this task; it knows only its own thing and its own need.
    """

    family: ClassVar[str] = "trade"
    items: tuple[str, ...]
    place: str
    told: str

    @property
    def own_words(self) -> str:
        """The goal: the resident's thing, where it lies, and what it needs, but not who has that."""
        mine, needed = self._owned(self.told), self._needed(self.told)
        return (
            f"The {mine} in {self.place} is yours, and you need the {needed}. Somebody owns that and needs yours: find "
            "out who, and trade, each handing over what is their own. All of you have such a trade to make; whoever "
            "hands their own thing to anybody else has lost it for all."
        )

    def words(self, progress: Progress, resident: str, person: str, time: int) -> str:
        """Return a request such as ``"Please give me the kettle 1."``."""
        return request(self._needed(resident))

    def is_mark(self, mark: str, near: Neighbourhood) -> bool:
        """Return whether a mark says whom the resident asked, who its partner is, or who has handed over theirs."""
        person = next((mark.removeprefix(kind) for kind in (ASKED, _MATCH, _GAVE) if mark.startswith(kind)), None)
        return super().is_mark(mark, near) or person in self.people

    def check(self, near: Neighbourhood, resident: str) -> None:
        """Implement ``Task.check``."""
        super().check(near, resident)
        for item in self.items:
            check_named(self.family, "item", item, tuple(near.start))
        check_named(self.family, "place", self.place, near.places)
        paired = len(self.people) == len(self.items) == len(set(self.items)) and len(self.people) % 2 == 0
        if not paired or self.told != resident:
            raise ValueError(
                "a 'trade' task must have pairs of people with a thing each, of whom the one that has it is told, got "
                f"{self.to_json()!r}"
            )

    def advance(self, progress: Progress, moment: Moment) -> Progress:
        """Implement ``Task.advance``: solved when all have handed over their own, lost when a wrong person gets it."""
        given = {person: to for person in self.people if (to := self._given(self._owned(person), person, moment))}
        if any(to != self._partner(person) for person, to in given.items()):
            return {**progress, LOST: moment.time}
        progress = {**{f"{_GAVE}{person}": moment.time for person in given}, **progress, **self._learnt(moment)}
        over = all(f"{_GAVE}{person}" in progress for person in self.people)
        return {**progress, SOLVED: moment.time} if over else progress

    def _learnt(self, moment: Moment) -> Progress:
        """Return marks for whom the resident asked in this step, and for who turned out to be its partner."""
        me = moment.resident
        mine, needed = self._owned(me), self._needed(me)
        found = {m.sender for m in moment.messages if m.addressee == me and _asks_for(m.text, mine)}
        found |= {person for person in self.people if self._given(needed, person, moment) == me}
        learnt = {f"{_MATCH}{person}": moment.time for person in self.people if person in found}
        action = moment.action
        if action is not None and _asks_for(action.words, needed) and action.target in self.people:
            learnt[f"{ASKED}{action.target}"] = moment.time
        return learnt

    def _given(self, item: str, giver: str, moment: Moment) -> str | None:
        """Return the resident to whom a thing is handed in this step; None for nobody."""
        act = moment.acts.get(giver)
        if act is None or act.primitive is not Primitive.PUT or act.item != item:
            return None
        return act.target if act.target in moment.world.residents else None

    def _partner(self, person: str) -> str:
        return self.people[self.people.index(person) ^ 1]

    def _owned(self, person: str) -> str:
        return self.items[self.people.index(person)]

    def _needed(self, person: str) -> str:
        return self._owned(self._partner(person))

    def leg(self, progress: Progress, view: View, start: Leg) -> Leg:
        """Implement ``Task.leg``: ask residents who are present, get one's own thing, keep asking, and hand it over."""
        me = view.resident
        if f"{_GAVE}{me}" in progress:
            return do(start, WAIT, ends=True)
        partner = self._partner(me) if view.all_known else latest(progress, _MATCH)
        words, people = request(self._needed(me)), sorted(self.people, key=lambda p: progress.get(f"{ASKED}{p}", -1))
        if partner is None and (asking := ask_around(progress, view, start, words, people)) is not None:
            return asking
        mine = self._owned(me)
        if view.where(mine) is None and not view.knows(self.place):
            return go(view, start, self.place)._replace(ends=True)
        leg, item = obtain(view, start, (mine,))
        if partner is None:
            return explore(view, leg, people=True)
        return meet(view, leg, partner, f"put {item} in/on {partner}")

    @classmethod
    def draw_all(cls, drawing: Drawing) -> dict[str, Task]:
        """Draw a task for everybody nearby, in pairs; each owns another kind of thing, none of which can be eaten.

        Raises:
            NothingToDraw: where an odd number live near, or there are fewer kinds of wares.
        """
        near = drawing.near
        if len(near.people) % 2:
            raise NothingToDraw
        people = drawing.everybody()
        wares = [kind for kind in drawing.kinds() if "eaten" not in near.becomes(kind)]
        items = tuple(drawing.any(near.items[kind]) for kind in drawing.some(wares, len(people)))
        return {
            person: cls(people=people, items=items, place=near.start[item], told=person)
            for person, item in zip(people, items, strict=True)
        }


def _asks_for(text: str, item: str) -> bool:
    return (requested_item(text) or "").casefold() == item.casefold()
