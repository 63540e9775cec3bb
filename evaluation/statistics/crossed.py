"""A linear mixed model with crossed random effects, by REML, with tests by Satterthwaite's degrees of freedom.

    y = X b + Z_1 u_1 + ... + Z_m u_m + e,    u_j ~ N(0, g_j s^2 I),    e ~ N(0, s^2 I)

statsmodels' MixedLM has such a model as variance components of a single group. It takes far longer for a study
(docs/statistics.md has the numbers), and has no degrees of freedom, without which a handful of trajectories counts as
many. Here the data are reduced to cross products once, and each evaluation factors a matrix with one row a
random effect, as lme4 does (D. Bates et al., Journal of Statistical Software 67, 2015).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import linalg, optimize, sparse, stats

FloatArray = NDArray[np.float64]

LARGEST_RATIO = 1e6
"""A variance that is so many times that of the residuals has left nothing for them."""

_NOTHING_LEFT = "nothing is left for the residuals, whose variance is at its boundary of 0"


class BoundaryError(ValueError):
    """A fit that leaves no residual variance, so that nothing can be tested by it."""


@dataclass(frozen=True, kw_only=True)
class CrossedFit:
    """A fitted model.

    Attributes:
        means: The fixed effects b, shape (p,).
        covariance: Of ``means``, shape (p, p).
        variances: Of each random effect, by its name, in squared units of y; at least 0.
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
        """Satterthwaite's degrees of freedom of a contrast: 2 v^2 / var(v), where v is its estimated variance.

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
            # An F has the mean df2 / (df2 - 2); of those with 2 degrees of freedom or fewer there is none.
            expected = float((df[df > 2] / (df[df > 2] - 2)).sum())
            df2 = 2 * expected / (expected - df1) if expected > df1 else 2.0
        return {"statistic": statistic, "df1": df1, "df2": df2, "p": float(stats.f.sf(statistic, df1, df2))}


def fit_crossed(y: FloatArray, design: FloatArray, effects: Mapping[str, NDArray[np.intp]]) -> CrossedFit:
    """Fit the model.

    Args:
        y: What is explained, shape (n,).
        design: The fixed effects' columns X, shape (n, p), of full rank.
        effects: The level of each observation in each random effect, from 0; at least one effect.

    Raises:
        BoundaryError: if nothing is left for the residuals.
    """
    data = _CrossProducts(y, design, list(effects.values()))
    found = optimize.minimize(
        data.deviance,
        np.full(len(effects), 0.1),
        jac=True,
        method="L-BFGS-B",
        bounds=[(0.0, LARGEST_RATIO)] * len(effects),
        options={"ftol": 1e-13, "gtol": 1e-6, "maxiter": 500},
    )
    ratios = np.asarray(found.x, dtype=float)
    if (ratios >= LARGEST_RATIO / 2).any():
        raise BoundaryError(_NOTHING_LEFT)
    left, _ = data.without_means(ratios)
    converged = bool(found.success) or _flat(np.asarray(found.jac), ratios)
    return _fit_at(data, list(effects), ratios, float(left[-1, -1]) / data.freedom, converged)


def expected_fit(
    design: FloatArray, effects: Mapping[str, NDArray[np.intp]], variances: Mapping[str, float], residual: float
) -> CrossedFit:
    """What a fit has, besides means, of a study that is still planned, if its variances are these.

    Args:
        design: As for ``fit_crossed``.
        effects: As for ``fit_crossed``.
        variances: Of each random effect, by its name; at least 0.
        residual: The variance of the residuals, above 0.

    Returns:
        The fit, with means of 0.
    """
    data = _CrossProducts(np.zeros(len(design)), design, list(effects.values()))
    ratios = np.array([variances[name] / residual for name in effects])
    return _fit_at(data, list(effects), ratios, residual, converged=True)


def _fit_at(
    data: _CrossProducts, effects: list[str], ratios: FloatArray, residual: float, converged: bool
) -> CrossedFit:
    """The fit with these variances: ratios to the residual one, in the order of the effects, and that one itself."""
    cross, _ = data.weighed(ratios)
    left, _ = data.without_means(ratios)
    fixed, parts = data.fixed, data.parts
    covariance: FloatArray = np.asarray(residual * np.linalg.inv(cross[fixed, fixed]), dtype=np.float64)
    variances = ratios * residual
    changes = [covariance @ cross[fixed, part] @ cross[part, fixed] @ covariance / residual**2 for part in parts]
    # A covariance is homogeneous in the variances: what it does not owe to the others it owes to the residual.
    changes.append((covariance - np.tensordot(variances, np.array(changes), 1)) / residual)
    information = _information(left / residual, parts, variances, residual, data.freedom)
    return CrossedFit(
        means=covariance @ cross[fixed, -1] / residual,
        covariance=covariance,
        variances=dict(zip(effects, variances.tolist(), strict=True)),
        residual=residual,
        converged=converged,
        changes=np.array(changes),
        uncertainty=np.asarray(np.linalg.pinv(information, hermitian=True), dtype=np.float64),
    )


class _CrossProducts:
    """The cross products of all columns, Z_1 to Z_m, X and y, and what follows from them for ratios of variances.

    Ratios are the variances of the random effects over that of the residuals, shape (m,), each at least 0.

    Attributes:
        parts: Where each random effect's columns are.
        fixed: Where the fixed effects' columns are; that of y is the last.
        freedom: Observations less fixed effects.
    """

    def __init__(self, y: FloatArray, design: FloatArray, effects: list[NDArray[np.intp]]) -> None:
        n, p = design.shape
        self._sizes = [int(codes.max()) + 1 for codes in effects]
        columns = [sparse.csr_array((np.ones(n), (np.arange(n), codes))) for codes in effects]
        data = sparse.hstack([*columns, sparse.csr_array(np.column_stack([design, y]))]).tocsr()
        self._products: FloatArray = (data.T @ data).toarray()
        ends = np.cumsum(self._sizes)
        self._q = int(ends[-1])
        self.parts = [slice(int(end) - size, int(end)) for end, size in zip(ends, self._sizes, strict=True)]
        self.fixed = slice(self._q, self._q + p)
        self.freedom = n - p

    def weighed(self, ratios: FloatArray) -> tuple[FloatArray, float]:
        """Cross products of all columns, weighed by the inverse of I + sum of g_j Z_j Z_j', and its log determinant."""
        products, q = self._products, self._q
        scale = np.repeat(np.sqrt(ratios), self._sizes)
        factor = linalg.cholesky(scale[:, None] * products[:q, :q] * scale + np.eye(q), lower=True)
        half = linalg.solve_triangular(factor, scale[:, None] * products[:q], lower=True)
        return products - half.T @ half, 2 * float(np.log(np.diag(factor)).sum())

    def without_means(self, ratios: FloatArray) -> tuple[FloatArray, float]:
        """The same after the fixed effects are taken out, and the log determinants of both."""
        cross, determinant = self.weighed(ratios)
        factor = linalg.cholesky(cross[self.fixed, self.fixed], lower=True)
        half = linalg.solve_triangular(factor, cross[self.fixed], lower=True)
        return cross - half.T @ half, determinant + 2 * float(np.log(np.diag(factor)).sum())

    def deviance(self, ratios: FloatArray) -> tuple[float, FloatArray]:
        """Minus twice the restricted log likelihood, but for a constant, with its derivatives.

        Raises:
            BoundaryError: if nothing is left for the residuals.
        """
        cross, determinant = self.without_means(ratios)
        left = float(cross[-1, -1])
        if left <= 1e-9 * self._products[-1, -1]:
            raise BoundaryError(_NOTHING_LEFT)
        slopes = [
            np.trace(cross[part, part]) - self.freedom * float(cross[part, -1] @ cross[part, -1]) / left
            for part in self.parts
        ]
        return determinant + self.freedom * float(np.log(left)), np.array(slopes)


