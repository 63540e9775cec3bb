"""Events: what happens in a run from outside, at a step, repeatedly or under a condition."""

from __future__ import annotations

import copy
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from operator import eq, ge, gt, le, lt
from typing import TYPE_CHECKING, Any

from irollan_env.actions import LONGEST_CHAT, Action, Primitive
from irollan_env.hints import check_known
from irollan_env.map.valley_map import ValleyMap
from irollan_env.world.mechanic import WORLD, Mechanic
from irollan_env.world.mechanics.calendar import Calendar
from irollan_env.world.mechanics.event_settings import (
    ALL,
    ANY,
    COMPARISONS,
    MEAN,
    SUM,
    WHAT,
    WHEN,
    Condition,
    Event,
    EventsSettings,
)
from irollan_env.world.mechanics.settings import read_settings

if TYPE_CHECKING:
    from irollan_env.world.world import World

NAME = "events"
LTRHA = "ltrha"
"""Key of ``Event.set`` that holds settings of the social framework, which are no mechanic's."""

UNTIL = "world.until"
"""The key of a run's configuration that ends it under a condition; the entry of the event that does."""

NOTHING_YET: Mapping[str, Any] = {
    "fired": [],
    "closed": [],
    "cancelled": [],
    "ltrha": {},
    "waiting": [],
    "ended": "",
}
"""The state of the events of a run that had none; ``Events.catch_up`` then looks at all of them."""

_COMPARE = dict(zip(COMPARISONS, (lt, gt, ge, le, eq), strict=True))
_TOUCHING = (Primitive.TAKE, Primitive.PUT, Primitive.USE)


