"""The models that a design calls for, and what a reader must know of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from evaluation.statistics.design import (
    MIXED,
    THESE_RUNS,
    THESE_TRAJECTORIES,
    Design,
    counts,
    design_of,
    rated,
    repeats,
)
from evaluation.statistics.repeated import mixed_model, ordinal_model

FALSE_WITH_ONE_RUN = {0.25: 30, 0.5: 75}
"""Per cent of studies with one run of each architecture in which the mixed model takes runs for architectures, by the
standard deviation between runs; measured by ``python -m benchmarks anova_null`` (docs/calibration.md)."""

FALSE_WITH_ONE_TRAJECTORY = 82
"""The same with one trajectory of each architecture, which differ by a standard deviation of 0.5 points."""


def dependence(ratings: pd.DataFrame, architectures: list[str]) -> tuple[dict[str, Any], list[str]]:
    """The design, the models where it calls for them, and notes.

    Args:
        ratings: Of one dimension: columns rater, run, architecture, resident, rating.
        architectures: Which there are, in the order wanted.

    Returns:
        design, repeats, rated, mixed_model and ordinal_model, as the functions of these names give them (no model where
        the design does not call for one, or where it fails: then the design has no analysis); and the notes.
    """
    design, things = design_of(ratings, architectures), rated(ratings, architectures)
    found: dict[str, Any] = {"repeats": repeats(ratings), "rated": things, "mixed_model": None, "ordinal_model": None}
    notes = _about(design, found["repeats"])
    if design.analysis == MIXED:
        found["mixed_model"], told = _fitted("mixed model", mixed_model, ratings, architectures)
        found["ordinal_model"], more = _fitted("mixed model of ranks", ordinal_model, ratings, architectures)
        notes += [*told, *more]
        if found["mixed_model"] is None:
            design = replace(design, analysis=None, holds_for=None, reason=told[0])
    return {**found, "design": design}, notes + _scope(design, things)


def _about(design: Design, count: dict[str, int]) -> list[str]:
    """Which ratings are alike, and what that means for the plain tests."""
    ways = [
        f"{count[key]} of {count['raters']} raters rated {what}"
        for key, what in (("across", "several architectures"), ("within", "one architecture several times"))
        if count[key]
    ]
    if design.analysis == MIXED:
        told = f"{' and '.join(ways)}; " if ways else ""
        return [f"{told}{design.reason}; the plain tests take every rating for one of its own and are not valid here"]
    return [] if design.analysis is not None else [f"nothing can be tested: {design.reason}"]


def _fitted(
    name: str,
    fit: Callable[[pd.DataFrame, list[str]], dict[str, Any]],
    ratings: pd.DataFrame,
    architectures: list[str],
) -> tuple[dict[str, Any] | None, list[str]]:
    """A model, or None where it cannot be fitted, and what must be known about it."""
    try:
        model = fit(ratings, architectures)
    except (np.linalg.LinAlgError, ValueError, ArithmeticError) as error:
        return None, [f"the {name} cannot be fitted to these ratings ({error})"]
    if not np.isfinite(model["p"]):
        return None, [f"the {name} has no test for these ratings (too few raters or trajectories for its errors)"]
    notes = [] if model["converged"] else [f"the {name} did not converge; do not rely on it"]
    return model, notes + ([f"the {name}: {model['note']}"] if model["note"] else [])


def _scope(design: Design, things: pd.DataFrame) -> list[str]:
    """What a finding is about, by how many runs and trajectories there are."""
    notes = [f"runs and trajectories rated: {counts(things)}"]
    if design.holds_for == THESE_TRAJECTORIES:
        notes.append(
            "one trajectory per architecture: an architecture's effect cannot be told from that of its trajectory; "
            "what is found holds for these trajectories alone. Taken for a finding about architectures it is false in "
            f"{FALSE_WITH_ONE_TRAJECTORY} per cent where trajectories differ by a standard deviation of 0.5 points; "
            "rate several residents in several runs"
        )
    elif design.holds_for == THESE_RUNS:
        numbers = " and ".join(
            f"{share} per cent where runs of one architecture differ by a standard deviation of {spread}"
            for spread, share in FALSE_WITH_ONE_RUN.items()
        )
        notes.append(
            "one run per architecture: trajectories of one run share its society, and an architecture's effect cannot "
            "be told from its run's; what is found holds for these runs. Taken for a finding about architectures it "
            f"is false in {numbers} points; rate several runs of each"
        )
    elif design.holds_for is not None and (single := things[things["runs"] == 1]["architecture"].tolist()):
        notes.append(
            f"one run alone of {', '.join(single)}: how much it may differ from others is taken from the other "
            "architectures' runs"
        )
    return notes
