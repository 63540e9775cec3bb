"""Reliability of a scale: Cronbach's alpha and McDonald's omega."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pandas as pd

FEWEST = 3
"""Fewest respondents, and fewest items, of a scale whose reliability is computed."""

_LEAST_UNIQUE = 0.005
"""Least share of an item's variance that is its own; below it, a solution is improper (a Heywood case)."""


def reliability(answers: pd.DataFrame) -> dict[str, Any]:
    """Compute Cronbach's alpha and McDonald's omega of a scale.

    Alpha has Feldt's 95 per cent interval. Omega is that of one factor, by maximum likelihood, in the items' own
    variances: the share of the variance of the sum that the factor explains.

    Args:
        answers: Values with one row per respondent and one column per item, reversed items turned. Respondents with a
            missing value are left out.

    Returns:
        respondents and items (how many entered), alpha, alpha_low, alpha_high, omega (not a number where not computed),
        and note (why; empty if both were).
    """
    whole = answers.dropna()
    respondents, items = whole.shape
    found: dict[str, Any] = {"respondents": respondents, "items": items}
    found |= dict.fromkeys(("alpha", "alpha_low", "alpha_high", "omega"), float("nan"))
    if respondents < FEWEST or items < FEWEST:
        few = "respondents" if respondents < FEWEST else "items"
        count = respondents if respondents < FEWEST else items
        return found | {"note": f"{FEWEST} {few} are needed, and there are {count}"}
    if whole.sum(axis="columns").var() < 1e-12:
        return found | {"note": "no variance: all respondents have the same score"}
    # Imported here: it takes seconds.
    import pingouin

    alpha, (low, high) = pingouin.cronbach_alpha(whole)
    found |= {"alpha": float(alpha), "alpha_low": float(low), "alpha_high": float(high)}
    omega, note = _omega(whole.to_numpy(dtype=float))
    return found | {"omega": omega, "note": note}


def _omega(values: np.ndarray) -> tuple[float, str]:
    """Return omega of respondents by items, and why it could not be computed; empty if it could."""
    from statsmodels.multivariate.factor import Factor

    respondents, items = values.shape
    spreads = values.std(axis=0, ddof=1)
    if not (spreads > 0).all():
        return float("nan"), "no omega: an item was answered alike by all"
    if respondents <= items:
        return float("nan"), f"no omega: it needs more respondents than items, {items + 1} or more"
    if np.linalg.matrix_rank(np.corrcoef(values.T)) < items:
        return float("nan"), "no omega: an item follows exactly from the others"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        solved = Factor(values, n_factor=1, method="ml").fit()
    loadings, unique = np.asarray(solved.loadings)[:, 0], np.asarray(solved.uniqueness)
    if not np.isfinite(loadings).all() or (unique < _LEAST_UNIQUE).any():
        return float("nan"), "no omega: no proper solution with one factor"
    common = float(loadings @ spreads) ** 2
    return common / (common + float(unique @ spreads**2)), ""
