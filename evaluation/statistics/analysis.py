"""The whole analysis of section 5.2, one result a dimension, from ratings or from a table of means."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from evaluation.rating.rating_scale import JUDGE, PEOPLE
from evaluation.statistics import agreement
from evaluation.statistics.csv_table import TableError
from evaluation.statistics.dependence import dependence
from evaluation.statistics.descriptives import describe, levene, with_intervals
from evaluation.statistics.judges import judge_agreement
from evaluation.statistics.leading import lead_of, plain_lead
from evaluation.statistics.next_study import next_study
from evaluation.statistics.omnibus import omega_squared, omnibus
from evaluation.statistics.pairs import dunn_sidak, games_howell
from evaluation.statistics.power import power
from evaluation.statistics.ratings_file import Ratings
from evaluation.statistics.result import Result
from evaluation.statistics.table_rows import records

ALPHA = 0.05
_RATERS_ALONE = (
    "--runs and --residents play no part in what a next study finds: nothing repeats in these ratings, so that it is "
    "planned by raters alone"
)
PAIRS: dict[str, Callable[[pd.DataFrame], pd.DataFrame]] = {"anova": dunn_sidak, "brown-forsythe": games_howell}


def analyse(
    ratings: Ratings,
    *,
    planned: int | None = None,
    planned_runs: int | None = None,
    planned_residents: int | None = None,
    source: str | None = None,
    on_dimension: Callable[[str], None] = lambda _: None,
) -> list[Result]:
    """Analyse ratings.

    Per dimension, what repeats in the ratings decides which test stands first (``design_of``, ``lead_of``). Beside it
    are the tests of section 5.2, where Levene's test (p < .05) decides between the standard ANOVA with Dunn-Šidák
    comparisons and Brown and Forsythe's F* with those of Games and Howell. An architecture with a single rating is left
    out of the dimension.

    Args:
        ratings: As ``read_ratings`` or ``check_ratings`` gives them.
        planned: Say also what this number of raters would find.
        planned_runs: In how many runs of each architecture; as many as were rated when None.
        planned_residents: Of how many residents of each run; as many as were rated when None.
        source: Whose ratings to analyse, people's or a judge's; it must be said where there are both.
        on_dimension: Told of each dimension before it is analysed.

    Returns:
        One result a dimension, in the paper's order.

    Raises:
        TableError: if there are ratings of both sources and it is not said which to analyse, or none of the one that is
            said; if a dimension has fewer than two architectures to compare, or all its ratings are the same.
        ValueError: if fewer than 2 raters are planned.
    """
    if source is None and len(ratings.sources) > 1:
        counts = " and ".join(f"{(ratings.frame['source'] == one).sum()} by {one}" for one in ratings.sources)
        raise TableError(
            f"{ratings.name}: there are ratings of two sources, {counts}; say which to analyse: people or judge"
        )
    chosen = ratings.of(source or ratings.sources[0])
    table = describe(chosen.frame)
    results = []
    for dimension, groups in table.groupby("dimension", sort=False):
        on_dimension(str(dimension))
        result = _analyse_dimension(str(dimension), groups.reset_index(drop=True), chosen, planned)
        results.append(_plan(result, planned_runs, planned_residents))
    return _judged(results, ratings) if chosen.sources == [JUDGE] else results


def analyse_summary(
    table: pd.DataFrame, *, planned: int | None = None, printed: pd.DataFrame | None = None
) -> list[Result]:
    """Analyse means and standard errors.

    Levene's test needs the ratings. Where the table does not say what it decided, the standard F stands in the first
    place, nothing decides, and the pairs are compared in both ways.

    Args:
        table: As ``read_summary`` or ``paper_table`` gives it.
        planned: Say also what this number of raters would find.
        printed: Published values, by dimension: test and statistic.

    Raises:
        TableError: if all groups of a dimension have the same mean and none varies.
        ValueError: if fewer than 2 raters are planned.
    """
    results = []
    for name, groups in with_intervals(table).groupby("dimension", sort=False):
        groups = groups.reset_index(drop=True)
        if not (groups["sd"] > 0).any():
            raise TableError(f"{name}: no group varies (every se is 0), so that nothing can be tested")
        known = str(groups["test"].iloc[0])
        decision = "Levene's test needs the ratings and cannot be computed from means; "
        decision += f"the table says {known}" if known else "nothing decides between the tests, and all are shown"
        results.append(
            _result(
                str(name),
                groups,
                decision=decision,
                test=known or "anova",
                pairs=[known] if known else list(PAIRS),
                planned=planned,
                printed=None if printed is None else records(printed.loc[[name]])[0],
                notes=(*_constant(groups), *(note for note in groups["note"] if note)),
            )
        )
    return results


def decide(p: float) -> tuple[str, str]:
    """Which test decides, anova or brown-forsythe, and why.

    Args:
        p: Of Levene's test; not a number where it is not defined.
    """
    if not np.isfinite(p):
        return "brown-forsythe", "Levene's test is not defined for these ratings, so that Brown-Forsythe decides"
    if p < ALPHA:
        return "brown-forsythe", "Levene's test finds unequal variances (p < .05), so that Brown-Forsythe decides"
    return "anova", "Levene's test finds no unequal variances (p >= .05), so that the standard ANOVA decides"


def _analyse_dimension(dimension: str, groups: pd.DataFrame, ratings: Ratings, planned: int | None) -> Result:
    frame = ratings.frame[ratings.frame["dimension"] == dimension]
    single = frame[frame["architecture"].isin(groups.loc[groups["n"] < 2, "architecture"])]
    frame = frame.drop(single.index)
    groups = groups[groups["n"] >= 2].reset_index(drop=True)
    if len(groups) < 2:
        first = frame if len(frame) else single
        raise TableError(
            f"{ratings.name}, line {first['line'].iloc[0]}: {dimension} has ratings of {len(groups)} architecture"
            f"{'' if len(groups) == 1 else 's'} with two ratings or more; a comparison needs two such architectures"
        )
    where = f"{ratings.name}, line {frame['line'].iloc[0]}"
    if frame["rating"].nunique() == 1:
        raise TableError(
            f"{where}: all {len(frame)} ratings of {dimension} are {frame['rating'].iloc[0]}, "
            "so that nothing can be tested"
        )
    if not (groups["sd"] > 0).any():
        raise TableError(
            f"{where}: {dimension}: no group varies (all ratings of each architecture are the "
            "same), so that nothing can be tested"
        )
    left_out = ratings.left_out[ratings.left_out["dimension"].isin([dimension, ""])]
    left_out = pd.concat(
        [left_out, single.assign(reason="the only rating of its architecture, whose variance is unknown")]
    ).sort_values("line", ignore_index=True)
    homogeneity = levene(frame)
    test, decision = decide(homogeneity["p"])
    result = _result(
        dimension,
        groups,
        decision=decision,
        test=test,
        pairs=[test],
        planned=planned,
        notes=tuple(_constant(groups)),
    )
    shared = agreement.alpha(frame)
    result = replace(
        result,
        source=str(frame["source"].iloc[0]),
        ratings=frame,
        levene=homogeneity if np.isfinite(homogeneity["p"]) else None,
        icc=agreement.icc(frame),
        alpha=shared if np.isfinite(shared) else None,
        left_out=left_out,
    )
    models, told = dependence(frame, list(groups["architecture"]))
    lead = lead_of(models["design"], models["mixed_model"], groups)
    return replace(result, **models, lead=lead, notes=(*told, *result.notes))


def _plan(result: Result, runs: int | None, residents: int | None) -> Result:
    """The result with the power of a next study where raters, trajectories or runs repeat."""
    if result.power is None or result.mixed_model is None or result.rated is None:
        asked = runs is not None or residents is not None
        return replace(result, notes=(*result.notes, _RATERS_ALONE)) if asked else result
    things = result.rated
    each = max(round(things["trajectories"].sum() / things["runs"].sum()), 1)
    plan = next_study(
        result.mixed_model,
        raters=result.power["raters"],
        runs=runs or int(things["runs"].max()),
        residents=residents or each,
    )
    return replace(result, power={**result.power, "next_study": plan})


def _result(
    dimension: str,
    groups: pd.DataFrame,
    *,
    decision: str,
    test: str,
    pairs: list[str],
    planned: int | None,
    notes: tuple[str, ...],
    printed: dict[str, Any] | None = None,
) -> Result:
    """What follows from the groups alone."""
    tests = omnibus(groups)
    compared = pd.concat([PAIRS[name](groups) for name in pairs], ignore_index=True)
    first = compared[compared["method"] == compared["method"].iloc[0]]
    return Result(
        dimension=dimension,
        source=None,
        ratings=None,
        groups=groups,
        levene=None,
        decision=decision,
        test=test,
        tests=tests,
        omega_squared=omega_squared(groups),
        pairs=compared,
        design=None,
        lead=plain_lead(test, records(tests.loc[[test]])[0], groups, first, decision, holds_for=None),
        icc=pd.DataFrame(),
        alpha=None,
        judge_agreement=None,
        repeats=None,
        rated=None,
        mixed_model=None,
        ordinal_model=None,
        power=None if planned is None else power(groups, planned),
        printed=printed,
        notes=notes,
        left_out=pd.DataFrame(columns=["line", "reason"]),
    )


def _judged(results: Sequence[Result], ratings: Ratings) -> list[Result]:
    """The results of a judge's ratings, with what must be known before anything is read from them."""
    notes = [
        "these are the ratings of a language model: its draws are not people, so that p-values and intervals say how "
        "steady the model is, and not what people would find"
    ]
    agreement_of: dict[str, dict[str, Any]] = {}
    if PEOPLE in ratings.sources:
        compared = judge_agreement(ratings.of(JUDGE).frame, ratings.of(PEOPLE).frame)
        agreement_of = {row["dimension"]: row for row in records(compared)}
    unknown = "whether people would agree with it is not known from this table; irollan judge --people FILE says it"
    return [
        replace(
            result,
            judge_agreement=agreement_of.get(result.dimension),
            notes=(*notes, *([] if result.dimension in agreement_of else [unknown]), *result.notes),
        )
        for result in results
    ]


def _constant(groups: pd.DataFrame) -> list[str]:
    return [
        f"all {int(row['n'])} ratings of {row['architecture']} are the same: Welch's test is not defined, and the "
        "others suppose that its variance is 0"
        for _, row in groups[groups["sd"] == 0].iterrows()
    ]
