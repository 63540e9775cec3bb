"""Baseline players of the task benchmark: simple policies, and blind ones that do not use observations."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Any, Protocol

from irollan_env.environments.others import RESIDENTS
from irollan_env.map.catalogue import WAIT
from irollan_env.policies.simple import random_policy
from irollan_env.random_streams import stream
from irollan_env.tasks import SPLITS, Task, instance_map
from irollan_env.tasks.errands import Errands
from irollan_env.world.observation import Observation


class Player(Protocol):
    """Plays one resident through one episode."""

    def act(self, observation: Observation, info: Mapping[str, Any]) -> str | None:
        """Return an action, None to wait; ``info`` is the environment's, without the score.

        Only players that follow the expert's plan find it in ``info``.
        """
        ...


class Expert:
    """Player that follows the current plan of an expert, based on what the resident has seen."""

    def act(self, observation: Observation, info: Mapping[str, Any]) -> str | None:
        """Return the first action of the current plan."""
        plan = info["expert_plan"]
        return str(plan[0]) if plan else None


class ClosedEyes:
    """Player that executes the expert's first plan without observing the results."""

    def __init__(self) -> None:
        self._plan: list[str] | None = None

    def act(self, observation: Observation, info: Mapping[str, Any]) -> str | None:
        """Return the next action of the first plan."""
        if self._plan is None:
            self._plan = list(info["expert_plan"])
        return self._plan.pop(0) if self._plan else None

    @property
    def done(self) -> bool:
        """Whether it will do nothing more, whatever happens."""
        return self._plan == []


class Chance:
    """Player that picks admissible actions uniformly at random."""

    def __init__(self, seed: int) -> None:
        self._generator = stream(seed, "player")

    def act(self, observation: Observation, info: Mapping[str, Any]) -> str | None:
        """Return a random admissible action."""
        return random_policy(observation, self._generator)


class Resident:
    """Player with the policy of a simple resident."""

    def __init__(self, name: str, kind: str, seed: int) -> None:
        self._resident = RESIDENTS[kind](name, stream(seed, "player"))

    def act(self, observation: Observation, info: Mapping[str, Any]) -> str | None:
        """Return the action that the simple resident decides on."""
        return self._resident.decide(observation)


class BlindTable:
    """Player without observations that searches the most frequent positions of each kind of thing in ``train``.

    It knows the goal in full, from the fields of the task, and does the parts of a task in order.
    """

    def __init__(self, task: Task) -> None:
        parts = task.parts if isinstance(task, Errands) else (task,)
        self._actions = [action for part in parts for action in _blind_plan(part)]

    def act(self, observation: Observation, info: Mapping[str, Any]) -> str | None:
        """Return the next action of the precomputed list."""
        return self._actions.pop(0) if self._actions else None

    @property
    def done(self) -> bool:
        """Whether it will do nothing more, whatever happens."""
        return not self._actions


def nothing_to_come(players: Iterable[Player]) -> bool:
    """Return whether all players have finished, so that the world can no longer change."""
    return all(isinstance(player, (BlindTable, ClosedEyes)) and player.done for player in players)


_GUESSES = 8


def _blind_plan(task: Task) -> list[str]:
    """List the actions of a blind search: visit each likely place, open, take, treat, and bring to the goal."""
    table = _table()
    wanted = str(getattr(task, "kind", getattr(task, "item", "")))
    items = [wanted] if wanted[-1:].isdigit() else [f"{wanted} 1", f"{wanted} 2"]
    kind = wanted.rsplit(" ", 1)[0] if wanted[-1:].isdigit() else wanted
    ground = table["ground"].most_common(1)[0][0]
    found: list[str] = []
    for spot, _ in (table.get(kind) or table["any"]).most_common(_GUESSES):
        place, furniture = spot.split("|")
        found += [f"go to {ground}", f"go to {place}", f"use {furniture}"]
        found += [f"take {item} from {furniture}" for item in items]
    for tool in ("sinkbasin 1", "stoveburner 1"):
        found += [f"put {items[0]} in/on {tool}", f"use {tool}", f"take {items[0]} from {tool}"]
    found.append(f"go to {ground}")
    if target := str(getattr(task, "place", "")):
        found.append(f"go to {target}")
        found += [f"put {item} in/on {getattr(task, 'furniture', 'table')} {n}" for item in items for n in range(1, 9)]
    if person := str(getattr(task, "person", "")):
        found += [f"put {item} in/on {person}" for item in items] + [f"chat with {person}: ..."]
    return [*found, f"use {items[0]}"]


@lru_cache(maxsize=1)
def _table() -> dict[str, Counter[str]]:
    """Count how often each kind of thing lies on each piece of furniture, over valleys of ``train``."""
    table: dict[str, Counter[str]] = {"any": Counter(), "ground": Counter()}
    for number in range(_LEARNED):
        valley = instance_map(SPLITS[0], number)
        place_of = {piece.name: piece.place for piece in valley.furniture}
        table["ground"].update(ground.name for ground in valley.grounds)
        for item in valley.items:
            spot = f"{place_of[item.on]}|{item.on}"
            table.setdefault(item.kind, Counter())[spot] += 1
            table["any"][spot] += 1
    return table


_LEARNED = 200


class Partner:
    """Partner from a population: an expert that sometimes waits or acts randomly."""

    def __init__(self, waits: float, strays: float, seed: int) -> None:
        self._waits, self._strays, self._generator = waits, strays, stream(seed, "partner")

    def act(self, observation: Observation, info: Mapping[str, Any]) -> str | None:
        """Return the expert's action, or at times None to wait or a random action."""
        chance = float(self._generator.random())
        if chance < self._waits:
            return None
        if chance < self._waits + self._strays:
            return random_policy(observation, self._generator)
        return Expert().act(observation, info)


POPULATIONS: Mapping[str, tuple[float, float]] = {"keen": (0.0, 0.0), "slow": (0.5, 0.0), "wayward": (0.0, 0.25)}
"""Populations of unseen partners: the shares of steps in which they wait, and in which they act randomly."""

SIMPLE = ("expert", "scripted", "random", "blind", "closed-eyes", WAIT)
"""Players that need no model."""


PLANNED = ("expert", "closed-eyes")
"""Simple players that use the expert's plan."""


def simple_player(agent: str, name: str, task: Task, seed: int) -> Player:
    """Create a simple player for one resident and one episode.

    Args:
        agent: One of ``SIMPLE``; ``"wait"`` does nothing.
        name: Name of the resident.
        task: Task of the resident.
        seed: Seed of its random choices.
    """
    match agent:
        case "expert":
            return Expert()
        case "closed-eyes":
            return ClosedEyes()
        case "blind":
            return BlindTable(task)
        case "scripted":
            return Resident(name, "scripted", seed)
        case "random":
            return Chance(seed)
        case _:
            return _Waiter()


class _Waiter:
    def act(self, observation: Observation, info: Mapping[str, Any]) -> str | None:
        return None