class Events(Mechanic):
    """Let happen what an events file says.

    What happens in a step happens before the residents observe it. What concerns minds and the social framework, which
    the world does not know, waits in ``waiting`` for who does.

    Attributes:
        events: In the order in which they are looked at in a step.
    """

    name = NAME

    def __init__(self, settings: Mapping[str, Any], valley_map: ValleyMap) -> None:
        """Read and check the events of a map.

        Raises:
            ValueError: for an event that is none, or names what the map does not have; it names the entry.
        """
        self.events = read_events(settings)
        self._labels = [label_of(number, table) for number, table in enumerate(settings.get("events", ()), start=1)]
        for event, label in zip(self.events, self._labels, strict=True):
            _check(event, label, self.events, valley_map)
        self._fired = [0 for _ in self.events]
        self._known = len(self.events)
        self._closed: list[str] = []
        self._cancelled: list[str] = []
        self._ltrha: dict[str, Any] = {}
        self._waiting: list[int] = []
        self.ended = ""

    def begin(self, world: World) -> None:
        """Check what only a world knows, and let happen what is due before the first step."""
        for event, label in zip(self.events, self._labels, strict=True):
            _check_in(world, event, label)
        self._act(world, range(len(self.events)))

    def after_step(self, world: World) -> None:
        """Let happen what is due before the next step."""
        self._act(world, range(len(self.events)))

    def catch_up(self, world: World) -> None:
        """Let happen what is due now of the events that the state did not have from which the world was restored."""
        self._act(world, range(self._known, len(self.events)))
        self._known = len(self.events)

    def refuse(self, world: World, resident: str, action: Action) -> str | None:
        """Refuse to go where a place is closed, and to use, take from or put into what is."""
        if not self._closed or action.target not in self._closed:
            return None
        if action.primitive is Primitive.GO_TO:
            return f"{action.target} is closed."
        return f"The {action.target} is closed." if action.primitive in _TOUCHING else None

    def observe(self, world: World, resident: str) -> Iterator[str]:
        """Say what is closed of the places next to the resident's, and of the furniture there."""
        if self._closed:
            tables, place = world.map.tables, world.place_of(resident)
            here = tables.place_number[place]
            near = {place, *(tables.places[there] for there in tables.doors[here])}
            pieces = {tables.furniture[number] for number in tables.furniture_in[here]}
            yield from (f"{one} is closed." for one in self._closed if one in near)
            yield from (f"The {one} is closed." for one in self._closed if one in pieces)

    @property
    def framework_settings(self) -> Mapping[str, Any]:
        """The settings of the social framework that events have changed, by path below ``ltrha.``."""
        return self._ltrha

    def take_waiting(self) -> list[Event]:
        """Return the events that concern minds and have happened since the last call, in their order."""
        waiting, self._waiting = self._waiting, []
        return [self.events[number] for number in waiting]

    def get_state(self) -> dict[str, Any]:
        """Return how often each event has happened, and what came of them that the world does not hold."""
        return {
            "fired": list(self._fired),
            "closed": list(self._closed),
            "cancelled": list(self._cancelled),
            "ltrha": copy.deepcopy(self._ltrha),
            "waiting": list(self._waiting),
            "ended": self.ended,
        }

    def set_state(self, state: Any) -> None:
        """Restore a state from ``get_state``, also one from before further events were added at the end."""
        fired = list(state["fired"])
        if len(fired) > len(self.events):
            raise ValueError(f"the state is of {len(fired)} events, and the map has {len(self.events)}")
        self._known = len(fired)
        self._fired = fired + [0] * (len(self.events) - len(fired))
        self._closed, self._cancelled = list(state["closed"]), list(state["cancelled"])
        self._ltrha, self._waiting, self.ended = dict(state["ltrha"]), list(state["waiting"]), state["ended"]

    def _act(self, world: World, numbers: Iterable[int]) -> None:
        # The ending of the run is looked at when all else has happened.
        for number in sorted(numbers, key=lambda number: self.events[number].entry == UNTIL):
            event = self.events[number]
            if self._is_due(world, number, event):
                self._fired[number] += 1
                for key in WHAT:
                    if getattr(event, key) is not None:
                        self._do(world, number, event, key)

    def _is_due(self, world: World, number: int, event: Event) -> bool:
        if event.muted or (event.name and event.name in self._cancelled):
            return False
        if self._fired[number] and not is_repeated(event):
            return False
        if event.step is not None and world.time != event.step:
            return False
        if event.every is not None and (world.time == 0 or world.time % event.every):
            return False
        if event.at is not None and not _comes(event.at, world):
            return False
        return event.when is None or holds(event.when, world)

    def _do(self, world: World, number: int, event: Event, key: str) -> None:
        """Do one of the things that an event does."""
        cause, what = event.name or "event", getattr(event, key)
        tables = world.map.tables
        match key:
            case "arrive":
                home = tables.places[tables.home[tables.resident_number[what.resident]]]
                world.move_resident(what.resident, what.place or home, cause=cause)
                if what.identity and self._fired[number] == 1:
                    self._waiting.append(number)
            case "leave":
                world.move_resident(what, None, cause=cause)
            case "add":
                for _ in range(what.count):
                    world.add(what.kind, what.where, cause=cause, status=what.status)
            case "remove":
                world.remove(what, cause=cause)
            case "empty":
                for item in world.contents(what):
                    world.remove(item, cause=cause)
            case "move" if what.what in tables.resident_number:
                world.move_resident(what.what, what.to, cause=cause)
            case "move":
                world.move(what.what, what.to, cause=cause)
            case "status" if world.exists(what.item):
                world.set_status(what.item, what.status, cause=cause)
            case "close" | "open":
                self._close(world, what, is_closed=key == "close", cause=cause)
            case "set":
                for path, value in leaves(what):
                    if path[0] == LTRHA:
                        self._ltrha[".".join(path[1:])] = value
                        world.note("set", ".".join(path), None, str(value), cause)
                    else:
                        world.set_mechanic(path[0], path[1:], value, cause=cause)
            case "remember" | "forget":
                self._waiting += [number] if number not in self._waiting else []
            case "cancel":
                self._cancelled = [*dict.fromkeys([*self._cancelled, what])]
            case "say":
                place = what.to if what.to in tables.place_number else None
                world.announce(what.speaker, what.text, place=place, resident=None if place else what.to or None)
            case "end":
                self.ended = what if isinstance(what, str) else event.name or self._labels[number]

    def _close(self, world: World, what: str, *, is_closed: bool, cause: str) -> None:
        tables = world.map.tables
        if (what in self._closed) == is_closed:
            return
        self._closed = [*self._closed, what] if is_closed else [one for one in self._closed if one != what]
        if (number := tables.furniture_number.get(what)) is not None and tables.closes[number]:
            world.set_open(what, not is_closed)
        world.note("became", what, None, "closed" if is_closed else "open", cause)


def read_events(settings: Mapping[str, Any]) -> tuple[Event, ...]:
    """Read the events in a table of settings, each with what it needs to be one.

    Raises:
        ValueError: for a key that is missing, unknown or wrong; it names the entry.
    """
    read_settings(EventsSettings, settings, f"mechanics.{NAME}")
    found = []
    for number, table in enumerate(settings.get("events", ()), start=1):
        label = label_of(number, table)
        event = read_settings(Event, table, label)
        if not any(getattr(event, key) is not None for key in WHEN):
            raise ValueError(f"{label} does not say when it happens; give it one of {', '.join(WHEN)}")
        if not any(getattr(event, key) is not None for key in WHAT) or event.end is False:
            raise ValueError(f"{label} does not say what happens; give it one of {', '.join(WHAT)}")
        if event.repeat and event.when is None and event.at is None:
            raise ValueError(f"{label}.repeat has no effect without when or at; give it a condition, or every = N")
        found.append(event)
    return tuple(found)


