"""Shared tasks about things, which no resident can solve alone: heavy things, and a common store."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from irollan_env.actions import Primitive
from irollan_env.map.catalogue import WAIT
from irollan_env.naming import listed, some
from irollan_env.tasks.neighbourhood import Neighbourhood
from irollan_env.tasks.planning import Leg, do, explore, go, meet, put
from irollan_env.tasks.task import LOST, SOLVED, Drawing, Moment, NothingToDraw, Progress, Task, check_named
from irollan_env.tasks.together import Shared
from irollan_env.tasks.views import View

_ATE = "ate "


@dataclass(frozen=True, kw_only=True)
class CarryTogether(Shared):
    """Shared task of bringing a heavy thing to a place: one resident carries it, and another helps.

    Attributes:
        item: ``"trunk 1"``.
        furniture: The kind of furniture on which it is put.
        place: The place of that furniture.
    """

    family: ClassVar[str] = "carry"
    item: str
    furniture: str
    place: str

    @property
    def own_words(self) -> str:
        """The goal: ``"AY, ...: bring the trunk 1 to a table in Elm Hall. It takes two: ..."``."""
        return (
            f"{listed(self.people)}: bring the {self.item} to {some(self.furniture)} in {self.place}. It takes two: "
            "one uses it, and keeps at it, while the other takes it and carries it."
        )

    def check(self, near: Neighbourhood, resident: str) -> None:
        """Implement ``Task.check``."""
        super().check(near, resident)
        check_named(self.family, "item", self.item, tuple(near.start))
        check_named(self.family, "place", self.place, near.places)
        check_named(self.family, f"furniture in {self.place!r}", self.furniture, near.receptacle_kinds(self.place))

    def advance(self, progress: Progress, moment: Moment) -> Progress:
        """Implement ``Task.advance``: solved when one of the people puts it there."""
        kinds = {piece.name: piece.kind for piece in moment.world.map.furniture}
        for person in self.people:
            act = moment.acts.get(person)
            there = moment.world.place_of(person) == self.place
            if not there or act is None or act.primitive is not Primitive.PUT:
                continue
            if (act.item, kinds.get(act.target)) == (self.item, self.furniture):
                return {**progress, SOLVED: moment.time}
        return progress

    def leg(self, progress: Progress, view: View, start: Leg) -> Leg:
        """Implement ``Task.leg``: the first carries, the second helps, the others wait."""
        carrier, helper, *others = self.people
        if view.resident in others:
            return do(start, WAIT, ends=True)
        where = view.where(self.item)
        lending = f"using the {self.item}"
        if view.resident == carrier:
            if where == carrier:
                helped = view.doing(helper) == lending
                return put(view, start, self.item, self.furniture, self.place) if helped else do(start, WAIT, ends=True)
            if where is None or where not in view.near.place_of:
                return explore(view, start, people=True)
            leg = go(view, start, view.near.place_of[where])
            helped = view.doing(helper) == lending
            if leg.place == view.place and not helped:
                return do(leg, WAIT, ends=True)
            return put(view, do(leg, f"take {self.item} from {where}"), self.item, self.furniture, self.place)
        if view.doing(helper) == lending:
            return do(start, WAIT, ends=True)
        if where == view.resident:
            return do(start, WAIT, ends=True)  # until somebody lends a hand with it
        if where is not None and where not in view.near.place_of:
            return meet(view, start, where, f"use {self.item}", WAIT)
        if where is None:
            return explore(view, start, people=True)
        return do(go(view, start, view.near.place_of[where], f"use {self.item}"), WAIT, ends=True)

    @classmethod
    def draw_all(cls, drawing: Drawing) -> dict[str, Task]:
        """Draw a task for every resident of the neighbourhood."""
        near = drawing.near
        people = drawing.everybody()
        item = drawing.any([item for item in near.start if near.heavy(item)])
        place = drawing.any([place for place in near.places if place != near.start[item] and near.standing(place)])
        task = cls(people=people, item=item, place=place, furniture=drawing.any(near.standing(place)))
        return dict.fromkeys(people, task)


@dataclass(frozen=True, kw_only=True)
class ShareStore(Shared):
    """Shared task of eating a number of things each from a store that grows back, and that must never be empty.

    Attributes:
        store: ``"plum tree 1"``.
        kind: The kind of thing that grows there: ``"plum"``.
        each: The number that each resident has to eat.
        steps: After which one grows again.
    """

    family: ClassVar[str] = "share"
    store: str
    kind: str
    each: int
    steps: int

    @property
    def own_words(self) -> str:
        """The goal: how many each is to eat, and that the store must not be bare."""
        return (
            f"{listed(self.people)}: each of you is to eat {self.each} of kind {self.kind} from the {self.store}. One "
            f"grows back every {self.steps} steps as long as one is left there; once it is bare, all have lost."
        )

    def is_mark(self, mark: str, near: Neighbourhood) -> bool:
        """Return whether a mark counts how many a person has eaten."""
        return super().is_mark(mark, near) or mark.removeprefix(_ATE) in self.people

    def advance(self, progress: Progress, moment: Moment) -> Progress:
        """Implement ``Task.advance``: solved when all have eaten enough, lost when nothing is left."""
        kinds = {item.name: item.kind for item in moment.world.map.items}
        for person in self.people:
            act = moment.acts.get(person)
            if act is not None and act.primitive is Primitive.USE and kinds.get(act.target) == self.kind:
                progress = {**progress, f"{_ATE}{person}": progress.get(f"{_ATE}{person}", 0) + 1}
        if all(progress.get(f"{_ATE}{person}", 0) >= self.each for person in self.people):
            return {**progress, SOLVED: moment.time}
        left = any(moment.world.where_is(item) == self.store for item, kind in kinds.items() if kind == self.kind)
        return progress if left else {**progress, LOST: moment.time}

    def leg(self, progress: Progress, view: View, start: Leg) -> Leg:
        """Implement ``Task.leg``: take in turns, as long as another is left."""
        items = view.near.items[self.kind]
        held = [i for i in items if view.where(i) == view.resident and "eaten" not in view.status(i)]
        wanting = self.each - progress.get(f"{_ATE}{view.resident}", 0)
        if held:
            return do(start, f"use {held[0]}")
        if wanting <= 0:
            return do(start, WAIT, ends=True)
        place = view.near.place_of[self.store]
        if not view.knows(place):
            return explore(view, start, people=True)
        leg = go(view, start, place)
        hanging = [item for item in items if view.where(item) == self.store]
        turn = view.time % len(self.people) == self.people.index(view.resident)
        if leg.place == view.place and (len(hanging) < 2 or not (turn or view.all_known)):
            return do(leg, WAIT, ends=True)
        for item in hanging[:wanting]:
            leg = do(leg, f"take {item} from {self.store}", f"use {item}")
        return leg

    @classmethod
    def draw_all(cls, drawing: Drawing) -> dict[str, Task]:
        """Draw a task for every resident of the neighbourhood."""
        near = drawing.near
        people = drawing.everybody()
        stores = near.stores()
        if not stores:
            raise NothingToDraw
        store = drawing.any(list(stores))
        kind, steps = stores[store]
        task = cls(people=people, store=store, kind=kind, each=1 + (drawing.level > 1), steps=steps)
        return dict.fromkeys(people, task)
