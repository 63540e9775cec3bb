"""How long the social structure of a run takes, beside drawing each sample of a null model by itself.

`python benchmarks/social.py [--json] [RUN]`: without a run, one of six residents and 75 steps is made up. The goal is
1,000 permutations of every null model in under 5 s. The plain form draws the samples of company one after the other and
counts each with the function that figure 8 is drawn from.
"""

from __future__ import annotations

import argparse
import json
import os
import time
from typing import Any

import numpy as np
import pandas as pd

from evaluation.measures import actions, read_run, turns
from evaluation.records.interactions import interaction_counts
from evaluation.social import nulls, social_structure
from evaluation.social.networks import count_turns

NAMES = ("AY", "SG", "MD", "WL", "LL", "WM")
STEPS, PERMUTATIONS, GOAL, ROUNDS = 75, 1000, 5.0, 3


def made_up(seed: int = 0) -> list[dict[str, Any]]:
    """A run in which six residents wander between three places and turn to those they meet half of the time."""
    rng = np.random.default_rng(seed)
    records = []
    for step in range(STEPS):
        where = {name: f"place {rng.integers(3)}" for name in NAMES}
        for name in NAMES:
            company = [other for other in NAMES if other != name and where[other] == where[name]]
            talks = bool(company) and rng.random() < 0.5
            action = f'chat with {rng.choice(company)}: "hello"' if talks else "use chair 1"
            values = dict.fromkeys(("pleasure", "arousal", "dominance", "driver", "resources", "topic"), 0.0)
            texts = {"goal": "", "thought": "", "action": action, "outcome": "executed"}
            lists: dict[str, Any] = {"percepts": [], "messages": [], "admissible": [action]}
            records.append({"time": step, "resident": name, "place": where[name], **lists, **texts, **values})
    return records


def seconds(call: Any) -> float:
    """The fastest of some rounds."""
    taken = []
    for _ in range(ROUNDS):
        begun = time.perf_counter()
        call()
        taken.append(time.perf_counter() - begun)
    return min(taken)


def plainly(held: pd.DataFrame, rng: np.random.Generator) -> None:
    """Each sample of the null model of company by itself, counted turn by turn."""
    for _ in range(PERMUTATIONS):
        drawn = [
            {
                "resident": row.sender,
                "action": f'chat with {row.present[rng.integers(len(row.present))]}: "hello"',
                "outcome": "executed",
            }
            for row in held.itertuples()
        ]
        interaction_counts(drawn)


def together(held: pd.DataFrame, rng: np.random.Generator) -> None:
    """All samples of the same null model at once."""
    number = {name: position for position, name in enumerate(NAMES)}
    present = [tuple(number.get(name, 0) for name in one) for one in held["present"]]
    senders = np.array([number.get(name, 0) for name in held["sender"]])
    count_turns(senders, nulls.redraw_receivers(present, PERMUTATIONS, rng), len(NAMES))


def main() -> None:
    """Print the seconds."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("run", nargs="?", help="a run directory")
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    frame = actions(read_run(given.run).records if given.run else made_up())
    held = turns(frame)
    whole = seconds(lambda: social_structure(frame, seed=0, permutations=PERMUTATIONS))
    slow = seconds(lambda: plainly(held, np.random.default_rng(0)))
    fast = seconds(lambda: together(held, np.random.default_rng(0)))
    result = {
        "residents": frame["resident"].nunique(),
        "steps": frame["time"].nunique(),
        "turns": len(held),
        "permutations": PERMUTATIONS,
        "seconds": round(whole, 3),
        "goal_seconds": GOAL,
        "reached": whole < GOAL,
        "one_null_model_one_by_one_seconds": round(slow, 3),
        "one_null_model_at_once_seconds": round(fast, 4),
        "ratio": round(slow / fast, 1),
        "processors": os.cpu_count(),
    }
    if given.json:
        print(json.dumps(result, indent=2))
    else:
        print("\n".join(f"{key:36}{value}" for key, value in result.items()))


if __name__ == "__main__":
    main()