def named(settings: Mapping[str, Any], source: str) -> dict[str, Any]:
    """Return a table of settings in which each event says where it stands, for messages.

    Args:
        settings: The table.
        source: The file or key that it is from.
    """
    events = settings.get("events", ())
    if not isinstance(events, Sequence) or not all(isinstance(one, Mapping) for one in events):
        raise ValueError(f"{source}: events must be a list of tables, got {events!r}")
    listed = [{"entry": f"{source}: events[{number}]", **table} for number, table in enumerate(events, start=1)]
    return {**settings, **({"events": listed} if listed else {})}


def ending(condition: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the event that ends a run under a condition; none without one."""
    return [{"entry": UNTIL, "when": dict(condition), "end": UNTIL}] if condition else []


def label_of(number: int, table: Mapping[str, Any]) -> str:
    """Return how messages name an event: its file and its number there."""
    entry = table.get("entry")
    return entry if isinstance(entry, str) and entry else f"mechanics.{NAME}.events[{number}]"


def is_repeated(event: Event) -> bool:
    """Return whether an event can happen more than once."""
    return event.repeat or event.every is not None


def leaves(tables: Mapping[str, Any], before: Sequence[str] = ()) -> Iterator[tuple[tuple[str, ...], Any]]:
    """Yield the path of each value in nested tables, and the value."""
    for key, value in tables.items():
        if isinstance(value, Mapping) and value:
            yield from leaves(value, (*before, key))
        else:
            yield (*before, key), value


def holds(condition: Condition, world: World) -> bool:
    """Return whether a condition holds in a world; never where there is nothing to compare."""
    values = _values(condition, world)
    subject = condition.variable.rpartition(".")[0]
    if subject == MEAN and values:
        values = [sum(values) / len(values)]
    elif subject == SUM:
        values = [sum(values)]
    tests = [(compare, wanted) for key, compare in _COMPARE.items() if (wanted := getattr(condition, key)) is not None]
    found = [all(compare(value, wanted) for compare, wanted in tests) for value in values]
    return any(found) if subject == ANY else bool(found) and all(found)


def _comes(at: str, world: World) -> bool:
    """Return whether a moment of the calendar comes now: it is, and was not one step before."""
    calendar = _calendar(world)
    return calendar is not None and calendar.begins(at, world.time)


def _calendar(world: World) -> Calendar | None:
    return next((mechanic for mechanic in world.mechanics if isinstance(mechanic, Calendar)), None)


def _values(condition: Condition, world: World) -> list[float]:
    if condition.people:
        return [len(world.people_in(condition.people))]
    if condition.things:
        items = world.items_of(condition.things)
        return [len(items if not condition.on else [one for one in items if _is_at(world, one, condition.on)])]
    subject, _, name = condition.variable.rpartition(".")
    numbers = world.variables()
    if subject in (ANY, ALL, MEAN, SUM):
        subjects = [one for one in world.residents if world.is_present(one)]
    else:
        subjects = [subject]
    return [numbers[one][name] for one in subjects if name in numbers.get(one, {})]


def _is_at(world: World, item: str, where: str) -> bool:
    """Return whether an item lies on furniture, is held by a resident, or is either in a place."""
    tables, at = world.map.tables, world.where_is(item)
    if at == where or where not in tables.place_number:
        return at == where
    if (furniture := tables.furniture_number.get(at)) is not None:
        return tables.places[tables.place_of_furniture[furniture]] == where
    return world.place_of(at) == where


def _check(event: Event, label: str, events: Collection[Event], valley_map: ValleyMap) -> None:
    """Check that the map has what an event names.

    Raises:
        ValueError: for what it does not have.
    """
    tables = valley_map.tables
    people, places, furniture, items = (
        tables.resident_number,
        tables.place_number,
        tables.furniture_number,
        tables.item_number,
    )
    receptacles = [name for name, number in furniture.items() if tables.receptacle[number]]

    def known(key: str, what: str, name: str, names: Collection[str]) -> None:
        check_known(what, name, names, f"{label}.{key}: ")

    if event.when is not None:
        _check_condition(event.when, f"{label}.when", valley_map)
    if (arrive := event.arrive) is not None:
        known("arrive.resident", "resident", arrive.resident, people)
        if arrive.place:
            known("arrive.place", "place", arrive.place, places)
        absent = valley_map.residents[people[arrive.resident]].absent
        if not absent and not any(other.leave == arrive.resident for other in events):
            raise ValueError(
                f"{label}.arrive: {arrive.resident} is there from the beginning; list the name in absent at the top "
                "of the file, or let it leave before"
            )
    if event.leave is not None:
        known("leave", "resident", event.leave, people)
    if (add := event.add) is not None:
        known("add.kind", "kind of item (give new = {} for a new one)", add.kind, tables.items_of)
        known("add.where", "furniture that things lie on, or resident", add.where, [*receptacles, *people])
        _check_statuses(f"{label}.add.status", add.status, valley_map)
        kind = next(kind for kind in valley_map.item_kinds if kind.name == add.kind)
        if not kind.spare:
            raise ValueError(f"{label}.add: no {add.kind} is spare; give the kind spare = {add.count} in the map")
    if event.remove is not None:
        known("remove", "item", event.remove, items)
    if event.empty is not None:
        known("empty", "furniture", event.empty, receptacles)
    if (move := event.move) is not None:
        known("move.what", "item or resident", move.what, [*items, *people])
        if move.what in people:
            known("move.to", "place", move.to, places)
        else:
            known("move.to", "furniture that things lie on, or resident", move.to, [*receptacles, *people])
    if event.status is not None:
        known("status.item", "item", event.status.item, items)
        _check_statuses(f"{label}.status.status", event.status.status, valley_map)
    areas = [area.name for area in valley_map.areas]
    for key in ("close", "open"):
        if (name := getattr(event, key)) is not None:
            known(key, "place with a door, or furniture", name, [*areas, *furniture])
    for key in ("remember", "forget"):
        if (memory := getattr(event, key)) is not None:
            known(f"{key}.resident", "resident", memory.resident, people)
            if not memory.text.strip() or "\n" in memory.text:
                raise ValueError(f"{label}.{key}.text must be a line of text, got {memory.text!r}")
    if event.cancel is not None:
        known("cancel", "name of an event", event.cancel, [other.name for other in events if other.name])
    if (say := event.say) is not None:
        if not say.speaker.strip() or not say.speaker.isprintable():
            raise ValueError(f"{label}.say.speaker must be a name, got {say.speaker!r}")
        if not say.text.strip() or len(say.text) > LONGEST_CHAT:
            raise ValueError(f"{label}.say.text must have 1 to {LONGEST_CHAT} characters, got {len(say.text)}")
        if say.to:
            known("say.to", "resident or place", say.to, [*people, *places])


def _check_statuses(where: str, names: Sequence[str], valley_map: ValleyMap) -> None:
    for name in names:
        check_known("status", name, valley_map.statuses, f"{where}: ")
    for pair in valley_map.exclusive:
        if set(pair) <= set(names):
            raise ValueError(f"{where}: nothing is {' and '.join(pair)} at once; leave one out")


def _check_condition(condition: Condition, where: str, valley_map: ValleyMap) -> None:
    tables = valley_map.tables
    given = [key for key in ("variable", "things", "people") if getattr(condition, key)]
    if len(given) != 1:
        raise ValueError(f"{where} needs one of variable, things and people, got {' and '.join(given) or 'none'}")
    if all(getattr(condition, key) is None for key in COMPARISONS):
        raise ValueError(f"{where} compares with nothing; give one of {', '.join(COMPARISONS)}")
    if condition.people:
        check_known("place", condition.people, tables.place_number, f"{where}.people: ")
    if condition.things:
        check_known("kind of item", condition.things, tables.items_of, f"{where}.things: ")
    if condition.on:
        if not condition.things:
            raise ValueError(f"{where}.on has no effect without things; leave it out")
        known = [*tables.furniture_number, *tables.place_number, *tables.resident_number]
        check_known("furniture, place or resident", condition.on, known, f"{where}.on: ")


def _check_in(world: World, event: Event, label: str) -> None:
    """Check what an event needs of the other mechanics of a world.

    Raises:
        ValueError: for a variable that none keeps, or a setting that cannot be changed.
    """
    if event.when is not None and event.when.variable:
        numbers = world.variables()
        names = {name for subject, own in numbers.items() if subject != WORLD for name in own}
        known = [f"{WORLD}.{name}" for name in numbers.get(WORLD, {})]
        known += [f"{subject}.{name}" for subject in (ANY, ALL, MEAN, SUM, *world.residents) for name in names]
        check_known("variable", event.when.variable, known, f"{label}.when.variable: ")
    if event.at is not None:
        if (calendar := _calendar(world)) is None:
            raise ValueError(f"{label}.at needs a calendar; add [mechanics.calendar] to the map, or give step = N")
        try:
            if "tomorrow" in event.at:
                raise ValueError(f"{event.at!r} is another moment each day; name the day")
            calendar.step_of(event.at, 0)
        except ValueError as error:
            raise ValueError(f"{label}.at: {error}") from error
    twin = world.copy()
    for path, value in leaves(event.set or {}):
        if path[0] != LTRHA:
            try:
                twin.set_mechanic(path[0], path[1:], value, cause="event")
            except ValueError as error:
                raise ValueError(f"{label}.set.{'.'.join(path)}: {error}") from error
