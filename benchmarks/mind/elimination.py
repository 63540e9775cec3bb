"""What each scorer of relevance eliminates, and whether wrongly.

Tasks: the expert's plan of tasks of every family is followed; in each step every scorer scores the admissible actions
for the task's goal. An action is eliminated wrongly when it is the expert's next one. Steps of a run: the scores of the
actions that were admissible. How alike two scorers rank them is told by Kendall's tau-b.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from time import perf_counter
from typing import Annotated, Any

import numpy as np
import typer
from scipy.stats import kendalltau

from benchmarks.reporting import AsJson, as_table_or_json, check_known, progress, table
from evaluation.records.run_directory import RunDirectory
from irollan_env import IrollanValleyEnv
from irollan_env.actions import Action
from irollan_env.tasks import ALONE, SPLITS
from itcma_s.elimination.elimination import EmbeddingScorer, ModelScorer, Scorer, remaining
from language_models.embedders.minilm import MiniLM
from language_models.local.embedded import EmbeddedModel
from language_models.protocol import Caller

CALLER = Caller(module="elimination")
SCORERS = ("embedder", "probability", "digits")


def command(
    run: Annotated[
        Path | None,
        typer.Argument(metavar="RUN", help="A run whose steps are scored as well.", show_default=False),
    ] = None,
    seeds: Annotated[int, typer.Option(metavar="N", help="Tasks of each family.")] = 3,
    steps: Annotated[int, typer.Option(metavar="N", help="Most steps of tasks, and of the run, that are scored.")] = 40,
    seconds: Annotated[float, typer.Option(metavar="N", help="No step is begun after so many.")] = 3600.0,
    most_actions: Annotated[int, typer.Option(metavar="N", help="Leave out steps with more actions.")] = 1000,
    scorers: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME", help=f"This scorer only: {', '.join(SCORERS)}. Again for more."),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Score the admissible actions of expert plans, and of a run, and eliminate by each scorer."""
    check_known("scorers", scorers or (), SCORERS)
    embedder = MiniLM()
    model = EmbeddedModel.smollm2(embedder=embedder, slots=6, context=2048)
    known: dict[str, Scorer] = {
        "embedder": EmbeddingScorer(embedder),
        "probability": ModelScorer(model, way="probability"),
        "digits": ModelScorer(model, way="digits"),
    }
    asked = {name: known[name] for name in scorers or SCORERS}
    tasks = [step for step in steps_of_tasks(seeds) if len(step.actions) <= most_actions]
    order = np.random.default_rng(0).permutation(len(tasks))[:steps].tolist()
    sets = {"tasks": [tasks[n] for n in order]}
    if run is not None:
        sets["run"] = steps_of_run(run, steps)
    found = {}
    for name, chosen in sets.items():
        rows, taken = asyncio.run(scored(asked, chosen, seconds))
        found[name] = summary(taken, chosen[: len(rows)], rows)
    as_table_or_json(found, _shown(found), as_json=as_json)


@dataclass(frozen=True, kw_only=True, slots=True)
class Step:
    """Actions to be scored for a goal; `expert` is the one that a task's plan has next, None in a run."""

    source: str
    goal: str
    actions: tuple[str, ...]
    expert: str | None = None


def steps_of_tasks(seeds: int) -> Iterator[Step]:
    """The steps of expert plans; those in which the expert waits for somebody are left out."""
    for family in ALONE:
        env = IrollanValleyEnv(task=family, others="neighbour", percepts=False, expert_plan=True)
        for seed in range(seeds):
            _, info = env.reset(seed=seed, options={"split": SPLITS[seed % len(SPLITS)]})
            ended = False
            while not ended:
                expert = str(info["expert_plan"][0])
                actions = tuple(info["admissible_actions"])
                said = Action.parse(expert)
                wanted = said.listed if isinstance(said, Action) else expert
                if wanted in actions:
                    yield Step(source=family, goal=info["goal"], actions=actions, expert=wanted)
                _, _, terminated, truncated, info = env.step(expert)
                ended = terminated or truncated


