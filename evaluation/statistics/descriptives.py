"""Means and their spread per dimension and architecture, and Levene's test of equal variances."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from scipy import stats

from evaluation.rating.rating_scale import DIMENSIONS, ordered
from evaluation.runs.architectures import ARCHITECTURES

CONFIDENCE = 0.95


def describe(ratings: pd.DataFrame) -> pd.DataFrame:
    """Describe each group.

    Args:
        ratings: Columns architecture, dimension, rating.

    Returns:
        One row a dimension and architecture, in the paper's order: dimension, architecture, n, mean, sd (with n - 1),
        se, median, and low and high, the 95 per cent t interval of the mean. A group of one has no sd, se and
        interval.
    """
    groups = ratings.groupby(["dimension", "architecture"], sort=False)["rating"]
    table = groups.agg(n="size", mean="mean", sd="std", median="median").reset_index()
    return with_intervals(table.assign(se=table["sd"] / np.sqrt(table["n"])))


def with_intervals(table: pd.DataFrame) -> pd.DataFrame:
    """Add low and high, the 95 per cent t interval of the mean, and put the rows in the paper's order.

    Args:
        table: Columns dimension, architecture, n, mean, se, and others, which are kept.
    """
    dimensions = ordered(table["dimension"], DIMENSIONS)
    architectures = ordered(table["architecture"], tuple(ARCHITECTURES))
    place = table["dimension"].map(dimensions.index) * len(architectures) + table["architecture"].map(
        architectures.index
    )
    table = table.loc[place.sort_values(kind="stable").index].reset_index(drop=True)
    margin = table["se"] * stats.t.ppf(0.5 + CONFIDENCE / 2, np.maximum(table["n"] - 1, 1))
    return table.assign(low=table["mean"] - margin, high=table["mean"] + margin)


def levene(ratings: pd.DataFrame) -> dict[str, Any]:
    """Levene's test that all groups have the same variance, on distances from the group's mean as Levene proposed.

    Args:
        ratings: Of one dimension: columns architecture, rating; at least two groups.

    Returns:
        statistic, df1, df2 and p. Not a number where the ratings of each group lie as far from their mean as each
        other, as they do in groups of two: that says nothing about variances.
    """
    groups = [group.to_numpy() for _, group in ratings.groupby("architecture")["rating"]]
    with np.errstate(invalid="ignore", divide="ignore"):
        result = stats.levene(*groups, center="mean")
    n = sum(map(len, groups))
    defined = np.isfinite(result.statistic) and max(map(len, groups)) > 2
    return {
        "statistic": float(result.statistic) if defined else np.nan,
        "df1": len(groups) - 1,
        "df2": n - len(groups),
        "p": float(result.pvalue) if defined else np.nan,
    }
