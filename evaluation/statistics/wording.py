"""Results in words and numbers as printed in papers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from evaluation.rating.rating_scale import JUDGE, PEOPLE
from evaluation.records.numbers import number, row_dicts
from evaluation.statistics.design import ARCHITECTURES_AT_LARGE
from evaluation.statistics.omnibus import ALPHA
from evaluation.statistics.ratings_file import Ratings
from evaluation.statistics.result import Result

TEST_NAMES = {
    "mixed-model": "Mixed model",
    "mehrotra": "Brown-Forsythe F* with Mehrotra's degrees of freedom",
    "anova": "Standard ANOVA",
    "brown-forsythe": "Brown-Forsythe F*",
    "welch": "Welch's ANOVA",
    "dunn-sidak": "Dunn-Šidák",
    "games-howell": "Games-Howell",
}
RATED_BY = {PEOPLE: "people", JUDGE: "a language model"}
SIGNS = {"anova": "F", "brown-forsythe": "F*", "welch": "F", "mixed-model": "F", "mehrotra": "F*"}
PLAIN_TITLE = {
    True: "As in section 5.2, where Levene's test decides",
    False: "Not valid for this design, with its intervals and effect sizes, and shown for comparison with section 5.2",
    None: "All that the table gives",
}
"""Heading of the tests of section 5.2, by whether they are valid."""
SPREADS = {
    "sd_rater": "between raters",
    "sd_rater_architecture": "of a rater between architectures",
    "sd_run": "between runs",
    "sd_trajectory": "between trajectories",
    "sd_residual": "left over",
}
"""The standard deviations of a mixed model, in words."""


def p_value(p: float | None) -> str:
    """Format a p-value: ``< .001`` or three digits."""
    if p is None or not np.isfinite(p):
        return "–"
    return "< .001" if p < 0.001 else f"{p:.3f}".removeprefix("0")


def freedom(df: float | None) -> str:
    """Format degrees of freedom, with a decimal only if they are not whole."""
    if df is None or not np.isfinite(df):
        return "–"
    return f"{df:.0f}" if float(df).is_integer() else f"{df:.1f}"


def sentence(test: Mapping[str, float], sign: str = "F") -> str:
    """Write a test as a paper prints it: F(4, 235) = 34.22, p < .001.

    Args:
        test: statistic, df1, df2 and p.
        sign: Sign of the statistic.
    """
    if not np.isfinite(test["statistic"]):
        return f"{sign} is not defined"
    p = p_value(test["p"])
    equal = "" if p.startswith("<") else "= "
    return f"{sign}({freedom(test['df1'])}, {freedom(test['df2'])}) = {number(test['statistic'])}, p {equal}{p}"


def verdict(result: Result) -> str:
    """Write the leading test in a sentence, with the population that it holds for."""
    lead = result.lead
    if lead.test is None:
        return "nothing can be tested"
    about = f"; holds for {lead.holds_for}" if lead.holds_for not in (None, ARCHITECTURES_AT_LARGE) else ""
    return f"{TEST_NAMES[lead.test]}, {sentence(lead.numbers, SIGNS[lead.test])}{about}"


def rank_test(model: Mapping[str, float]) -> str:
    """Write the test of an ``ordinal_model`` as printed in papers."""
    return sentence({"statistic": model["f"], "df1": model["df"], "df2": model["df2"], "p": model["p"]})


def next_study(plan: Mapping[str, Any]) -> str:
    """Write the power of a ``next_study`` in a sentence."""
    supposed = f", if runs differ by {number(plan['sd_run'])} points, which is an assumption" * plan["sd_run_assumed"]
    return (
        f"{plan['raters']} raters, {plan['runs']} runs of each architecture and {plan['residents']} residents of each: "
        f"power {number(plan['power'])} [{number(plan['power_low'])}, {number(plan['power_high'])}] for the observed "
        f"differences and {number(plan['power_half'])} for half of them, by {plan['simulations']} simulations{supposed}"
    )


def spreads(model: Mapping[str, float | None]) -> str:
    """Write the standard deviations of a ``mixed_model``, in points of the scale."""
    return ", ".join(f"{number(model[key])} {what}" for key, what in SPREADS.items() if model[key] is not None)


def effect(result: Result) -> str:
    """Write omega squared with its interval."""
    value = result.omega_squared
    return f"ω² = {number(value['omega_squared'])} [{number(value['low'])}, {number(value['high'])}]"


def not_found(pairs: pd.DataFrame) -> str:
    """List the pairs without a significant difference (p >= .05), which may differ all the same.

    By the first comparison; the complement is named if it is shorter, and a dash if nothing was compared.
    """
    if pairs.empty:
        return "–"
    first = pairs[pairs["method"] == pairs["method"].iloc[0]]
    apart = first["p"] < ALPHA
    same, different = (
        "; ".join(f"{row['a']} and {row['b']}" for row in row_dicts(first[chosen])) for chosen in (~apart, apart)
    )
    if apart.mean() >= 0.5:
        return same or "none"
    return f"all but {different}" if different else "all"


def against_people(row: Mapping[str, float]) -> str:
    """Write a judge's agreement with people in one line, from a row of ``judge_agreement``."""

    def interval(name: str) -> str:
        return f"{number(row[name])} [{number(row[f'{name}_low'])}, {number(row[f'{name}_high'])}]"

    return (
        f"{int(row['trajectories'])} trajectories: rank correlation {interval('correlation')} (one person with the "
        f"others: {number(row['person'])}), {interval('bias')} points above people, ICC(A,1) {interval('icc')}, "
        f"alpha of the judge's draws {number(row['alpha_judge'])}, of people {number(row['alpha_people'])}"
    )


def rated_by(results: Sequence[Result]) -> str:
    """Write number and source of the ratings in a sentence; empty for a table of means."""
    if results[0].source is None:
        return ""
    n = sum(len(result.ratings) for result in results if result.ratings is not None)
    raters = {name for result in results if result.ratings is not None for name in result.ratings["rater"]}
    kind = "raters" if results[0].source == PEOPLE else "draws"
    many = f"{len(raters)} {kind if len(raters) != 1 else kind.removesuffix('s')}"
    return f"{n:,} ratings by {RATED_BY[results[0].source]} ({many})"


def left_out(results: Sequence[Result], ratings: Ratings) -> dict[str, list[int]]:
    """List the lines of the file that were left out of the analysis.

    Args:
        results: Results of all dimensions.
        ratings: The ratings analysed.

    Returns:
        Lines by reason, in the order of the file.
    """
    reason_of = dict(zip(ratings.left_out["line"], ratings.left_out["reason"], strict=True))
    for result in results:
        reason_of.update(zip(result.left_out["line"], result.left_out["reason"], strict=True))
    by_reason: dict[str, list[int]] = {}
    for line in sorted(reason_of):
        by_reason.setdefault(reason_of[line], []).append(line)
    return by_reason


def line_numbers(lines: Sequence[int], most: int | None = None) -> str:
    """Format line numbers: ``line 7`` or ``lines 7-9, 12``.

    Args:
        lines: Ascending numbers, at least one.
        most: Most spans; all if None.
    """
    spans: list[list[int]] = []
    for line in lines:
        if spans and line == spans[-1][1] + 1:
            spans[-1][1] = line
        else:
            spans.append([line, line])
    shown = [str(first) if first == last else f"{first}-{last}" for first, last in spans[:most]]
    more = f" ... ({len(lines)} lines)" if len(shown) < len(spans) else ""
    return f"line{'s' if len(lines) > 1 else ''} {', '.join(shown)}{more}"
