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
        finding: What is found if the null model is rejected, with names to be filled in.
    """

    question: str
    null: str
    alternative: Alternative
    statistic: str
    finding: str


def _read() -> dict[str, Hypothesis]:
    text = (resources.files("evaluation.social") / "hypotheses.csv").read_text(encoding="utf-8")
    rows: list[dict[str, Any]] = list(csv.DictReader(text.splitlines()))
    return {row.pop("name"): Hypothesis(**row) for row in rows}


HYPOTHESES = _read()
"""All hypotheses by name of the test, from ``hypotheses.csv``."""


def draw_conclusions(
    tests: pd.DataFrame, cliques: pd.DataFrame, residents: pd.DataFrame, leader: str | None, alpha: float
) -> dict[str, str]:
    """Draw conclusions from the tests whose q, the false discovery rate, is at most alpha.

    A clique around a leader is concluded only if the leader, the clique around it and its lead within the clique are
    all found (an intersection-union test: Berger 1982).

    Args:
        tests: ``SocialStructure.tests``.
        cliques: ``SocialStructure.cliques``.
        residents: ``SocialStructure.residents``.
        leader: ``SocialStructure.leader``.
        alpha: The highest q of a finding, in (0, 1).

    Returns:
        By test, a sentence for each that finds something; and one about the leader in any case, the first.
    """
    q = tests["q"]
    found = [str(name) for name in tests.index[q <= alpha]]
    if leader is None:
        said = {"leader": "Nobody turned to anybody, so that nothing is known of leaders, cliques and ties."}
        names = {}
    else:
        around = next(iter(cliques.loc[cliques["leader"], "members"]), ())
        said = {"leader": _about_the_leader(q, around, leader, found)}
        names = {
            "leader": leader,
            "around": _listed(name for name in around if name != leader),
            "clique": _listed(cliques["members"].iloc[0]) if len(cliques) else "",
        }
    names |= {key: _listed(singled_out(tests, residents[f"p_{key}"], alpha)) for key in ("left_out", "followed")}
    in_first = _SAID_OF_THE_LEADER if "leader" in found else {"leader"}
    for test in found:
        if test not in in_first:
            said[test] = f"{HYPOTHESES[test].finding.format(**names)} ({_q(q[test])})."
    if "clique" in said and "clique beyond popularity" not in said:
        unexplained = _q(q["clique beyond popularity"])
        said["clique"] += f" How active and how popular everyone is may explain its ties ({unexplained})."
    return said


def singled_out(tests: pd.DataFrame, p: pd.Series[float], alpha: float) -> list[str]:
    """List the residents who are found, by p-values that hold for all residents together.

    The level is that of the tests of the run that find something: alpha times their share among all tests (Benjamini
    and Bogomolov 2014). A resident is therefore only found if the test of the most extreme one is.

    Args:
        tests: ``SocialStructure.tests``.
        p: p-value of each resident.
        alpha: The highest q of a finding.
    """
    q = tests["q"].dropna()
    level = alpha * float((q <= alpha).mean()) if len(q) else 0.0
    return [str(name) for name in p.index[p <= level * (1 + 1e-9)]]


_SAID_OF_THE_LEADER = {"leader", "clique around the leader", "leader within the clique"}


def _about_the_leader(q: pd.Series[float], members: tuple[str, ...], leader: str, found: list[str]) -> str:
    """Say whether there is a leader, and whether a clique formed around it."""
    if "leader" not in found:
        return (
            f"No leader was found: turns received may follow from who was present (the largest excess has "
            f"{leader}, {_q(q['leader'])})."
        )
    more = f"{leader} receives more turns than expected from who was present ({_q(q['leader'])})"
    clique, within = _q(q["clique around the leader"]), _q(q["leader within the clique"])
    if "clique around the leader" not in found:
        ahead = f", ahead of all others in its strongest clique ({within})" * ("leader within the clique" in found)
        return f"{more}{ahead}, but no clique around {leader} was found ({clique})."
    if "leader within the clique" in found:
        return (
            f"A clique formed around a leader: {_listed(name for name in members if name != leader)} around {leader} "
            f"(leader {_q(q['leader'])}, clique {clique}, ahead of all others in it {within})."
        )
    return (
        f"There is a clique, in which no leader was found: {_listed(members)} ({clique}). {more}, but was not found to "
        f"be ahead of all in it ({within})."
    )


def _q(value: float) -> str:
    return f"q = {value:.3f}" if value == value else "not tested"


def _listed(names: Iterable[str]) -> str:
    *most, last = [*names] or [""]
    return f"{', '.join(most)} and {last}" if most else last
