"""False positive rate and power of the social structure tests in simulated societies.

Where everybody turns to a random person present, a test
should have p <= .05 in 5 per cent of the societies. Results are appended to a file if one is named, and societies
already in it are skipped, so that a long simulation can be interrupted.
"""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import product
from pathlib import Path
from typing import Annotated

import typer

from benchmarks.analysis.made_up_societies import DESIGNS, EFFECTS, STEPS, society
from benchmarks.reporting import AsJson, as_table_or_json, check_known, progress, put_section, table, wilson
from evaluation.measures import actions
from evaluation.social import social_structure
from evaluation.social.hypotheses import HYPOTHESES

ALPHA, LIMIT = 0.05, 0.06
ALL_THREE = "all three: a clique around a leader"
"""Name of the conclusion that needs three tests."""

TARGETS: Mapping[str, Sequence[str]] = {
    "a leader, x4": ("leader", "centralisation", "linearity"),
    "a star": ("leader", "clique around the leader", ALL_THREE),
    "somebody left out, /8": ("left out",),
    "a clique, x8": (
        "clique",
        "clique around the leader",
        "clique beyond popularity",
        "communities",
        "reciprocity",
        "stability",
        "leader within the clique",
        ALL_THREE,
    ),
    "a clique with a leader, x8 and x2": (
        "leader",
        "clique",
        "clique around the leader",
        "clique beyond popularity",
        "leader within the clique",
        ALL_THREE,
    ),
    "two camps, x4": ("communities", "clique beyond popularity"),
    "answers, one in two": ("answering", "reciprocity"),
    "a clique that gives way to another, x8": ("change",),
    "a clique that becomes firmer, x1 to x16": ("firming",),
    "followers, one chance in two": ("following", "followed leader"),
    "the sociable grow rich": ("resources of the sociable",),
}
"""Tests reported for each planted effect, whether they should find it or not."""

NOT_THERE = {
    ("a star", "clique around the leader"),
    ("a star", ALL_THREE),
    ("a clique, x8", "leader within the clique"),
} | {("a clique, x8", ALL_THREE)}
"""Pairs of planted effect and test in which a finding is a false positive."""


@dataclass(frozen=True, slots=True)
class Share:
    """Share of societies in which a test had p <= .05.

    Attributes:
        design: How residents move, one of ``DESIGNS``.
        effect: What was planted.
        test: Its name.
        runs: Number of societies in which the test was defined.
        found: Number of these in which p was at most .05.
    """

    design: str
    effect: str
    test: str
    runs: int
    found: int


def command(
    runs: Annotated[
        int, typer.Option(metavar="N", min=1, help="Societies with nothing planted, of each design.")
    ] = 200,
    planted: Annotated[int, typer.Option(metavar="N", min=0, help="Societies of each design and effect.")] = 100,
    samples: Annotated[int, typer.Option(metavar="N", min=19, help="Samples of each null model.")] = 99,
    results: Annotated[
        Path | None, typer.Option(metavar="FILE", help="A CSV file that keeps p-values; it is continued.")
    ] = None,
    page: Annotated[Path | None, typer.Option(metavar="FILE", help="Put the tables into their section there.")] = None,
    only: Annotated[list[str] | None, typer.Option(metavar="EFFECT", help="Plant these alone; repeatable.")] = None,
    as_json: AsJson = False,
) -> None:
    """Print the share of societies in which each test is significant at the level of .05."""
    effects = tuple(only or EFFECTS)
    check_known("an effect", effects, EFFECTS)
    known = _read(results) if results else {}
    tell = progress("social_nulls")
    for effect, number, design in _wanted(effects, runs, planted):
        if (design, effect, number) in known:
            continue
        known[design, effect, number] = found = p_values(design, effect, number, samples)
        tell(f"{design}, {effect}, {number}")
        if results:
            _append(results, design, effect, number, found)
    counted = shares(known)
    text = as_markdown(counted, samples)
    if page:
        put_section(page, "social_nulls", text)
    as_table_or_json([asdict(one) for one in counted], text, as_json=as_json)


Results = dict[tuple[str, str, int], Mapping[str, float]]
"""Defined p-values by test, for each society's design, effect and number."""


