"""What agents hand in, and the leaderboard that is made of it."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from math import sqrt
from pathlib import Path
from statistics import mean, stdev
from typing import Any

from scipy.stats import t

from evaluation.ability.task_protocol import BENCHMARK, TESTED, Result
from evaluation.records.numbers import wilson_interval
from irollan_env.tasks import FAMILIES

_BESIDE = ("expert", "random")
"""Agents that stand beside those who played some families only."""


def submission(agent: str, description: str, results: Sequence[Result]) -> dict[str, Any]:
    """What an agent hands in: JSON-ready, with the outcome of every instance, and for a learner of every seed.

    Args:
        agent: Its name.
        description: What it is; of a learner, on what it was trained, for how long, and by which reward.
        results: One for each family and split, or for each family, split and seed.
    """
    rows = [
        {
            "family": row.family,
            "split": row.split,
            **({} if row.seed is None else {"seed": row.seed}),
            "steps": list(row.steps),
        }
        for row in results
    ]
    return {"benchmark": BENCHMARK, "agent": agent, "description": description, "results": rows}


def read_submission(path: Path) -> tuple[str, str, list[Result]]:
    """The agent, its description and its results.

    Raises:
        ValueError: for a file that ``submission`` did not give, of another version of the benchmark, or in which the
            seeds of a family and split played different numbers of instances.
    """
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
        if data["benchmark"] != BENCHMARK:
            raise ValueError(f"it is of {data['benchmark']!r}; this is {BENCHMARK!r}, so play it again")
        rows = [
            Result(family=r["family"], split=r["split"], seed=r.get("seed"), steps=tuple(r["steps"]))
            for r in data["results"]
        ]
        for seeds in _by_cell(rows).values():
            _check_seeds(seeds)
        return str(data["agent"]), str(data["description"]), rows
    except (KeyError, TypeError, ValueError) as error:
        raise ValueError(f"{path} is no submission: {error}") from error


def interval(seeds: Sequence[Result]) -> tuple[float, float]:
    """The 95 per cent interval of the share that is solved.

    Of one result, Wilson's over distinct instances. Of several seeds, whichever reaches further on each side: Student's
    t over the seeds, or Wilson's of their mean share, since the seeds play the same instances.

    Args:
        seeds: The results of one family and split.
    """
    shares = [row.solved / len(row.steps) for row in seeds]
    played = len(seeds[0].steps)
    low, high = wilson_interval(mean(shares) * played, played)
    if len(seeds) > 1:
        half = float(t.ppf(0.975, len(seeds) - 1)) * stdev(shares) / sqrt(len(seeds))
        low, high = min(low, mean(shares) - half), max(high, mean(shares) + half)
    return max(0.0, low), min(1.0, high)


def cell(seeds: Sequence[Result]) -> str:
    """``"83% of 24 [64%, 93%], 17 steps"``; of a learner ``"83% of 24, 5 seeds [60%, 97%], 17 steps"``.

    Args:
        seeds: The results of one family and split.
    """
    low, high = interval(seeds)
    share = mean(row.solved / len(row.steps) for row in seeds)
    trained = f", {len(seeds)} seeds" if len(seeds) > 1 else ""
    found = [step for row in seeds for step in row.steps if step is not None]
    taken = f", {mean(found):.0f} steps" if found else ""
    return f"{share:.0%} of {len(seeds[0].steps)}{trained} [{low:.0%}, {high:.0%}]{taken}"


def table(results: dict[str, list[Result]], splits: Sequence[str] = TESTED) -> str:
    """A Markdown table: a line for each family and split, a column for each agent.

    Args:
        results: By agent.
        splits: That have lines; by default those of the benchmark.
    """
    agents = list(results)
    lines = [f"| family | split | {' | '.join(agents)} |", "|---" * (len(agents) + 2) + "|"]
    cells = {(agent, *key): cell(rows) for agent in agents for key, rows in _by_cell(results[agent]).items()}
    for family in FAMILIES:
        for split in splits:
            row = [cells.get((agent, family, split), "") for agent in agents]
            if any(row):
                lines.append(f"| `{family}` | {split} | {' | '.join(row)} |")
    return "\n".join(lines)


def leaderboard(folder: Path) -> str:
    """The page of all submissions in a folder: those of every family first, by the mean share that they solve."""
    read = [read_submission(path) for path in sorted(folder.glob("*.json"))]
    read.sort(key=lambda one: (not _whole(one[2]), -mean(row.solved / len(row.steps) for row in one[2])))
    described = "\n".join(f"- **{agent}**: {description}" for agent, description, _ in read)
    results = {agent: rows for agent, _, rows in read}
    whole = {agent: rows for agent, rows in results.items() if _whole(rows)}
    some = {agent: rows for agent, rows in results.items() if agent not in whole}
    tables = [f"## Every family\n\n{table(whole)}"] if whole else []
    if some:
        played = {(row.family, row.split) for rows in some.values() for row in rows}
        beside = {
            agent: [row for row in whole[agent] if (row.family, row.split) in played]
            for agent in _BESIDE
            if agent in whole
        }
        tables.append(f"## Some families\n\n{_SOME}\n\n{table({**some, **beside})}")
    return _PAGE.format(benchmark=BENCHMARK, described=described, tables="\n\n".join(tables))


def _whole(rows: Iterable[Result]) -> bool:
    return {row.family for row in rows} == {*FAMILIES}


def _by_cell(rows: Iterable[Result]) -> dict[tuple[str, str], list[Result]]:
    found: dict[tuple[str, str], list[Result]] = {}
    for row in rows:
        found.setdefault((row.family, row.split), []).append(row)
    return found


def _check_seeds(rows: Sequence[Result]) -> None:
    if len(rows) == 1:
        return
    where = f"{rows[0].family!r} in {rows[0].split!r}"
    seeds = [row.seed for row in rows]
    if None in seeds or len(set(seeds)) < len(seeds):
        raise ValueError(f"{where} has {len(rows)} results, which need a seed each, and have {seeds}")
    if len({len(row.steps) for row in rows}) > 1:
        raise ValueError(f"each seed must play the same instances of {where}, got {[len(row.steps) for row in rows]}")


_SOME = "Those who played some families only, beside the expert and chance."

_PAGE = """# Leaderboard

After this page you know how agents do in {benchmark}. [Tasks](datasheet.md) says what is measured, and how to hand in
another.

`irollan bench leaderboard` makes it from the submissions in `benchmarks/data/leaderboard/`.

{described}

A cell has the share of instances solved, of how many (the first of the split), its 95 per cent interval, and the mean
number of steps of those solved. The interval is Wilson's over distinct instances; a learner's also covers Student's t
over its seeds.

{tables}
"""
