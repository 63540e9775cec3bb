"""``irollan bench tasks``: an agent plays a fixed list of instances; see ``submissions`` for the results."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from evaluation.ability.task_players import (
    PLANNED,
    POPULATIONS,
    SIMPLE,
    ClosedEyes,
    Expert,
    Partner,
    Player,
    nothing_to_come,
    simple_player,
)
from irollan_env import TASK_STEPS
from irollan_env.environments.gymnasium_env import IrollanValleyEnv
from irollan_env.environments.parallel import parallel_env
from irollan_env.hints import check_known, did_you_mean
from irollan_env.tasks import ALONE, FAMILIES, SPLITS, Task
from irollan_env.tasks.instances import PER_SPLIT, VERSION

BENCHMARK = f"irollan-tasks-v{VERSION}"
"""Name of the benchmark: instances 0, 1, ... of ``TESTED``; the seed of each episode is its number."""

TESTED = ("test_seen", "test_unseen")
"""Splits of the benchmark."""

MakePlayer = Callable[[str, str, Task, int], Player]
"""Creates a player from the agent's name, the resident's name, its task and the number of the instance."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Result:
    """Results of an agent on the instances of one family and split.

    Attributes:
        family: Family of the tasks.
        split: Split of the instances.
        steps: Steps until each instance was solved; None if it was not.
        seed: Training seed of a learner; None for other agents.
    """

    family: str
    split: str
    steps: tuple[int | None, ...]
    seed: int | None = None

    @property
    def solved(self) -> int:
        """Number of solved instances."""
        return sum(step is not None for step in self.steps)


def play(
    agent: str,
    families: Sequence[str],
    instances: int,
    make: MakePlayer = simple_player,
    tell: Callable[[str], None] = lambda line: None,
    partners: str | None = None,
    splits: Sequence[str] = TESTED,
    *,
    percepts: bool = True,
) -> Iterator[Result]:
    """Let an agent play the first instances of each family and test split.

    Cooperative families are played by six copies of the agent, the others by one copy among neighbours.

    Args:
        agent: Name of the agent. The simple players expert, scripted, random, blind, closed-eyes and wait get no
            percepts.
        families: Names of task families, keys of ``irollan_env.tasks.FAMILIES``.
        instances: Number of instances of each split, in [1, 500].
        make: Creates its players. They get neither the score, which is privileged, nor the expert's plan.
        tell: Shows a line of progress, after each split, and after each instance of agents that are not simple.
        partners: The population keen, slow or wayward, which plays all but the first resident in cooperative families;
            None for six copies of the agent.
        splits: Splits to play.
        percepts: Whether observations have percepts; False is several times faster for agents that do not use them.

    Returns:
        For each family and split an object with family, split, seed and steps: the steps until each instance was
        solved, None where it was not.

    Raises:
        ValueError: before playing, for an unknown family, split or population, a number out of range, or an agent that
            is not simple without ``make``.
        TypeError: if the agent is not a name.
    """
    _check_agent(agent, make)
    for family in families:
        if family not in FAMILIES:
            raise ValueError(f"unknown family {family!r}{did_you_mean(family, FAMILIES) or f'; known: {[*FAMILIES]}'}")
    for split in splits:
        check_known("split", split, SPLITS)
    if partners is not None and partners not in POPULATIONS:
        known = did_you_mean(partners, POPULATIONS) or f"; known: {[*POPULATIONS]}"
        raise ValueError(f"unknown population {partners!r}{known}")
    if not 1 <= instances <= PER_SPLIT:
        raise ValueError(f"instances must lie in [1, {PER_SPLIT}], got {instances}")
    percepts = percepts and agent not in SIMPLE
    return _played(agent, families, instances, make, tell, partners, splits, percepts)


def _check_agent(agent: str, make: MakePlayer) -> None:
    """Check that a player can be created for the agent."""
    remedy = "give a player of your own as make: play('mine', families, instances, make)"
    if not isinstance(agent, str):
        raise TypeError(f"agent must be a name, got {agent!r}; {remedy}")
    if make is simple_player and agent not in SIMPLE:
        raise ValueError(f"unknown agent {agent!r}{did_you_mean(agent, SIMPLE)}; known: {[*SIMPLE]}; {remedy}")


def _played(
    agent: str,
    families: Sequence[str],
    instances: int,
    make: MakePlayer,
    tell: Callable[[str], None],
    partners: str | None,
    splits: Sequence[str],
    percepts: bool,
) -> Iterator[Result]:
    for family in families:
        for split in splits:
            steps = []
            for number in range(instances):
                taken = (
                    _alone(agent, family, split, number, make, percepts)
                    if family in ALONE
                    else _together(agent, family, split, number, make, percepts, partners)
                )
                steps.append(taken)
                if agent not in SIMPLE:
                    came = "not solved" if taken is None else f"solved in {taken} steps"
                    tell(f"{agent} {family} {split} instance {number}: {came}")
            result = Result(family=family, split=split, steps=tuple(steps))
            tell(f"{agent} {family} {split}: {result.solved} of {instances}")
            yield result


def _alone(agent: str, family: str, split: str, number: int, make: MakePlayer, percepts: bool) -> int | None:
    env = IrollanValleyEnv(
        task=family,
        split=split,
        instance=number,
        others="neighbour",
        max_steps=TASK_STEPS,
        expert_plan=agent in PLANNED,
        percepts=percepts,
    )
    _, info = env.reset(seed=number)
    name = env.resident
    player = make(agent, name, env.parallel.episodes.tasks.by_resident[name].task, number)
    reward, over = 0.0, False
    while not over:
        _, reward, terminated, truncated, info = env.step(
            player.act(env.parallel.episodes.perceived[name].of(name), _told(player, info))
        )
        over = terminated or truncated
    env.close()
    return env.world.time if reward > 0 else None


def _together(
    agent: str, family: str, split: str, number: int, make: MakePlayer, percepts: bool, partners: str | None
) -> int | None:
    env = parallel_env(
        task=family,
        split=split,
        instance=number,
        max_steps=TASK_STEPS,
        expert_plan=partners is not None or agent in PLANNED,
        percepts=percepts,
    )
    _, infos = env.reset(seed=number)
    tasks = env.episodes.tasks.by_resident
    first, *others = env.agents
    players = {first: make(agent, first, tasks[first].task, number)}
    for seat, name in enumerate(others):
        seed = len(env.agents) * number + seat
        partner = None if partners is None else Partner(*POPULATIONS[partners], seed)
        players[name] = partner or make(agent, name, tasks[name].task, number)
    while env.agents and not nothing_to_come(players.values()):
        seen = env.episodes.perceived
        actions = {
            name: players[name].act(seen[name].of(name), _told(players[name], infos[name])) for name in env.agents
        }
        *_, infos = env.step(actions)
    return env.world.time if env.episodes.tasks.solved else None


def _told(player: Player, info: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the part of ``info`` that a player may read: never the score, and the plan only for its followers."""
    hidden = ("score",) if isinstance(player, (Expert, ClosedEyes, Partner)) else ("score", "expert_plan")
    return {key: value for key, value in info.items() if key not in hidden}


def checksum(population: str) -> str:
    """Return a fingerprint of a population of partners: a hash of an expert's steps with five of them."""
    rows = play("expert", _CHECKED_BY, 3, partners=population)
    taken = [[row.family, row.split, *row.steps] for row in rows]
    return hashlib.sha256(json.dumps(taken).encode()).hexdigest()[:10]


_CHECKED_BY = ("table", "relay", "carry", "share")
"""Families played for the fingerprint; fixed, so that it does not change when families are added."""
