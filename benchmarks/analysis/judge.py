"""Is a model of any use as a judge?

It needs no people: what is known of a story beforehand takes their place. The stories are those of the run beside the
notebooks, the same with their steps in a random order, and those of a run with the scripted model.

- reading: attention checks, as raters have them; chance passes 1 in 7
- order: how often a resident's story is rated more logical than the same steps in a random order; chance is 0.5
- exploration, proactiveness: rank correlation of the rating with the places visited, and with the times that the
  resident turned to somebody
- alpha: Krippendorff's alpha of the draws; 0 means that a draw does not hang on the story
"""

from __future__ import annotations

import math
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import pandas as pd
import typer
from scipy import stats

from benchmarks.reporting import AsJson, as_table_or_json
from evaluation.judging.judge import judge
from evaluation.judging.session import CONTEXT, SLOTS
from evaluation.judging.trajectories import Trajectory
from evaluation.measures import RecordedRun, actions, measure, read_run
from evaluation.rating.rating_scale import DIMENSIONS
from evaluation.rating.stories import stories
from evaluation.runs.config_parts import ModelConfig
from evaluation.runs.run_config import RunConfig
from evaluation.runs.run_in_memory import run_in_memory
from evaluation.statistics import alpha
from irollan_env.random_streams import stream
from language_models.registry import resolve_model
from language_models.transcript.transcript import Transcript

VALLEY = Path(__file__).parents[2] / "notebooks" / "valley"
KNOWN = {"exploration": "places", "proactiveness": "turns"}


def command(
    model: Annotated[str, typer.Option(metavar="NAME", help="As irollan run takes it.")] = "smollm2",
    draws: Annotated[int, typer.Option(metavar="N", help="How often each story is rated.")] = 5,
    steps: Annotated[int, typer.Option(metavar="N", help="Read no more than so many steps of a story.")] = 20,
    seed: Annotated[int, typer.Option(metavar="N", help="All chance follows from it.")] = 0,
    as_json: AsJson = False,
) -> None:
    """Have a model rate stories of which something is known, and say what its ratings are worth."""
    runs = {
        "valley": read_run(VALLEY),
        "scripted": run_in_memory(RunConfig(architecture="itcma", model=ModelConfig(name="scripted"), steps=steps)),
    }
    whole = [one for name, run in runs.items() for one in trajectories(run, name)]
    whole = [replace(one, moments=one.moments[:steps]) for one in whole]
    rng = stream(seed, "judge benchmark")
    mixed = [in_random_order(one, rng) for one in whole if one.run == "valley"]
    found = resolve_model(model)
    embedded = found.path is not None and not model.startswith("transformers:")
    asked = found.build(**({"slots": SLOTS, "context": CONTEXT} if embedded else {}))
    began = time.perf_counter()
    with Transcript(":memory:") as transcript:
        said = judge(asked, [*whole, *mixed], transcript, draws=draws, seed=seed)
    usage = said.usage
    result = {
        "model": model,
        "stories": len(whole) + len(mixed),
        "answers": len(said.table),
        "asked": said.asked,
        "calls": usage.calls,
        "tokens": usage.tokens,
        "cached_tokens": usage.cached_tokens,
        "seconds": round(time.perf_counter() - began),
        "checks": said.checks,
        "passed": said.passed,
        **worth(said.table, known(runs)),
    }
    as_table_or_json(result, shown(result), as_json=as_json)


def worth(ratings: pd.DataFrame, truth: pd.DataFrame) -> dict[str, Any]:
    """How the ratings go with what is known of the stories, and with each other."""
    means = ratings.groupby(["dimension", "run", "resident"])["rating"].mean()
    logical = means.loc["logicality"].unstack("run")
    gain = logical["valley"] - logical["valley in random order"]
    correlations = []
    for dimension, name in KNOWN.items():
        both = pd.concat([means.loc[dimension], truth[name]], axis="columns", join="inner")
        test = stats.spearmanr(both["rating"], both[name])
        correlations.append(
            {
                "dimension": dimension,
                "with": name,
                "rank_correlation": _defined(test.statistic),
                "p": _defined(test.pvalue),
                "n": len(both),
            }
        )
    by_dimension = []
    for dimension in DIMENSIONS:
        some = ratings[ratings["dimension"] == dimension]
        counts = some["rating"].value_counts().reindex(range(1, 8), fill_value=0).tolist()
        by_dimension.append(
            {
                "dimension": dimension,
                "alpha": _defined(alpha(some)),
                "mean": float(some["rating"].mean()),
                "counts_of_1_to_7": counts,
            }
        )
    return {
        "rated_more_logical": float((gain > 0).mean() + (gain == 0).mean() / 2),
        "gain_in_points": float(gain.mean()),
        "correlations": correlations,
        "dimensions": by_dimension,
    }


def shown(result: Mapping[str, Any]) -> str:
    """The numbers in words."""
    lines = [
        "{model}: {answers} of {asked} answers, {stories} stories",
        "cost         {calls} calls, {tokens:,} tokens ({cached_tokens:,} cached), {seconds} s",
        "reading      {passed} of {checks} checks passed",
        "order        {rated_more_logical:.2f} rated more logical than in random order, "
        "by {gain_in_points:+.2f} points",
    ]
    rows: Sequence[tuple[str, Sequence[Mapping[str, Any]]]] = (
        (
            "{dimension:12} rank correlation {rank_correlation:.2f} with {with} (p = {p:.2f}, n = {n})",
            result["correlations"],
        ),
        ("{dimension:16} alpha {alpha:5.2f}, mean {mean:.2f}, 1 to 7: {counts_of_1_to_7}", result["dimensions"]),
    )
    said = [line.format_map(result) for line in lines]
    numbers = (
        line.format_map({name: math.nan if value is None else value for name, value in row.items()})
        for line, some in rows
        for row in some
    )
    return "\n".join([*said, *numbers])


def _defined(number: float) -> float | None:
    """The number; None where it is not defined, as with a single draw, since JSON has no word for that."""
    return None if math.isnan(number) else float(number)


def trajectories(run: RecordedRun, name: str) -> list[Trajectory]:
    """The stories of a run."""
    told = stories([dict(record) for record in run.records])
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
