"""The expert's knowledge: what one resident has seen so far, from which its plans are made."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any, ClassVar

from irollan_env.actions import SILENCE, Action
from irollan_env.hints import check_integer, check_keys, check_known, check_list
from irollan_env.map.tables import Tables
from irollan_env.tasks.neighbourhood import neighbourhood_of
from irollan_env.tasks.routes import known_nearest, known_route, known_ways
from irollan_env.world.observation import Message
from irollan_env.world.requests import ACKNOWLEDGEMENT
from irollan_env.world.world import World


class Known:
    """The expert's view of the valley: only what its resident has seen and heard.

    Things are assumed to be unchanged until they are seen to have changed.
    """

    all_known: ClassVar[bool] = False

    def __init__(self, tables: Tables, resident: str) -> None:
        self.near, self.resident = neighbourhood_of(tables, resident), resident
        self.place, self.time = "", 0
        self._visited: dict[str, int] = {}
        self._where: dict[str, str] = {}
        self._status: dict[str, tuple[str, ...]] = {}
        self._opened: dict[str, int] = {}
        self._open: set[str] = set()
        self._people: dict[str, str] = {}
        self._doing: dict[str, str | None] = {}
        self.heard: list[tuple[str, str, int]] = []
        self._answers: dict[str, int] = {}

    def listen(self, messages: Sequence[Message], said: Action | None) -> None:
        """Record what was said to the resident, except answers, and what it said itself.

        Args:
            messages: The messages heard in this step.
            said: The resident's own action in this step; None if it waited.
        """
        if said is not None and said.words:
            self._answers[said.target] = self.time - 1
        mine = [m for m in messages if m.addressee == self.resident]
        news = [m for m in mine if ACKNOWLEDGEMENT not in m.text and m.text != SILENCE]
        self.heard = [*self.heard, *((m.sender, m.text, m.time) for m in news)][-_REMEMBERED:]

    def answered(self, time: int) -> set[str]:
        """Return the residents to whom this resident has spoken since a time step."""
        return {person for person, when in self._answers.items() if when > time}

    def look(self, world: World) -> None:
        """Record what the resident sees from where it is."""
        me, place = self.resident, world.place_of(self.resident)
        self.place, self.time = place, world.time
        self._visited[place] = world.time
        is_open = world.open_in(place)
        self._open.difference_update(self._closing(place))
        self._open.update(is_open)
        self._opened.update(dict.fromkeys(is_open, world.time))
        in_sight = {me, *is_open}
        for item in [item for item, where in self._where.items() if where in in_sight]:
            del self._where[item]
        lying, held = world.lying_in(place), world.holding(me)
        self._where.update(lying)
        self._where.update(dict.fromkeys(held, me))
        for item in (*lying, *held):
            self._status[item] = world.status_of(item)
        for person in [person for person, where in self._people.items() if where == place]:
            del self._people[person]
        for person in world.people_in(place):
            self._people[person], self._doing[person] = place, world.doing(person)

    def _closing(self, place: str) -> list[str]:
        tables = self.near.tables
        number = tables.place_number[place]
        return [tables.furniture[f] for f in tables.furniture_in[number] if tables.closes[f]]

    def route(self, start: str, goal: str) -> tuple[str, ...] | None:
        """Implement ``View.route``, through doors that were seen from either side."""
        return known_route(self.near.tables, frozenset(self._visited), start, goal)

    def ways(self, start: str) -> Mapping[str, tuple[str, ...]]:
        """Implement ``View.ways``."""
        return known_ways(self.near, frozenset(self._visited), start)

    def nearest(self, status: str, place: str) -> tuple[str, int] | None:
        """Implement ``View.nearest``."""
        return known_nearest(self.near, frozenset(self._visited), status, place)

    def where(self, item: str) -> str | None:
        """Implement ``View.where``."""
        return self._where.get(item)

    def status(self, item: str) -> tuple[str, ...]:
        """Implement ``View.status``."""
        return self._status.get(item, ())

    def whereabouts(self, items: Sequence[str]) -> Sequence[tuple[str | None, tuple[str, ...]]]:
        """Implement ``View.whereabouts``."""
        return [(self._where.get(item), self._status.get(item, ())) for item in items]

    def is_open(self, furniture: str) -> bool:
        """Implement ``View.is_open``."""
        return furniture in self._open

    def knows(self, place: str) -> bool:
        """Implement ``View.knows``."""
        return place in self._visited

    def place_of(self, person: str) -> str | None:
        """Implement ``View.place_of``."""
        return self._people.get(person)

    def doing(self, person: str) -> str | None:
        """Implement ``View.doing``."""
        return self._doing.get(person) if person in self._people else None

    def unseen(self, *, people: bool) -> list[tuple[str, str | None]]:
        """Implement ``View.unseen``; when everything was seen, return what was seen longest ago, as things move."""
        tables = self.near.tables
        doors = {there: -1 for here in self._visited for there in self._doors(here)}
        looks: dict[tuple[str, str | None], int] = {(place, None): -1 for place in doors if place not in self._visited}
        if not people:
            for place in self._visited:
                closed = [piece for piece in self._closing(place) if piece not in self._open]
                looks.update({(place, piece): self._opened.get(piece, -1) for piece in closed})
        first = [look for look, time in looks.items() if time < 0]
        if first:
            return first
        if people and (self.time + 3 * tables.resident_number[self.resident]) % _ROUND < _REST:
            return []  # to stay for a while: two who look for each other might pass each other for ever
        looks.update({(place, None): time for place, time in self._visited.items() if place != self.place})
        oldest = min(looks.values())
        return [look for look, time in looks.items() if time == oldest]

    def _doors(self, place: str) -> list[str]:
        tables = self.near.tables
        return [tables.places[there] for there in tables.doors[tables.place_number[place]]]

    def copy(self) -> Known:
        """Return an independent copy."""
        twin = Known(self.near.tables, self.resident)
        twin.set_state(self.get_state())
        return twin

    def get_state(self) -> dict[str, Any]:
        """Return all that was seen, as JSON-ready data."""
        return {
            "place": self.place,
            "time": self.time,
            "visited": dict(self._visited),
            "where": dict(self._where),
            "status": {item: list(status) for item, status in self._status.items()},
            "opened": dict(self._opened),
            "open": sorted(self._open),
            "heard": [list(words) for words in self.heard],
            "answers": dict(self._answers),
            "people": {person: [place, self._doing.get(person)] for person, place in self._people.items()},
        }

    def set_state(self, state: Any) -> None:
        """Restore a state from ``get_state``.

        Raises:
            ValueError: for data that is not from ``get_state``.
        """
        check_keys("known", state, _STATE)
        tables, near = self.near.tables, self.near
        places, furniture, residents = tables.place_number, tables.furniture_number, tables.resident_number
        self.place, self.time = _name("known.place", state["place"], places), check_integer("known.time", state["time"])
        self._visited = _times("known.visited", state["visited"], places)
        self._opened = _times("known.opened", state["opened"], furniture)
        self._answers = _times("known.answers", state["answers"], residents)
        self._open = {_name("known.open", piece, furniture) for piece in check_list("known.open", state["open"])}
        where = {**furniture, self.resident: 0}
        self._where = {
            k: _name("known.where", v, where) for k, v in _pairs("known.where", state["where"], near.kind_of)
        }
        self._status = {
            item: tuple(
                _name("known.status", status, tables.status_bit) for status in check_list("known.status", statuses)
            )
            for item, statuses in _pairs("known.status", state["status"], near.kind_of)
        }
        self._people, self._doing = {}, {}
        for person, seen in _pairs("known.people", state["people"], residents):
            place, doing = check_list(f"known.people[{person!r}]", seen, 2)
            self._people[person], self._doing[person] = _name("known.people", place, places), doing
            if doing is not None and not isinstance(doing, str):
                raise ValueError(f"what {person!r} does must be a text or null in known.people, got {doing!r}")
        self.heard = []
        for words in check_list("known.heard", state["heard"]):
            sender, said, time = check_list("known.heard", words, 3)
            if not isinstance(said, str):
                raise ValueError(f"known.heard must hold texts, got {said!r}")
            self.heard.append((_name("known.heard", sender, residents), said, check_integer("known.heard", time)))


_STATE = ("place", "time", "visited", "where", "status", "opened", "open", "heard", "answers", "people")
_REMEMBERED = 20
_ROUND, _REST = 8, 3


def _name(where: str, value: Any, known: Collection[str]) -> str:
    return check_known("name", value, known, f"{where}: ")


def _pairs(where: str, data: Any, known: Collection[str]) -> list[tuple[str, Any]]:
    if not isinstance(data, Mapping):
        raise ValueError(f"{where} must be a mapping, got {data!r}")
    return [(_name(where, key, known), value) for key, value in data.items()]


def _times(where: str, data: Any, known: Collection[str]) -> dict[str, int]:
    return {name: check_integer(f"{where}[{name!r}]", time) for name, time in _pairs(where, data, known)}
