"""Power of a planned rating study, before data collection.

The estimate is for the mixed model that leads in ``irollan anova``: the assumed variances give the covariance of the
means and degrees of freedom by Kenward and Roger, from which the power of each comparison follows by the noncentral t
distribution (W. Stroup, Journal of Statistical Education 10, 2002, does so for mixed models at large).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from itertools import combinations
from math import comb

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy import optimize, stats

from evaluation.rating.study import Study
from evaluation.statistics.crossed import CrossedFit, expected_fit
from evaluation.statistics.design import EFFECTS, FEWEST_RATERS, random_effects
from evaluation.statistics.omnibus import CONFIDENCE

WANTED = 0.8
DIFFERENCES = (0.5, 1.0)
"""Differences, in points of the scale, whose power is computed."""

RUN_SDS = (0.25, 0.5)
"""Standard deviations between runs, in points, for which false positives with one run each are computed."""

MOST_RATERS = 200
"""Raters that enter the estimate: more hardly add power, and memory grows with their square."""

LARGEST_DIFFERENCE = 6.0
LARGEST_SD = 6.0


@dataclass(frozen=True, kw_only=True, slots=True)
class Spread:
    """Assumed standard deviations, in points of the scale; each above 0.

    The defaults are assumptions, not measurements; ``irollan anova`` estimates them from a pilot.

    Attributes:
        rater: Between raters.
        taste: Between architectures for one rater (rater by architecture).
        run: Between runs of one architecture.
        trajectory: Between residents of one run.
        residual: Residual.
    """

    rater: float = 0.6
    taste: float = 0.4
    run: float = 0.25
    trajectory: float = 0.5
    residual: float = 1.0

    @classmethod
    def parse(cls, texts: Sequence[str]) -> Spread:
        """Parse standard deviations such as ``run=0.4``; the others keep their defaults.

        Raises:
            ValueError: if a text is not of this form, or its value is out of range.
        """
        names = [one.name for one in fields(cls)]
        given = {}
        for text in texts:
            name, _, value = text.partition("=")
            try:
                points = float(value)
            except ValueError:
                points = 0.0
            if name not in names or not 0 < points <= LARGEST_SD:
                raise ValueError(
                    f"--sd {text}: expected NAME=POINTS, with a name out of {', '.join(names)} and more than 0 and at "
                    f"most {LARGEST_SD:g} points, such as run=0.4"
                )
            given[name] = points
        return cls(**given)

    def variance(self, effect: str) -> float:
        """Return the variance of a random effect, by its name in the mixed model."""
        sds = {"rater": self.rater, "rater_architecture": self.taste, "run": self.run, "trajectory": self.trajectory}
        return sds[effect] ** 2


@dataclass(frozen=True, kw_only=True, slots=True)
class PlannedPower:
    """Power of a planned study in one dimension.

    Attributes:
        reason: Reason why nothing can be tested; empty otherwise.
        difference: Smallest difference between two architectures, in points, that is detected with a power of .8, for
            the pair with the least power; None if there is none on the scale.
        found: Power by difference, in points.
        false_positives: With one run of each architecture: the probability of a significant difference between
            architectures if only runs differ, by their standard deviation. Empty with several runs.
        raters: Raters that entered the estimate.
    """

    reason: str = ""
    difference: float | None = None
    found: dict[float, float] = field(default_factory=dict)
    false_positives: dict[float, float] = field(default_factory=dict)
    raters: int


def planned_power(ratings: pd.DataFrame, spread: Spread) -> PlannedPower:
    """Estimate the power of a planned study.

    Args:
        ratings: Ratings of one dimension, with the columns rater, run, architecture, resident.
        spread: The assumed standard deviations.

    Returns:
        The power, or the reason why nothing can be tested.
    """
    raters = list(dict.fromkeys(ratings["rater"]))[:MOST_RATERS]
    ratings = ratings[ratings["rater"].isin(raters)]
    architectures = list(dict.fromkeys(ratings["architecture"]))
    reason = ""
    if len(architectures) < 2:
        reason = "there is one architecture, and nothing to compare it with"
    elif len(raters) < FEWEST_RATERS:
        reason = f"there are {len(raters)} raters, and it takes {FEWEST_RATERS} to say how much raters differ"
    if reason:
        return PlannedPower(reason=reason, raters=len(raters))
    design = np.column_stack([ratings["architecture"] == name for name in architectures]).astype(float)
    effects = random_effects(ratings, len(architectures))
    fit = expected_fit(design, effects, *_variances(ratings, effects, spread))
    single = (ratings.groupby("architecture")["run"].nunique() == 1).all()
    return PlannedPower(
        difference=_smallest(fit, len(architectures)),
        found={points: _power(fit, len(architectures), points) for points in DIFFERENCES},
        false_positives={sd: _false_positives(fit, len(architectures), sd) for sd in RUN_SDS} if single else {},
        raters=len(raters),
    )


def planned_ratings(study: Study, key: Mapping[str, Mapping[str, str]]) -> pd.DataFrame:
    """List the ratings of one dimension that a study will collect, without their values.

    Args:
        study: The study.
        key: The run and architecture of each story.

    Returns:
        Columns rater, run, architecture, resident.
    """
    rows = [
        (rater, key[item.story]["run"], key[item.story]["architecture"], item.resident)
        for rater, items in study.items.items()
        for item in items
    ]
    return pd.DataFrame(rows, columns=["rater", "run", "architecture", "resident"])


def _variances(
    ratings: pd.DataFrame, effects: Mapping[str, NDArray[np.intp]], spread: Spread
) -> tuple[dict[str, float], float]:
    """Compute the variances of the model's random effects and of the residual, adding confounded ones.

    Effects confounded with the architecture are excluded: they cause the ``false_positives``.
    """
    variances, residual = {name: spread.variance(name) for name in effects}, spread.residual**2
    for name, (columns, _) in EFFECTS.items():
        if name in effects:
            continue
        codes = np.asarray(ratings.groupby(columns, sort=False).ngroup(), dtype=np.intp)
        same = next((other for other in effects if np.array_equal(codes, effects[other])), None)
        if len(np.unique(codes)) == len(ratings):
            residual += spread.variance(name)
        elif same is not None:
            variances[same] += spread.variance(name)
    return variances, residual


def _power(fit: CrossedFit, architectures: int, points: float) -> float:
    """Compute the power of the pairwise comparison for a difference, for the pair with the least power."""
    alpha = 1 - CONFIDENCE ** (1 / comb(architectures, 2))
    powers, whole = [], np.eye(architectures)
    for a, b in combinations(range(architectures), 2):
        contrast = whole[a] - whole[b]
        shift = points / float(np.sqrt(contrast @ fit.covariance @ contrast))
        freedom = fit.freedom(contrast)
        critical = stats.t.isf(alpha / 2, freedom)
        # scipy's noncentral t is NaN far out in the tail, where the probability is 0.
        powers.append(np.nansum([stats.nct.sf(critical, freedom, shift), stats.nct.cdf(-critical, freedom, shift)]))
    return float(min(powers))


def _smallest(fit: CrossedFit, architectures: int) -> float | None:
    if _power(fit, architectures, LARGEST_DIFFERENCE) < WANTED:
        return None
    found = optimize.brentq(lambda points: _power(fit, architectures, points) - WANTED, 0.0, LARGEST_DIFFERENCE)
    return float(found)


def _false_positives(fit: CrossedFit, architectures: int, sd: float) -> float:
    """Compute the false positive rate of the test of all means if only runs differ, one of each architecture.

    The only run of an architecture shifts its mean. F is inflated by the mean ratio of the contrasts' variances with
    runs to those without, which is exact in a balanced study.
    """
    contrasts = np.eye(architectures - 1, architectures) - np.eye(architectures - 1, architectures, 1)
    test = fit.test(contrasts)
    without = contrasts @ fit.covariance @ contrasts.T
    larger = 1 + sd**2 * float(np.trace(np.linalg.solve(without, contrasts @ contrasts.T))) / len(contrasts)
    critical = stats.f.isf(1 - CONFIDENCE, test["df1"], test["df2"])
    return float(stats.f.sf(critical / larger, test["df1"], test["df2"]))
