"""Paired comparisons of runs with and without events."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from scipy import stats
from statsmodels.stats.multitest import multipletests

from evaluation.sweeps.table import GROUP

WITH, WITHOUT = "with", "without"
ARMS = (WITH, WITHOUT)
FEWEST = 3
"""Pairs without which an outcome is not tested."""

CONFIDENCE = 0.95
SAME = "all pairs differ by the same amount"
"""Why there is no test of an effect that is alike in all pairs, and thus certain."""

_KEYS = ["kind", "dimension", "outcome", "meaning"]
PRIMARY, EXPLORATORY = "primary", "exploratory"
EFFECTS = ("role", *_KEYS, "n", WITHOUT, WITH, "difference", "low", "high", "p", "q", "why_not")


def compare_pairs(outcomes: pd.DataFrame, primary: str = "") -> tuple[pd.DataFrame, pd.DataFrame]:
    """Compare the runs of each pair in each outcome.

    Args:
        outcomes: The result of ``outcomes_of``.
        primary: The outcome that was named beforehand, which comes first and is not corrected for the others; empty
            for none.

    Returns:
        The frames ``effects`` and ``pairs`` of ``EffectResult``.
    """
    pairs = outcomes.astype({"value": float}).pivot_table(
        index=[*_KEYS, "seed"], columns=GROUP, values="value", sort=False, observed=True
    )
    pairs = pairs.reindex(columns=list(ARMS)).dropna().reset_index()
    # Equal means over residents differ by rounding errors of their sums.
    pairs["difference"] = (pairs[WITH] - pairs[WITHOUT]).round(12)
    rows = [_effect(keys, own) for keys, own in pairs.groupby(_KEYS, sort=False)]
    effects = pd.DataFrame(rows, columns=list(EFFECTS))
    chosen = (effects["outcome"] == primary) & ~effects["outcome"].duplicated()
    effects["role"] = np.where(chosen, PRIMARY, EXPLORATORY)
    effects = pd.concat([effects[chosen], effects[~chosen]], ignore_index=True)
    tested = effects["p"].notna() & (effects["role"] == EXPLORATORY)
    if tested.any():
        effects.loc[tested, "q"] = multipletests(effects.loc[tested, "p"].to_numpy(dtype=float), method="fdr_bh")[1]
    return effects, pairs[["seed", "kind", "outcome", WITHOUT, WITH, "difference"]]


def compare_steps(curves: pd.DataFrame) -> pd.DataFrame:
    """Compare the runs of each pair in each quantity at each time step.

    Args:
        curves: The result of ``values_by_step``.

    Returns:
        The frame ``steps`` of ``EffectResult``.
    """
    by = ["quantity", "time"]
    pairs = curves.pivot_table(index=[*by, "seed"], columns=GROUP, values="value", sort=False)
    pairs = pairs.reindex(columns=list(ARMS)).dropna().reset_index()
    pairs["difference"] = pairs[WITH].astype(float) - pairs[WITHOUT].astype(float)
    found = pairs.groupby(by, sort=False).agg(
        n=("difference", "size"),
        without=(WITHOUT, "mean"),
        **{WITH: (WITH, "mean")},
        difference=("difference", "mean"),
        sd=("difference", "std"),
    )
    freedom = np.maximum(found["n"] - 1, 1)
    half = stats.t.ppf(0.5 + CONFIDENCE / 2, freedom) * found["sd"] / np.sqrt(found["n"])
    found["low"], found["high"] = found["difference"] - half, found["difference"] + half
    columns = ["quantity", "time", "n", WITHOUT, WITH, "difference", "low", "high"]
    return found.reset_index()[columns].sort_values(by, kind="stable", ignore_index=True)


def _effect(keys: Any, own: pd.DataFrame) -> dict[str, Any]:
    differences = own["difference"].to_numpy(dtype=float)
    row: dict[str, Any] = {
        **dict(zip(_KEYS, keys, strict=True)),
        "n": len(own),
        WITHOUT: own[WITHOUT].mean(),
        WITH: own[WITH].mean(),
        "difference": differences.mean(),
        "why_not": "",
    }
    if len(own) < FEWEST:
        return row | {"why_not": f"fewer than {FEWEST} pairs have it"}
    if np.ptp(differences) == 0.0:
        same = "no pair differs" if differences[0] == 0.0 else SAME
        return row | {"low": differences[0], "high": differences[0], "why_not": same}
    test = stats.ttest_1samp(differences, 0.0)  # The paired t test.
    interval = test.confidence_interval(CONFIDENCE)
    return row | {"low": interval.low, "high": interval.high, "p": test.pvalue}
