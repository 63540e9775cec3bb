"""The hypotheses about a run, each with its null model and alternative, and the conclusions from their tests."""

from __future__ import annotations

import csv
from collections.abc import Iterable
from dataclasses import dataclass
from importlib import resources
from typing import Any

import pandas as pd

from evaluation.social.nulls import Alternative

NULLS = {
    "company": "everyone turns to any resident present",
    "partners": "everyone sends and receives as many turns as observed, in each half of the run, among those present",
    "times": "everyone turns to the same people as often, at the same times, in another order, among those present",
    "rivals": "turns to the leader or its closest rival when both are present go to either",
    "paths": "everyone follows its own path, shifted in time",
    "labels": "resources are permuted among residents",
}


@dataclass(frozen=True, slots=True)
class Hypothesis:
    """A hypothesis and its test.

    Attributes:
        question: The hypothesis as a question.
        null: The null model, one of ``NULLS``.
        alternative: Whether large or small values of the statistic support it.
        statistic: The statistic in a few words.
    """

    question: str
    null: str
    alternative: Alternative
    statistic: str


def _read() -> dict[str, Hypothesis]:
    text = (resources.files("evaluation.social") / "hypotheses.csv").read_text(encoding="utf-8")
    rows: list[dict[str, Any]] = list(csv.DictReader(text.splitlines()))
    return {row.pop("name"): Hypothesis(**row) for row in rows}


HYPOTHESES = _read()
"""All hypotheses by name of the test, from ``hypotheses.csv``."""


def draw_conclusions(
    tests: pd.DataFrame, cliques: pd.DataFrame, residents: pd.DataFrame, leader: str | None, alpha: float
) -> tuple[str, ...]:
    """Draw conclusions about leader, cliques, isolates and following, in sentences.

    A clique around a leader is concluded only if the leader, the clique around it and its lead within the clique are
    all significant at the level alpha; as an intersection-union test the conclusion has that level too (Berger 1982).

    Args:
        tests: ``SocialStructure.tests``.
        cliques: ``SocialStructure.cliques``.
        residents: ``SocialStructure.residents``.
        leader: ``SocialStructure.leader``.
        alpha: The significance level, in (0, 1).

    Returns:
        The conclusions; one sentence where nobody turned to anybody.
    """
    if leader is None:
        return ("Nobody turned to anybody, so that there is no social structure to test.",)
    p = tests["p"]
    leads, gathers = p["leader"] <= alpha, p["clique around the leader"] <= alpha
    around = cliques[cliques["leader"]]
    said = []
    if leads and gathers:
        said.append(_led_clique(p, around["members"].iloc[0], leader, alpha))
    elif leads:
        said.append(
            f"{leader} receives more turns than expected from who was present ({_p(p['leader'])}), but no clique "
            f"around {leader} was found ({_p(p['clique around the leader'])})."
        )
    else:
        said.append(
            f"No leader was found: turns received may follow from who was present (the largest excess has "
            f"{leader}, {_p(p['leader'])})."
        )
    if p["clique"] <= alpha and not (leads and gathers):
        said.append(
            f"There is a clique{' elsewhere' if leads else ''}: {_listed(cliques['members'].iloc[0])} "
            f"({_p(p['clique'])})."
        )
    if p["clique"] <= alpha:
        beyond = p["clique beyond popularity"] <= alpha
        said.append(
            f"How active and how popular everyone is {'does not explain' if beyond else 'may explain'} such ties "
            f"({_p(p['clique beyond popularity'])})."
        )
    left_out = list(residents.index[residents["p_left_out"] <= alpha])
    if left_out:
        said.append(f"Left out though there: {_listed(left_out)} ({_p(p['left out'])}).")
    followed = list(residents.index[residents["p_followed"] <= alpha])
    if followed:
        said.append(f"Followed from place to place: {_listed(followed)} ({_p(p['followed leader'])}).")
    return tuple(said)


def _led_clique(p: pd.Series[float], members: tuple[str, ...], leader: str, alpha: float) -> str:
    """Conclude whether a clique formed around a leader, or a clique of equals."""
    clique, within = _p(p["clique around the leader"]), _p(p["leader within the clique"])
    if p["leader within the clique"] <= alpha:
        return (
            f"A clique formed around a leader: {_listed(name for name in members if name != leader)} around {leader} "
            f"(leader {_p(p['leader'])}, clique {clique}, ahead of all others in it {within})."
        )
    return (
        f"There is a clique, in which no leader was found: {_listed(members)} ({clique}). {leader} receives "
        f"more turns than expected from who was present ({_p(p['leader'])}), but was not found to be ahead of all "
        f"in it ({within})."
    )


def _p(value: float) -> str:
    return f"p = {value:.3f}"


def _listed(names: Iterable[str]) -> str:
    *most, last = names
    return f"{', '.join(most)} and {last}" if most else last
