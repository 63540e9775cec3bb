"""How often the expert's plan and a random policy solve each family of tasks.

Seeds count from 0 and go round the splits train, eval_seen, eval_unseen. The expert follows the first action of the
plan that it gets in each step; the random policy draws one of the admissible actions, and has 50 steps.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any

import gymnasium as gym
import numpy as np
import typer

from benchmarks.reporting import AsJson, as_table_or_json, check_known, table
from irollan_env import IrollanValleyEnv
from irollan_env.tasks import FAMILIES, SPLITS

Choose = Callable[[dict[str, Any], np.random.Generator], str]


def command(
    seeds: Annotated[int, typer.Option(metavar="N", help="How many tasks of each family.")] = 500,
    resident: Annotated[
        str | None, typer.Option(metavar="NAME", help="Whose tasks; the first of the map by default.")
    ] = None,
    families: Annotated[
        list[str] | None, typer.Option(metavar="NAME", help="This family of tasks only; again for more.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Solve tasks of every family by the expert's plan and by chance."""
    check_known("families", families or (), FAMILIES)
    found = {family: measure(family, seeds, resident) for family in families or FAMILIES}
    headings = ["family", *next(iter(found.values()))]
    cells = [[family, *row.values()] for family, row in found.items()]
    as_table_or_json(found, table(headings, cells), as_json=as_json)


def expert(info: dict[str, Any], generator: np.random.Generator) -> str:
    """The first action of the expert's plan."""
    return str(info["expert_plan"][0])


def random(info: dict[str, Any], generator: np.random.Generator) -> str:
    """One of the admissible actions."""
    actions = info["admissible_actions"]
    return str(actions[int(generator.integers(len(actions)))])


def solved_in(env: gym.Env[str, str], choose: Choose, seed: int) -> int | None:
    """Steps until the task is solved; None when it is not."""
    generator = np.random.default_rng(seed)
    _, info = env.reset(seed=seed, options={"split": SPLITS[seed % len(SPLITS)]})
    steps, terminated, truncated = 0, False, False
    while not (terminated or truncated):
        _, _, terminated, truncated, info = env.step(choose(info, generator))
        steps += 1
    return steps if terminated else None


def measure(family: str, seeds: int, resident: str | None = None) -> dict[str, Any]:
    """Success of both, and the steps that the expert needs."""
    plan = IrollanValleyEnv(task=family, resident=resident, percepts=False, expert_plan=True)
    chance = IrollanValleyEnv(task=family, resident=resident, percepts=False, max_steps=50)
    by_plan = [solved_in(plan, expert, seed) for seed in range(seeds)]
    by_chance = [solved_in(chance, random, seed) for seed in range(seeds)]
    steps = [step for step in by_plan if step is not None]
    return {
        "expert": len(steps) / seeds,
        "expert_steps_mean": round(float(np.mean(steps)), 2),
        "expert_steps_most": max(steps),
        "random_in_50_steps": sum(step is not None for step in by_chance) / seeds,
    }
