"""How many raters a study needs, if its effects are those that were found."""

from __future__ import annotations

import math
import warnings
from typing import Any

import numpy as np
import pandas as pd
import pingouin

from evaluation.statistics.descriptives import CONFIDENCE
from evaluation.statistics.omnibus import omega_squared

WANTED = 0.8
FEWEST, MOST = 2, 100_000


def power(groups: pd.DataFrame, raters: int) -> dict[str, Any]:
    """What a planned number of raters would find, each giving every architecture one rating, by the plain tests.

    Args:
        groups: One row an architecture: architecture, n, mean, sd, from ratings that were given already.
        raters: The number planned, at least 2.

    Returns:
        raters; power: the probability that the standard F test finds (p < .05) an effect of the omega squared that was
        observed; power_low: and of the lower end of its interval, the prudent one as observed effects tend to be too
        large; needed and needed_low: raters for a power of .8; detectable_difference: the smallest difference between
        two architectures, in points, that the comparison of all pairs finds with a probability of .8. None where
        there is no effect above 0 to plan for. next_study: None, and where ratings are analysed by the mixed model, as
        ``next_study`` gives it.

    Raises:
        ValueError: if fewer than 2 raters are planned.
    """
    if raters < FEWEST:
        raise ValueError(f"a study needs at least {FEWEST} raters, got {raters}")
    effect, k = omega_squared(groups), len(groups)
    alpha = 1 - CONFIDENCE
    freedom = (groups["n"] - 1).astype(float)
    sd = math.sqrt(float((freedom * groups["sd"] ** 2).sum() / freedom.sum()))
    pairwise = 1 - CONFIDENCE ** (1 / math.comb(k, 2))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        detectable = pingouin.power_ttest(d=None, n=raters, power=WANTED, alpha=pairwise)
    return {
        "raters": raters,
        "next_study": None,
        "power": _power(effect["omega_squared"], k, raters, alpha),
        "power_low": _power(effect["low"], k, raters, alpha),
        "needed": _needed(effect["omega_squared"], k, alpha),
        "needed_low": _needed(effect["low"], k, alpha),
        "detectable_difference": float(detectable) * sd if np.isfinite(detectable) else None,
    }


def _power(effect: float, k: int, raters: int, alpha: float) -> float | None:
    if not effect > 0:
        return None
    return float(pingouin.power_anova(eta_squared=effect, k=k, n=raters, alpha=alpha))


def _needed(effect: float, k: int, alpha: float) -> int | None:
    """The smallest number of raters with a power of .8."""
    if not effect > 0 or _power(effect, k, MOST, alpha) < WANTED:  # type: ignore[operator]
        return None
    fewest, enough = FEWEST - 1, MOST
    while enough - fewest > 1:
        middle = (fewest + enough) // 2
        reached = _power(effect, k, middle, alpha)
        fewest, enough = (fewest, middle) if reached is not None and reached >= WANTED else (middle, enough)
    return enough
