"""Algebra of a mixed model with crossed random effects, without forming its n x n matrices.

    V / s^2 = I + sum of g_j Z_j Z_j',    P = V^-1 - V^-1 X (X' V^-1 X)^-1 X' V^-1

The effect with the most levels, such as rater by architecture, is called the inner effect, and one that it is nested
in, such as raters, the outer effect. Together they add a block to V for each outer level, and are inverted per level:
B = I + g_i Z_i Z_i' + g_o Z_o Z_o'. What remains is dense and has one row a level of the other effects and one a fixed
effect, together F = [W X]. By Woodbury's identity P = B^-1 - B^-1 F K F' B^-1, where K = S (S F' B^-1 F S + I_W)^-1 S,
with the roots of the ratios g (1 for X) in S, and I_W the identity for the columns of W alone. So a million ratings
take as much memory as their inner levels times the columns of F.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray
from scipy import linalg, sparse

FloatArray = NDArray[np.float64]
Codes = NDArray[np.intp]

LARGEST = 20_000_000
"""Maximum number of inner levels times columns, of F and of each effect's sums, limited by memory."""


class CrossProducts:
    """The cross products of all columns, Z_1 to Z_m, X and y.

    Attributes:
        names: Names of the random effects, in the order of ``ratios``.
        inner, outer: Indices of these two effects; outer is None if there is none.
        columns: Columns in F of each other effect, by its index.
        sizes: Observations of each inner level, shape (q,).
        parent: The outer level of each inner level, shape (q,); all 0 without an outer effect.
        cells: Z_inner' [F y], shape (q, f + 1).
        products: [F y]' [F y], shape (f + 1, f + 1).
        fixed: Number of fixed effects, which are the last columns of F.
        freedom: Number of observations minus number of fixed effects.
        total: y' y.
    """

    def __init__(self, y: FloatArray, design: FloatArray, effects: Mapping[str, Codes]) -> None:
        """Compute the cross products of the observations.

        Args:
            y: Response, shape (n,).
            design: The fixed effects' columns X, shape (n, p).
            effects: The level of each observation in each random effect, from 0; at least one effect.

        Raises:
            ValueError: if there are more than ``LARGEST`` cells.
        """
        codes = list(effects.values())
        levels = [int(one.max()) + 1 for one in codes]
        self.names = list(effects)
        self.inner = int(np.argmax(levels))
        self.outer, self.parent = _around(codes, levels, self.inner)
        others = [place for place in range(len(codes)) if place not in (self.inner, self.outer)]
        ends = np.cumsum([0, *(levels[place] for place in others)])
        self.columns = {place: slice(int(ends[at]), int(ends[at]) + levels[place]) for at, place in enumerate(others)}
        n, self.fixed = design.shape
        if levels[self.inner] * (int(ends[-1]) + self.fixed * len(codes)) > LARGEST:
            counted = ", ".join(f"{count:,} of {name}" for name, count in zip(self.names, levels, strict=True))
            raise ValueError(f"there are too many levels at once, {counted}; analyse a part of the ratings")
        self._ones = [sparse.csr_array((np.ones(n), (np.arange(n), one))) for one in codes]
        data = sparse.hstack(
            [*(self._ones[place] for place in others), sparse.csr_array(np.column_stack([design, y]))]
        ).tocsr()
        self.sizes = np.bincount(codes[self.inner]).astype(float)
        self.cells: FloatArray = (self._ones[self.inner].T @ data).toarray()
        self.products: FloatArray = (data.T @ data).toarray()
        self.gather = sparse.csr_array((np.ones(len(self.parent)), (self.parent, np.arange(len(self.parent)))))
        self.freedom = n - self.fixed
        self.total = float(self.products[-1, -1])

    def at(self, ratios: FloatArray) -> _AtRatios:
        """Evaluate at ratios of the random effects' variances to the residual one, shape (m,), at least 0."""
        return _AtRatios(self, ratios)

    def between(self, sums: Sequence[FloatArray], ratios: FloatArray) -> FloatArray:
        """Compute X' V^-1 Z_i Z_i' V^-1 Z_j Z_j' V^-1 X of all effects, with V over s^2, shape (m, m, p, p).

        The columns U = [Z_1 c_1 ... Z_m c_m], c_j = Z_j' V^-1 X, are in no matrix of n rows: their cross products
        follow from how many observations two levels share.

        Args:
            sums: c_j of each effect, shape (levels, p), from ``at``.
            ratios: As for ``at``.
        """
        m, p, w = len(self.names), self.fixed, len(self.products) - 1 - self.fixed
        shared = [
            np.hstack([np.asarray((one.T @ other) @ own) for other, own in zip(self._ones, sums, strict=True)])
            for one in self._ones
        ]
        own = np.vstack([one.T @ columns for one, columns in zip(sums, shared, strict=True)])
        cross = np.vstack([np.zeros((0, m * p)), *(shared[place] for place in self.columns)])
        products = np.block([[self.products[:w, :w], cross], [cross.T, own]])
        cells = np.hstack([self.cells[:, :w], shared[self.inner]])
        shrink = 1 / (1 + ratios[self.inner] * self.sizes)
        shrunk = shrink[:, None] * cells
        gathered = self.gather @ shrunk
        outer = 0.0 if self.outer is None else float(ratios[self.outer])
        rest = 1 + outer * (self.gather @ (self.sizes * shrink))
        products -= cells.T @ (ratios[self.inner] * shrunk) + gathered.T @ ((outer / rest)[:, None] * gathered)
        root = self.roots(ratios)
        whole, scaled = root[:, None] * products[:w, :w] * root + np.eye(w), root[:, None] * products[:w, w:]
        left = products[w:, w:] - scaled.T @ (linalg.solve(whole, scaled, assume_a="pos") if w else scaled)
        return np.asarray(left.reshape(m, p, m, p).transpose(0, 2, 1, 3), dtype=np.float64)

    def roots(self, ratios: FloatArray) -> FloatArray:
        """Return the root of the ratio of each column of W."""
        sizes = [columns.stop - columns.start for columns in self.columns.values()]
        return np.repeat(np.sqrt(ratios[list(self.columns)]), sizes)


