"""Tables of a questionnaire's answers: scores of residents, means over residents, and reliability of scales."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pandas as pd
from scipy import stats

from evaluation.interviews.asking import Survey
from evaluation.interviews.questionnaire import Questionnaire
from evaluation.interviews.reliability import reliability


@dataclass(frozen=True, kw_only=True)
class SurveyTables:
    """A questionnaire's answers as frames.

    Attributes:
        run: Path of the run.
        questionnaire: The questionnaire.
        survey: The answers.
    """

    run: str
    questionnaire: Questionnaire
    survey: Survey

    @cached_property
    def answers(self) -> pd.DataFrame:
        """One row per resident, time and item: run, time, resident, scale, item, value, text; empty without one."""
        rows = [
            (self.run, one.time, one.resident, one.item.scale, one.item.id, one.value, one.text)
            for one in self.survey.answers
        ]
        table = pd.DataFrame(rows, columns=["run", "time", "resident", "scale", "item", "value", "text"])
        return table.astype({"value": float})

    @cached_property
    def turned(self) -> pd.DataFrame:
        """Values in the direction of their scales: time, resident, scale, item, value; only items with a scale."""
        rows = [
            (
                one.time,
                one.resident,
                one.item.scale,
                one.item.id,
                None if one.value is None else one.item.turned(one.value),
            )
            for one in self.survey.answers
            if one.item.scale
        ]
        table = pd.DataFrame(rows, columns=["time", "resident", "scale", "item", "value"])
        return table.astype({"value": float})

    @cached_property
    def scores(self) -> pd.DataFrame:
        """One row per resident, time and scale: run, time, resident, scale, score, answered, items.

        The score is the mean of the items answered, reversed ones turned; missing where less than half were.
        """
        groups = self.turned.groupby(["time", "resident", "scale"], sort=False)["value"]
        table = groups.agg(score="mean", answered="count", items="size").reset_index()
        table.loc[table["answered"] * 2 < table["items"], "score"] = np.nan
        table.insert(0, "run", self.run)
        return table

    @cached_property
    def means(self) -> pd.DataFrame:
        """One row per time and scale: run, time, scale, residents, mean, sd, low, high.

        low and high are the 95 per cent t interval of the mean over residents, who are taken for independent.
        """
        table = (
            self.scores.groupby(["time", "scale"], sort=False)["score"]
            .agg(residents="count", mean="mean", sd="std")
            .reset_index()
        )
        margin = stats.t.ppf(0.975, table["residents"].clip(lower=2) - 1) * table["sd"] / np.sqrt(table["residents"])
        table.insert(0, "run", self.run)
        return table.assign(low=table["mean"] - margin, high=table["mean"] + margin)

    @cached_property
    def reliability(self) -> pd.DataFrame:
        """One row per time and scale: run, time, scale, and what ``reliability`` finds over the residents."""
        rows = [
            {"run": self.run, "time": time, "scale": scale}
            | reliability(own.pivot(index="resident", columns="item", values="value"))
            for (time, scale), own in self.turned.groupby(["time", "scale"], sort=False)
        ]
        columns = ["run", "time", "scale", "respondents", "items", "alpha", "alpha_low", "alpha_high", "omega", "note"]
        return pd.DataFrame(rows, columns=columns)

    @cached_property
    def scales(self) -> pd.DataFrame:
        """Means with their reliability, by scale in the order of the questionnaire, then by time."""
        table = self.means.merge(self.reliability, on=["run", "time", "scale"])
        order = list(self.questionnaire.scales)
        return table.sort_values(
            ["scale", "time"], key=lambda one: one.map(order.index) if one.name == "scale" else one
        )

    @cached_property
    def missing(self) -> pd.DataFrame:
        """Answers that are missing: reason, count, refused (whether the model refused to answer)."""
        rows = [(one.failure, one.refused) for one in self.survey.answers if one.failure]
        table = pd.DataFrame(rows, columns=["reason", "refused"])
        return table.groupby("reason", sort=False)["refused"].agg(count="size", refused="any").reset_index()

    def described(self) -> str:
        """Say in one line how many answers there are, and why others are missing."""
        of, missing = len(self.answers), self.missing
        lost, refused = int(missing["count"].sum()), sum(one.refused for one in self.survey.answers)
        if not lost:
            return f"{of:,} of {of:,} questions answered"
        reason = missing.sort_values("count", ascending=False)["reason"].iloc[0]
        return f"{of - lost:,} of {of:,} questions answered, {refused:,} refused; most often: {reason}"