def _wanted(effects: Iterable[str], runs: int, planted: int) -> Iterator[tuple[str, int, str]]:
    """Yield all simulations, alternating between designs so that partial results cover each design."""
    for effect in effects:
        yield from product([effect], range(planted if effect in TARGETS else runs), DESIGNS)


def p_values(design: str, effect: str, seed: int, samples: int, steps: int = STEPS) -> Mapping[str, float]:
    """Return the p-values of all tests of one society; for the conclusion the largest of its three tests, or 1."""
    found = social_structure(actions(society(design, effect, seed, steps)), seed=seed, permutations=samples)
    p = found.tests["p"].fillna(1.0).astype(float)
    together = p[["leader", "clique around the leader", "leader within the clique"]].max()
    return {**{str(test): float(p[test]) for test in found.tests["p"].dropna().index}, ALL_THREE: float(together)}


def shares(results: Results) -> list[Share]:
    """Count the significant results of each test, by design and effect."""
    pooled: dict[tuple[str, str, str], list[bool]] = {}
    for (design, effect, _), found in results.items():
        for test, p in found.items():
            pooled.setdefault((design, effect, test), []).append(p <= ALPHA)
    return [Share(*key, len(own), sum(own)) for key, own in pooled.items()]


def as_markdown(counted: Sequence[Share], samples: int) -> str:
    """Return the tables of false positives and of power in Markdown."""
    by_key = {(one.design, one.effect, one.test): one for one in counted}
    societies = [one.runs for one in counted if one.effect == "none" and one.test == ALL_THREE]
    planted = [one.runs for one in counted if one.effect != "none" and one.test == ALL_THREE]
    told = (
        f"Societies of six residents and {STEPS} steps, {samples} samples of each null model; nothing planted: "
        f"{_range(societies)} societies of each design; planted: {_range(planted)} of each. Bold are shares above "
        f"{LIMIT}, with their 95 % interval; where the true share is {ALPHA}, "
        f"{_by_chance(min(societies, default=0)):.0%} of the shares of the first table are bold by chance. A test that "
        "is not defined in a design has no number."
    )
    nothing = [
        [test, *(_false(by_key.get((design, "none", test))) for design in DESIGNS)] for test in (*HYPOTHESES, ALL_THREE)
    ]
    found = [
        [f"{effect}: not there" if (effect, test) in NOT_THERE else effect, test, *cells]
        for effect, tests in TARGETS.items()
        for test in tests
        if any(cells := [_planted(by_key.get((design, effect, test))) for design in DESIGNS])
    ]
    return "\n\n".join(
        [
            told,
            "### Nothing planted: the share of p <= .05",
            table(["test", *DESIGNS], nothing),
            "### Planted: the share of p <= .05",
            table(["planted", "test", *DESIGNS], found),
        ]
    )


def _by_chance(societies: int) -> float:
    """Return the probability that an observed share exceeds the limit if the true share is ``ALPHA``."""
    # Imported here: it takes seconds, which --help should not.
    from scipy.stats import binom

    return float(binom.sf(int(LIMIT * societies + 1e-9), societies, ALPHA))


def _range(numbers: Sequence[int]) -> str:
    low, high = min(numbers, default=0), max(numbers, default=0)
    return str(low) if low == high else f"{low} to {high}"


def _planted(one: Share | None) -> str:
    if one is None or (one.effect, one.test) in NOT_THERE:
        return _false(one)
    return f"{one.found / one.runs:.2f}"


def _false(one: Share | None) -> str:
    """Format a false positive rate; in bold, with its interval, if it exceeds the limit."""
    if one is None:
        return ""
    share = one.found / one.runs
    if share <= LIMIT:
        return f"{share:.3f}"
    low, high = wilson(one.found, one.runs)
    return f"**{share:.3f}** ({low:.3f} to {high:.3f})"


def _read(results: Path) -> Results:
    """Read a file of results."""
    found: dict[tuple[str, str, int], dict[str, float]] = {}
    if results.exists():
        with results.open(encoding="utf-8", newline="") as rows:
            for design, effect, number, test, p in csv.reader(rows):
                found.setdefault((design, effect, int(number)), {})[test] = float(p)
    return {**found}


def _append(results: Path, design: str, effect: str, number: int, found: Mapping[str, float]) -> None:
    with results.open("a", encoding="utf-8", newline="") as rows:
        csv.writer(rows).writerows((design, effect, number, test, p) for test, p in found.items())
