"""Result of one dimension: the leading test that the design calls for, and the tests of section 5.2 beside it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd

from evaluation.records.numbers import json_ready, row_dicts
from evaluation.statistics.design import MIXED, PLAIN, Design
from evaluation.statistics.omnibus import mehrotra
from evaluation.statistics.pairs import games_howell

MEHROTRA = "mehrotra"
"""F* with Mehrotra's degrees of freedom: the leading test for independent ratings."""


@dataclass(frozen=True, kw_only=True)
class Lead:
    """The leading test of a dimension, with its means and pairs.

    Attributes:
        test: mixed-model or mehrotra; anova or brown-forsythe for a table of means; None if nothing can be tested.
        statistic, df1, df2, p: Of the test; not numbers if there is none.
        holds_for: As ``Design.holds_for``; None for a table of means, whose design is unknown.
        reason: Reason for this test, or for none.
        means: One row per architecture: architecture, mean, se, low, high (95 per cent, unadjusted); se, low and high
            are not numbers if nothing can be tested.
        pairs: One row per pair: a, b, difference, se, df, low, high, p, method; empty if nothing can be tested.
    """

    test: str | None = None
    statistic: float = np.nan
    df1: float = np.nan
    df2: float = np.nan
    p: float = np.nan
    holds_for: str | None = None
    reason: str
    means: pd.DataFrame
    pairs: pd.DataFrame

    @property
    def numbers(self) -> dict[str, float]:
        """Return statistic, df1, df2 and p."""
        return {"statistic": self.statistic, "df1": self.df1, "df2": self.df2, "p": self.p}


def lead_of(design: Design, model: dict[str, Any] | None, groups: pd.DataFrame) -> Lead:
    """Choose the test that a design calls for.

    For independent ratings it is Mehrotra's F* with Games-Howell pairs, whatever Levene's test says: tests chosen by a
    preliminary test, and Welch's test, are too liberal in small groups of different sizes.

    Args:
        design: Design from ``design_of``.
        model: Model from ``mixed_model``, if the design calls for it.
        groups: Groups from ``describe``.

    Returns:
        The test, or none with the reason.
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
    """Make a plain test the leading test.

    Args:
        name: As in ``Lead.test``.
        test: statistic, df1, df2 and p.
        groups: Groups from ``describe``.
        pairs: The comparison that belongs to the test.
        reason: Reason for this test.
        holds_for: As ``Lead.holds_for``.

    Returns:
        The test with its means and pairs.
    """
    means = groups[["architecture", "mean", "se", "low", "high"]]
    return Lead(test=name, **test, holds_for=holds_for, reason=reason, means=means, pairs=pairs)


@dataclass(frozen=True, kw_only=True)
class Result:
    """The result of one dimension.

    Attributes:
        dimension: Its name.
        source: Source of the ratings, people or judge; None for a table of means.
        ratings: The ratings that entered, as in ``Ratings.frame``; None for a table of means.
        groups: Groups from ``describe``.
        levene: statistic, df1, df2, p; None for a table of means, and if it is not defined.
        design: The design of the ratings; None for a table of means.
        lead: The leading test, with its means and pairs. What follows, from decision to pairs, is that of section 5.2,
            and valid only if the design's analysis is plain.
        decision: Which of these tests decides, and why, in a sentence.
        test: The test that decides: anova or brown-forsythe.
        tests: The three of ``omnibus``.
        omega_squared: As ``omega_squared`` gives it.
        pairs: All pairs, by the comparison that belongs to the test; by both if nothing decides.
        icc: Result of ``icc``.
        alpha: Krippendorff's alpha; None if it is not defined.
        judge_agreement: Row of ``judge_agreement``, for a judge's ratings in a table with people's.
        repeats: Result of ``repeats``; None for a table of means.
        rated: Result of ``rated``; None for a table of means.
        mixed_model, ordinal_model: Results of these functions, if the design calls for them.
        power: Result of ``power``, if raters are planned.
        printed: Published test and statistic, if given.
        notes: Caveats.
        left_out: line and reason of the ratings of this dimension that did not enter.
    """

    dimension: str
    source: str | None = None
    ratings: pd.DataFrame | None = None
    groups: pd.DataFrame
    levene: dict[str, Any] | None = None
    design: Design | None = None
    lead: Lead
    decision: str
    test: str
    tests: pd.DataFrame
    omega_squared: dict[str, float]
    pairs: pd.DataFrame
    icc: pd.DataFrame = field(default_factory=pd.DataFrame)
    alpha: float | None = None
    judge_agreement: dict[str, Any] | None = None
    repeats: dict[str, int] | None = None
    rated: pd.DataFrame | None = None
    mixed_model: dict[str, Any] | None = None
    ordinal_model: dict[str, Any] | None = None
    power: dict[str, Any] | None = None
    printed: dict[str, Any] | None = None
    notes: tuple[str, ...]
    left_out: pd.DataFrame = field(default_factory=lambda: pd.DataFrame(columns=["line", "reason"]))

    @property
    def deciding(self) -> dict[str, float]:
        """Return statistic, df1, df2 and p of the test that decides."""
        return dict(row_dicts(self.tests.loc[[self.test]])[0])

    @property
    def plain_valid(self) -> bool | None:
        """Whether the tests of section 5.2 are valid for the design; None if it is unknown."""
        return None if self.design is None else self.design.analysis == PLAIN

    def to_json(self) -> dict[str, Any]:
        """The result as JSON-ready data; docs/statistics.md lists the keys."""
        effect = self.omega_squared
        plain = ("judge_agreement", "repeats", "rated", "mixed_model", "ordinal_model", "power", "printed")
        answer = {
            "dimension": self.dimension,
            "source": self.source,
            "design": None if self.design is None else self.design.to_json(),
            "lead": vars(self.lead),
            "plain_valid": self.plain_valid,
            "groups": self.groups.drop(columns=["dimension", "median", "test", "line", "note"], errors="ignore"),
            "levene": self.levene,
            "decision": self.decision,
            "test": self.test,
            **self.deciding,
            **{str(name).replace("-", "_"): row for name, row in self.tests.to_dict("index").items()},
            "omega_squared": effect["omega_squared"],
            "omega_squared_low": effect["low"],
            "omega_squared_high": effect["high"],
            "pairs": self.pairs,
            "agreement": None if self.ratings is None else {"krippendorff_alpha": self.alpha, "icc": self.icc},
            **{name: getattr(self, name) for name in plain},
            "notes": list(self.notes),
            "left_out": self.left_out[["line", "reason"]],
        }
        return {key: json_ready(value) for key, value in answer.items()}
