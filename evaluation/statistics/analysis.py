"""Analysis of each dimension, from ratings or from a table of means."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from evaluation.rating.rating_scale import JUDGE, PEOPLE
from evaluation.records.numbers import row_dicts
from evaluation.statistics import agreement
from evaluation.statistics.csv_table import TableError
from evaluation.statistics.mixed_models import dependence
from evaluation.statistics.omnibus import ALPHA, describe, levene, omega_squared, omnibus, with_intervals
from evaluation.statistics.pairs import dunn_sidak, games_howell
from evaluation.statistics.power_analysis import next_study, power
from evaluation.statistics.ratings_file import Ratings, list_reasons
from evaluation.statistics.result import Result, lead_of, plain_lead

_RATERS_ALONE = (
    "--runs and --residents play no part in what a next study finds: nothing repeats in these ratings, so that it is "
    "planned by raters alone"
)
PAIRS: dict[str, Callable[[pd.DataFrame], pd.DataFrame]] = {"anova": dunn_sidak, "brown-forsythe": games_howell}


def analyse_ratings(
    ratings: Ratings,
    *,
    raters: int | None = None,
    runs: int | None = None,
    residents: int | None = None,
    source: str | None = None,
    on_dimension: Callable[[str], None] = lambda _: None,
) -> list[Result]:
    """Analyse ratings.

    Per dimension, the design of the ratings decides which test leads (``design_of``, ``lead_of``). Beside it are the
    tests of section 5.2, where Levene's test (p < .05) decides between the standard ANOVA with Dunn-Šidák comparisons
    and Brown-Forsythe F* with Games-Howell comparisons. An architecture with a single rating is left out.

    Args:
        ratings: Ratings from ``read_ratings`` or ``check_ratings``.
        raters: Number of raters of a planned study, for its power.
        runs: Runs of each architecture in that study; as many as were rated if None.
        residents: Residents of each run in that study; as many as were rated if None.
        source: Ratings to analyse, people or judge; required if both are present.
        on_dimension: Called with the name of each dimension before it is analysed.

    Returns:
        One result per dimension, in the paper's order.

    Raises:
        TableError: if `source` is None with ratings of both sources, or has no ratings; if a dimension has
            fewer than two architectures to compare, or all its ratings are the same.
        ValueError: if fewer than 2 raters are planned.
    """
    if source is None and len(ratings.sources) > 1:
        counts = " and ".join(f"{(ratings.frame['source'] == one).sum()} by {one}" for one in ratings.sources)
        raise TableError(
            f"{ratings.name}: there are ratings of two sources, {counts}; choose one as the source: people or judge"
        )
    chosen = ratings.of(source or ratings.sources[0])
    table = describe(chosen.frame)
    results = []
    for dimension, groups in table.groupby("dimension", sort=False):
        on_dimension(str(dimension))
        result = _analyse_dimension(str(dimension), groups.reset_index(drop=True), chosen, raters)
        results.append(_plan(result, runs, residents))
    return _judged(results, ratings) if chosen.sources == [JUDGE] else results


def analyse_groups(
    table: pd.DataFrame, *, raters: int | None = None, printed: pd.DataFrame | None = None
) -> list[Result]:
    """Analyse means and standard errors.

    Levene's test needs the ratings. If the table does not contain its decision, the standard F leads and the pairs are
    compared in both ways.

    Args:
        table: Table from ``read_summary`` or ``paper_table``.
        raters: Number of raters of a planned study, for its power.
        printed: Published values, indexed by dimension: test and statistic.

    Returns:
        One result per dimension, in the paper's order.

    Raises:
        TableError: if no group of a dimension varies.
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
                raters=raters,
                printed=None if printed is None else row_dicts(printed.loc[[name]])[0],
                notes=(*_constant(groups), *(note for note in groups["note"] if note)),
            )
        )
    return results


def decide(p: float) -> tuple[str, str]:
    """Choose between anova and brown-forsythe by Levene's test.

    Args:
        p: p-value of Levene's test; not a number if it is not defined.

    Returns:
        The test, and the reason in a sentence.
    """
    if not np.isfinite(p):
        return "brown-forsythe", "Levene's test is not defined for these ratings, so that Brown-Forsythe decides"
    if p < ALPHA:
        return "brown-forsythe", "Levene's test finds unequal variances (p < .05), so that Brown-Forsythe decides"
    return "anova", "Levene's test finds no unequal variances (p >= .05), so that the standard ANOVA decides"


def _analyse_dimension(dimension: str, groups: pd.DataFrame, ratings: Ratings, raters: int | None) -> Result:
    frame = ratings.frame[ratings.frame["dimension"] == dimension]
    left_out = ratings.left_out[ratings.left_out["dimension"].isin([dimension, ""])]
    single = frame[frame["architecture"].isin(groups.loc[groups["n"] < 2, "architecture"])]
    frame = frame.drop(single.index)
    groups = groups[groups["n"] >= 2].reset_index(drop=True)
    if len(groups) < 2:
        first = frame if len(frame) else single
        raise TableError(
            f"{ratings.name}, line {first['line'].iloc[0]}: {dimension} has ratings of {len(groups)} architecture"
            f"{'' if len(groups) == 1 else 's'} with two ratings or more; a comparison needs two such architectures"
            f"{list_reasons(left_out)}"
        )
    where = f"{ratings.name}, line {frame['line'].iloc[0]}"
    if not (groups["sd"] > 0).any():
        same = f"all {len(frame)} ratings of {dimension} are {frame['rating'].iloc[0]}"
        if frame["rating"].nunique() > 1:
            same = f"{dimension}: no group varies (all ratings of each architecture are the same)"
        raise TableError(f"{where}: {same}, so that nothing can be tested")
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
        raters=raters,
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
    models, model_notes = dependence(frame, list(groups["architecture"]))
    lead = lead_of(models["design"], models["mixed_model"], groups)
    return replace(result, **models, lead=lead, notes=(*model_notes, *result.notes))


def _plan(result: Result, runs: int | None, residents: int | None) -> Result:
    """Add the power of the planned study by the mixed model, if the design calls for one."""
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
    raters: int | None,
    notes: tuple[str, ...],
    printed: dict[str, Any] | None = None,
) -> Result:
    """Build the part of a result that follows from the groups alone."""
    tests = omnibus(groups)
    compared = pd.concat([PAIRS[name](groups) for name in pairs], ignore_index=True)
    first = compared[compared["method"] == compared["method"].iloc[0]]
    return Result(
        dimension=dimension,
        groups=groups,
        decision=decision,
        test=test,
        tests=tests,
        omega_squared=omega_squared(groups),
        pairs=compared,
        lead=plain_lead(test, row_dicts(tests.loc[[test]])[0], groups, first, decision, holds_for=None),
        power=None if raters is None else power(groups, raters),
        printed=printed,
        notes=notes,
    )


def _judged(results: Sequence[Result], ratings: Ratings) -> list[Result]:
    """Add caveats and the agreement with people to the results of a judge's ratings."""
    notes = [
        "these are the ratings of a language model: its draws are not people, so that p-values and intervals say how "
        "steady the model is, and not what people would find"
    ]
    agreement_of: dict[str, dict[str, Any]] = {}
    if PEOPLE in ratings.sources:
        compared = agreement.judge_agreement(ratings.of(JUDGE).frame, ratings.of(PEOPLE).frame)
        agreement_of = {row["dimension"]: row for row in row_dicts(compared)}
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
