"""The coarse stage of memory activation: estimates the similarity of every memory to the present (section 3.2.2)."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from itcma_s.fields.name_table import IdArray, NameTable, most_alike
from itcma_s.fields.phenomenal_field import Field, FieldBatch
from itcma_s.fields.similarity import FieldWeights, spherical_similarity
from itcma_s.memory.rows import Rows, Runs


class Sketch:
    """Sketches of fields that estimate their similarity to the present, with one look-up per remembered row.

    A row is sketched as its name and the cell of space that it lies in. For a query, a table holds for each name and
    cell the contribution of such a row to the sum of Eq. 4, if rows of the same name match, which they nearly always
    do. The sum is exact but for the size of the cells and for names of the present that a memory lacks: each counts as
    an average match.
    """

    GAMMA, THETA, PHI = 16, 4, 16  # cells per coordinate
    CELLS = GAMMA * THETA * PHI
    STEP = 0.27  # of log(1 + gamma): cells grow from 0.3 m at the resident to 18 m at 57 m, the last one is open

    def __init__(self, table: NameTable, weights: FieldWeights) -> None:
        self._table = table
        self._weights = weights
        # Cell centres, one coordinate after the other, and the weight of a distance to each in Eq. 3.
        gamma = np.expm1((np.arange(self.GAMMA) + 0.5) * self.STEP)
        theta = (np.arange(self.THETA) + 0.5) * (math.pi / self.THETA)
        phi = (np.arange(self.PHI) + 0.5) * (2.0 * math.pi / self.PHI)
        self._middles = np.concatenate((gamma, theta, phi))
        cells = (self.GAMMA, self.THETA, self.PHI)
        self._coordinates = np.repeat((2, 0, 1), cells)
        self._counts_for = np.repeat(
            (weights.omega_gamma, weights.omega_theta / math.pi, weights.omega_phi / (2.0 * math.pi)), cells
        )
        self._runs = Runs()
        self._ids = Rows((), np.int32)
        self._cells = Rows((), np.int16)

    def append(self, field: Field) -> None:
        """Add a field: names and cells of its rows, the first of each name; one row of name -1 for an empty field."""
        if not len(field):
            self._runs.append(1)
            self._ids.append(-1)
            self._cells.append(0)
            return
        ids, first = np.unique(field.ids, return_index=True)
        theta, phi, gamma = field.positions[first].T
        cells = np.minimum(np.log1p(gamma) / self.STEP, self.GAMMA - 1).astype(np.int16)
        cells = cells * self.THETA + np.minimum(theta * (self.THETA / math.pi), self.THETA - 1).astype(np.int16)
        cells = cells * self.PHI + np.minimum(phi * (self.PHI / (2.0 * math.pi)), self.PHI - 1).astype(np.int16)
        self._runs.append(len(ids))
        self._ids.extend(ids)
        self._cells.extend(cells)

    def scores(
        self, channel: FieldBatch, frame_weights: NDArray[np.float64], counts: NDArray[np.int64]
    ) -> NDArray[np.float32]:
        """Estimate the similarity of every field to a channel.

        Args:
            channel: The present's fields, as ``FieldBatch.of`` gives them.
            frame_weights: Their weights, summing to 1.
            counts: Shape (m,): number of rows of each field that was added.

        Returns:
            Shape (m,), float32.
        """
        rows = float(frame_weights @ channel.counts)
        if not len(channel.ids):
            alike: NDArray[np.float32] = (counts == 0).astype(np.float32)
            return alike
        gains, unique, missing = self._gains(channel, np.repeat(frame_weights, channel.counts))
        block = np.zeros(len(self._table) + 1, dtype=np.int32)  # the last for the name -1
        block[unique] = np.arange(1, len(unique) + 1, dtype=np.int32) * self.CELLS
        index = block[self._ids.view]
        index += self._cells.view
        sums: NDArray[np.float32] = np.add.reduceat(gains.take(index, mode="clip"), self._runs.starts)
        sums += np.float32(missing * rows)
        sums /= np.maximum(counts, rows).astype(np.float32)
        return sums

    def _gains(self, query: FieldBatch, of_row: NDArray[np.float64]) -> tuple[NDArray[np.float32], IdArray, float]:
        """Return the contribution of a row to the similarity, by name and cell.

        Args:
            query: The present's fields.
            of_row: Weight of each of their rows.

        Returns:
            A block of ``CELLS`` zeros for all other names, then a block for each name of the query; those names; and
            the contribution of a row of the query whose name a memory lacks.
        """
        omega = self._weights
        order = np.argsort(query.ids, kind="stable")
        ids = query.ids[order]
        first = np.flatnonzero(np.concatenate(([True], ids[1:] != ids[:-1])))
        unique = ids[first]
        positions = query.positions.take(order, axis=0)
        share = of_row[order] * (omega.omega_position / 3.0)
        losses = np.abs(positions[:, self._coordinates] - self._middles)  # (rows, GAMMA + THETA + PHI)
        distances, azimuths = losses[:, : self.GAMMA], losses[:, -self.PHI :]
        np.tanh(distances, out=distances)
        if omega.wrap_azimuth:
            np.minimum(azimuths, 2.0 * math.pi - azimuths, out=azimuths)
        losses *= self._counts_for * share[:, None]
        lost = np.add.reduceat(losses, first, axis=0).astype(np.float32)
        present = np.add.reduceat(of_row[order], first)
        # A name that a memory lacks will match another there; the next best matches in the present tell how well.
        cosines = self._table.cosines(unique, unique)
        cosines.flat[:: len(unique) + 1] = 0.0  # of each name with itself
        second, closest = most_alike(cosines)
        place = positions[first]
        apart = spherical_similarity(place, place[second], *omega.coordinates, wrap_azimuth=omega.wrap_azimuth)
        missing = omega.omega_name * float(closest.mean()) + omega.omega_position * float(apart.mean())
        gain = (present * (1.0 - missing)).astype(np.float32)[:, None]
        near = gain - lost[:, : self.GAMMA]
        angles = lost[:, self.GAMMA : -self.PHI, None] + lost[:, None, -self.PHI :]
        gains = np.empty((1 + len(unique), self.GAMMA, self.THETA * self.PHI), dtype=np.float32)
        gains[0] = 0.0
        np.subtract(near[:, :, None], angles.reshape(len(unique), 1, -1), out=gains[1:])
        return gains.reshape(-1), unique, missing
