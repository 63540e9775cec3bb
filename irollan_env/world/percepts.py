"""The phenomenal field of a resident: all objects of its sentence, with positions around it."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from typing import NamedTuple

from irollan_env.map.geometry import AT_HAND, Pose, Spherical, spherical
from irollan_env.map.tables import Tables
from irollan_env.world.like_things import piles
from irollan_env.world.narration import doing_text, furniture_status
from irollan_env.world.observation import Percept, PerceptKind
from irollan_env.world.state import ValleyState


class _Fixtures(NamedTuple):
    """Percepts of a place's doors and furniture, and coordinates of each piece by number."""

    percepts: tuple[Percept, ...]
    pieces: dict[int, Spherical]


def percepts(state: ValleyState, resident: int) -> tuple[Percept, ...]:
    """Build the percepts in the sentence's order; held items come last."""
    tables, place, pose = state.tables, state.place[resident], state.pose[resident]
    fixtures = _fixtures(tables, place, pose)
    seen: list[Percept] = []
    for other in state.people[place]:
        if other != resident:
            at = spherical(pose, state.pose[other].x, state.pose[other].y, 0.0)
            name, doing = tables.residents[other], doing_text(state, other)
            seen.append(Percept(name=name, kind="person", theta=at.theta, phi=at.phi, gamma=at.gamma, doing=doing))
    seen += _as_it_stands(state, place, fixtures.percepts) if tables.closing[place] else fixtures.percepts
    for item, count in piles(state, state.visible(place)):
        furniture = state.on[item]
        theta, phi, gamma = fixtures.pieces[furniture]
        seen.append(
            Percept(
                name=tables.items[item],
                kind="item",
                theta=theta,
                phi=phi,
                gamma=gamma,
                on=tables.furniture[furniture],
                status=tables.status_names[state.status[item]],
                count=count,
            )
        )
    for item, count in piles(state, state.hands[resident]):
        status = tables.status_names[state.status[item]]
        theta, phi, gamma = AT_HAND
        name = tables.items[item]
        own = Percept(name=name, kind="item", theta=theta, phi=phi, gamma=gamma, held=True, status=status, count=count)
        seen.append(own)
    return tuple(seen)


def _as_it_stands(state: ValleyState, place: int, fixtures: tuple[Percept, ...]) -> list[Percept]:
    """Return the percepts of doors and furniture, with their open or closed status."""
    doors = len(fixtures) - len(pieces := state.tables.furniture_in[place])
    stands = [furniture_status(state, f) for f in pieces]
    seen = zip(fixtures[doors:], stands, strict=True)
    return [*fixtures[:doors], *(replace(piece, status=status) if status else piece for piece, status in seen)]


# Poses recur, and percepts cost more to make than to look up; a map of thousands of residents exceeds what is kept.
@lru_cache(maxsize=4096)
def _fixtures(tables: Tables, place: int, pose: Pose) -> _Fixtures:
    doors, pieces = tables.view(place, pose)
    seen = (
        *(_fixture(name, at, "door") for name, at in zip(tables.door_names[place], doors, strict=True)),
        *(_fixture(tables.furniture[f], at, "furniture") for f, at in pieces.items()),
    )
    return _Fixtures(seen, pieces)


def _fixture(name: str, at: Spherical, kind: PerceptKind) -> Percept:
    return Percept(name=name, kind=kind, theta=at.theta, phi=at.phi, gamma=at.gamma)
