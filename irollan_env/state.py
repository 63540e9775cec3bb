"""The state of a valley: plain integers and lists, with the few moves that keep them consistent."""

from __future__ import annotations

from bisect import insort
from enum import Enum
from typing import NamedTuple

from irollan_env.geometry import facing
from irollan_env.observation import Message, OutcomeKind
from irollan_env.tables import OUTSIDE, Tables


class Verb(Enum):
    """What a resident can be busy with."""

    NOTHING = ""
    MOVING = "moving"
    USING_FURNITURE = "using furniture"
    USING_ITEM = "using item"
    TALKING = "talking"


class Doing(NamedTuple):
    """What a resident is doing, and the number of the furniture, item or resident it does it with."""

    verb: Verb
    number: int = -1


IDLE = Doing(Verb.NOTHING)
MOVING = Doing(Verb.MOVING)


class ValleyState:
    """Where everyone and everything is.

    Attributes:
        tables: The map; all numbers are its numbers.
        time: Time step, from 0.
        people: For each place, who is there, in order of arrival.
        place, pose, doing, seat, hands: For each resident; ``seat`` is -1 for who stands, ``hands`` is in the order
            in which things were taken.
        outcome, result, inbox: For each resident, what its last action came to, and what was said around it since.
        lying: For each place, the items that lie there, in the sentence's order.
        on: For each item, the furniture it lies on, -1 in someone's hands.
        status: For each item, the bit set of its statuses.
        takers: Within a step, who took an item, by item.
        leavers: Within a step, which place a resident left, by resident.
        surroundings, takes: For each place, text that the narration and the primitives made of it; None when stale.
    """

    __slots__ = (
        "doing",
        "hands",
        "inbox",
        "leavers",
        "lying",
        "on",
        "outcome",
        "people",
        "place",
        "pose",
        "result",
        "seat",
        "status",
        "surroundings",
        "tables",
        "takers",
        "takes",
        "time",
    )

    def __init__(self, tables: Tables) -> None:
        residents, places = range(len(tables.residents)), range(len(tables.places))
        self.tables = tables
        self.time = 0
        self.place = list(tables.home)
        self.people = [[r for r in residents if tables.home[r] == place] for place in places]
        self.pose = [tables.entry[tables.home[r]][r] for r in residents]
        self.doing = [IDLE for _ in residents]
        self.seat = [-1 for _ in residents]
        self.hands: list[list[int]] = [[] for _ in residents]
        self.outcome: list[OutcomeKind | None] = [None for _ in residents]
        self.result = ["" for _ in residents]
        self.inbox: list[tuple[Message, ...]] = [() for _ in residents]
        self.on = list(tables.item_start)
        self.lying = [
            [item for item, f in enumerate(tables.item_start) if tables.place_of_furniture[f] == place]
            for place in places
        ]
        self.status = [0 for _ in tables.items]
        self.forget_step()
        self.forget_text()

    def forget_step(self) -> None:
        """Forget who did what within the last step."""
        self.takers: dict[int, int] = {}
        self.leavers: dict[int, int] = {}

    def forget_text(self) -> None:
        """Forget all text that was made of the state."""
        self.surroundings: list[str | None] = [None] * len(self.people)
        self.takes: list[tuple[str, ...] | None] = [None] * len(self.people)

    def copy(self) -> ValleyState:
        """An independent copy; the map is shared."""
        twin = ValleyState.__new__(ValleyState)
        for name in ("tables", "time"):
            setattr(twin, name, getattr(self, name))
        for name in ("place", "pose", "doing", "seat", "outcome", "result", "inbox", "on", "status", "surroundings"):
            setattr(twin, name, list(getattr(self, name)))
        for name in ("people", "hands", "lying"):
            setattr(twin, name, [list(inner) for inner in getattr(self, name)])
        twin.takes = list(self.takes)
        twin.takers, twin.leavers = dict(self.takers), dict(self.leavers)
        return twin

    # What residents do with themselves

    def go(self, resident: int, target: int) -> None:
        """Through the door to another place: who was seated or talking no longer is, nor who talked with them."""
        here, tables = self.place[resident], self.tables
        self.people[here].remove(resident)
        self.people[target].append(resident)
        self.leavers[resident] = here
        for other in self.people[here]:
            if self.doing[other] == (Verb.TALKING, resident):
                self.settle(other)
        self.place[resident] = target
        self.seat[resident] = -1
        self.doing[resident] = MOVING
        self.pose[resident] = tables.exit[here][resident] if target == OUTSIDE else tables.entry[target][resident]

    def walk_to(self, resident: int, furniture: int) -> None:
        """To furniture in the same place, getting up from any other."""
        if self.seat[resident] != furniture:
            self.seat[resident] = -1
        self.pose[resident] = self.tables.beside[furniture][resident]

    def turn_to(self, resident: int, other: int) -> None:
        """Look at somebody."""
        self.pose[resident] = facing(self.pose[resident], self.pose[other].x, self.pose[other].y)

    def settle(self, resident: int) -> None:
        """Back to what one does when nothing else is done: to the seat, or to nothing."""
        seat = self.seat[resident]
        self.doing[resident] = IDLE if seat < 0 else Doing(Verb.USING_FURNITURE, seat)

    def sitter(self, furniture: int) -> int:
        """Who has a seat, -1 when it is free."""
        return self.seat.index(furniture) if furniture in self.seat else -1

    # What residents do with things

    def take(self, resident: int, item: int) -> None:
        """From the furniture it lies on into someone's hands."""
        place = self.tables.place_of_furniture[self.on[item]]
        self.lying[place].remove(item)
        self.on[item] = -1
        self.hands[resident].append(item)
        self.takers[item] = resident
        self._touch(place)

    def put(self, resident: int, item: int, furniture: int) -> None:
        """Out of someone's hands in or on furniture."""
        place = self.tables.place_of_furniture[furniture]
        self.hands[resident].remove(item)
        self.on[item] = furniture
        insort(self.lying[place], item)
        self._touch(place)

    def hand_over(self, resident: int, item: int, other: int) -> None:
        """Out of someone's hands into another's."""
        self.hands[resident].remove(item)
        self.hands[other].append(item)

    def contents(self, furniture: int) -> list[int]:
        """What lies in or on a piece of furniture."""
        return [item for item in self.lying[self.tables.place_of_furniture[furniture]] if self.on[item] == furniture]

    def treat(self, furniture: int) -> list[int]:
        """Change the statuses of what lies on it, as using it does; returns the items."""
        items = self.contents(furniture)
        for item in items:
            self.status[item] = self.status[item] & ~self.tables.removes[furniture] | self.tables.adds[furniture]
        self._touch(self.tables.place_of_furniture[furniture])
        return items

    def _touch(self, place: int) -> None:
        self.surroundings[place] = None
        self.takes[place] = None
