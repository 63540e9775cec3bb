"""What an analysis of ratings finds in one dimension."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pandas as pd

from evaluation.statistics.design import PLAIN, Design
from evaluation.statistics.leading import Lead
from evaluation.statistics.table_rows import plain, records


@dataclass(frozen=True, kw_only=True)
class Result:
    """What was found in one dimension.

    Attributes:
        dimension: Its name.
        source: Who rated: people or judge; None for a table of means, which does not say it.
        ratings: The ratings that entered: one a row, as in ``Ratings.frame``; None for a table of means.
        groups: As ``describe`` gives them.
        levene: statistic, df1, df2, p; None for a table of means, and where it is not defined.
        design: What repeats in the ratings, and what that calls for; None for a table of means.
        lead: The test that stands first, with its means and pairs. What follows, from decision to pairs, is that of
            section 5.2, and valid only where the design's analysis is plain.
        decision: Which of these tests decides, and why, in a sentence.
        test: The one that decides: anova or brown-forsythe.
        tests: The three of ``omnibus``.
        omega_squared: As ``omega_squared`` gives it.
        pairs: All pairs, by the comparison that belongs to the test; by both where nothing decides.
        icc: As ``agreement.icc`` gives it.
        alpha: Krippendorff's alpha; None where there is none.
        judge_agreement: The row of ``judge_agreement``, where the judge's ratings were analysed and people's are in
            the same table.
        repeats: As ``repeats`` gives it; None for a table of means.
        rated: As ``rated`` gives it; None for a table of means.
        mixed_model, ordinal_model: As the functions of these names give them, where the design calls for them.
        power: As ``power`` gives it, where it was asked for.
        printed: test and statistic that were published, where they were handed in.
        notes: What a reader must know before relying on the rest.
        left_out: line and reason of the ratings of this dimension that did not enter.
    """

    dimension: str
    source: str | None
    ratings: pd.DataFrame | None
    groups: pd.DataFrame
    levene: dict[str, Any] | None
    design: Design | None
    lead: Lead
    decision: str
    test: str
    tests: pd.DataFrame
    omega_squared: dict[str, float]
    pairs: pd.DataFrame
    icc: pd.DataFrame
    alpha: float | None
    judge_agreement: dict[str, Any] | None
    repeats: dict[str, int] | None
    rated: pd.DataFrame | None
    mixed_model: dict[str, Any] | None
    ordinal_model: dict[str, Any] | None
    power: dict[str, Any] | None
    printed: dict[str, Any] | None
    notes: tuple[str, ...]
    left_out: pd.DataFrame

    @property
    def deciding(self) -> dict[str, float]:
        """statistic, df1, df2 and p of the test that decides."""
        return dict(records(self.tests.loc[[self.test]])[0])

    @property
    def plain_valid(self) -> bool | None:
        """Whether the tests of section 5.2 are valid for the design; None where it is not known."""
        return None if self.design is None else self.design.analysis == PLAIN

    def to_json(self) -> dict[str, Any]:
        """The result as JSON-ready data; docs/statistics.md lists the keys. What is not defined is None."""
        effect = self.omega_squared
        answer = {
            "dimension": self.dimension,
            "source": self.source,
            "design": None if self.design is None else self.design.to_json(),
            "lead": self.lead.to_json(),
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
            "judge_agreement": self.judge_agreement,
            "repeats": self.repeats,
            "rated": self.rated,
            "mixed_model": self.mixed_model,
            "ordinal_model": self.ordinal_model,
            "power": self.power,
            "printed": self.printed,
            "notes": list(self.notes),
            "left_out": self.left_out[["line", "reason"]],
        }
        return {key: plain(value) for key, value in answer.items()}
