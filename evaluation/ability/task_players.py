"""Who plays the benchmark's tasks: simple policies, and the blind ones that show what can be won without looking."""

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
        """An action; None to wait. ``info`` is the environment's, without score and expert's plan."""
        ...


class Expert:
    """Follows the plan of an expert who knows what the resident has seen."""

    def act(self, observation: Observation, info: Mapping[str, Any]) -> str | None:
        """The first action of the plan."""
        plan = info["expert_plan"]
        return str(plan[0]) if plan else None


class ClosedEyes:
    """Follows the expert's first plan to its end, whatever happens."""

    def __init__(self) -> None:
        self._plan: list[str] | None = None

    def act(self, observation: Observation, info: Mapping[str, Any]) -> str | None:
        """The next action of the first plan."""
        if self._plan is None:
            self._plan = list(info["expert_plan"])
        return self._plan.pop(0) if self._plan else None

    @property
    def done(self) -> bool:
        """Whether it will do nothing more, whatever happens."""
        return self._plan == []


class Chance:
    """Takes any admissible action."""

    def __init__(self, seed: int) -> None:
        self._generator = stream(seed, "player")

    def act(self, observation: Observation, info: Mapping[str, Any]) -> str | None:
        """One of them, each as likely as the others."""
        return random_policy(observation, self._generator)


class Resident:
    """Acts as one of the simple residents does."""

    def __init__(self, name: str, kind: str, seed: int) -> None:
        self._resident = RESIDENTS[kind](name, stream(seed, "player"))

    def act(self, observation: Observation, info: Mapping[str, Any]) -> str | None:
        """What it decides."""
        return self._resident.decide(observation)


class BlindTable:
    """Never looks: goes where things of a kind lie most often in ``train``, one such place after the other.

    It is told the goal in full, as the fields of the task. Of a task with several parts it does one after the other.
    """

    def __init__(self, task: Task) -> None:
        parts = task.parts if isinstance(task, Errands) else (task,)
        self._actions = [action for part in parts for action in _blind_plan(part)]

    def act(self, observation: Observation, info: Mapping[str, Any]) -> str | None:
        """The next action of its list."""
        return self._actions.pop(0) if self._actions else None

    @property
    def done(self) -> bool:
        """Whether it will do nothing more, whatever happens."""
        return not self._actions


def nothing_to_come(players: Iterable[Player]) -> bool:
    """Whether none of these players will do anything more, so that a world with nobody else in it stays as it is."""
    return all(isinstance(player, (BlindTable, ClosedEyes)) and player.done for player in players)


_GUESSES = 8


def _blind_plan(task: Task) -> list[str]:
    """Guess after guess: out of the house, to the place, open, take, treat, and bring where the goal says."""
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
    """For each kind of thing how often it lies in which furniture of which place, over valleys of ``train``."""
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
    """One of a population of partners: an expert who sometimes waits, or does something else."""

    def __init__(self, waits: float, strays: float, seed: int) -> None:
        self._waits, self._strays, self._generator = waits, strays, stream(seed, "partner")

    def act(self, observation: Observation, info: Mapping[str, Any]) -> str | None:
        """What the expert would do, most of the time."""
        chance = float(self._generator.random())
        if chance < self._waits:
            return None
        if chance < self._waits + self._strays:
            return random_policy(observation, self._generator)
        return Expert().act(observation, info)


POPULATIONS: Mapping[str, tuple[float, float]] = {"keen": (0.0, 0.0), "slow": (0.5, 0.0), "wayward": (0.0, 0.25)}
"""Partners that no agent has trained with: the shares of steps in which they wait, and in which they do anything."""

SIMPLE = ("expert", "scripted", "random", "blind", "closed-eyes", WAIT)
"""Players that need no model."""


PLANNED = ("expert", "closed-eyes")
"""Those of them that are given the expert's plan."""


def simple_player(agent: str, name: str, task: Task, seed: int) -> Player:
    """A player for one resident and one episode.

    Args:
        agent: One of ``SIMPLE``; ``"wait"`` does nothing.
        name: Of the resident.
        task: That it has.
        seed: Of its chance.
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
