"""Audit of the benchmark's tasks: whether instances are distinct, and how many are solved without looking.

For each family: how many of the listed instances are distinct, and how many are in two splits; the steps of an oracle
that sees everything; whether such oracles, one per resident, solve together what nobody solves alone; and the share of
instances of ``test_unseen`` that are solved by the expert, by chance, and by three players without observations: a
table of the places of kinds of things in ``train``, the expert's first plan, and a plan from the map with guessed
places of things. Results on the leaderboard are taken from there, as equal seeds give equal games.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from statistics import mean
from typing import Annotated, Any

import typer

from benchmarks.reporting import AsJson, as_table_or_json, check_known, progress, table
from evaluation.ability.submissions import interval, read_submission
from evaluation.ability.task_players import Player, simple_player
from evaluation.ability.task_protocol import Result, play
from irollan_env import TASK_STEPS, World, parallel_env
from irollan_env.map.drawn import LEVELS
from irollan_env.random_streams import stream
from irollan_env.tasks import (
    ALONE,
    FAMILIES,
    PER_SPLIT,
    SPLITS,
    TOGETHER,
    Task,
    instance_hash,
    instance_map,
    instance_tasks,
    level_of,
)
from irollan_env.tasks.instances import LISTING, listed_hashes
from irollan_env.tasks.views import Truth
from irollan_env.world.observation import Observation

_BLIND = ("blind", "closed-eyes", "guess")
_SPLIT = "test_unseen"
LEADERBOARD = Path("benchmarks/data/leaderboard")


def command(
    instances: Annotated[
        int, typer.Option(metavar="N", help="Instances of test_unseen that are played, where the leaderboard has none.")
    ] = 100,
    families: Annotated[
        list[str] | None, typer.Option(metavar="NAME", help="This family of tasks only; again for more.")
    ] = None,
    write_listing: Annotated[
        bool, typer.Option("--write-listing", help="Write the hashes of these instances anew, and play nothing.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Audit the instances of every family, and play them without looking."""
    check_known("families", families or (), FAMILIES)
    if write_listing:
        _write_listing(families or list(FAMILIES))
        return
    found = {family: measure(family, instances) for family in families or FAMILIES}
    headings = ["family", *(key.replace("_", " ") for key in next(iter(found.values())))]
    cells = [[f"`{family}`", *row.values()] for family, row in found.items()]
    as_table_or_json(found, table(headings, cells), as_json=as_json)


def hashes(family: str, split: str) -> list[str]:
    """Compute the hashes of all instances of a family and split."""
    found = []
    for number in range(PER_SPLIT):
        valley = instance_map(split, number)
        residents = valley.tables.residents[:1] if family in ALONE else valley.tables.residents
        found.append(instance_hash(valley, instance_tasks(family, split, number, residents)))
    return found


def _write_listing(families: Sequence[str]) -> None:
    """Update the listed hashes of the given families."""
    tell = progress("tasks")
    listing: dict[str, dict[str, str]] = json.loads(LISTING.read_text(encoding="utf-8"))
    for split in SPLITS:
        for family in families:
            listing.setdefault(family, {})[split] = " ".join(hashes(family, split))
            tell(f"{family} {split}")
    LISTING.write_text(json.dumps(listing, indent=1) + "\n", encoding="utf-8")


def measure(family: str, instances: int) -> dict[str, Any]:
    """Compute a family's row of the audit."""
    tell = progress("tasks")
    listed = [listed_hashes(family, split) for split in SPLITS]
    every = [one for split in listed for one in split]
    lengths = [oracle_length(family, _SPLIT, number) for number in range(instances)]
    row: dict[str, Any] = {
        "distinct": f"{len(set(every))} of {len(every)}",
        "in_two_splits": sum(len(set(listed[a]) & set(listed[b])) for a in range(4) for b in range(a)),
        "oracle_steps": _spread(lengths),
        "joint_oracle": _joint(family, instances) if family in TOGETHER else "",
    }
    for agent in ("expert", "random", *_BLIND):
        played = play(agent, [family], instances, _player, tell, splits=(_SPLIT,))
        result = _handed_in(agent, family) or next(played)
        low, high = interval([result])
        row[agent] = f"{result.solved / len(result.steps):.0%} of {len(result.steps)} [{low:.1%}, {high:.1%}]"
        if agent == "expert":
            row["expert_steps"] = _spread([step for step in result.steps if step is not None])
            row["by_difficulty"] = " / ".join(_by_level(result.steps))
    return row


