"""How often the expert's plan and a random policy solve each family of tasks: `python benchmarks/tasks.py`.

Seeds count from 0 and go round the splits train, eval_seen, eval_unseen. The expert follows the first action of the
plan that it gets in each step; the random policy draws one of the admissible actions, and has 50 steps.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable
from typing import Any

import gymnasium as gym
import numpy as np

from irollan_env import IrollanValleyEnv
from irollan_env.tasks import FAMILIES, SPLITS

Choose = Callable[[dict[str, Any], np.random.Generator], str]


def expert(info: dict[str, Any], generator: np.random.Generator) -> str:
    return str(info["expert_plan"][0])


def random(info: dict[str, Any], generator: np.random.Generator) -> str:
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
    arguments = {"task": family, "resident": resident, "percepts": False}
    plan = IrollanValleyEnv(**arguments, expert_plan=True)
    chance = IrollanValleyEnv(**arguments, max_steps=50)
    by_plan = [solved_in(plan, expert, seed) for seed in range(seeds)]
    by_chance = [solved_in(chance, random, seed) for seed in range(seeds)]
    steps = [step for step in by_plan if step is not None]
    return {
        "expert": len(steps) / seeds,
        "expert_steps_mean": round(float(np.mean(steps)), 2),
        "expert_steps_most": max(steps),
        "random_in_50_steps": sum(step is not None for step in by_chance) / seeds,
    }


def main() -> None:
    """Print both as JSON."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seeds", type=int, default=500)
    parser.add_argument("--resident", default=None, help="whose tasks; the first of the map by default")
    parser.add_argument("--families", nargs="+", choices=FAMILIES, default=FAMILIES)
    asked = parser.parse_args()
    print(json.dumps({family: measure(family, asked.seeds, asked.resident) for family in asked.families}, indent=1))


if __name__ == "__main__":
    main()
