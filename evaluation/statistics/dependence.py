"""Raters and trajectories that repeat: the counts, the models for them, and what a reader must know of both."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd

from evaluation.statistics.repeated import mixed_model, ordinal_model, rated, repeats, too_few
from evaluation.statistics.table_rows import records


def dependence(ratings: pd.DataFrame, architectures: list[str]) -> tuple[dict[str, Any], list[str]]:
    """The counts, the models where raters repeat, and notes.

    Args:
        ratings: Of one dimension: columns rater, run, architecture, resident, rating.
        architectures: Which there are, in the order wanted.

    Returns:
        repeats, rated, mixed_model and ordinal_model, as the functions of these names give them (no model where raters
        do not repeat, where there is too little to fit it, or where it fails); and the notes.
    """
    count, things = repeats(ratings), rated(ratings, architectures)
    models: dict[str, Any] = {"repeats": count, "rated": things, "mixed_model": None, "ordinal_model": None}
    shared = _shared(ratings, things)
    if not count["across"] and not count["within"]:
        return models, shared
    ways = [
        f"{count[key]} of {count['raters']} raters rated {what}"
        for key, what in (("across", "several architectures"), ("within", "one architecture several times"))
        if count[key]
    ]
    notes = [
        f"{' and '.join(ways)}; the plain tests take every rating for another person's, so that their p-values cannot "
        "be trusted"
    ]
    if reason := too_few(ratings, architectures):
        return models, [*notes, f"no mixed and no ordinal model: {reason}", *shared]
    models["mixed_model"], told = _fitted("mixed model", mixed_model, ratings, architectures)
    if models["mixed_model"] is not None:
        notes[0] += "; the mixed model allows for raters and trajectories that repeat"
    models["ordinal_model"], more = _fitted("ordinal model", ordinal_model, ratings, architectures)
    notes += told + more
    trajectories = int(things["trajectories"].sum())
    if models["ordinal_model"] is not None:
        notes.append(
            "the ordinal model has no random effects: its errors suppose hundreds of raters and of trajectories, and "
            f"with {count['raters']} and {trajectories} its p-values come out too small; it shows directions, and "
            "is no test beside the mixed model"
        )
    return models, notes + shared


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


def _shared(ratings: pd.DataFrame, rated: pd.DataFrame) -> list[str]:
    """What follows from how many runs and trajectories there are, where a trajectory has several ratings."""
    if rated["trajectories"].sum() == len(ratings):
        return []
    counts = ", ".join(f"{row['architecture']} {row['runs']} and {row['trajectories']}" for row in records(rated))
    notes = [f"runs and trajectories rated: {counts}"]
    if (single := rated[rated["runs"] == 1]["architecture"].tolist()) and len(single) < len(rated):
        notes.append(f"one run alone of {', '.join(single)}: what is particular to it counts as its architecture's")
    elif single:
        notes.append(
            "one run per architecture: trajectories of one run share its society, and an architecture's effect cannot "
            "be told from its run's; what is found holds for these runs until several runs of each are rated"
        )
    return notes
