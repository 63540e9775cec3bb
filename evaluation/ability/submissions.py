"""Submissions of agents to the task benchmark, and the leaderboard."""

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
"""Baselines shown beside agents that played only some families."""


def submission(agent: str, description: str, results: Sequence[Result]) -> dict[str, Any]:
    """Return the submission of an agent as JSON-ready data, with the result of every instance and seed.

    Args:
        agent: Name of the agent.
        description: What the agent is; for a learner also its training data, duration and reward.
        results: One result per family and split, or per family, split and seed.
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
    """Read a submission, and return the agent, its description and its results.

    Raises:
        ValueError: for a file that is not a submission, is of another version of the benchmark, or in which the seeds
            of a family and split played different numbers of instances.
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
    """Compute the 95 per cent interval of the share of instances solved.

    For one result it is Wilson's interval over distinct instances. For several seeds, which play the same instances, it
    is on each side the wider of Student's t over the seeds and Wilson's interval of their mean share.

    Args:
        seeds: Results of one family and split.
    """
    shares = [row.solved / len(row.steps) for row in seeds]
    played = len(seeds[0].steps)
    low, high = wilson_interval(mean(shares) * played, played)
    if len(seeds) > 1:
        half = float(t.ppf(0.975, len(seeds) - 1)) * stdev(shares) / sqrt(len(seeds))
        low, high = min(low, mean(shares) - half), max(high, mean(shares) + half)
    return max(0.0, low), min(1.0, high)


def cell(seeds: Sequence[Result]) -> str:
    """Format results as a table cell.

    Examples are ``"83% of 24 [64%, 93%], 17 steps"``, and with seeds ``"83% of 24, 5 seeds [60%, 97%], 17 steps"``.

    Args:
        seeds: Results of one family and split.
    """
    low, high = interval(seeds)
    share = mean(row.solved / len(row.steps) for row in seeds)
    trained = f", {len(seeds)} seeds" if len(seeds) > 1 else ""
    found = [step for row in seeds for step in row.steps if step is not None]
    taken = f", {mean(found):.0f} steps" if found else ""
    return f"{share:.0%} of {len(seeds[0].steps)}{trained} [{low:.0%}, {high:.0%}]{taken}"


def table(results: dict[str, list[Result]], splits: Sequence[str] = TESTED) -> str:
    """Format results as a Markdown table with a line per family and split and a column per agent.

    Args:
        results: Results by agent.
        splits: Splits to show; those of the benchmark by default.
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
    """Format all submissions in a folder as a Markdown page, complete ones first, by mean share solved."""
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
