"""Views of the world that plans are made from, and the oracle's complete view."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar, Protocol

from irollan_env.tasks.neighbourhood import Neighbourhood, neighbourhood_of
from irollan_env.tasks.routes import nearest_on, route_on, ways_on
from irollan_env.world.world import World


class View(Protocol):
    """Protocol of the knowledge that a plan may rely on.

    Attributes:
        near: The surroundings; a plan may use only what the methods return.
        resident: The resident that plans.
        place: The resident's place.
        time: Time step.
        all_known: Whether the view is complete, secrets included.
    """

    all_known: ClassVar[bool]
    near: Neighbourhood
    resident: str
    place: str
    time: int

    def route(self, start: str, goal: str) -> tuple[str, ...] | None:
        """Return the shortest known route as actions; None if there is none.

        Args:
            start: The name of a place.
            goal: The name of a place.
        """
        ...

    def ways(self, start: str) -> Mapping[str, tuple[str, ...]]:
        """Return the routes to all places near the home; places without a known route are left out."""
        ...

    def nearest(self, status: str, place: str) -> tuple[str, int] | None:
        """Return the known furniture nearest to a place that gives a status, the first of several; None if none is.

        It comes with the number of doors on the way.

        Args:
            status: Such as ``"clean"``.
            place: From where.
        """
        ...

    def where(self, item: str) -> str | None:
        """Return the furniture that an item lies in or on, or its holder; None for unknown."""
        ...

    def status(self, item: str) -> tuple[str, ...]:
        """Return the statuses of an item whose place is known."""
        ...

    def whereabouts(self, items: Sequence[str]) -> Sequence[tuple[str | None, tuple[str, ...]]]:
        """Return ``where`` and ``status`` of several items at once, in their order."""
        ...

    def is_open(self, furniture: str) -> bool:
        """Return whether furniture is known to be open."""
        ...

    def knows(self, place: str) -> bool:
        """Return whether the contents of a place are known."""
        ...

    def place_of(self, person: str) -> str | None:
        """Return a person's place; None for unknown."""
        ...

    def doing(self, person: str) -> str | None:
        """Return what a person is seen to do."""
        ...

    def unseen(self, *, people: bool) -> list[tuple[str, str | None]]:
        """Return where an unseen thing or person may be: places, with the closed furniture to open there."""
        ...


class Truth:
    """The oracle's view, with complete knowledge of the world."""

    all_known: ClassVar[bool] = True

    def __init__(self, world: World, resident: str) -> None:
        self.near, self.resident = neighbourhood_of(world.map.tables, resident), resident
        self.place, self.time, self._world = world.place_of(resident), world.time, world

    def route(self, start: str, goal: str) -> tuple[str, ...] | None:
        """Implement ``View.route``."""
        way = ways_on(self.near, start).get(goal)
        return route_on(self.near.tables, start, goal) if way is None else way

    def ways(self, start: str) -> Mapping[str, tuple[str, ...]]:
        """Implement ``View.ways``."""
        return ways_on(self.near, start)

    def nearest(self, status: str, place: str) -> tuple[str, int] | None:
        """Implement ``View.nearest``."""
        return nearest_on(self.near, status, place)

    def where(self, item: str) -> str | None:
        """Implement ``View.where``."""
        return self.whereabouts((item,))[0][0]

    def status(self, item: str) -> tuple[str, ...]:
        """Implement ``View.status``."""
        return self.whereabouts((item,))[0][1]

    def whereabouts(self, items: Sequence[str]) -> Sequence[tuple[str | None, tuple[str, ...]]]:
        """Implement ``View.whereabouts``."""
        return self._world.whereabouts(items)

    def is_open(self, furniture: str) -> bool:
        """Implement ``View.is_open``."""
        return self._world.is_open(furniture)

    def knows(self, place: str) -> bool:
        """Implement ``View.knows``."""
        return True

    def place_of(self, person: str) -> str | None:
        """Implement ``View.place_of``."""
        return self._world.place_of(person)

    def doing(self, person: str) -> str | None:
        """Implement ``View.doing``."""
        return self._world.doing(person)

    def unseen(self, *, people: bool) -> list[tuple[str, str | None]]:
        """Implement ``View.unseen``: return nothing."""
        return []
