"""Description of a planned study's power and caveats for ``irollan rate prepare``."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from evaluation.statistics.planned_study import PlannedPower, Spread


def what_it_can_find(finds: PlannedPower, spread: Spread) -> list[str]:
    """Describe a power estimate in lines.

    Args:
        finds: The power estimate.
        spread: The assumed standard deviations.
    """
    if finds.reason:
        return [f"can find     nothing: {finds.reason}"]
    smallest = "no difference that the scale has"
    if finds.difference is not None:
        smallest = f"a difference of {finds.difference:.2f} points between two architectures"
    chances = ", ".join(f"{points:g} {_points(points)} with {share:.0%}" for points, share in finds.found.items())
    return [
        f"can find     {smallest}, with a probability of 80%; {chances}",
        f"supposing    standard deviations, in points: rater {spread.rater:g}, taste {spread.taste:g}, "
        f"run {spread.run:g}, trajectory {spread.trajectory:g}, residual {spread.residual:g}",
    ]


def one_run_each(finds: PlannedPower) -> list[str]:
    """Return the caveat for one run of each architecture; empty if there are several."""
    if not finds.false_positives:
        return []
    shares = " and ".join(f"{share:.0%} if it is {sd:g}" for sd, share in finds.false_positives.items())
    return [
        "there is one run of each architecture, and no analysis can tell what is particular to a run from its "
        "architecture. Runs of one architecture differ by some standard deviation: of studies of architectures that "
        f"do not differ, {shares} points will say that they do, in place of 5%. Give several runs of each, with other "
        "seeds: five are better than more raters"
    ]


def _points(points: float) -> str:
    return "point" if points == 1 else "points"
