"""Scores, costs and failures of the runs of an arena."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pandas as pd
from scipy import stats

from evaluation.arena.declaration import Entry
from evaluation.html_theme.templates import templates
from evaluation.records.failures import is_listed
from evaluation.records.files import write_atomically
from evaluation.records.run_directory import RunDirectory
from evaluation.runs import checkpoints
from evaluation.runs.build_society import map_of_run, starting_world
from evaluation.runs.progress import Progress
from evaluation.scenarios import scoring
from evaluation.scenarios.ledger import Ledger
from evaluation.scenarios.outcomes import compute
from evaluation.scenarios.scenario import find_scenario
from language_models.embedders.embedding_costs import EmbeddingCosts
from language_models.protocol import Embedder

CONFIDENCE = 0.95
_KEY = ["scenario", "role", "mind", "host"]


def write_note(directory: RunDirectory, progress: Progress, embedder: Embedder, costs: EmbeddingCosts) -> Path:
    """Write a short page in place of a run's report, which says how to create the report.

    An arena has hundreds of runs, so that their reports are written on demand.
    """
    page = templates("evaluation.arena").get_template("run.html").render(path=str(directory.path))
    write_atomically(directory.report_path, page.encode("utf-8", "backslashreplace"))
    return directory.report_path


def ledger_of(directory: RunDirectory, entry: Entry) -> Ledger:
    """Build the ledger of a finished run."""
    scenario = find_scenario(entry.cell.configuration.world.scenario)
    start = starting_world(entry.cell.configuration, scenario, map_of_run(directory))
    last = checkpoints.load(checkpoints.paths(directory.checkpoints_path)[-1])
    return scoring.ledger_of(
        scenario, start, directory.records(), last.society["world"], visitor=entry.role != "residents"
    )


def row_of(directory: RunDirectory, entry: Entry) -> dict[str, Any]:
    """Return one finished run as a row: score, and counts of calls, tokens and failures of measured residents."""
    scenario, ledger = find_scenario(entry.cell.configuration.world.scenario), ledger_of(directory, entry)
    own = [record for name in ledger.focal for record in ledger.of(name)]
    with directory.transcript() as transcript:
        usages = [call.usage for call in transcript.calls() if call.caller.resident in ledger.focal]
    answers = [record for record in own if record["action"] is not None]
    return {
        "scenario": scenario.name,
        "role": entry.role,
        "mind": entry.mind,
        "host": entry.host,
        "seed": entry.cell.configuration.seed,
        "score": compute(scenario.outcome, ledger, scenario.parameters),
        "agent_steps": len(own),
        "calls": len(usages),
        "tokens": sum(one.prompt_tokens + one.generated_tokens for one in usages),
        "failed": sum(record["failure"] is not None for record in own),
        "inadmissible": sum(not is_listed(record["action"], record["admissible"]) for record in answers),
        "run": entry.cell.name,
    }


def summarised(runs: pd.DataFrame, baselines: Sequence[str]) -> pd.DataFrame:
    """Aggregate runs over seeds: mean score with interval and variance, and costs, per scenario, role and mind.

    Args:
        runs: Rows from ``row_of``, at least one.
        baselines: Minds whose worst and best mean scores map to 0 and 1 of the scaled score, which may lie outside of
            [0, 1] and is NaN if the two are equal.

    Returns:
        Columns scenario, role, mind, host, seeds, score, low and high (95 % interval of Student's t over seeds; NaN
        for one seed), variance, scaled, calls and tokens (per step of a measured resident), failed and inadmissible
        (shares of these steps).
    """
    rows = []
    found = runs.groupby(["scenario", "role", "mind"], sort=False)["score"].mean()
    means: dict[Any, float] = {key: float(value) for key, value in found.items()}
    for key, group in runs.groupby(_KEY, sort=False):
        scenario, role, mind, host = key
        known = [means[one] for one in ((str(scenario), str(role), name) for name in baselines) if one in means]
        low, high = interval(group["score"].tolist())
        mean, steps = float(group["score"].mean()), int(group["agent_steps"].sum())
        span = max(known) - min(known) if known else 0.0
        rows.append(
            {
                "scenario": scenario,
                "role": role,
                "mind": mind,
                "host": host,
                "seeds": len(group),
                "score": mean,
                "low": low,
                "high": high,
                "variance": float(group["score"].var(ddof=1)) if len(group) > 1 else math.nan,
                "scaled": (mean - min(known)) / span if span > 0 and role != "cross" else math.nan,
                **{name: float(group[name].sum()) / steps for name in ("calls", "tokens", "failed", "inadmissible")},
            }
        )
    return pd.DataFrame(rows)


def interval(values: Sequence[float]) -> tuple[float, float]:
    """Return the 95 % Student's t interval of the mean, clipped to [0, 1]; NaN for fewer than two values."""
    if len(values) < 2:
        return math.nan, math.nan
    mean = sum(values) / len(values)
    half = float(stats.t.ppf((1 + CONFIDENCE) / 2, len(values) - 1)) * float(stats.sem(values))
    return max(0.0, mean - half), min(1.0, mean + half)


def cross_play(table: pd.DataFrame) -> pd.DataFrame:
    """Return the mean score over scenarios of each mind (rows) visiting residents of each mind (columns).

    The diagonal has each mind among residents with the same mind. The table is empty without cross-play runs.
    """
    crossed = table[table["role"] == "cross"]
    if crossed.empty:
        return pd.DataFrame()
    minds = list(dict.fromkeys(crossed["mind"]))
    own = table[(table["role"] == "residents") & table["mind"].isin(minds)].assign(host=lambda one: one["mind"])
    return pd.concat([crossed, own]).pivot_table("score", "mind", "host", "mean").reindex(index=minds, columns=minds)