def _flat(slopes: FloatArray, ratios: FloatArray) -> bool:
    """Whether the deviance hardly changes where it may: L-BFGS-B calls a search abnormal that can go no further."""
    return bool((np.abs(slopes[ratios > 0]) * ratios[ratios > 0] < 1e-3).all() and (slopes[ratios == 0] > -1e-3).all())


def _information(
    cross: FloatArray, parts: list[slice], variances: FloatArray, residual: float, freedom: int
) -> FloatArray:
    """The expected information of the variances, tr(P V_i P V_j) / 2, the residual's last.

    Args:
        cross: Z' P Z in the rows and columns of ``parts``.
        parts: Where each random effect's columns are.
        variances: Of the random effects.
        residual: The variance of the residuals.
        freedom: Observations less fixed effects.
    """
    m = len(parts)
    both = np.array([[float((cross[one, other] ** 2).sum()) for other in parts] for one in parts])
    # P V P = P and tr(P V) = n - p, from which those with the identity, the residual's V, follow.
    single = np.array([np.trace(cross[part, part]) for part in parts])
    with_residual = (single - both @ variances) / residual
    whole = (freedom - single @ variances) / residual
    information = np.empty((m + 1, m + 1))
    information[:m, :m] = both
    information[:m, m] = information[m, :m] = with_residual
    information[m, m] = (whole - with_residual @ variances) / residual
    return information / 2
