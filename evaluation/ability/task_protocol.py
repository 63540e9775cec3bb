"""``irollan bench tasks``: a fixed list of instances, played by an agent; the table, and the JSON that it submits."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import mean
from typing import Any

from statsmodels.stats.proportion import proportion_confint

from evaluation.ability.task_players import (
    PLANNED,
    POPULATIONS,
    SIMPLE,
    Partner,
    Player,
    nothing_to_come,
    simple_player,
)
from irollan_env import TASK_STEPS
from irollan_env.environments.gymnasium_env import IrollanValleyEnv
from irollan_env.environments.parallel import parallel_env
from irollan_env.hints import did_you_mean
from irollan_env.tasks import ALONE, FAMILIES, TOGETHER, Task
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
    """

    family: str
    split: str
    steps: tuple[int | None, ...]

    @property
    def solved(self) -> int:
        """How many instances."""
        return sum(step is not None for step in self.steps)

    @property
    def interval(self) -> tuple[float, float]:
        """Wilson's 95 per cent interval of the share that was solved, over distinct instances."""
        low, high = proportion_confint(self.solved, len(self.steps), method="wilson")
        return float(low), float(high)

    def cell(self) -> str:
        """``"83% of 24 [64%, 93%], 17 steps"``."""
        low, high = self.interval
        found = [step for step in self.steps if step is not None]
        taken = f", {mean(found):.0f} steps" if found else ""
        return f"{self.solved / len(self.steps):.0%} of {len(self.steps)} [{low:.0%}, {high:.0%}]{taken}"


def play(
    agent: str,
    families: Sequence[str],
    instances: int,
    make: MakePlayer = simple_player,
    tell: Callable[[str], None] = lambda line: None,
    partners: str | None = None,
    splits: Sequence[str] = TESTED,
) -> Iterator[Result]:
    """Let an agent play the first instances of each family and test split.

    Families that nobody can win alone are played by six of the agent, the others by one among neighbours.

    Args:
        agent: Its name. What ``SIMPLE`` players do not look at is left out of what they get: the percepts.
        families: Of ``FAMILIES``.
        instances: How many of each split, in [1, 500].
        make: Makes its players.
        tell: Takes a line about the progress.
        partners: One of ``POPULATIONS``: in families that nobody wins alone, all but the first resident are of it. None
            for six of the agent.
        splits: The splits that are played.

    Raises:
        ValueError: for an unknown family or population, or a number that cannot be.
    """
    if partners is not None and partners not in POPULATIONS:
        known = did_you_mean(partners, POPULATIONS) or f"; known: {[*POPULATIONS]}"
        raise ValueError(f"unknown population {partners!r}{known}")
    if not 1 <= instances <= PER_SPLIT:
        raise ValueError(f"instances must lie in [1, {PER_SPLIT}], got {instances}")
    for family in families:
        if family not in FAMILIES:
            raise ValueError(f"unknown family {family!r}{did_you_mean(family, FAMILIES) or f'; known: {[*FAMILIES]}'}")
        for split in splits:
            steps = tuple(
                _alone(agent, family, split, number, make)
                if family in ALONE
                else _together(agent, family, split, number, make, partners)
                for number in range(instances)
            )
            result = Result(family=family, split=split, steps=steps)
            tell(f"{agent} {family} {split}: {result.solved} of {instances}")
            yield result


def _alone(agent: str, family: str, split: str, number: int, make: MakePlayer) -> int | None:
    env = IrollanValleyEnv(
        task=family,
        split=split,
        instance=number,
        others="neighbour",
        max_steps=TASK_STEPS,
        expert_plan=agent in PLANNED,
        percepts=agent not in SIMPLE,
    )
    _, info = env.reset(seed=number)
    name = env.resident
    player = make(agent, name, env.parallel.episodes.tasks.by_resident[name].task, number)
    reward, over = 0.0, False
    while not over:
        _, reward, terminated, truncated, info = env.step(
            player.act(env.parallel.episodes.perceived[name].of(name), info)
        )
        over = terminated or truncated
    env.close()
    return env.world.time if reward > 0 else None


def _together(agent: str, family: str, split: str, number: int, make: MakePlayer, partners: str | None) -> int | None:
    env = parallel_env(
        task=family,
        split=split,
        instance=number,
        max_steps=TASK_STEPS,
        expert_plan=partners is not None or agent in PLANNED,
        percepts=agent not in SIMPLE,
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
        actions = {name: players[name].act(seen[name].of(name), infos[name]) for name in env.agents}
        *_, infos = env.step(actions)
    return env.world.time if env.episodes.tasks.solved else None


def checksum(population: str) -> str:
    """What tells a population of partners from all others: a hash of the steps that an expert takes with five of it."""
    rows = play("expert", _CHECKED_BY, 3, partners=population)
    taken = [[row.family, row.split, *row.steps] for row in rows]
    return hashlib.sha256(json.dumps(taken).encode()).hexdigest()[:10]


_CHECKED_BY = ("table", "relay", "carry", "share")
"""Families by which populations are told apart, always the same, whatever families are added."""


def submission(agent: str, description: str, results: Sequence[Result]) -> dict[str, Any]:
    """What an agent hands in: JSON-ready, with the outcome of every instance."""
    rows = [{"family": row.family, "split": row.split, "steps": list(row.steps)} for row in results]
    return {"benchmark": BENCHMARK, "agent": agent, "description": description, "results": rows}


def read_submission(path: Path) -> tuple[str, str, list[Result]]:
    """The agent, its description and its results.

    Raises:
        ValueError: for a file that ``submission`` did not give, or of another version of the benchmark.
    """
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
        if data["benchmark"] != BENCHMARK:
            raise ValueError(f"it is of {data['benchmark']!r}; this is {BENCHMARK!r}, so play it again")
        rows = [Result(family=r["family"], split=r["split"], steps=tuple(r["steps"])) for r in data["results"]]
        return str(data["agent"]), str(data["description"]), rows
    except (KeyError, TypeError, ValueError) as error:
        raise ValueError(f"{path} is no submission: {error}") from error


def table(results: dict[str, list[Result]]) -> str:
    """A Markdown table: a line for each family and split, a column for each agent."""
    agents = list(results)
    lines = [f"| family | split | {' | '.join(agents)} |", "|---" * (len(agents) + 2) + "|"]
    cells = {(agent, row.family, row.split): row.cell() for agent, rows in results.items() for row in rows}
    for family in (*ALONE, *TOGETHER):
        for split in TESTED:
            row = [cells.get((agent, family, split), "") for agent in agents]
            if any(row):
                lines.append(f"| `{family}` | {split} | {' | '.join(row)} |")
    return "\n".join(lines)


def leaderboard(folder: Path) -> str:
    """The page of all submissions in a folder, by the mean share that they solve."""
    read = [read_submission(path) for path in sorted(folder.glob("*.json"))]
    read.sort(key=lambda one: -mean(row.solved / len(row.steps) for row in one[2]))
    described = "\n".join(f"- **{agent}**: {description}" for agent, description, _ in read)
    results = {agent: rows for agent, _, rows in read}
    return _PAGE.format(benchmark=BENCHMARK, described=described, table=table(results))


_PAGE = """# Leaderboard

Made by `irollan bench leaderboard` from the submissions in `benchmarks/data/leaderboard/`. Each is what
`irollan bench tasks --agent NAME --json` gave for {benchmark}; [datasheet.md](datasheet.md) says what it measures, and
how to hand in another.

{described}

A cell has the share of instances solved, of how many, Wilson's 95 per cent interval over distinct instances, and the
mean number of steps of those that were solved. The instances are the first of the split.

{table}
"""