class _AtRatios:
    """Determinants and quadratic forms at one choice of variance ratios.

    Attributes:
        determinant: Sum of the log determinants of V / s^2 and of X' V^-1 X.
        left: y' P y.
        traces: tr(Z_j' P Z_j), shape (m,).
        y_squares: |Z_j' P y|^2, shape (m,).
        precision, fixed_y: X' V^-1 X and X' V^-1 y.
        fixed_sums: Z_j' V^-1 X, a list of (levels, p).
        fixed_squares: X' V^-1 Z_j Z_j' V^-1 X, a list of (p, p).
    """

    def __init__(self, data: CrossProducts, ratios: FloatArray) -> None:
        self._data = data
        outer = 0.0 if data.outer is None else float(ratios[data.outer])
        shrink = 1 / (1 + ratios[data.inner] * data.sizes)
        self._a = data.sizes * shrink
        shrunk = shrink[:, None] * data.cells
        gathered = data.gather @ shrunk
        self._h = data.gather @ self._a
        self._rest = 1 / (1 + outer * self._h)
        self._d = outer * self._rest
        products = (
            data.products - data.cells.T @ (ratios[data.inner] * shrunk) - gathered.T @ (self._d[:, None] * gathered)
        )
        f = len(products) - 1
        self._f, w = f, f - data.fixed
        self._omega, omega_y = products[:f, :f], products[:f, f]
        root = np.concatenate([data.roots(ratios), np.ones(data.fixed)])
        whole = root[:, None] * self._omega * root
        whole[np.arange(w), np.arange(w)] += 1
        factor = linalg.cholesky(whole, lower=True)
        self._k = root[:, None] * linalg.cho_solve((factor, True), np.diag(root))
        self.determinant = float(2 * np.log(np.diag(factor)).sum() - np.log(shrink).sum() - np.log(self._rest).sum())
        self._solved_y = self._k @ omega_y
        self.left = float(products[f, f] - omega_y @ self._solved_y)
        # Z' B^-1 [F y] of the inner and the outer effect.
        big = {data.inner: shrunk - (self._a * self._d[data.parent])[:, None] * gathered[data.parent]}
        if data.outer is not None:
            big[data.outer] = self._rest[:, None] * gathered
        self._big = {place: one[:, :f] for place, one in big.items()}
        self._gram = {place: one.T @ one for place, one in self._big.items()}
        self._small = self._omega - self._omega @ self._k @ self._omega
        self._whitened = np.eye(f) - self._k @ self._omega
        self._set_squares(big, omega_y)
        self._set_fixed(factor[:w, :w], root[:w], omega_y)

    def _set_squares(self, big: Mapping[int, FloatArray], omega_y: FloatArray) -> None:
        data, f = self._data, self._f
        m = len(data.names)
        self.traces, self.y_squares = np.empty(m), np.empty(m)
        own = {data.inner: float((self._a - self._a**2 * self._d[data.parent]).sum())}
        if data.outer is not None:
            own[data.outer] = float((self._h * self._rest).sum())
        for place, one in big.items():
            self.traces[place] = own[place] - float((self._k * self._gram[place]).sum())
            self.y_squares[place] = float(((one[:, f] - one[:, :f] @ self._solved_y) ** 2).sum())
        rest_y = omega_y - self._omega @ self._solved_y
        for place, columns in data.columns.items():
            self.traces[place] = float(np.trace(self._small[columns, columns]))
            self.y_squares[place] = float((rest_y[columns] ** 2).sum())

    def _set_fixed(self, factor: FloatArray, root: FloatArray, omega_y: FloatArray) -> None:
        w = len(root)
        cross = self._omega[:w, w:]
        taken = root[:, None] * linalg.cho_solve((factor, True), root[:, None] * cross) if w else cross
        turn = np.vstack([-taken, np.eye(self._data.fixed)])
        carried = self._omega @ turn
        self.precision, self.fixed_y = carried[w:], turn.T @ omega_y
        self.fixed_sums = [
            self._big[place] @ turn if place in self._big else carried[self._data.columns[place]]
            for place in range(len(self._data.names))
        ]
        self.fixed_squares = [one.T @ one for one in self.fixed_sums]

    def norms(self) -> FloatArray:
        """Compute tr(P V_i P V_j) = |Z_i' P Z_j|^2 of all effects, shape (m, m)."""
        m = len(self._data.names)
        found = np.empty((m, m))
        for one in range(m):
            for other in range(one, m):
                found[one, other] = found[other, one] = self._norm(one, other)
        return found

    def _norm(self, one: int, other: int) -> float:
        columns = self._data.columns
        if one in columns and other in columns:
            return float((self._small[columns[one], columns[other]] ** 2).sum())
        if one in columns or other in columns:
            large, small = (other, one) if one in columns else (one, other)
            part = self._whitened[:, columns[small]]
            return float((part * (self._gram[large] @ part)).sum())
        square, carried = self._inner_block(one, other)
        k = self._k
        twice = float((k * (self._big[one].T @ carried)).sum())
        return square - 2 * twice + float(((k @ self._gram[one]) * (k @ self._gram[other]).T).sum())

    def _inner_block(self, one: int, other: int) -> tuple[float, FloatArray]:
        """Compute |A|^2 and A L of inner and outer effects, A = Z_one' B^-1 Z_other and L = Z_other' B^-1 F."""
        data, a = self._data, self._a
        if one == other == data.outer:
            diagonal = self._h * self._rest
            return float((diagonal**2).sum()), diagonal[:, None] * self._big[other]
        if one == other:
            d, own = self._d[data.parent], self._big[one]
            within = float((self._d**2 * (data.gather @ a**2) ** 2).sum())
            square = float(((a - d * a**2) ** 2 - d**2 * a**4).sum()) + within
            carried = a[:, None] * (own - d[:, None] * (data.gather @ (a[:, None] * own))[data.parent])
            return square, carried
        share = a * self._rest[data.parent]
        if one == data.inner:
            return float((share**2).sum()), share[:, None] * self._big[other][data.parent]
        return float((share**2).sum()), data.gather @ (share[:, None] * self._big[other])


def _around(codes: list[Codes], levels: list[int], inner: int) -> tuple[int | None, Codes]:
    """Find the outer effect: the largest effect that the inner one is nested in, with each inner level's parent."""
    for place in sorted(range(len(codes)), key=lambda one: -levels[one]):
        parent = np.zeros(levels[inner], dtype=np.intp)
        parent[codes[inner]] = codes[place]
        if place != inner and np.array_equal(parent[codes[inner]], codes[place]):
            return place, parent
    return None, np.zeros(levels[inner], dtype=np.intp)
