"""The state of a valley as integers and lists, with operations that keep it consistent."""

from __future__ import annotations

from bisect import insort
from collections.abc import Iterable
from enum import Enum
from typing import NamedTuple

from irollan_env.actions import Action
from irollan_env.map.geometry import facing
from irollan_env.map.tables import ABSENT, Tables
from irollan_env.world.events import Deed, Event, Happened, event_of
from irollan_env.world.observation import Message, OutcomeKind


class Verb(Enum):
    """Activities of a resident."""

    NOTHING = ""
    MOVING = "moving"
    USING_FURNITURE = "using furniture"
    USING_ITEM = "using item"
    TALKING = "talking"


class Doing(NamedTuple):
    """A resident's activity, with the number of the furniture, item or resident involved."""

    verb: Verb
    number: int = -1


AWAY = -1
"""The place of a resident who is not in the world."""

AWAY_PLACE = "away"
"""Stands for the place of residents and things that are not in the world."""

IDLE, MOVING = Doing(Verb.NOTHING), Doing(Verb.MOVING)

# Attributes whose lists are copied; those with nested lists are copied one level deeper.
_FLAT = (
    *("place", "pose", "doing", "seat", "sitter", "open", "outcome", "result", "inbox", "on", "status"),
    *("surroundings", "crowd", "chats", "takes", "uses", "placed"),
)
_NESTED = ("people", "hands", "lying")