def steps_of_run(path: Path, count: int) -> list[Step]:
    """Evenly spaced steps of a run, in which there was something to choose."""
    records = [record for record in RunDirectory(path).records() if len(record["admissible"]) > 2 and record["goal"]]
    chosen = np.unique(np.linspace(0, len(records) - 1, min(count, len(records))).astype(int))
    return [
        Step(source="run", goal=records[n]["goal"], actions=tuple(records[n]["admissible"])) for n in chosen.tolist()
    ]


async def scored(
    scorers: dict[str, Scorer], steps: Sequence[Step], seconds: float
) -> tuple[list[dict[str, dict[str, float]]], dict[str, float]]:
    """For each step, every scorer's scores, and each one's seconds in all; no step is begun when the time is over."""
    rows: list[dict[str, dict[str, float]]] = []
    tell = progress("elimination")
    taken = dict.fromkeys(scorers, 0.0)
    began = perf_counter()
    for number, step in enumerate(steps, 1):
        if rows and perf_counter() - began > seconds:
            break
        row = {}
        for name, one in scorers.items():
            asked = perf_counter()
            row[name] = await one.score(step.goal, step.actions, caller=CALLER)
            taken[name] += perf_counter() - asked
        rows.append(row)
        tell(f"{number}/{len(steps)}: {step.source}")
    return rows, taken


def summary(taken: dict[str, float], steps: Sequence[Step], rows: list[dict[str, dict[str, float]]]) -> dict[str, Any]:
    """What each scorer eliminates, and in how many seconds of those taken; and how alike their ranks are."""
    return {
        "steps": len(steps),
        "actions": float(np.mean([len(step.actions) for step in steps])),
        "scorers": {
            name: _of_one_scorer([row[name] for row in rows], steps, seconds) for name, seconds in taken.items()
        },
        "kendall_tau": _alike(list(taken), steps, rows),
    }


def _of_one_scorer(scores: Sequence[dict[str, float]], steps: Sequence[Step], seconds: float) -> dict[str, Any]:
    """What one scorer keeps and eliminates wrongly, by its scores of each step, in so many seconds."""
    kept = [remaining(row) for row in scores]
    lost = [step.expert not in left for step, left in zip(steps, kept, strict=True) if step.expert is not None]
    ranks = [
        sum(score > row[step.expert] for score in row.values()) + 1
        for step, row in zip(steps, scores, strict=True)
        if step.expert is not None
    ]
    shares = [len(left) / len(step.actions) for step, left in zip(steps, kept, strict=True)]
    return {
        "kept": round(float(np.mean(shares)), 3),
        "wrongly_eliminated": sum(lost) if lost else None,
        "median_rank_of_the_experts_action": float(np.median(ranks)) if ranks else None,
        "seconds_a_step": round(seconds / len(scores), 3),
    }


def _alike(names: Sequence[str], steps: Sequence[Step], rows: list[dict[str, dict[str, float]]]) -> dict[str, float]:
    """Mean Kendall's tau-b of the scores of each pair of scorers."""
    alike = {}
    for one, other in combinations(names, 2):
        taus = [
            kendalltau([row[one][a] for a in step.actions], [row[other][a] for a in step.actions]).statistic
            for step, row in zip(steps, rows, strict=True)
        ]
        alike[f"{one} / {other}"] = round(float(np.nanmean(taus)), 3)
    return alike


def _shown(found: dict[str, dict[str, Any]]) -> str:
    """Tables of the scorers, one for the tasks and one for the run."""
    parts = []
    for source, one in found.items():
        scorers = one["scorers"]
        parts.append(f"{source}: {one['steps']} steps, {one['actions']:.1f} actions each")
        parts.append(
            table(["scorer", *next(iter(scorers.values()))], [[name, *row.values()] for name, row in scorers.items()])
        )
        if one["kendall_tau"]:
            parts.append(table(["scorers", "Kendall's tau-b"], list(one["kendall_tau"].items())))
    return "\n\n".join(parts)
