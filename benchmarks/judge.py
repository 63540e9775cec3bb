"""Is a model of any use as a judge? `python benchmarks/judge.py --model smollm2`.

It needs no people: what is known of a story beforehand takes their place. The stories are those of the run beside the
notebooks, the same with their steps in a random order, and those of a run with the scripted model.

- reading: attention checks, as raters have them; chance passes 1 in 7
- order: how often a resident's story is rated more logical than the same steps in a random order; chance is 0.5
- exploration, proactiveness: rank correlation of the rating with the places visited, and with the times that the
  resident turned to somebody
- alpha: Krippendorff's alpha of the draws; 0 means that a draw does not hang on the story
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
from scipy import stats

from evaluation.judging.judge import judge
from evaluation.judging.session import CONTEXT, SLOTS
from evaluation.judging.trajectories import Trajectory
from evaluation.measures import RecordedRun, actions, measure, read_run
from evaluation.rating.rating_scale import DIMENSIONS
from evaluation.rating.stories import stories
from evaluation.runs.configuration import Configuration
from evaluation.runs.run_in_memory import run_in_memory
from evaluation.statistics import alpha
from irollan_env.random_streams import stream
from language_models.registry import resolve_model
from language_models.transcript.transcript import Transcript

VALLEY = Path(__file__).parents[1] / "notebooks" / "valley"
KNOWN = {"exploration": "places", "proactiveness": "turns"}


def trajectories(run: RecordedRun, name: str) -> list[Trajectory]:
    """The stories of a run."""
    told = stories(run.records)
    return [Trajectory(run=name, architecture=name, resident=who, moments=moments) for who, moments in told.items()]


def in_random_order(one: Trajectory, rng: np.random.Generator) -> Trajectory:
    """The same steps, one after the other as chance has it."""
    mixed = [replace(one.moments[place], step=step) for step, place in enumerate(rng.permutation(len(one.moments)), 1)]
    return replace(one, run=f"{one.run} in random order", moments=tuple(mixed))


def known(runs: Mapping[str, RecordedRun]) -> pd.DataFrame:
    """Measures of each resident, by run and resident."""
    tables = []
    for name, run in runs.items():
        table = measure(actions(run.records)).query("level == 'resident'")
        tables.append(table.pivot(index="subject", columns="measure", values="value").assign(run=name))
    return pd.concat(tables).rename_axis("resident").reset_index().set_index(["run", "resident"])


def main(argv: list[str] | None = None) -> None:
    """Judge, and say what came of it."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--model", default="smollm2")
    parser.add_argument("--draws", type=int, default=5)
    parser.add_argument("--steps", type=int, default=20, help="read no more than so many steps of a story")
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args(argv)
    runs = {
        "valley": read_run(VALLEY),
        "scripted": run_in_memory(Configuration(architecture="itcma", model="scripted", steps=arguments.steps)),
    }
    whole = [one for name, run in runs.items() for one in trajectories(run, name)]
    whole = [replace(one, moments=one.moments[: arguments.steps]) for one in whole]
    rng = stream(arguments.seed, "judge benchmark")
    mixed = [in_random_order(one, rng) for one in whole if one.run == "valley"]
    found = resolve_model(arguments.model)
    embedded = found.path is not None and not arguments.model.startswith("transformers:")
    model = found.build(**({"slots": SLOTS, "context": CONTEXT} if embedded else {}))
    began = time.perf_counter()
    with Transcript(":memory:") as transcript:
        said = judge(model, [*whole, *mixed], transcript, draws=arguments.draws, seed=arguments.seed)
    seconds, usage = time.perf_counter() - began, said.usage
    print(f"{arguments.model}: {len(said.table)} of {said.asked} answers, {len(whole) + len(mixed)} stories")
    print(
        f"cost         {usage.calls} calls, {usage.tokens:,} tokens ({usage.cached_tokens:,} cached), {seconds:.0f} s"
    )
    print(f"reading      {said.passed} of {said.checks} checks passed")
    means = said.table.groupby(["dimension", "run", "resident"])["rating"].mean()
    logical = means.loc["logicality"].unstack("run")
    gain = logical["valley"] - logical["valley in random order"]
    share = (gain > 0).mean() + (gain == 0).mean() / 2
    print(f"order        {share:.2f} rated more logical than in random order, by {gain.mean():+.2f} points")
    truth = known(runs)
    for dimension, name in KNOWN.items():
        both = pd.concat([means.loc[dimension], truth[name]], axis="columns", join="inner")
        test = stats.spearmanr(both["rating"], both[name])
        print(
            f"{dimension:12} rank correlation {test.statistic:.2f} with {name} (p = {test.pvalue:.2f}, n = {len(both)})"
        )
    for dimension in DIMENSIONS:
        ratings = said.table[said.table["dimension"] == dimension]
        counts = ratings["rating"].value_counts().reindex(range(1, 8), fill_value=0).tolist()
        print(f"{dimension:16} alpha {alpha(ratings):5.2f}, mean {ratings['rating'].mean():.2f}, 1 to 7: {counts}")


if __name__ == "__main__":
    main()
