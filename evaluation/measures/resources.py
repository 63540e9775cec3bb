"""Resources: how unequal they are, and how much the order of residents changes."""

from __future__ import annotations

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from scipy import stats


def gini(values: ArrayLike) -> float:
    """Gini coefficient of values that may be negative (Raffinetti, Siletti and Vernizzi 2015).

    The sum of |x_i - x_j| over all pairs, divided by (n - 1) times the sum of |x_i|. That is the largest that the sum
    can be for the same total of gains and the same total of debts. For values of at least 0 it is the usual
    coefficient with its correction for small samples, n / (n - 1).

    Args:
        values: Shape (n,).

    Returns:
        In [0, 1]: 0 if all are equal (all 0 too), 1 if one holds all there is and another owes all debts; not a number
        for fewer than two values.
    """
    x = np.sort(np.asarray(values, dtype=np.float64))
    n = x.size
    if n < 2:
        return np.nan
    total = np.abs(x).sum()
    # In ascending order the gap after x_i lies within i + 1 times n - 1 - i pairs. No term is below 0, so that no
    # rounding takes the sum there.
    below = np.arange(1, n)
    return float((below * (n - below)) @ np.diff(x) / ((n - 1) * total)) if total > 0 else 0.0


def mobility(resources: pd.DataFrame) -> float:
    """How much the order of residents by resources changes in half a run: (1 - tau) / 2, averaged.

    Args:
        resources: One row a time step, one column a resident.

    Returns:
        In [0, 1]: 0 if nobody overtakes anybody, 0.5 if the later order has nothing to do with the earlier, 1 if it is
        turned round. tau is Kendall's tau-b between two steps that are half the run apart; pairs in which all have the
        same are left out. Not a number if none is left.
    """
    values = resources.to_numpy(dtype=np.float64)
    apart = max(len(values) // 2, 1)
    taus = [
        float(stats.kendalltau(before, after).statistic)
        for before, after in zip(values[:-apart], values[apart:], strict=True)
        if np.ptp(before) > 0 and np.ptp(after) > 0
    ]
    return (1 - float(np.mean(taus))) / 2 if taus else np.nan


def resources_over_time(frame: pd.DataFrame) -> pd.DataFrame:
    """Resources: one row a time step, one column a resident; no row without LTRHA."""
    return frame.pivot(index="time", columns="resident", values="resources").dropna(how="any")


def inequality(frame: pd.DataFrame) -> dict[str, float]:
    """Measures of the resources of the whole society; see docs/measures.md. Not numbers without LTRHA."""
    resources = resources_over_time(frame)
    if resources.empty:
        return {"gini": np.nan, "mobility": np.nan}
    return {"gini": gini(resources.iloc[-1]), "mobility": mobility(resources)}


def final_resources(frame: pd.DataFrame) -> pd.DataFrame:
    """The resources of each resident in the last time step; missing without LTRHA."""
    last = frame[frame["time"] == frame["time"].max()]
    return pd.DataFrame({"resources_end": last.set_index(last["resident"].astype(str))["resources"]})
