"""How long the social structure of a run takes, beside drawing each sample of a null model by itself.

Without a run, one of six residents and 75 steps is made up. The goal is 1,000 permutations of every null model in under
5 s. The plain form draws the samples of company one after the other and counts each with the function that figure 8 is
drawn from.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import pandas as pd
import typer

from benchmarks.reporting import AsJson, as_table_or_json
from evaluation.measures import actions, read_run, turns
from evaluation.records.interactions import interaction_counts
from evaluation.social import nulls, social_structure
from evaluation.social.networks import count_turns

NAMES = ("AY", "SG", "MD", "WL", "LL", "WM")
STEPS, PERMUTATIONS, GOAL, ROUNDS = 75, 1000, 5.0, 3


def command(
    run: Annotated[
        Path | None,
        typer.Argument(metavar="RUN", help="A run directory. [default: a made-up run]", show_default=False),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Time 1,000 permutations of every null model of the social structure of a run."""
    frame = actions(read_run(run).records if run else made_up())
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
    shown = "\n".join(f"{key:36}{value}" for key, value in result.items())
    as_table_or_json(result, shown, as_json=as_json)


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


def seconds(call: Callable[[], object]) -> float:
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
                "resident": sender,
                "action": f'chat with {present[rng.integers(len(present))]}: "hello"',
                "outcome": "executed",
            }
            for sender, present in zip(held["sender"], held["present"], strict=True)
        ]
        interaction_counts(drawn)


def together(held: pd.DataFrame, rng: np.random.Generator) -> None:
    """All samples of the same null model at once."""
    number = {name: position for position, name in enumerate(NAMES)}
    present = [tuple(number.get(name, 0) for name in one) for one in held["present"]]
    senders = np.array([number.get(name, 0) for name in held["sender"]])
    count_turns(senders, nulls.redraw_receivers(present, PERMUTATIONS, rng), len(NAMES))
