"""Designs of ratings, and the analysis that each calls for.

Repetition decides. Repeated ratings of one rater are correlated. If several raters rate one trajectory, its quality
affects all of their ratings: an average over many raters is informative about these trajectories, and little about
others of their architecture (H. Clark, Journal of Verbal Learning and Verbal Behavior
12, 1973; C. Judd, J. Westfall and D. Kenny, Journal of Personality and Social Psychology 103, 2012). The same holds of
runs, whose residents share a society. ``design_of`` has the table.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from evaluation.records.numbers import row_dicts
from evaluation.statistics.agreement import TRAJECTORY

FEWEST_RATERS = 5
"""Fewest raters for a test if raters repeat."""

FEWEST_RATINGS = 5
"""Fewest ratings of an architecture for a test of independent ratings."""

EFFECTS = {
    "rater": (["rater"], "a rater's mildness"),
    "rater_architecture": (["rater", "architecture"], "a rater's taste for an architecture"),
    "run": (["architecture", "run"], "a run"),
    "trajectory": (TRAJECTORY, "a trajectory"),
}
"""Columns that define the levels of each random effect, and a description."""

INDEPENDENT, REPEATED_RATERS, SHARED, CROSSED = (
    "independent ratings",
    "raters repeat",
    "trajectories repeat",
    "raters and trajectories repeat",
)
MIXED, PLAIN = "mixed-model", "plain"
ARCHITECTURES_AT_LARGE, THESE_RUNS, THESE_TRAJECTORIES = "architectures", "these runs", "these trajectories"


@dataclass(frozen=True, kw_only=True)
class Design:
    """The design of the ratings of one dimension.

    Attributes:
        name: What repeats.
        runs: The fewest and the most runs of an architecture.
        trajectories: The fewest and the most trajectories of an architecture.
        analysis: ``mixed-model``, or ``plain`` for independent ratings; None if nothing can be tested.
        holds_for: Population of a finding: architectures, these runs (one of each architecture was rated) or these
            trajectories (one of each); None if nothing can be tested.
        reason: Reason for this analysis, in a sentence.
    """

    name: str
    runs: tuple[int, int]
    trajectories: tuple[int, int]
    analysis: str | None
    holds_for: str | None
    reason: str

    def to_json(self) -> dict[str, object]:
        """Return JSON-ready data."""
        return {
            "name": self.name,
            "runs_per_architecture": list(self.runs),
            "trajectories_per_architecture": list(self.trajectories),
            "analysis": self.analysis,
            "holds_for": self.holds_for,
            "reason": self.reason,
        }


def design_of(ratings: pd.DataFrame, architectures: list[str]) -> Design:
    """Determine the design of ratings and the analysis that it calls for.

    ========================== ============================= ========================================================
    raters                     trajectories                  analysis
    ========================== ============================= ========================================================
    each gives one rating      each has one rating           plain, or mixed with runs where these repeat
    some give several          each has one rating           mixed: raters, their tastes, runs
    each gives one rating      some have several             mixed: runs, trajectories; plain where there is one each
    some give several          some have several             mixed: raters, their tastes, runs, trajectories
    fewer than 5 give several  any                           none
    ========================== ============================= ========================================================

    With one run of each architecture, findings hold for these runs; with one trajectory of each, for those.

    Args:
        ratings: Ratings of one dimension, with the columns rater, run, architecture, resident, rating.
        architectures: The architectures, in order.

    Returns:
        The design, with the analysis and its reason.
    """
    things = rated(ratings, architectures)
    raters_repeat = ratings["rater"].nunique() < len(ratings)
    shared = int(things["trajectories"].sum()) < len(ratings)
    name = {(False, False): INDEPENDENT, (True, False): REPEATED_RATERS, (False, True): SHARED}.get(
        (raters_repeat, shared), CROSSED
    )
    effects = random_effects(ratings, len(architectures))
    analysis: str | None = MIXED if effects else PLAIN
    untestable = _untestable(ratings, raters_repeat, effects)
    return Design(
        name=name,
        runs=(int(things["runs"].min()), int(things["runs"].max())),
        trajectories=(int(things["trajectories"].min()), int(things["trajectories"].max())),
        analysis=None if untestable else analysis,
        holds_for=None if untestable else _scope(things),
        reason=untestable or _reason(name, effects, shared),
    )


def repeats(ratings: pd.DataFrame) -> dict[str, int]:
    """Count the raters who rated repeatedly.

    Args:
        ratings: Ratings of one dimension, with the columns rater, architecture, rating.

    Returns:
        raters: number of raters; across: those who rated several architectures; within: those who rated
            one architecture more than once.
    """
    cells = ratings.groupby(["rater", "architecture"]).size()
    return {
        "raters": int(ratings["rater"].nunique()),
        "across": int((cells.groupby("rater").size() > 1).sum()),
        "within": int((cells[cells > 1].groupby("rater").size() > 0).sum()),
    }


def rated(ratings: pd.DataFrame, architectures: list[str]) -> pd.DataFrame:
    """Count the rated runs and trajectories of each architecture.

    Args:
        ratings: Ratings of one dimension, with the columns run, architecture, resident.
        architectures: The architectures, in order.

    Returns:
        One row per architecture: architecture, runs, trajectories.
    """
    counts = ratings.drop_duplicates(TRAJECTORY).groupby("architecture")["run"].agg(runs="nunique", trajectories="size")
    return counts.reindex(architectures).rename_axis("architecture").reset_index()


def random_effects(ratings: pd.DataFrame, architectures: int) -> dict[str, NDArray[np.intp]]:
    """Find the random effects that ratings identify.

    Args:
        ratings: Ratings of one dimension, with the columns rater, run, architecture, resident.
        architectures: Number of architectures.

    Returns:
        Levels by name of the effect: codes from 0, shape (ratings,).
    """
    effects: dict[str, NDArray[np.intp]] = {}
    for name, (columns, _) in EFFECTS.items():
        codes = np.asarray(ratings.groupby(columns, sort=False).ngroup(), dtype=np.intp)
        levels = int(codes.max()) + 1
        if levels == len(ratings) or ("architecture" in columns and levels <= architectures):
            continue
        # Levels are numbered as they appear, so that two effects with the same levels have the same codes.
        if not any(np.array_equal(codes, other) for other in effects.values()):
            effects[name] = codes
    return effects


def _untestable(ratings: pd.DataFrame, raters_repeat: bool, effects: dict[str, NDArray[np.intp]]) -> str:
    """Return the reason why nothing can be tested; empty otherwise."""
    raters = ratings["rater"].nunique()
    if raters_repeat and raters < FEWEST_RATERS:
        count = "is 1 rater" if raters == 1 else f"are {raters} raters"
        return f"there {count}, and it takes {FEWEST_RATERS} to say how much raters differ"
    alone = ratings.groupby("architecture")["rater"].nunique()
    if raters_repeat and (alone == 1).all() and ratings.groupby("rater")["architecture"].nunique().max() == 1:
        return "each architecture has one rater of its own, who cannot be told from it"
    sizes = ratings.groupby("architecture").size()
    if not effects and sizes.min() < FEWEST_RATINGS:
        few = ", ".join(str(name) for name in sizes[sizes < FEWEST_RATINGS].index)
        return f"there are fewer than {FEWEST_RATINGS} ratings of {few}, too few to know how much they vary"
    return ""


def _scope(things: pd.DataFrame) -> str:
    if (things["trajectories"] == 1).all():
        return THESE_TRAJECTORIES
    return THESE_RUNS if (things["runs"] == 1).all() else ARCHITECTURES_AT_LARGE


def _reason(name: str, effects: dict[str, NDArray[np.intp]], shared: bool) -> str:
    if not effects and shared:
        return "no rater rated twice, and each architecture has one trajectory, so that the plain test compares these"
    if not effects:
        return "no rating has anything to do with another, so that the plain test with unequal variances is valid"
    parts = [EFFECTS[one][1] for one in effects]
    listed = f"{', '.join(parts[:-1])} and {parts[-1]}" if len(parts) > 1 else parts[0]
    what = "runs repeat" if name == INDEPENDENT else name
    return f"{what}, so that ratings are not independent; the mixed model allows for {listed}"


def counts(things: pd.DataFrame) -> str:
    """Describe the counts of ``rated`` in words."""
    return ", ".join(f"{row['architecture']} {row['runs']} and {row['trajectories']}" for row in row_dicts(things))
