"""Similarity of phenomenal fields (section 3.2.1, Eq. 2-4)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from itcma_s.checks import check_range
from itcma_s.fields.name_table import EQUALLY, IdArray, NameTable, most_alike
from itcma_s.fields.phenomenal_field import _TWO_PI, Field, FieldBatch, PositionArray


@dataclass(frozen=True, kw_only=True, slots=True)
class FieldWeights:
    """The weights of a similarity of objects (Eq. 3 and 4).

    Attributes:
        omega_name: omega_N, weight of the names, in [0, 1].
        omega_position: omega_pos, weight of the positions, in [0, 1]; omega_name + omega_position = 1.
        omega_gamma: omega_gamma, weight of the distance, >= 0.
        omega_theta: omega_theta, weight of the polar angle, >= 0.
        omega_phi: omega_phi, weight of the azimuth, >= 0; the three sum to at most 3.
        wrap_azimuth: Whether azimuths 0 and 2 pi are the same direction; False as Eq. 3 is printed.

    Raises:
        ValueError: if a weight is negative or not finite, or the sums are not as said: similarities would leave [0, 1].
    """

    omega_name: float = 0.5
    omega_position: float = 0.5
    omega_gamma: float = 1.0
    omega_theta: float = 1.0
    omega_phi: float = 1.0
    wrap_azimuth: bool = False

    def __post_init__(self) -> None:
        for label in ("omega_name", "omega_position"):
            check_range(label, getattr(self, label), 0.0, 1.0, "the weights of name and position are shares of 1")
        total = self.omega_name + self.omega_position
        if abs(total - 1.0) > 1e-9:
            raise ValueError(f"omega_name + omega_position must be 1, got {total!r}; divide both by their sum")
        for label in ("omega_gamma", "omega_theta", "omega_phi"):
            check_range(label, getattr(self, label), 0.0, 3.0, "weights of coordinates are >= 0 and sum to at most 3")
        total = self.omega_gamma + self.omega_theta + self.omega_phi
        if total > 3.0 + 1e-9:
            raise ValueError(
                f"omega_gamma + omega_theta + omega_phi must be at most 3, got {total!r}; Eq. 3 divides them by 3"
            )

    @property
    def coordinates(self) -> tuple[float, float, float]:
        """(omega_gamma, omega_theta, omega_phi)."""
        return self.omega_gamma, self.omega_theta, self.omega_phi


DEFAULT_WEIGHTS = FieldWeights()


def spherical_similarity(
    position_a: ArrayLike,
    position_b: ArrayLike,
    omega_gamma: float = 1.0,
    omega_theta: float = 1.0,
    omega_phi: float = 1.0,
    wrap_azimuth: bool = False,
) -> NDArray[np.float64]:
    """Return the similarity of positions (Eq. 3).

    SphericalSim(A, B) = 1 - (omega_gamma tanh|gamma_A - gamma_B| + omega_theta |theta_A - theta_B| / pi
    + omega_phi |phi_A - phi_B| / (2 pi)) / 3.

    Args:
        position_a: Shape (..., 3): theta, phi in radians, gamma in metres.
        position_b: Shape (..., 3), broadcast against the other.
        omega_gamma: Weight of the distance.
        omega_theta: Weight of the polar angle.
        omega_phi: Weight of the azimuth.
        wrap_azimuth: Take the shorter way round between azimuths, at most pi. As printed, and by default, azimuths just
            left and just right of straight ahead are as different as azimuths can be.

    Returns:
        The broadcast shape without its last axis; in [0, 1] for weights of 1.
    """
    position_a, position_b = np.asarray(position_a), np.asarray(position_b)
    # Each coordinate by itself: the same arithmetic in the same order for one pair and for many.
    azimuth = np.abs(position_a[..., 1] - position_b[..., 1])
    if wrap_azimuth:
        azimuth = np.minimum(azimuth, _TWO_PI - azimuth)
    distance = np.tanh(np.abs(position_a[..., 2] - position_b[..., 2]))
    polar = np.abs(position_a[..., 0] - position_b[..., 0])
    result: NDArray[np.float64] = 1.0 - (
        distance * (omega_gamma / 3.0)
        + polar * (omega_theta / (3.0 * math.pi))
        + azimuth * (omega_phi / (3.0 * _TWO_PI))
    )
    return result


def _spherical(a: PositionArray, b: PositionArray, weights: FieldWeights) -> NDArray[np.float64]:
    return spherical_similarity(a, b, *weights.coordinates, wrap_azimuth=weights.wrap_azimuth)


def object_similarity(
    fx: Field, fy: Field, table: NameTable, weights: FieldWeights = DEFAULT_WEIGHTS
) -> NDArray[np.float64]:
    """Return the similarity of every object of one field with every object of another (FieldSim of Algorithm 1).

    s_ij = omega_N Cosin(N_i, N_j) + omega_pos SphericalSim(pos_i, pos_j), the summand of Eq. 4.

    Args:
        fx: A field of a rows.
        fy: A field of b rows.
        table: The table both were made with.
        weights: Weights of names and coordinates.

    Returns:
        Shape (a, b), float64, in [0, 1].
    """
    similarity = _spherical(fx.positions[:, None, :], fy.positions[None, :, :], weights)
    similarity *= weights.omega_position
    similarity += table.cosines(fx.ids, fy.ids).astype(np.float64) * weights.omega_name
    return similarity


def field_similarity(fx: Field, fy: Field, table: NameTable, weights: FieldWeights = DEFAULT_WEIGHTS) -> float:
    """Return the similarity of two fields (Eq. 4).

    For each row i of f^x, j is the row of f^y whose name is most similar, the first of them on ties (``most_alike``).
    The summands omega_N Cosin(N_i, N_j) + omega_pos SphericalSim(pos_i, pos_j) are added up and divided by max(a, b).
    It is not symmetric.

    Args:
        fx: A field of a rows.
        fy: A field of b rows.
        table: The table both were made with.
        weights: Weights of names and coordinates.

    Returns:
        A value in [0, 1].

    Departs from the paper: two empty fields, which Eq. 4 leaves undefined, have similarity 1; the index j, which it
    leaves open, is read as said above.
    """
    if not len(fx) or not len(fy):
        return float(len(fx) == len(fy))
    best, most = most_alike(table.cosines(fx.ids, fy.ids))
    names = most.astype(np.float64)
    summands = weights.omega_name * names + weights.omega_position * _spherical(
        fx.positions, fy.positions[best], weights
    )
    return min(max(float(summands.sum()) / max(len(fx), len(fy)), 0.0), 1.0)


def difference(fx: Field, fy: Field, table: NameTable, weights: FieldWeights = DEFAULT_WEIGHTS) -> float:
    """Return the difference of two fields, the diff of Eq. 11 and 12: diff(f, g) = 1 - FieldSim(f, g).

    Args:
        fx: A field.
        fy: Another field.
        table: The name table of both.
        weights: The weights of Eq. 3 and 4.

    Returns:
        A value in [0, 1].
    """
    return 1.0 - field_similarity(fx, fy, table, weights)


def differences(
    fx: Field, fields: Sequence[Field], table: NameTable, weights: FieldWeights = DEFAULT_WEIGHTS
) -> list[float]:
    """Return the ``difference`` of one field to each of several others, bit for bit, in one pass.

    Args:
        fx: A field.
        fields: The others.
        table: The name table of all.
        weights: The weights of Eq. 3 and 4.

    Returns:
        One value in [0, 1] for each of the others.
    """
    different, places = distinct_fields(fields)
    batch = FieldBatch.of(different)
    if not (len(fields) and len(fx) and batch.counts.all()):
        return [difference(fx, fy, table, weights) for fy in fields]
    cosines = table.cosines(fx.ids, batch.ids)
    ends = (batch.starts + batch.counts).tolist()
    spans = list(zip(batch.starts.tolist(), ends, strict=True))
    best = np.empty((len(different), len(fx)), dtype=np.int64)
    names = np.empty((len(different), len(fx)), dtype=np.float64)
    for row, (start, end) in enumerate(spans):
        best[row], names[row] = most_alike(cosines[:, start:end])
    best += batch.starts[:, None]
    summands = weights.omega_name * names + weights.omega_position * _spherical(
        fx.positions, batch.positions[best], weights
    )
    sums = (summands.sum(axis=1) / np.maximum(batch.counts, len(fx))).tolist()
    return [1.0 - min(max(sums[place], 0.0), 1.0) for place in places]


def distinct_fields(fields: Sequence[Field]) -> tuple[list[Field], list[int]]:
    """Return the deduplicated fields, and the index of each given field among them."""
    places: dict[tuple[bytes, bytes], int] = {}
    different: list[Field] = []
    which: list[int] = []
    for field in fields:
        rows = field.ids.tobytes(), field.positions.tobytes()
        if rows not in places:
            places[rows] = len(different)
            different.append(field)
        which.append(places[rows])
    return different, which


def similarity_to_many(
    fields: Sequence[Field] | FieldBatch, batch: FieldBatch, table: NameTable, weights: FieldWeights = DEFAULT_WEIGHTS
) -> NDArray[np.float64]:
    """Return FieldSim (Eq. 4) of several fields with each of many: ``field_similarity``, vectorised.

    Args:
        fields: q fields, each the f^x; or a batch of them as ``FieldBatch.of`` gives it.
        batch: m fields, each the f^y.
        table: The table all were made with.
        weights: Weights of names and coordinates.

    Returns:
        Shape (q, m), float64, in [0, 1].
    """
    queries = fields if isinstance(fields, FieldBatch) else FieldBatch.of(fields)
    result = np.empty((len(queries), len(batch)))
    result[:] = (queries.counts[:, None] == 0) & (batch.counts == 0)
    filled = np.flatnonzero(queries.counts)
    if not len(filled) or not len(batch):
        return result
    unique, inverse = table.distinct(queries.ids)
    cosines, rows = _cosines_with_all(unique, batch, table)
    starts = queries.starts[filled]
    for members in _of_like_size(batch.counts):
        width = int(batch.counts[members].max())
        step = max(1, 4_000_000 // (width * len(unique)))  # bounds the size of intermediate arrays
        for low in range(0, len(members), step):
            some = members[low : low + step]
            first, counts = batch.starts[some], batch.counts[some]
            lanes = np.arange(width)[:, None]
            # Beyond its end a field repeats its first row, which is then never the first of the most similar.
            ids = batch.ids[first + np.where(lanes < counts, lanes, 0)]
            candidates = cosines.take(ids if rows is None else rows[ids], axis=0)  # (width, some, unique)
            names = candidates.max(axis=0)
            # How many rows are left from the first of the most similar on; several times as fast as argmax.
            countdown = np.arange(width, 0, -1, dtype=np.min_scalar_type(width))
            left = ((candidates >= names - EQUALLY) * countdown[:, None, None]).max(axis=0)
            chosen = batch.positions.take((first[:, None] + (width - left)).T, axis=0)  # (unique, some, 3)
            # One coordinate after the other, so that each lies in one piece.
            each = np.ascontiguousarray(np.moveaxis(chosen, 2, 0)).take(inverse, axis=1)  # (3, rows of queries, some)
            summands = _spherical(queries.positions[:, None, :], np.moveaxis(each, 0, 2), weights)
            summands *= weights.omega_position
            summands += (names.T * np.float64(weights.omega_name))[inverse]
            sums = np.add.reduceat(summands, starts, axis=0)
            sums /= np.maximum(queries.counts[filled][:, None], counts)
            result[filled[:, None], some] = np.minimum(np.maximum(sums, 0.0), 1.0)
    return result


def _cosines_with_all(
    ids: IdArray, batch: FieldBatch, table: NameTable
) -> tuple[NDArray[np.float32], NDArray[np.int64] | None]:
    """Return the cosines of all names that a batch may contain with some names.

    Returns:
        Shape (names, len(ids)), and the row of each id of the table; None when the rows are those of the table.
        A large table has too many names to compare with all of them.
    """
    if len(table) <= _FEW_NAMES:
        return np.ascontiguousarray(table.cosine_rows(ids).T), None
    present, _ = table.distinct(batch.ids[batch.rows()])
    rows = np.zeros(len(table), dtype=np.int64)
    rows[present] = np.arange(len(present))
    return np.ascontiguousarray(table.cosines(ids, present).T), rows


_FEW_ROWS = 4096


_FEW_NAMES = 512


def _of_like_size(counts: NDArray[np.int64]) -> list[NDArray[np.int64]]:
    """Group the non-empty fields by similar size, so that padding them to one width wastes little.

    A small batch stays one group, since handling each group costs more than padding.
    """
    filled = np.flatnonzero(counts)
    if len(filled) * int(counts.max(initial=0)) <= _FEW_ROWS:
        return [filled] if len(filled) else []
    classes = np.ceil(np.log2(np.maximum(counts[filled], 8)))
    return [filled[classes == size] for size in np.unique(classes)]
