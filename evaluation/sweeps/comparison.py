"""Statistical tests of whether the groups of a sweep differ in objective measures, with one value per run."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from statsmodels.stats.multitest import multipletests

from evaluation.measures import MEASURES
from evaluation.records.numbers import row_dicts
from evaluation.statistics.analysis import PAIRS, decide
from evaluation.statistics.omnibus import ALPHA, describe, levene, omega_squared, omnibus
from evaluation.sweeps.table import GROUP

FEW = 5
COLUMNS = (
    "dimension",
    "measure",
    "test",
    "statistic",
    "df1",
    "df2",
    "p",
    "q",
    "omega_squared",
    "omega_squared_low",
    "omega_squared_high",
    "levene_p",
    "why_not",
)


@dataclass(frozen=True, kw_only=True)
class MeasureTests:
    """Test results of all measures.

    Attributes:
        table: One row per measure, with ``COLUMNS``. q is p adjusted by Benjamini and Hochberg over all tested
            measures; why_not says why a measure was not tested.
        groups: One row per measure (column dimension) and group (column architecture): n, mean, sd, se, median, low,
            high.
        pairs: All pairs of groups for measures with q < .05: the column measure, then those of
            ``evaluation.statistics.pairs``.
        notes: Caveats for the reader.
    """

    table: pd.DataFrame
    groups: pd.DataFrame
    pairs: pd.DataFrame
    notes: tuple[str, ...]


def compare_measures(finished: pd.DataFrame) -> MeasureTests:
    """Test whether the groups of a sweep differ in each measure of the society.

    The tests treat runs as independent. Runs of one seed begin with the same random draws and diverge when their
    residents first act differently; as far as they stay alike, the tests are conservative. Levene's test
    decides between the standard ANOVA and Brown and Forsythe's F*, as for human ratings.

    Args:
        finished: Rows of ``SweepResult.table`` with status finished, at least one.

    Returns:
        An object with the frames ``table``, ``groups`` and ``pairs``, and with ``notes``.
    """
    named = [name for name in MEASURES if name in finished.columns]
    long = finished.melt(id_vars=["run", GROUP], value_vars=named, var_name="dimension", value_name="rating")
    long = long.dropna(subset=["rating"]).rename(columns={GROUP: "architecture"}).astype({"rating": float})
    # Equal means over residents differ by rounding errors of their sums.
    long["rating"] = long["rating"].round(12)
    groups = describe(long) if len(long) else pd.DataFrame()
    rows = [_test(name, long[long["dimension"] == name], groups) for name in named]
    table = pd.DataFrame(rows, columns=list(COLUMNS))
    tested = table["p"].notna()
    if tested.any():
        _, q, _, _ = multipletests(table.loc[tested, "p"].to_numpy(dtype=float), method="fdr_bh")
        table.loc[tested, "q"] = q
    return MeasureTests(table=table, groups=groups, pairs=_pairs(table, groups), notes=tuple(_notes(finished)))


def _test(name: str, values: pd.DataFrame, groups: pd.DataFrame) -> dict[str, Any]:
    row: dict[str, Any] = {"dimension": MEASURES[name].dimension, "measure": name, "why_not": ""}
    own = _of(groups, name)
    if len(own) < 2:
        return row | {"why_not": "fewer than two groups have it in two runs or more"}
    if not (own["sd"] > 0).any():
        return row | {"why_not": "it does not vary within any group"}
    values = values[values["architecture"].isin(own["architecture"])]
    # Two values are equally far from their mean, so that Levene's test needs more than two runs in a group.
    p = levene(values)["p"] if own["n"].max() > 2 else np.nan
    test, _ = decide(p)
    effect = omega_squared(own)
    return {
        **row,
        "test": test,
        **row_dicts(omnibus(own).loc[[test]])[0],
        "omega_squared": effect["omega_squared"],
        "omega_squared_low": effect["low"],
        "omega_squared_high": effect["high"],
        "levene_p": p,
    }


def _of(groups: pd.DataFrame, name: str) -> pd.DataFrame:
    """Return the groups with at least two values of a measure."""
    if groups.empty:
        return groups
    return groups[(groups["dimension"] == name) & (groups["n"] >= 2)].reset_index(drop=True)


def _pairs(table: pd.DataFrame, groups: pd.DataFrame) -> pd.DataFrame:
    found = []
    for _, row in table[table["q"] < ALPHA].iterrows():
        pairs = PAIRS[row["test"]](_of(groups, row["measure"]))
        pairs.insert(0, "measure", row["measure"])
        found.append(pairs)
    return pd.concat(found, ignore_index=True) if found else pd.DataFrame(columns=["measure"])


def _notes(finished: pd.DataFrame) -> list[str]:
    runs = finished.groupby(GROUP)["run"].size()
    notes = []
    if len(runs) > 1 and runs.min() < FEW:
        notes.append(
            f"Some groups have {runs.min()} finished run{'s' if runs.min() > 1 else ''} only: differences that are not "
            "found may be there, and intervals are wide"
        )
    if runs.max() == 2:
        notes.append("With two runs a group, Levene's test says nothing, and Brown-Forsythe decides")
    if runs.nunique() > 1:
        notes.append("Not all groups have as many finished runs")
    if finished["steps"].nunique() > 1:
        notes.append("Runs have different numbers of time steps, on which many measures depend")
    return notes
