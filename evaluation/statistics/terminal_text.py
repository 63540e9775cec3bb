"""Results as text for a terminal: a line a dimension, then of each the leading test and those of section 5.2."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from evaluation.html_theme.printable import printable
from evaluation.records.numbers import number, row_dicts
from evaluation.statistics.result import Result
from evaluation.statistics.wording import (
    PLAIN_TITLE,
    SIGNS,
    TEST_NAMES,
    against_people,
    effect,
    next_study,
    not_found,
    p_value,
    rank_test,
    rated_by,
    sentence,
    spreads,
    verdict,
)

HEDGES = ", Hedges' g"


def as_text(results: Sequence[Result]) -> str:
    """Format all results for a terminal."""
    head = [rated_by(results), ""] if results[0].source is not None else []
    width = max(len(result.dimension) for result in results)
    head += [f"{result.dimension:{width}}  {_in_short(result)}" for result in results]
    return "\n\n".join("\n".join(map(printable, lines)) for lines in (head, *map(_lines, results)))


def _in_short(result: Result) -> str:
    """Say in one line what the leading test finds."""
    apart = "" if result.lead.pairs.empty else f"; pairs not found to differ: {not_found(result.lead.pairs)}"
    return f"{verdict(result)}{apart}"


def _lines(result: Result) -> list[str]:
    valid = result.plain_valid
    shares = "" if valid is False else f", {effect(result)}"
    lines = [f"{result.dimension.upper()}: {verdict(result)}{shares}"]
    if valid is not None:
        lines.append(f"  {_sentence(result.lead.reason)}")
        lines += _means(result.lead.means, None)
        lines += _pairs(result.lead.pairs)
    if result.mixed_model is not None:
        lines += ["", f"  Standard deviations: {spreads(result.mixed_model)}"]
    if result.ordinal_model is not None:
        lines.append(f"  The same test of ranks, which supposes no distances: {rank_test(result.ordinal_model)}")
    return [*lines, *_more(result), "", f"  {PLAIN_TITLE[valid]}:", *_plain(result)]


def _plain(result: Result) -> list[str]:
    """Format the tests of section 5.2."""
    lines = [f"  {_sentence(result.decision)}"]
    if result.levene is not None:
        lines.append(f"  Levene: {sentence(result.levene, 'W')}")
    for name, test in zip(result.tests.index, row_dicts(result.tests), strict=True):
        lines.append(f"  {TEST_NAMES[name]}: {sentence(test, SIGNS[name])}")
    if result.plain_valid is False:
        lines.append(f"  {effect(result)}")
    if result.printed is not None:
        lines.append(f"  Printed in the paper: {TEST_NAMES[result.printed['test']]}, F = {result.printed['statistic']}")
    lines += _means(result.groups, result.groups["n"])
    for _, pairs in result.pairs.groupby("method", sort=False):
        lines += _pairs(pairs)
    return lines


def _means(means: pd.DataFrame, sizes: pd.Series | None) -> list[str]:
    width = max(len(name) for name in means["architecture"])
    lines = ["", f"  {'':{width}}  {'   n   ' if sizes is not None else ''}mean ± se     95 % interval"]
    for place, row in enumerate(row_dicts(means)):
        size = f"{sizes.iloc[place]:4d}   " if sizes is not None else ""
        lines.append(
            f"  {row['architecture']:{width}}  {size}{row['mean']:.2f} ± {number(row['se']):4}   "
            f"{number(row['low'])} to {number(row['high'])}"
        )
    return lines


def _pairs(pairs: pd.DataFrame) -> list[str]:
    if pairs.empty:
        return []
    width = max(len(f"{row['a']} – {row['b']}") for row in row_dicts(pairs))
    with_g = "hedges_g" in pairs
    heading = f"difference, 95 % interval, p{HEDGES if with_g else ''}"
    lines = ["", f"  Pairs ({TEST_NAMES[pairs['method'].iloc[0]]}): {heading}"]
    for row in row_dicts(pairs):
        g = f"  {number(row['hedges_g']):>5}" if with_g else ""
        lines.append(
            f"  {row['a'] + ' – ' + row['b']:{width}}  {number(row['difference']):>5}  [{number(row['low']):>5}, "
            f"{number(row['high']):>5}]  {p_value(row['p']):>6}{g}"
        )
    return lines


def _more(result: Result) -> list[str]:
    """Format agreement, power and notes."""
    lines = []
    if result.alpha is not None:
        forms = {row["type"]: row["icc"] for row in row_dicts(result.icc)}
        icc = ", ".join(f"{name} {number(value)}" for name, value in forms.items())
        lines.append(f"  Agreement: Krippendorff's alpha {number(result.alpha)}{'; ' + icc if icc else ''}")
    if result.judge_agreement is not None:
        lines.append(f"  Judge and people: {against_people(result.judge_agreement)}")
    if (plan := result.power) is not None and plan["next_study"] is not None:
        lines.append(f"  {next_study(plan['next_study'])}")
    elif plan is not None and result.plain_valid is not False:
        lines.append(
            f"  {plan['raters']} raters: power {number(plan['power'])} (at the lower end of ω²: "
            f"{number(plan['power_low'])}); pairs that differ by {number(plan['detectable_difference'])} points "
            "are found 4 times in 5"
        )
    return [*lines, *(f"  Note: {note}." for note in result.notes)]


def _sentence(text: str) -> str:
    return f"{text[:1].upper()}{text[1:]}."
