"""``irollan bench tasks``: a fixed list of instances, played by an agent; ``submissions`` says what comes of it."""

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
"""The name of the list: the instances 0, 1, ... of ``TESTED``; the seed of each episode is its number."""

TESTED = ("test_seen", "test_unseen")
"""The splits of the list."""

MakePlayer = Callable[[str, str, Task, int], Player]
"""Makes a player: by the agent's name, for a resident, its task and the number of the instance."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Result:
    """What an agent did with the instances of one family and split.

    Attributes:
        family: Of the tasks.
        split: Of the instances.
        steps: For each instance, the steps until it was solved; None where it was not.
        seed: With which a learner was trained; None for what does not learn.
    """

    family: str
    split: str
    steps: tuple[int | None, ...]
    seed: int | None = None

    @property
    def solved(self) -> int:
        """How many instances."""
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

    Families that nobody can win alone are played by six of the agent, the others by one among neighbours.

    Args:
        agent: Its name. ``SIMPLE`` players get no percepts.
        families: Of ``FAMILIES``.
        instances: How many of each split, in [1, 500].
        make: Makes its players. They are told neither the score, which an oracle gives, nor the expert's plan.
        tell: Takes a line about the progress: after each instance of those who are not ``SIMPLE``, and each split.
        partners: One of ``POPULATIONS``: in families that nobody wins alone, all but the first resident are of it. None
            for six of the agent.
        splits: The splits that are played.
        percepts: False leaves them out for an agent that looks at none, which is several times faster.

    Raises:
        ValueError: at once, for an unknown family, split or population, a number that cannot be, or an agent of one's
            own without ``make``.
        TypeError: for an agent that is no name.
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
    """Refuse what nothing could make a player of."""
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
    """What a player may read: the plan is for those who follow it, and the score, which sees all, for nobody."""
    hidden = ("score",) if isinstance(player, (Expert, ClosedEyes, Partner)) else ("score", "expert_plan")
    return {key: value for key, value in info.items() if key not in hidden}


def checksum(population: str) -> str:
    """What tells a population of partners from all others: a hash of the steps that an expert takes with five of it."""
    rows = play("expert", _CHECKED_BY, 3, partners=population)
    taken = [[row.family, row.split, *row.steps] for row in rows]
    return hashlib.sha256(json.dumps(taken).encode()).hexdigest()[:10]


_CHECKED_BY = ("table", "relay", "carry", "share")
"""Families by which populations are told apart, always the same, whatever families are added."""
