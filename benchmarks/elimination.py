"""What each scorer of relevance eliminates, and whether wrongly: `python benchmarks/elimination.py [RUN] [--json]`.

Tasks: the expert's plan of tasks of every family is followed; in each step every scorer scores the admissible actions
for the task's goal. An action is eliminated wrongly when it is the expert's next one. Steps of a run: the scores of the
actions that were admissible. How alike two scorers rank them is told by Kendall's tau-b.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter

import numpy as np
from scipy.stats import kendalltau

from evaluation.records.run_directory import RunDirectory
from irollan_env import IrollanValleyEnv
from irollan_env.tasks import FAMILIES, SPLITS
from irollan_env.world.primitives import SILENCE, chat_with, is_chat, parse
from itcma_s.elimination.elimination import EmbeddingScorer, ModelScorer, Scorer, remaining
from language_models.embedders.minilm import MiniLM
from language_models.on_this_machine.embedded import EmbeddedModel
from language_models.protocol import Caller

CALLER = Caller(module="elimination")
SCORERS = ("embedder", "probability", "digits")


@dataclass(frozen=True, kw_only=True, slots=True)
class Step:
    """Actions to be scored for a goal; `expert` is the one that a task's plan has next, None in a run."""

    source: str
    goal: str
    actions: tuple[str, ...]
    expert: str | None = None


def steps_of_tasks(seeds: int) -> Iterator[Step]:
    """The steps of expert plans; those in which the expert waits for somebody are left out."""
    for family in FAMILIES:
        env = IrollanValleyEnv(task=family, percepts=False, expert_plan=True)
        for seed in range(seeds):
            _, info = env.reset(seed=seed, options={"split": SPLITS[seed % len(SPLITS)]})
            ended = False
            while not ended:
                expert = str(info["expert_plan"][0])
                actions = tuple(info["admissible_actions"])
                said = parse(expert)
                wanted = chat_with(said.person, SILENCE) if is_chat(expert) and hasattr(said, "person") else expert
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
        print(f"{number}/{len(steps)}: {step.source}", file=sys.stderr)
    return rows, taken


def summary(taken: dict[str, float], steps: Sequence[Step], rows: list[dict[str, dict[str, float]]]) -> object:
    """What each scorer eliminates, and in how many seconds of those taken; and how alike their ranks are."""
    table = {}
    for name in taken:
        kept = [remaining(row[name]) for row in rows]
        on_plan = [(step.expert, left) for step, left in zip(steps, kept, strict=True) if step.expert is not None]
        lost = [expert not in left for expert, left in on_plan]
        ranks = [
            sum(score > row[name][step.expert] for score in row[name].values()) + 1
            for step, row in zip(steps, rows, strict=True)
            if step.expert is not None
        ]
        table[name] = {
            "kept": round(
                float(np.mean([len(left) / len(step.actions) for step, left in zip(steps, kept, strict=True)])), 3
            ),
            "wrongly_eliminated": sum(lost) if lost else None,
            "median_rank_of_the_experts_action": float(np.median(ranks)) if ranks else None,
            "seconds_a_step": round(taken[name] / len(rows), 3),
        }
    alike = {}
    names = list(taken)
    for place, one in enumerate(names):
        for other in names[place + 1 :]:
            taus = [
                kendalltau([row[one][a] for a in step.actions], [row[other][a] for a in step.actions]).statistic
                for step, row in zip(steps, rows, strict=True)
            ]
            alike[f"{one} / {other}"] = round(float(np.nanmean(taus)), 3)
    return {
        "steps": len(steps),
        "actions": float(np.mean([len(step.actions) for step in steps])),
        "scorers": table,
        "kendall_tau": alike,
    }


def main() -> None:
    """Print the tables as JSON."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("run", nargs="?", type=Path, help="a run whose steps are scored as well")
    parser.add_argument("--seeds", type=int, default=3, help="tasks of each family")
    parser.add_argument("--steps", type=int, default=40, help="most steps of tasks, and of the run, that are scored")
    parser.add_argument("--seconds", type=float, default=3600.0, help="no step is begun after so many")
    parser.add_argument("--most-actions", type=int, default=1000, help="leave out steps with more actions")
    parser.add_argument("--scorers", nargs="+", choices=SCORERS, default=SCORERS)
    asked = parser.parse_args()
    embedder = MiniLM()
    model = EmbeddedModel.smollm2(embedder=embedder, slots=6, context=2048)
    known: dict[str, Scorer] = {
        "embedder": EmbeddingScorer(embedder),
        "probability": ModelScorer(model, way="probability"),
        "digits": ModelScorer(model, way="digits"),
    }
    scorers = {name: known[name] for name in asked.scorers}
    tasks = [step for step in steps_of_tasks(asked.seeds) if len(step.actions) <= asked.most_actions]
    order = np.random.default_rng(0).permutation(len(tasks))[: asked.steps].tolist()
    sets = {"tasks": [tasks[n] for n in order]}
    if asked.run is not None:
        sets["run"] = steps_of_run(asked.run, asked.steps)
    answer = {}
    for name, steps in sets.items():
        rows, taken = asyncio.run(scored(scorers, steps, asked.seconds))
        answer[name] = summary(taken, steps[: len(rows)], rows)
    print(json.dumps(answer, indent=1))


if __name__ == "__main__":
    main()
