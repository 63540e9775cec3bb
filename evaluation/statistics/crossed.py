"""Linear mixed model with crossed random effects, by REML, with tests by Kenward and Roger.

    y = X b + Z_1 u_1 + ... + Z_m u_m + e,    u_j ~ N(0, g_j s^2 I),    e ~ N(0, s^2 I)

statsmodels' MixedLM has such a model as variance components of a single group. It takes far longer for a study
(docs/statistics.md has the numbers), and has no degrees of freedom, without which a handful of trajectories counts as
many. ``cross_products`` has the algebra.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
from numpy.typing import NDArray
from scipy import optimize, stats

from evaluation.statistics.cross_products import CrossProducts, FloatArray

LARGEST_RATIO = 1e6
"""Ratio of a variance to the residual one beyond which the residual variance counts as 0."""

START = 0.1
"""Ratio of each variance to the residual one at which the search begins, and the least unit of its steps."""

SEARCHES = 20
"""Most searches for the minimum, each from where the one before ended."""

TINY = 1e-10
"""Value that counts as 0 in the moments of F."""

FLAT = 1e-3
"""Slope of the deviance, by the logarithm of a ratio, that counts as none."""

_NOTHING_LEFT = "nothing is left for the residuals, whose variance is at its boundary of 0"


class BoundaryError(ValueError):
    """A fit without residual variance, which has no tests."""


@dataclass(frozen=True, kw_only=True)
class CrossedFit:
    """A fitted model.

    Tests and standard errors are those of M. Kenward and J. Roger (Biometrics 53, 1997), as in R's pbkrtest: the
    covariance of the means allows for the uncertainty of the variances.

    Attributes:
        means: The fixed effects b, shape (p,).
        covariance: Covariance of ``means``, adjusted, shape (p, p).
        plain_covariance: The same as if the variances were known, shape (p, p).
        variances: Variance of each random effect, by its name, in squared units of y; at least 0.
        residual: The variance of the residuals.
        converged: Whether the search ended at a minimum.
        changes: The derivative of ``plain_covariance`` by each variance, the residual's last, shape (m + 1, p, p).
        uncertainty: The asymptotic covariance of the variances' estimates, by expected information, (m + 1, m + 1).
    """

    means: FloatArray
    covariance: FloatArray
    plain_covariance: FloatArray
    variances: dict[str, float]
    residual: float
    converged: bool
    changes: FloatArray
    uncertainty: FloatArray

    def freedom(self, contrast: FloatArray) -> float:
        """Compute the degrees of freedom of one contrast, which are also Satterthwaite's: 2 v^2 / var(v).

        v is the estimated variance of the contrast; its variance follows from that of the variances by the delta method
        (F. Giesbrecht and J. Burns, Biometrics 41, 1985). In a balanced study they are what F. Satterthwaite
        (Biometrics 2, 1946) gives for mean squares.
        """
        variance = contrast @ self.plain_covariance @ contrast
        slope = self.changes @ contrast @ contrast
        return float(2 * variance**2 / (slope @ self.uncertainty @ slope))

    def test(self, contrasts: FloatArray) -> dict[str, float]:
        """Test that all contrasts are 0 by Kenward and Roger's scaled F: statistic (F), df1, df2 and p.

        Args:
            contrasts: Shape (df1, p), of full rank.
        """
        q = len(contrasts)
        values = contrasts @ self.means
        wald = float(values @ np.linalg.solve(contrasts @ self.covariance @ contrasts.T, values)) / q
        inverse = np.linalg.inv(contrasts @ self.plain_covariance @ contrasts.T)
        parts = np.array([inverse @ contrasts @ one @ contrasts.T for one in self.changes])
        traces = np.trace(parts, axis1=1, axis2=2)
        a1 = float(traces @ self.uncertainty @ traces)
        a2 = float(np.einsum("ij,iab,jba->", self.uncertainty, parts, parts))
        if q == 1:
            df2, scale = 2 / a2, 1.0
        else:
            df2, scale = _scaled_f(a1, a2, q)
        statistic = scale * wald
        return {"statistic": statistic, "df1": q, "df2": df2, "p": float(stats.f.sf(statistic, q, df2))}


def _scaled_f(a1: float, a2: float, q: int) -> tuple[float, float]:
    """Compute degrees of freedom and scale of F so that its mean and variance match, with A1 and A2 of the article."""
    b = (a1 + 6 * a2) / (2 * q)
    g = ((q + 1) * a1 - (q + 4) * a2) / ((q + 2) * a2)
    rest = 3 * q + 2 * (1 - g)
    v0, v1, v2 = 1 + g / rest * b, 1 - (q - g) / rest * b, 1 - (q + 2 - g) / rest * b
    # Where the matched moments do not exist, as pbkrtest has it.
    v0 = 0.0 if abs(v0) < TINY else v0
    mean = 1 - a2 / q
    ratio = 1.0 if abs(mean) < TINY and abs(v1) < TINY else mean / v1
    df2 = 4 + (q + 2) / (ratio**2 * v0 / v2 - 1)
    return df2, 1.0 if abs(df2 - 2) < 0.01 else df2 * mean / (df2 - 2)


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
    # What X explains is added at the end: sums of squares of a large mean would leave no digits for the variances.
    mean = np.linalg.solve(design.T @ design, design.T @ y)
    rest = y - design @ mean
    if rest @ rest <= TINY**2 * (y @ y):
        raise BoundaryError(_NOTHING_LEFT)
    data = CrossProducts(rest, design, effects)
    ratios, converged = _minimum(data)
    if (ratios >= LARGEST_RATIO / 2).any():
        raise BoundaryError(_NOTHING_LEFT)
    fit = _fit_at(data, ratios, data.at(ratios).left / data.freedom, converged)
    return replace(fit, means=mean + fit.means)


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
    plain = residual * np.linalg.inv(at.precision)
    variances = ratios * residual
    # X' V^-1 G V^-1 X of each effect, whose G is Z Z', and of the residuals, whose G is (V - sum of v G) / s^2.
    squares = np.array([one / residual**2 for one in at.fixed_squares])
    squares = np.concatenate([squares, [(at.precision / residual - np.tensordot(variances, squares, 1)) / residual]])
    changes = plain @ squares @ plain
    information = _information(at.norms() / residual**2, at.traces / residual, variances, residual, data.freedom)
    uncertainty = np.asarray(np.linalg.pinv(information, hermitian=True), dtype=np.float64)
    middle = _middle(data.between(at.fixed_sums, ratios) / residual**3, squares, variances, residual)
    correction = middle - squares[:, None] @ plain @ squares[None]
    adjusted = plain + 2 * plain @ np.tensordot(uncertainty, correction, 2) @ plain
    return CrossedFit(
        means=plain @ at.fixed_y / residual,
        covariance=adjusted,
        plain_covariance=plain,
        variances=dict(zip(data.names, variances.tolist(), strict=True)),
        residual=residual,
        converged=converged,
        changes=changes,
        uncertainty=uncertainty,
    )


def _middle(between: FloatArray, squares: FloatArray, variances: FloatArray, residual: float) -> FloatArray:
    """Compute X' V^-1 G_i V^-1 G_j V^-1 X of all effects, the residual's last, shape (m + 1, m + 1, p, p).

    Args:
        between: The same of the random effects, shape (m, m, p, p).
        squares: X' V^-1 G_i V^-1 X of all effects, shape (m + 1, p, p).
        variances: Variances of the random effects.
        residual: The variance of the residuals.
    """
    m = len(variances)
    middle = np.empty((m + 1, m + 1, *squares.shape[1:]))
    middle[:m, :m] = between
    middle[:m, m] = (squares[:m] - np.tensordot(between, variances, (1, 0))) / residual
    middle[m, :m] = middle[:m, m].transpose(0, 2, 1)
    middle[m, m] = (squares[m] - np.tensordot(variances, middle[:m, m], 1)) / residual
    return middle


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


def _minimum(data: CrossProducts) -> tuple[FloatArray, bool]:
    """Search for the ratios with the smallest deviance, and check that the slope vanishes there.

    L-BFGS-B may stop on a slope and report success, mostly where ratios differ by orders of magnitude. It is started
    again from there, in units of the ratios found, until nothing is left of the slope.
    """
    ratios = np.full(len(data.names), START)
    for _ in range(SEARCHES):
        unit = np.maximum(ratios, START)
        found = optimize.minimize(
            partial(_deviance_in_units, data, unit),
            ratios / unit,
            jac=True,
            method="L-BFGS-B",
            bounds=[(0.0, LARGEST_RATIO / one) for one in unit],
            options={"ftol": 1e-13, "gtol": 1e-6, "maxiter": 500},
        )
        ratios = np.asarray(found.x * unit, dtype=float)
        if _flat(_deviance(data, ratios)[1], ratios):
            return ratios, True
    return ratios, False


def _deviance_in_units(data: CrossProducts, unit: FloatArray, scaled: FloatArray) -> tuple[float, FloatArray]:
    deviance, slopes = _deviance(data, scaled * unit)
    return deviance, slopes * unit


def _flat(slopes: FloatArray, ratios: FloatArray) -> bool:
    """Check that the gradient vanishes, or points out of the range at a ratio of 0."""
    return bool((slopes * ratios < FLAT).all() and (-slopes * np.maximum(ratios, START) < FLAT).all())


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