def _joint(family: str, instances: int) -> str:
    """Describe how many instances the residents' oracles solve together, and in how many steps."""
    played = [played_by_oracles(family, _SPLIT, number) for number in range(instances)]
    solved = [steps for steps in played if steps is not None]
    return f"{len(solved)} of {instances}" + (f", {_spread(solved)}" if solved else "")


def _by_level(steps: Sequence[int | None]) -> list[str]:
    """Return the mean steps of solved instances for each level of difficulty; "-" for none."""
    levels: dict[int, list[int]] = {level: [] for level in LEVELS}
    for number, taken in enumerate(steps):
        if taken is not None:
            levels[level_of(number)].append(taken)
    return [f"{mean(taken):.0f}" if taken else "-" for taken in levels.values()]


def _spread(steps: Sequence[int]) -> str:
    """Format minimum, mean and maximum: ``"5 / 8 / 9"``."""
    return f"{min(steps)} / {mean(steps):.0f} / {max(steps)}"


def _handed_in(agent: str, family: str) -> Result | None:
    """Return an agent's result on a family from the leaderboard; None if there is none."""
    path = LEADERBOARD / f"{agent}.json"
    rows = read_submission(path)[2] if path.exists() else []
    return next((row for row in rows if (row.family, row.split) == (family, _SPLIT)), None)


def oracle_length(family: str, split: str, number: int) -> int:
    """Return the longest plan of any resident's oracle, which sees everything, in steps, with all others idle."""
    valley = instance_map(split, number)
    residents = valley.tables.residents[:1] if family in ALONE else valley.tables.residents
    world = World(valley, seed=0)
    tasks = instance_tasks(family, split, number, residents)
    return max(len(task.plan({}, Truth(world, name))) for name, task in tasks.items())


def played_by_oracles(
    family: str, split: str, number: int, playing: Collection[str] | None = None, limit: int = TASK_STEPS
) -> int | None:
    """Return the steps in which oracles solve a common task together; None if they do not.

    In each step one of them rests, by turns; otherwise two that walk to meet each other would pass each other forever.

    Args:
        family: Family whose tasks nobody solves alone.
        split: Split of the instance.
        number: Number of the instance.
        playing: Residents that act; all if None.
        limit: Maximum number of steps.
    """
    env = parallel_env(task=family, split=split, instance=number, max_steps=limit)
    env.reset(seed=number)
    tasks, names = env.episodes.tasks, env.agents
    while env.agents:
        rests = names[env.world.time % len(names)]
        busy = [name for name in names if name != rests and (playing is None or name in playing)]
        env.step({name: tasks.by_resident[name].oracle_plan(env.world)[0] for name in busy})
    return env.world.time if tasks.solved else None


def _player(agent: str, name: str, task: Task, number: int) -> Player:
    return simple_player(agent, name, task, number) if agent != "guess" else _Guesser(name, task, number)


class _Guesser:
    """Player that knows the map and the homes, guesses where things are, and ignores its observations."""

    def __init__(self, name: str, task: Task, number: int) -> None:
        self._name, self._task, self._number = name, task, number
        self._actions: list[str] | None = None

    def act(self, observation: Observation, info: Mapping[str, Any]) -> str | None:
        """Return the next action of the plan made from the guess."""
        if self._actions is None:
            self._actions = list(self._plan(observation.place))
        return self._actions.pop(0) if self._actions else None

    def _plan(self, home: str) -> Sequence[str]:
        for split in ("test_seen", "test_unseen"):
            valley = instance_map(split, self._number)
            if home == {r.name: r.home for r in valley.residents}[self._name]:
                return self._task.plan({}, _Guess(World(valley, seed=0), self._name, self._number))
        raise RuntimeError(f"no instance {self._number} has {self._name!r} at home in {home!r}")


class _Guess(Truth):
    """World state with a guessed place for each item, drawn from all furniture that opens."""

    def __init__(self, world: World, resident: str, number: int) -> None:
        super().__init__(world, resident)
        tables, generator = world.map.tables, stream(number, f"guess {resident}")
        closed = [name for f, name in enumerate(tables.furniture) if tables.closes[f]]
        self._guessed = {item: closed[int(generator.integers(len(closed)))] for item in tables.items}

    def whereabouts(self, items: Sequence[str]) -> Sequence[tuple[str, tuple[str, ...]]]:
        """Return the guessed places with the true statuses."""
        true = super().whereabouts(items)
        return [(self._guessed[item], status) for item, (_, status) in zip(items, true, strict=True)]
