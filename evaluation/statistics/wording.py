"""Results in words, as a paper would print them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

from evaluation.rating.rating_scale import JUDGE, PEOPLE
from evaluation.statistics.analysis import ALPHA
from evaluation.statistics.ratings_file import Ratings
from evaluation.statistics.result import Result
from evaluation.statistics.table_rows import records

TEST_NAMES = {
    "anova": "Standard ANOVA",
    "brown-forsythe": "Brown-Forsythe F*",
    "welch": "Welch's ANOVA",
    "dunn-sidak": "Dunn-Šidák",
    "games-howell": "Games-Howell",
}
RATED_BY = {PEOPLE: "people", JUDGE: "a language model"}
SIGNS = {"anova": "F", "brown-forsythe": "F*", "welch": "F"}


def number(value: float | None, digits: int = 2) -> str:
    """A number with a true minus sign; a dash where there is none."""
    if value is None or not np.isfinite(value):
        return "–"
    text = f"{value:,.{digits}f}".replace("-", "−")
    return text.removeprefix("−") if not float(f"{value:.{digits}f}") else text


def p_value(p: float | None) -> str:
    """A p-value: ``< .001`` or three digits."""
    if p is None or not np.isfinite(p):
        return "–"
    return "< .001" if p < 0.001 else f"{p:.3f}".removeprefix("0")


def freedom(df: float | None) -> str:
    """Degrees of freedom, with a decimal only where they are not whole."""
    if df is None or not np.isfinite(df):
        return "–"
    return f"{df:.0f}" if float(df).is_integer() else f"{df:.1f}"


def sentence(test: Mapping[str, float], sign: str = "F") -> str:
    """A test as a paper prints it: F(4, 235) = 34.22, p < .001."""
    if not np.isfinite(test["statistic"]):
        return f"{sign} is not defined"
    p = p_value(test["p"])
    equal = "" if p.startswith("<") else "= "
    return f"{sign}({freedom(test['df1'])}, {freedom(test['df2'])}) = {number(test['statistic'])}, p {equal}{p}"


def mixed_test(model: Mapping[str, float]) -> str:
    """The test of a ``mixed_model`` as a paper prints it."""
    return sentence({"statistic": model["f"], "df1": model["df"], "df2": model["df2"], "p": model["p"]})


def effect(result: Result) -> str:
    """Omega squared with its interval."""
    value = result.omega_squared
    return f"ω² = {number(value['omega_squared'])} [{number(value['low'])}, {number(value['high'])}]"


def alike(pairs: pd.DataFrame) -> str:
    """The pairs that do not differ (p >= .05), by the first comparison among them; the others where these are fewer."""
    first = pairs[pairs["method"] == pairs["method"].iloc[0]]
    apart = first["p"] < ALPHA
    same, different = (
        "; ".join(f"{row['a']} and {row['b']}" for row in records(first[chosen])) for chosen in (~apart, apart)
    )
    if apart.mean() >= 0.5:
        return same or "none"
    return f"all but {different}" if different else "all"


def against_people(row: Mapping[str, float]) -> str:
    """How a judge's ratings of a dimension go with people's, in one line; a row of ``judge_agreement``."""

    def interval(name: str) -> str:
        return f"{number(row[name])} [{number(row[f'{name}_low'])}, {number(row[f'{name}_high'])}]"

    return (
        f"{int(row['trajectories'])} trajectories: rank correlation {interval('correlation')} (one person with the "
        f"others: {number(row['person'])}), {interval('bias')} points above people, ICC(A,1) {interval('icc')}, "
        f"alpha of the judge's draws {number(row['alpha_judge'])}, of people {number(row['alpha_people'])}"
    )


def rated_by(results: Sequence[Result]) -> str:
    """Whose ratings were analysed, in a sentence; empty where a table of means does not say it."""
    if results[0].source is None:
        return ""
    n = sum(len(result.ratings) for result in results if result.ratings is not None)
    raters = {name for result in results if result.ratings is not None for name in result.ratings["rater"]}
    kind = "raters" if results[0].source == PEOPLE else "draws"
    return f"{n:,} ratings by {RATED_BY[results[0].source]} ({len(raters)} {kind})"


def as_text(results: Sequence[Result]) -> str:
    """All results for a terminal."""
    head = [f"{rated_by(results)}\n\n"] if results[0].source is not None else []
    blocks = ("\n".join(_printable(line) for line in _lines(result)) for result in results)
    return "".join(head) + "\n\n".join(blocks)


def left_out(results: Sequence[Result], ratings: Ratings) -> dict[str, list[int]]:
    """The lines of the file that did not enter, by reason, in the order of the file."""
    told = dict(zip(ratings.left_out["line"], ratings.left_out["reason"], strict=True))
    for result in results:
        told.update(zip(result.left_out["line"], result.left_out["reason"], strict=True))
    by_reason: dict[str, list[int]] = {}
    for line in sorted(told):
        by_reason.setdefault(told[line], []).append(line)
    return by_reason


def line_numbers(lines: Sequence[int], most: int | None = None) -> str:
    """``line 7`` or ``lines 7-9, 12``, cut after the given number of spans."""
    spans: list[list[int]] = []
    for line in lines:
        if spans and line == spans[-1][1] + 1:
            spans[-1][1] = line
        else:
            spans.append([line, line])
    shown = [str(first) if first == last else f"{first}-{last}" for first, last in spans[:most]]
    more = f" ... ({len(lines)} lines)" if len(shown) < len(spans) else ""
    return f"line{'s' if len(lines) > 1 else ''} {', '.join(shown)}{more}"


def _printable(line: str) -> str:
    """A line in which names from files cannot steer the terminal."""
    return "".join(one if one.isprintable() else "�" for one in line)


def _lines(result: Result) -> list[str]:
    verdict = sentence(result.deciding, SIGNS[result.test])
    lines = [
        f"{result.dimension.upper()}: {TEST_NAMES[result.test]}, {verdict}, {effect(result)}",
        f"  {result.decision}.",
    ]
    if result.levene is not None:
        lines.append(f"  Levene: {sentence(result.levene, 'W')}")
    for name, test in zip(result.tests.index, records(result.tests), strict=True):
        if name != result.test:
            lines.append(f"  {TEST_NAMES[name]}: {sentence(test, SIGNS[name])}")
    if result.printed is not None:
        lines.append(f"  Printed in the paper: {TEST_NAMES[result.printed['test']]}, F = {result.printed['statistic']}")
    width = max(len(name) for name in result.groups["architecture"])
    lines += ["", f"  {'':{width}}     n   mean ± se     95 % interval"]
    for row in records(result.groups):
        lines.append(
            f"  {row['architecture']:{width}}  {row['n']:4d}   {row['mean']:.2f} ± {row['se']:.2f}   "
            f"{row['low']:.2f} to {row['high']:.2f}"
        )
    for method, pairs in result.pairs.groupby("method", sort=False):
        lines += ["", f"  Pairs ({TEST_NAMES[str(method)]}): difference, 95 % interval, p, Hedges' g"]
        for row in records(pairs):
            between = f"{row['a']} – {row['b']}"
            lines.append(
                f"  {between:{2 * width + 3}}  {number(row['difference']):>5}  [{number(row['low']):>5}, "
                f"{number(row['high']):>5}]  {p_value(row['p']):>6}  {number(row['hedges_g']):>5}"
            )
    return lines + _more(result)


def _more(result: Result) -> list[str]:
    """Agreement, models, power and notes."""
    lines = [""]
    if result.alpha is not None:
        forms = {row["type"]: row["icc"] for row in records(result.icc)}
        icc = ", ".join(f"{name} {number(value)}" for name, value in forms.items())
        lines.append(f"  Agreement: Krippendorff's alpha {number(result.alpha)}{'; ' + icc if icc else ''}")
    if result.judge_agreement is not None:
        lines.append(f"  Judge and people: {against_people(result.judge_agreement)}")
    if (model := result.mixed_model) is not None:
        lines.append(f"  Mixed model: {mixed_test(model)}")
    if (model := result.ordinal_model) is not None:
        p = p_value(model["p"])
        lines.append(
            f"  Ordinal model: χ²({model['df']}) = {number(model['statistic'])}, p {'' if p[0] == '<' else '= '}{p}"
        )
    if (plan := result.power) is not None:
        lines.append(
            f"  {plan['raters']} raters: power {number(plan['power'])} (at the lower end of ω²: "
            f"{number(plan['power_low'])}); pairs that differ by {number(plan['detectable_difference'])} points "
            "are found 4 times in 5"
        )
    lines += [f"  Note: {note}." for note in result.notes]
    return lines if len(lines) > 1 else []
