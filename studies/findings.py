"""The findings of sections 5.2 and 5.3 in a sweep over the architectures, and what the mechanisms behind decide."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Mapping
from pathlib import Path

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from scipy import stats

from evaluation.measures.indices import gini
from evaluation.records.numbers import number
from evaluation.statistics.wording import p_value
from evaluation.sweeps.comparison import compare_measures
from ltrha.resources import allocations
from studies.study import Study

ALPHA = 0.05
NOT_MADE = "–"
LISTED = 8
"""How many pairs of architectures are named; of more, there is the number."""
SINGLE = ("ltrha", "compressed-memory", "driver")
Finding = tuple[str, str, Mapping[str, tuple[str, ...]]]
"""What the paper found, what came of it here, and the mechanisms behind it, by architecture."""
MODULES: Mapping[str, tuple[str, ...]] = {
    "ltrha": ("topic", "resources", "habitus"),
    "compressed-memory": ("imagination", "activated memory"),
    "driver": ("driver",),
    "itcma-s": ("elimination",),
}
"""What each architecture has beside ITCMA's mechanisms, and ITCMA-S beside the others'."""
OWN = ("activated memory", "retention", "emotion", "driver")
"""What ITCMA has, too."""
DRAWN_TOGETHER = {"itcma-s": ("habitus", "topic", "activated memory")}
"""What turns residents of ITCMA-S to each other."""
HALVES: tuple[Callable[[int], slice], ...] = (lambda middle: slice(middle), lambda middle: slice(middle, None))


def findings(study: Study, decided: Mapping[str, Mapping[str, str]]) -> list[str]:
    """List the findings of sections 5.2 and 5.3, one a row, with what the mechanisms behind each decide.

    Args:
        study: A sweep over the architectures.
        decided: By architecture and mechanism; see ``shares``.
    """
    rows = [*ranks(study), *curves(study), *society(study)]
    if not decided:
        return ["| the paper | here |", "|---|---|", *(f"| {one} | {other} |" for one, other, _ in rows)]
    lines = ["| the paper | here | other decisions without the mechanism behind it |", "|---|---|---|"]
    for one, other, behind in rows:
        cells = [
            f"in `{architecture}`: {', '.join(f'{name} {decided[architecture].get(name, NOT_MADE)}' for name in names)}"
            for architecture, names in behind.items()
            if architecture in decided
        ]
        lines.append(f"| {one} | {other} | {'; '.join(cells)} |")
    return lines


def shares(file: Path) -> dict[str, dict[str, str]]:
    """Read how many actions and goals change without each mechanism, by architecture and mechanism."""
    found: dict[str, dict[str, str]] = {}
    for group in json.loads(file.read_bytes()):
        own = found[group["architecture"]] = {}
        for row in group["mechanisms"]:
            actions, goals = row["removed"]["actions"], row["removed"]["goals"]
            text = f"{100 * actions['count'] / actions['of']:.1f} %"
            formed = f" (goals {100 * goals['count'] / row['formed']:.0f} %)" if goals["count"] else ""
            own[row["mechanism"]] = f"{text}{formed}"
    return found


def ranks(study: Study) -> list[Finding]:
    """Compare the architectures in every measure that varies: best, worst, and which differ (section 5.2)."""
    signs = {name: sign for own in study.measures.values() for name, sign in own.items()}
    varied = [name for name in signs if study.finished[name].nunique() > 1]
    means = {name: signs[name] * study.mean(name) for name in varied}
    table = pd.DataFrame(means).T.dropna()
    best, worst = table.eq(table.max(axis=1), axis=0), table.eq(table.min(axis=1), axis=0)
    second = table.rank(axis=1, ascending=False, method="min").eq(2).reindex(columns=["ltrha"], fill_value=False)
    found = study.tests.loc[list(table.index)]
    differ = [f"`{name}`" for name in found.index[found["q"] < ALPHA]]
    return [
        (
            "ITCMA-S is rated highest in every dimension",
            f"best, or as good as the best, in {best['itcma-s'].sum()} of {len(table)} measures",
            {"itcma-s": (*OWN, "imagination", "elimination", "topic", "resources", "habitus")},
        ),
        (
            "ITCMA is rated lowest in every dimension",
            f"worst, or as bad as the worst, in {worst['itcma'].sum()} of {len(table)} measures",
            {"itcma": OWN},
        ),
        (
            "LTRHA alone is second in every dimension",
            f"second in {second['ltrha'].sum()} of {len(table)} measures",
            {"ltrha": MODULES["ltrha"]},
        ),
        (
            "the architectures differ in every dimension (p < .001)",
            f"of {found['p'].notna().sum()} measures that could be tested, {len(differ)} differ with q < .05"
            f"{': ' if differ else ''}{', '.join(differ)}",
            MODULES,
        ),
        (
            "no difference between the three with one module in any dimension; ITCMA-S and LTRHA alike in exploration, "
            "ITCMA and compressed memory in personification; all other pairs differ",
            pairs(study, table.index),
            {},
        ),
    ]


def pairs(study: Study, measures: pd.Index) -> str:
    """Count the pairs of architectures that differ, and those between two with one module.

    Args:
        study: A sweep over the architectures.
        measures: Names of the measures to compare.
    """
    compared = compare_measures(study.finished.assign(group=study.finished["architecture"])).pairs
    compared = compared[compared["measure"].isin(measures)]
    if compared.empty:
        return "no measure differs, so that no pairs were compared"
    apart = compared[compared["p"] < ALPHA]
    single = apart["a"].isin(SINGLE) & apart["b"].isin(SINGLE)
    named = [f"{row['a']} and {row['b']} ({row['measure']})" for _, row in apart.iterrows()]
    listed = "; ".join(named) if len(named) <= LISTED else ""
    return (
        f"{len(apart)} of {len(compared)} pairs differ in the measures that do, {int(single.sum())} of them between "
        f"two with one module{f': {listed}' if listed else ''}"
    )


def curves(study: Study) -> list[Finding]:
    """Compare the curves of figures 6 and 7a with the runs of ITCMA-S."""
    frames = study.records("itcma-s")

    def mean(of: Callable[[pd.DataFrame], float]) -> float:
        return float(np.mean([of(frame) for frame in frames]))

    def level(name: str) -> str:
        spread = mean(lambda frame: float(frame.groupby("resident", observed=True)[name].std().mean()))
        return f"mean {number(mean(lambda frame: float(frame[name].mean())))}, sd over time {number(spread)}"

    drivers = [frame.groupby("time")["driver"].mean() for frame in frames]
    halves = [np.mean([one.iloc[part(len(one) // 2)].mean() for one in drivers]) for part in HALVES]
    below = mean(lambda frame: float((frame["dominance"] < 0).mean()))
    ends = [frame.groupby("resident", observed=True)["resources"].last() for frame in frames]
    # Everybody begins with 1.
    risen, of = (float(np.mean([f(one) for one in ends])) for f in (lambda one: (one > 1).sum(), len))
    return [
        ("pleasure stays high (figure 6b)", level("pleasure"), {"itcma-s": ("pleasure",)}),
        ("arousal is relatively high, and stable", level("arousal"), {"itcma-s": ("arousal",)}),
        (
            "dominance, not high, rarely drops below 0",
            f"{level('dominance')}, below 0 in {100 * below:.0f} % of decisions",
            {"itcma-s": ("dominance",)},
        ),
        (
            "the driver rises (figure 6a)",
            f"mean {number(float(halves[0]))} in the first half, {number(float(halves[1]))} in the second; rises in "
            f"{sum(slope(one.index, one) > 0 for one in drivers)} of {len(drivers)} runs",
            {"itcma-s": ("driver",)},
        ),
        (
            "the resources of most residents rise, those of some flow to others (figure 7a)",
            f"{number(risen, 1)} of {of:.0f} residents end above their start; Gini "
            f"{number(study.mean('gini')['itcma-s'])}; where lots are drawn in place of the matrix, "
            f"{by_lot(int(of), int(study.finished['steps'].max()))}",
            {"itcma-s": ("resources",)},
        ),
    ]


def by_lot(residents: int, steps: int, lives: int = 2000) -> str:
    """Simulate resources drawn by lot in Eq. 19: residents above the start, Gini coefficient and its 95 % range.

    Args:
        residents: How many.
        steps: Time steps of a run.
        lives: How many simulated runs.
    """
    shares, generator = allocations(residents), np.random.default_rng(0)
    ends = 1.0 + generator.permuted(np.tile(shares, (lives, steps, 1)), axis=2).sum(axis=1)
    spread = [gini(one) for one in ends]
    low, high = np.percentile(spread, [2.5, 97.5])
    return (
        f"{number(float((ends > 1).sum(axis=1).mean()), 1)} and {number(float(np.mean(spread)))} "
        f"[{number(float(low))}, {number(float(high))}]"
    )


def society(study: Study) -> list[Finding]:
    """Compare cliques, leader and isolates (section 5.3) with the runs of ITCMA-S."""
    found = list(study.structures.values())

    def passed(test: str) -> str:
        p = [value for one in found if np.isfinite(value := float(one.tests["p"][test]))]
        if not p:
            return "not defined in any run"
        listed = f" (p {', '.join(map(p_value, p))})" if len(p) <= 3 else ""
        return f"p < .05 in {sum(value < ALPHA for value in p)} of {len(p)} runs{listed}"

    counts = Counter(str(one.leader) for one in found).most_common()
    leaders = ", ".join(f"{name} in {count}" for name, count in counts)
    turned = [int(one.matrix.to_numpy().sum()) for one in found]
    own = study.curves[(study.curves["group"] == "itcma-s") & (study.curves["quantity"] == "topic")]
    rises = [slope(one["time"], one["value"]) > 0 for _, one in own.groupby("run") if len(one) > 2]
    return [
        (
            "a leader is selected spontaneously (LL)",
            f"{passed('leader')}; turned to most beyond expectation: {leaders}",
            DRAWN_TOGETHER,
        ),
        (
            "a clique forms around the leader",
            f"{passed('clique around the leader')}; the leader is ahead of all others in it: "
            f"{passed('leader within the clique')}",
            DRAWN_TOGETHER,
        ),
        (
            "two within it are closest to each other: a hierarchy",
            f"clique beyond popularity: {passed('clique beyond popularity')}; order of rank: {passed('linearity')}",
            DRAWN_TOGETHER,
        ),
        (
            "those who lose resources are alone and do not interact",
            f"alone and poor: {passed('resources of the lonely')}; sociable and rich: "
            f"{passed('resources of the sociable')}",
            {"itcma-s": ("resources",)},
        ),
        (
            "some have almost no relationships (WL, MD)",
            f"left out though there: {passed('left out')}; {min(turned)} to {max(turned)} turns to others a run",
            DRAWN_TOGETHER,
        ),
        (
            "relationships become more solid",
            f"ties become firmer: {passed('firming')}; the same ties in both halves: {passed('stability')}",
            {"itcma-s": ("all of long-term memory", "habitus")},
        ),
        (
            "the topic rises where the others gather, at the leader's home (figure 7b)",
            f"the mean topic where people are rises in {sum(rises)} of {len(rises)} runs",
            {"itcma-s": ("topic",)},
        ),
    ]


def slope(x: ArrayLike, y: ArrayLike) -> float:
    """Return the slope of a straight line through the points.

    Args:
        x: Times.
        y: Values.
    """
    return float(stats.linregress(np.asarray(x, dtype=float), np.asarray(y, dtype=float)).slope)
