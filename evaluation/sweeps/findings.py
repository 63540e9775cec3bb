"""Findings of a sweep as sentences with p- and q-values."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from evaluation.measures import MEASURES
from evaluation.records.numbers import number, row_dicts
from evaluation.statistics.omnibus import ALPHA
from evaluation.statistics.wording import p_value
from evaluation.sweeps.comparison import MeasureTests

_SHOWN = 5


def findings(tests: MeasureTests, groups: Sequence[str]) -> list[str]:
    """Describe the measures in which the groups of a sweep differ, in order of q.

    Args:
        tests: The result of ``evaluation.compare_measures``.
        groups: Names of the groups.
    """
    tested = tests.table[tests.table["q"].notna()].sort_values("q", kind="stable")
    if tested.empty:
        return ["No measure could be tested, so that nothing can be said about differences; the table says why."]
    found = tested[tested["q"] < ALPHA]
    if found.empty:
        nearest = row_dicts(tested)[0]
        return [
            f"In none of {len(tested)} measures was a difference between the {len(groups)} groups found; nearest to "
            f"one is {_meaning(nearest)} ({_sure(nearest)}). That is not to say that there is none: the intervals show "
            f"how large one may be."
        ]
    said = [
        f"The {len(groups)} groups differ in {len(found)} of {len(tested)} measures that were tested; of such "
        f"differences {100 * ALPHA:.0f} % are expected to be false. Means stand with their 95 % intervals."
    ]
    said += [_difference(row, tests) for row in row_dicts(found)[:_SHOWN]]
    if len(found) > _SHOWN:
        said.append(f"The other {len(found) - _SHOWN} are in bold among the measures.")
    return said


def _difference(row: dict[str, Any], tests: MeasureTests) -> str:
    own = tests.groups[tests.groups["dimension"] == row["measure"]].dropna(subset=["mean"]).sort_values("mean")
    least, most = row_dicts(own)[0], row_dicts(own)[-1]
    meaning = _meaning(row)
    return f"{meaning[0].upper()}{meaning[1:]}: from {_value(least)} to {_value(most)} ({_sure(row)})."


def _meaning(row: dict[str, Any]) -> str:
    return f"{MEASURES[str(row['measure'])].meaning} ({row['measure']})"


def _value(group: dict[str, Any]) -> str:
    """Format a group's mean with its interval and the name of the group."""
    low, high = number(group["low"]), number(group["high"])
    return f"{number(group['mean'])} [{low}, {high}] in {group['architecture']}"


def _sure(row: dict[str, Any]) -> str:
    p, q = (text if text.startswith("<") else f"= {text}" for text in (p_value(row["p"]), p_value(row["q"])))
    return f"p {p}, q {q}"
