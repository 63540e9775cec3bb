"""Linear mixed model with crossed random effects, by REML, with tests by Satterthwaite's degrees of freedom.

    y = X b + Z_1 u_1 + ... + Z_m u_m + e,    u_j ~ N(0, g_j s^2 I),    e ~ N(0, s^2 I)

statsmodels' MixedLM has such a model as variance components of a single group. It takes far longer for a study
(docs/statistics.md has the numbers), and has no degrees of freedom, without which a handful of trajectories counts as
many. ``cross_products`` has the algebra.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray
from scipy import optimize, stats

from evaluation.statistics.cross_products import CrossProducts, FloatArray

LARGEST_RATIO = 1e6
"""Ratio of a variance to the residual one beyond which the residual variance counts as 0."""

_NOTHING_LEFT = "nothing is left for the residuals, whose variance is at its boundary of 0"


class BoundaryError(ValueError):
    """A fit without residual variance, which has no tests."""


@dataclass(frozen=True, kw_only=True)
class CrossedFit:
    """A fitted model.

    Attributes:
        means: The fixed effects b, shape (p,).
        covariance: Covariance of ``means``, shape (p, p).
        variances: Variance of each random effect, by its name, in squared units of y; at least 0.
        residual: The variance of the residuals.
        converged: Whether the search ended at a minimum.
        changes: The derivative of ``covariance`` by each variance, the residual's last, shape (m + 1, p, p).
        uncertainty: The asymptotic covariance of the variances' estimates, by expected information, (m + 1, m + 1).
    """

    means: FloatArray
    covariance: FloatArray
    variances: dict[str, float]
    residual: float
    converged: bool
    changes: FloatArray
    uncertainty: FloatArray

    def freedom(self, contrast: FloatArray) -> float:
        """Compute Satterthwaite's degrees of freedom of a contrast: 2 v^2 / var(v), where v is its estimated variance.

        The variance of v follows from that of the variances by the delta method (F. Giesbrecht and J. Burns,
        Biometrics 41, 1985). In a balanced study it is what F. Satterthwaite (Biometrics 2, 1946) gives for mean
        squares.
        """
        variance = contrast @ self.covariance @ contrast
        slope = self.changes @ contrast @ contrast
        return float(2 * variance**2 / (slope @ self.uncertainty @ slope))

    def test(self, contrasts: FloatArray) -> dict[str, float]:
        """Test that all contrasts are 0: statistic (F), df1, df2 and p.

        The F of several contrasts takes its degrees of freedom from independent ones (A. Fai and P. Cornelius, Journal
        of Statistical Computation and Simulation 54, 1996), as R's lmerTest does.

        Args:
            contrasts: Shape (df1, p), of full rank.
        """
        spread, turn = np.linalg.eigh(contrasts @ self.covariance @ contrasts.T)
        apart = turn.T @ contrasts
        statistic = float(np.mean((apart @ self.means) ** 2 / spread))
        df1, df = len(apart), np.array([self.freedom(one) for one in apart])
        if df1 == 1:
            df2 = float(df[0])
        else:
            # An F has the mean df2 / (df2 - 2), which does not exist for 2 degrees of freedom or fewer.
            expected = float((df[df > 2] / (df[df > 2] - 2)).sum())
            df2 = 2 * expected / (expected - df1) if expected > df1 else 2.0
        return {"statistic": statistic, "df1": df1, "df2": df2, "p": float(stats.f.sf(statistic, df1, df2))}


def fit_crossed(y: FloatArray, design: FloatArray, effects: Mapping[str, NDArray[np.intp]]) -> CrossedFit:
    """Fit the model to observations.

    Args:
        y: Response, shape (n,).
        design: The fixed effects' columns X, shape (n, p), of full rank.
        effects: The level of each observation in each random effect, from 0; at least one effect.

    Returns:
        The fit by restricted maximum likelihood.

    Raises:
        BoundaryError: if the residual variance is 0.
        ValueError: if there are too many levels (``cross_products.LARGEST``).
    """
    data = CrossProducts(y, design, effects)
    found = optimize.minimize(
        partial(_deviance, data),
        np.full(len(effects), 0.1),
        jac=True,
        method="L-BFGS-B",
        bounds=[(0.0, LARGEST_RATIO)] * len(effects),
        options={"ftol": 1e-13, "gtol": 1e-6, "maxiter": 500},
    )
    ratios = np.asarray(found.x, dtype=float)
    if (ratios >= LARGEST_RATIO / 2).any():
        raise BoundaryError(_NOTHING_LEFT)
    converged = bool(found.success) or _flat(np.asarray(found.jac), ratios)
    return _fit_at(data, ratios, data.at(ratios).left / data.freedom, converged)


def expected_fit(
    design: FloatArray, effects: Mapping[str, NDArray[np.intp]], variances: Mapping[str, float], residual: float
) -> CrossedFit:
    """Return the expected fit of a planned study with given variances.

    Args:
        design: As for ``fit_crossed``.
        effects: As for ``fit_crossed``.
        variances: Variance of each random effect, by its name; at least 0.
        residual: The variance of the residuals, above 0.

    Returns:
        The fit, with means of 0.
    """
    data = CrossProducts(np.zeros(len(design)), design, effects)
    return _fit_at(data, np.array([variances[name] / residual for name in effects]), residual, converged=True)


def _fit_at(data: CrossProducts, ratios: FloatArray, residual: float, converged: bool) -> CrossedFit:
    """Return the fit at given ratios of variances to the residual one, in the order of the effects."""
    at = data.at(ratios)
    covariance = residual * np.linalg.inv(at.precision)
    variances = ratios * residual
    changes = [covariance @ one @ covariance / residual**2 for one in at.fixed_squares]
    # The covariance is homogeneous in the variances, from which the derivative by the residual variance follows.
    changes.append((covariance - np.tensordot(variances, np.array(changes), 1)) / residual)
    information = _information(at.norms() / residual**2, at.traces / residual, variances, residual, data.freedom)
    return CrossedFit(
        means=covariance @ at.fixed_y / residual,
        covariance=covariance,
        variances=dict(zip(data.names, variances.tolist(), strict=True)),
        residual=residual,
        converged=converged,
        changes=np.array(changes),
        uncertainty=np.asarray(np.linalg.pinv(information, hermitian=True), dtype=np.float64),
    )


def _deviance(data: CrossProducts, ratios: FloatArray) -> tuple[float, FloatArray]:
    """Compute minus twice the restricted log likelihood, up to a constant, and its derivatives.

    Raises:
        BoundaryError: if nothing is left for the residuals.
    """
    at = data.at(ratios)
    if at.left <= 1e-9 * data.total:
        raise BoundaryError(_NOTHING_LEFT)
    slopes = at.traces - data.freedom * at.y_squares / at.left
    return at.determinant + data.freedom * float(np.log(at.left)), slopes


def _flat(slopes: FloatArray, ratios: FloatArray) -> bool:
    """Check that the gradient vanishes, as L-BFGS-B reports a search without further progress as abnormal."""
    return bool((np.abs(slopes[ratios > 0]) * ratios[ratios > 0] < 1e-3).all() and (slopes[ratios == 0] > -1e-3).all())


def _information(
    both: FloatArray, single: FloatArray, variances: FloatArray, residual: float, freedom: int
) -> FloatArray:
    """Compute the expected information of the variances, tr(P V_i P V_j) / 2, the residual's last.

    Args:
        both: tr(P V_i P V_j) of the random effects, shape (m, m).
        single: tr(P V_i), shape (m,).
        variances: Variances of the random effects.
        residual: The variance of the residuals.
        freedom: Observations less fixed effects.
    """
    m = len(single)
    # P V P = P and tr(P V) = n - p, from which the terms of the residual, whose V is the identity, follow.
    with_residual = (single - both @ variances) / residual
    whole = (freedom - single @ variances) / residual
    information = np.empty((m + 1, m + 1))
    information[:m, :m] = both
    information[:m, m] = information[m, :m] = with_residual
    information[m, m] = (whole - with_residual @ variances) / residual
    return information / 2
