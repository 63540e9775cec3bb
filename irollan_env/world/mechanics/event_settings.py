"""What an events file says: when something happens in a run, and what."""

from __future__ import annotations

from typing import Any

from pydantic import Field
from pydantic.dataclasses import dataclass

from irollan_env.world.mechanics.settings import CLOSED

ANY, ALL, MEAN, SUM = "any", "all", "mean", "sum"
"""Subjects of a variable that stand for the residents who are there."""

COMPARISONS = ("below", "above", "at_least", "at_most", "equals")
"""Keys of a condition that compare its number; all that are given must hold."""


@dataclass(frozen=True, kw_only=True, config=CLOSED)
class Condition:
    """A number of the world and what it is compared with.

    Attributes:
        variable: Subject and name of a number that a mechanic keeps: ``"world.well"``, ``"AY.hunger"``; the subject
            ``any`` or ``all`` for some or every resident, ``mean`` or ``sum`` for all residents taken together.
        things: A kind of item, which is counted.
        on: Furniture, a place or a resident, where ``things`` are counted; everywhere when empty.
        people: A place, in which residents are counted.
        below: It must be below this.
        above: It must be above this.
        at_least: It must be at least this.
        at_most: It must be at most this.
        equals: It must be this.
    """

    variable: str = ""
    things: str = ""
    on: str = ""
    people: str = ""
    below: float | None = None
    above: float | None = None
    at_least: float | None = None
    at_most: float | None = None
    equals: float | None = None


@dataclass(frozen=True, kw_only=True, config=CLOSED)
class NewKind:
    """A kind of item that the map does not have.

    Attributes:
        usable: Whether one can use such things in one's hands.
        adds: Statuses that using one gives it.
        once: Whether one that has these statuses can be used no more.
        heavy: Whether it takes two to carry one.
    """

    usable: bool = False
    adds: tuple[str, ...] = ()
    once: bool = False
    heavy: bool = False


@dataclass(frozen=True, kw_only=True, config=CLOSED)
class Add:
    """Things that appear.

    Attributes:
        kind: The kind of item.
        where: The furniture they lie on, or the resident who holds them.
        count: How many, each time.
        status: Their statuses.
        new: What things of the kind are, where the map has none; ``{}`` for plain ones.
        spare: How many of them there can be at once by this event, where it happens repeatedly; ``count`` when 0.
    """

    kind: str
    where: str
    count: int = Field(default=1, ge=1, le=1000)
    status: tuple[str, ...] = ()
    new: NewKind | None = None
    spare: int = Field(default=0, ge=0, le=10_000)


@dataclass(frozen=True, kw_only=True, config=CLOSED)
class Move:
    """Something or somebody that is moved.

    Attributes:
        what: An item or a resident.
        to: For an item, furniture or a resident; for a resident, a place.
    """

    what: str
    to: str


@dataclass(frozen=True, kw_only=True, config=CLOSED)
class Arrive:
    """A resident who comes: one who is absent or has left, or a newcomer, who is added to the map.

    Attributes:
        resident: The name.
        place: Where it arrives; at home when empty.
        home: A newcomer's home, a place of the map.
        display_name: A newcomer's full name.
        identity: A newcomer's identity, as in a file of identities.
    """

    resident: str
    place: str = ""
    home: str = ""
    display_name: str = ""
    identity: dict[str, Any] = Field(default_factory=dict)


@dataclass(frozen=True, kw_only=True, config=CLOSED)
class Say:
    """A message from outside, or in somebody's name.

    Attributes:
        speaker: Who says it: ``"town hall"``.
        text: The words.
        to: The resident who alone hears it, or the place where it is heard; everybody when empty.
    """

    speaker: str
    text: str
    to: str = ""


@dataclass(frozen=True, kw_only=True, config=CLOSED)
class Status:
    """New statuses of a thing.

    Attributes:
        item: The item.
        status: All statuses that it has then.
    """

    item: str
    status: tuple[str, ...]


@dataclass(frozen=True, kw_only=True, config=CLOSED)
class Remember:
    """A memory that a resident gets or loses.

    Attributes:
        resident: Whose.
        text: The sentence that it remembers, as from before the run; or a word of the memories that it forgets.
    """

    resident: str
    text: str


@dataclass(frozen=True, kw_only=True, config=CLOSED)
class Event:
    """An entry of an events file: when, and what; everything named happens, in the order of the keys below.

    Attributes:
        entry: Where it stands, for messages.
        name: A name, by which ``cancel`` finds it.
        muted: Whether it never happens; the map has what it would bring, so that chance falls alike with and without.
        step: The time step before which it happens.
        at: The moment at which it happens, by the map's calendar: ``"evening"``, ``"day 3 09:00"``, ``"Tuesday"``.
        every: It happens in each step that this number divides, but for the first.
        when: It happens as soon as this holds, once.
        repeat: Whether it happens in every step in which ``when`` holds, and each time ``at`` comes.
        arrive: A resident comes.
        leave: A resident leaves; what it holds goes with it.
        add: Things appear.
        remove: An item disappears.
        empty: All items in or on this furniture disappear.
        move: An item or a resident is moved.
        status: An item changes.
        close: A place or furniture: nobody goes in, or takes, puts or uses anything there; who is in may leave.
        open: A place or furniture opens again.
        set: Settings, by mechanic: ``set.needs.hunger.rises = 0.1``; of LTRHA: ``set.ltrha.parameters.s_max = 5``.
        remember: A resident gets a memory, as from before the run.
        forget: A resident loses all memories with a word in them.
        cancel: The name of another event, which happens no more.
        say: Somebody says something.
        end: The run ends; the reason, or true.
    """

    entry: str = ""
    name: str = ""
    muted: bool = False
    step: int | None = Field(default=None, ge=0)
    at: str | None = None
    every: int | None = Field(default=None, ge=1)
    when: Condition | None = None
    repeat: bool = False
    arrive: Arrive | None = None
    leave: str | None = None
    add: Add | None = None
    remove: str | None = None
    empty: str | None = None
    move: Move | None = None
    status: Status | None = None
    close: str | None = None
    open: str | None = None
    set: dict[str, Any] | None = None
    remember: Remember | None = None
    forget: Remember | None = None
    cancel: str | None = None
    say: Say | None = None
    end: str | bool | None = None


@dataclass(frozen=True, kw_only=True, config=CLOSED)
class EventsSettings:
    """What happens in a run.

    Attributes:
        absent: Residents of the map who are not there at the beginning.
        events: What happens, and when: the keys of ``Event``.
    """

    absent: tuple[str, ...] = ()
    events: tuple[dict[str, Any], ...] = ()


WHEN = ("step", "at", "every", "when")
"""Keys of an event that say when it happens."""

WHAT = (
    *("arrive", "leave", "add", "remove", "empty", "move", "status", "close", "open", "set"),
    *("remember", "forget", "cancel", "say", "end"),
)
"""Keys of an event that say what happens, in the order in which it does."""
