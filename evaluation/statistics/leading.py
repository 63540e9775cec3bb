"""The test that stands first: the one that the design of the ratings calls for."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from evaluation.statistics.design import MIXED, PLAIN, Design
from evaluation.statistics.omnibus import mehrotra
from evaluation.statistics.pairs import games_howell

MEHROTRA = "mehrotra"
"""F* with Mehrotra's degrees of freedom: the plain test that stands first."""


@dataclass(frozen=True, kw_only=True)
class Lead:
    """A test, and the means and pairs that belong to it.

    Attributes:
        test: mixed-model or mehrotra; anova or brown-forsythe for a table of means; None where nothing can be
            tested.
        statistic, df1, df2, p: Of the test; not numbers where there is none.
        holds_for: As ``Design.holds_for``; None too for a table of means, whose design is not known.
        reason: Why this test, or why none.
        means: One row an architecture: architecture, mean, se, low, high (95 per cent, each by itself). Where nothing
            can be tested, se, low and high are not numbers.
        pairs: One row a pair: a, b, difference, se, df, low, high, p, method; empty where nothing can be tested.
    """

    test: str | None
    statistic: float
    df1: float
    df2: float
    p: float
    holds_for: str | None
    reason: str
    means: pd.DataFrame
    pairs: pd.DataFrame

    def to_json(self) -> dict[str, Any]:
        """As data of frames and numbers."""
        return {**self.__dict__}


def lead_of(design: Design, model: dict[str, Any] | None, groups: pd.DataFrame) -> Lead:
    """The test that a design calls for.

    Without anything that repeats it is Mehrotra's F* with the pairs of Games and Howell, whatever Levene's test says:
    tests that are chosen by another test, and Welch's too, find too much in small groups of several sizes.

    Args:
        design: As ``design_of`` gives it.
        model: As ``mixed_model`` gives it, where the design calls for it.
        groups: As ``describe`` gives them.
    """
    if design.analysis == MIXED and model is not None:
        return Lead(
            test=MIXED,
            statistic=model["f"],
            df1=model["df"],
            df2=model["df2"],
            p=model["p"],
            holds_for=design.holds_for,
            reason=design.reason,
            means=model["means"],
            pairs=model["pairs"],
        )
    if design.analysis == PLAIN:
        test, pairs = mehrotra(groups), games_howell(groups)
        return plain_lead(MEHROTRA, test, groups, pairs, design.reason, holds_for=design.holds_for)
    return Lead(
        test=None,
        statistic=np.nan,
        df1=np.nan,
        df2=np.nan,
        p=np.nan,
        holds_for=None,
        reason=design.reason,
        means=groups[["architecture", "mean"]].assign(se=np.nan, low=np.nan, high=np.nan),
        pairs=pd.DataFrame(columns=["a", "b", "difference", "se", "df", "low", "high", "p", "method"]),
    )


def plain_lead(
    name: str,
    test: Mapping[str, float],
    groups: pd.DataFrame,
    pairs: pd.DataFrame,
    reason: str,
    *,
    holds_for: str | None,
) -> Lead:
    """A plain test (statistic, df1, df2, p) in the first place, with its pairs."""
    means = groups[["architecture", "mean", "se", "low", "high"]]
    return Lead(test=name, **test, holds_for=holds_for, reason=reason, means=means, pairs=pairs)