class ValleyState:
    """Positions, holdings and statuses; each method keeps the lists consistent.

    Attributes:
        tables: The map; all numbers are its numbers.
        time: Time step, from 0.
        people: For each place, the residents there, in order of arrival.
        place, pose, doing, seat, hands: For each resident; ``place`` is ``AWAY`` for who is not in the world, ``seat``
            is -1 for who stands, ``hands`` is in the order in which things were taken.
        sitter: For each piece of furniture, the resident seated on it, -1 when it is free.
        open: For each piece of furniture, whether what is in or on it is at hand; False for what is closed.
        outcome, result, inbox: For each resident, its last action's outcome and result, and messages heard since.
        seen: Events that each resident saw since, as tuples of fields; residents that saw none have no entry.
        lying: For each place, the items that lie there, in the sentence's order.
        on: For each item, the furniture it lies on; ``~resident``, which is below 0, in a resident's hands; ``ABSENT``
            where it is not in the world.
        status: For each item, the bit set of its statuses.
        takers, togglers: Within a step, the resident that took each item, and that opened or closed each furniture.
        leavers: Within a step, the place that each resident left.
        surroundings, crowd, chats, takes, uses: For each place, text that the narration and the admissible actions made
            of it, which all who are there share; None when stale.
        placed: For each item that lies somewhere, its phrase in the sentence and the action that takes it; None when
            stale.
    """

    __slots__ = (*_FLAT, *_NESTED, "leavers", "seen", "tables", "takers", "time", "togglers")

    def __init__(self, tables: Tables) -> None:
        residents = range(len(tables.residents))
        self.tables = tables
        self.time = 0
        self.place = [AWAY if tables.absent[resident] else home for resident, home in enumerate(tables.home)]
        self.people: list[list[int]] = [[] for _ in tables.places]
        for resident, place in enumerate(self.place):
            if place != AWAY:
                self.people[place].append(resident)
        self.pose = [tables.arrival(tables.way_out[home], home, r) for r, home in enumerate(tables.home)]
        self.doing = [IDLE for _ in residents]
        self.seat = [-1 for _ in residents]
        self.sitter = [-1 for _ in tables.furniture]
        self.open = [not closes for closes in tables.closes]
        self.hands: list[list[int]] = [[] for _ in residents]
        self.outcome: list[OutcomeKind | None] = [None for _ in residents]
        self.result = ["" for _ in residents]
        self.inbox: list[tuple[Message, ...]] = [() for _ in residents]
        self.seen: dict[int, list[Happened]] = {}
        self.on = list(tables.item_start)
        self.lying: list[list[int]] = [[] for _ in tables.places]
        for item, start in enumerate(tables.item_start):
            if start >= 0:
                self.lying[tables.place_of_furniture[start]].append(item)
            elif start != ABSENT:
                self.hands[~start].append(item)
        self.status = [0 for _ in tables.items]
        self.forget_step()
        self.forget_text()

    def forget_step(self) -> None:
        """Clear the record of who did what within the last step."""
        self.takers: dict[int, int] = {}
        self.togglers: dict[int, int] = {}
        self.leavers: dict[int, int] = {}

    def forget_heard(self, residents: Iterable[int] | None = None) -> None:
        """Clear the messages and events of these residents, or of all, once they have perceived them."""
        if residents is None:
            self.inbox = [()] * len(self.inbox)
            self.seen = {}
            return
        for resident in residents:
            self.inbox[resident] = ()
            self.seen.pop(resident, None)

    def deliver(self, listener: int, message: Message) -> None:
        """Deliver a message to a resident."""
        self.inbox[listener] = (*self.inbox[listener], message)

    def forget_text(self) -> None:
        """Clear all cached text."""
        places = len(self.people)
        self.surroundings: list[str | None] = [None] * places
        self.crowd: list[list[str] | None] = [None] * places
        self.chats: list[list[Action] | None] = [None] * places
        self.takes: list[list[Action] | None] = [None] * places
        self.uses: list[list[Action] | None] = [None] * places
        self.placed: list[tuple[str, Action] | None] = [None] * len(self.on)

    def copy(self) -> ValleyState:
        """Return an independent copy; the map is shared."""
        twin = ValleyState.__new__(ValleyState)
        for name in ("tables", "time"):
            setattr(twin, name, getattr(self, name))
        for name in _FLAT:
            setattr(twin, name, getattr(self, name).copy())
        for name in _NESTED:
            setattr(twin, name, [inner.copy() for inner in getattr(self, name)])
        twin.seen = {resident: events.copy() for resident, events in self.seen.items()}
        twin.takers, twin.leavers, twin.togglers = dict(self.takers), dict(self.leavers), dict(self.togglers)
        return twin

    # What residents perceive of one another

    def witness(
        self, actor: int, place: int, deed: Deed, thing: str | None = None, other: str | None = None, text: str = ""
    ) -> None:
        """Record an event for all others in a place; the arguments are fields of ``Event``.

        Args:
            actor: The actor's number.
            place: The place's number.
            deed: As for ``Event``.
            thing: As for ``Event``.
            other: As for ``Event``.
            text: As for ``Event``.
        """
        people = self.people[place]
        if len(people) > 1 or actor not in people:
            happened = (self.time, self.tables.residents[actor], deed, thing, other, text)
            for resident in people:
                if resident != actor:
                    if (events := self.seen.get(resident)) is None:
                        self.seen[resident] = [happened]
                    else:
                        events.append(happened)

    def events(self, resident: int) -> tuple[Event, ...]:
        """Return the events that a resident has seen since its last observation, in order."""
        return tuple([event_of(*happened) for happened in self.seen.get(resident, ())])

    # What residents do with themselves

    def begin(self, resident: int, doing: Doing) -> None:
        """Set the activity that others see of a resident."""
        self.doing[resident] = doing
        self.crowd[self.place[resident]] = None

    def go(self, resident: int, target: int) -> None:
        """Move a resident through a door or along a road; ends sitting and conversations."""
        here = self.place[resident]
        self.stand_up(resident)
        self.people[here].remove(resident)
        self.people[target].append(resident)
        self.chats[here] = self.chats[target] = self.crowd[here] = None
        self.leavers[resident] = here
        for other in self.people[here]:
            if self.doing[other] == (Verb.TALKING, resident):
                self.settle(other)
        self.place[resident] = target
        self.begin(resident, MOVING)
        self.pose[resident] = self.tables.arrival(here, target, resident)

    def walk_to(self, resident: int, furniture: int) -> None:
        """Move a resident to furniture in the same place; ends sitting elsewhere."""
        if self.seat[resident] != furniture:
            self.stand_up(resident)
        self.pose[resident] = self.tables.beside(furniture, resident)

    def sit_down(self, resident: int, furniture: int) -> None:
        """Seat a resident on a free seat."""
        self.stand_up(resident)
        self.seat[resident] = furniture
        self.sitter[furniture] = resident
        self.uses[self.place[resident]] = None

    def stand_up(self, resident: int) -> None:
        """End sitting, if the resident sits."""
        if (seat := self.seat[resident]) >= 0:
            self.seat[resident] = self.sitter[seat] = -1
            self.uses[self.place[resident]] = None

    def turn_to(self, resident: int, other: int) -> None:
        """Turn a resident towards another."""
        self.pose[resident] = facing(self.pose[resident], self.pose[other].x, self.pose[other].y)

    def approach(self, resident: int, name: str) -> None:
        """Move a resident to a thing in the same place, or turn it to a person; ends walking, and talk with others."""
        tables = self.tables
        if (person := tables.resident_number.get(name)) is not None:
            self.turn_to(resident, person)
            if self.doing[resident] == (Verb.TALKING, person):
                return
        furniture = tables.furniture_number.get(name)
        if (item := tables.item_number.get(name)) is not None and self.on[item] >= 0:
            furniture = self.on[item]
        if furniture is not None:
            self.walk_to(resident, furniture)
        self.settle(resident)

    def settle(self, resident: int) -> None:
        """Reset a resident's activity to sitting or nothing."""
        seat = self.seat[resident]
        self.begin(resident, IDLE if seat < 0 else Doing(Verb.USING_FURNITURE, seat))

    # What residents do with things

    def take(self, resident: int, item: int) -> None:
        """Move an item from furniture into a resident's hands."""
        place = self.tables.place_of_furniture[self.on[item]]
        self.lying[place].remove(item)
        self._hold(resident, item)
        self.takers[item] = resident
        self.touch(place)

    def put(self, resident: int, item: int, furniture: int) -> None:
        """Move an item from a resident's hands to furniture."""
        place = self.tables.place_of_furniture[furniture]
        self.hands[resident].remove(item)
        self.on[item] = furniture
        self.placed[item] = None
        insort(self.lying[place], item)
        self.touch(place)

    def hand_over(self, resident: int, item: int, other: int) -> None:
        """Move an item from one resident's hands to another's."""
        self.hands[resident].remove(item)
        self._hold(other, item)

    def _hold(self, resident: int, item: int) -> None:
        self.on[item] = ~resident
        self.hands[resident].append(item)

    def take_out(self, item: int) -> None:
        """Take an item out of the world, wherever it is."""
        where = self.on[item]
        if where >= 0:
            place = self.tables.place_of_furniture[where]
            self.lying[place].remove(item)
            self.touch(place)
        elif where != ABSENT:
            self.hands[~where].remove(item)
        if where != ABSENT:
            self._let_go(item, self.tables.place_of_furniture[where] if where >= 0 else self.place[~where])
        self.on[item], self.status[item], self.placed[item] = ABSENT, 0, None

    def _let_go(self, item: int, place: int) -> None:
        """End the use of an item that leaves a place: by who holds it, and by who helps with it."""
        for resident in self.people[place] if place != AWAY else ():
            if self.doing[resident] == (Verb.USING_ITEM, item):
                self.settle(resident)

    def bring_in(self, item: int, where: int, status: int = 0) -> None:
        """Put an item that is not in the world on furniture, or with ``~resident`` into a resident's hands."""
        self.status[item], self.placed[item] = status, None
        if where < 0:
            self._hold(~where, item)
            return
        place = self.tables.place_of_furniture[where]
        self.on[item] = where
        insort(self.lying[place], item)
        self.touch(place)

    def set_status(self, item: int, status: int) -> None:
        """Replace the statuses of an item."""
        self.status[item], self.placed[item] = status, None
        if self.on[item] >= 0:
            self.touch(self.tables.place_of_furniture[self.on[item]])

    def move_resident(self, resident: int, target: int) -> None:
        """Move a resident to any place, or with ``AWAY`` out of the world; its things stay in its hands."""
        here, tables = self.place[resident], self.tables
        if here != AWAY:
            self.stand_up(resident)
            self.people[here].remove(resident)
            self.chats[here] = self.crowd[here] = None
            for other in self.people[here]:
                if self.doing[other] == (Verb.TALKING, resident):
                    self.settle(other)
            for item in self.hands[resident]:
                self._let_go(item, here)
        self.place[resident] = target
        self.doing[resident] = IDLE
        if target != AWAY:
            self.people[target].append(resident)
            self.chats[target] = self.crowd[target] = None
            behind = tables.way_out[target]
            self.pose[resident] = tables.arrival(behind if behind >= 0 else tables.doors[target][0], target, resident)

    def toggle(self, resident: int, furniture: int) -> None:
        """Open or close furniture."""
        self.togglers[furniture] = resident
        self.open[furniture] = not self.open[furniture]
        self.touch(self.tables.place_of_furniture[furniture])

    def visible(self, place: int) -> list[int]:
        """Return the visible items in a place, in the sentence's order; those in closed furniture are left out."""
        lying = self.lying[place]
        return [item for item in lying if self.open[self.on[item]]] if self.tables.closing[place] else lying

    def contents(self, furniture: int) -> list[int]:
        """Return the items in or on a piece of furniture."""
        return [item for item in self.lying[self.tables.place_of_furniture[furniture]] if self.on[item] == furniture]

    def treat(self, furniture: int) -> list[int]:
        """Apply the effect of using furniture to the items on it; return these items."""
        items = self.contents(furniture)
        for item in items:
            self.status[item] = self.status[item] & ~self.tables.removes[furniture] | self.tables.adds[furniture]
            self.placed[item] = None
        self.touch(self.tables.place_of_furniture[furniture])
        return items

    def use_up(self, item: int) -> int:
        """Apply the effect of using a held item to its statuses; return the bit set of new statuses."""
        new = self.tables.item_adds[item] & ~self.status[item]
        self.status[item] |= new
        return new

    def spent(self, item: int) -> bool:
        """Return whether a single-use item has been used."""
        spent = self.tables.item_spent[item]
        return spent > 0 and self.status[item] & spent == spent

    def touch(self, place: int) -> None:
        """Clear cached text about the items of a place."""
        self.surroundings[place] = None
        self.takes[place] = None
