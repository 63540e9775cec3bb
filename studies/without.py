"""Compare runs without one mechanism with complete runs: ``python -m studies.without SWEEP [--page FILE]``.

SWEEP is what ``irollan sweep studies/without.toml`` left. A run is one observation. Each measure of each group without
a mechanism is compared with the complete run of the same seed by a paired t-test; q is p after Benjamini and Hochberg
over the whole table. With --page the table is put between its markers of that file,
and with --keep the sweep's tables are copied.
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Sequence
from pathlib import Path

import pandas as pd
from scipy import stats

from evaluation.records.numbers import number
from studies.page import keep_tables, put_into

BEGIN = "<!-- made by studies/without.py -->"
ALPHA = 0.05
MEASURES = {
    "places": "places seen",
    "objects": "things seen",
    "turns": "turns to others",
    "initiated_answered": "initiated and answered",
    "goal_action": "deeds like the goal",
    "driver_action": "deeds with the driver",
    "undone": "deeds undone",
    "gini": "Gini of resources",
    "time_alone": "time alone",
}
"""Measure of docs/measures.md -> what it is called in the table."""


def differences(runs: pd.DataFrame, measures: Sequence[str]) -> pd.DataFrame:
    """Compare each measure without each mechanism with the complete run of the same seed.

    Args:
        runs: Finished runs, with the columns ``mind.ablate`` ("nothing" for complete runs), ``seed`` and the
            measures.
        measures: Their names; one that does not vary anywhere, or that a group has in fewer than two seeds with a
            complete run, is skipped.

    Returns:
        Columns without, measure, mean, whole (the mean of complete runs), p (not a number where all pairs differ by the
        same) and q.

    Raises:
        ValueError: if runs with all mechanisms, or runs without one, are missing; if a group has a single run; or if
            there are several architectures.
    """
    if runs["architecture"].nunique() > 1:
        raise ValueError(
            f"the runs must be of one architecture, got {', '.join(sorted(runs['architecture'].unique()))}"
        )
    groups = {str(name): group for name, group in runs.groupby(runs["mind.ablate"].replace("nothing", ""))}
    whole = groups.pop("", None)
    if whole is None or not groups:
        raise ValueError("there must be runs that leave nothing out, and runs that leave something out")
    if min(map(len, (whole, *groups.values()))) < 2:
        raise ValueError("there must be two seeds or more of each group")
    rows = []
    for measure in measures:
        control = whole.set_index("seed")[measure]
        pairs = {
            name: pd.concat([group.set_index("seed")[measure], control], axis=1, keys=["own", "whole"]).dropna()
            for name, group in groups.items()
        }
        if runs[measure].nunique() < 2 or min(map(len, pairs.values())) < 2:
            continue
        for name, pair in pairs.items():
            varies = (pair["own"] - pair["whole"]).nunique() > 1
            p = float(stats.ttest_rel(pair["own"], pair["whole"]).pvalue) if varies else math.nan
            rows.append((name, measure, groups[name][measure].mean(), control.mean(), p))
    table = pd.DataFrame(rows, columns=["without", "measure", "mean", "whole", "p"])
    table["q"] = math.nan
    tested = table["p"].notna()
    if tested.any():
        table.loc[tested, "q"] = stats.false_discovery_control(table.loc[tested, "p"])
    return table


def page(runs: pd.DataFrame) -> str:
    """Write the table as Markdown, differences with q < .05 in bold."""
    found = differences(runs, list(MEASURES))
    measures = [name for name in MEASURES if (found["measure"] == name).any()]
    names = list(dict.fromkeys(found["without"]))
    whole = found.drop_duplicates("measure").set_index("measure")["whole"]
    lines = [
        f"{len(runs)} runs: {runs['seed'].nunique()} seeds of each row, {runs['steps'].max()} time steps, model "
        f"{', '.join(sorted(runs['model.name'].unique()))}, embedder "
        f"{', '.join(sorted(runs['model.embedder'].unique()))}.",
        "",
        f"| without | {' | '.join(MEASURES[name] for name in measures)} |",
        f"|---|{'---|' * len(measures)}",
        f"| *nothing* | {' | '.join(number(float(whole[name])) for name in measures)} |",
    ]
    cells = found.set_index(["without", "measure"])
    for name in names:
        own = [cells.loc[(name, measure)] for measure in measures]
        shown = [f"**{number(float(row['mean']))}**" if row["q"] < ALPHA else number(float(row["mean"])) for row in own]
        lines.append(f"| {name} | {' | '.join(shown)} |")
    return "\n".join(lines)


def main() -> None:
    """Read the sweep, then print the table or put it into the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("sweep", type=Path, metavar="SWEEP", help="A sweep, or what --keep left of one.")
    parser.add_argument("--page", type=Path, metavar="FILE", help="Put the table between the markers of this page.")
    parser.add_argument("--keep", type=Path, metavar="DIR", help="Copy the sweep's tables there.")
    asked = parser.parse_args()
    if not (asked.sweep / "runs.csv").is_file():
        raise SystemExit(f"{asked.sweep} has no runs.csv, which irollan sweep leaves at its end")
    runs = pd.read_csv(asked.sweep / "runs.csv")
    if "mind.ablate" not in runs:
        raise SystemExit(
            f"the runs of {asked.sweep} do not say what they leave out; take a sweep of studies/without.toml"
        )
    try:
        text = page(runs[runs["status"] == "finished"])
    except ValueError as error:
        raise SystemExit(f"{asked.sweep}: {error}") from None
    if asked.keep is not None:
        keep_tables(asked.sweep, asked.keep)
    if asked.page is None:
        print(text)
    else:
        put_into(asked.page, text, BEGIN)


if __name__ == "__main__":
    main()
