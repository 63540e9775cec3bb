"""Phenomenal fields: the objects around a resident at one moment (section 3.2.1, Eq. 1 and 2).

A field is a set of rows, one per object: the embedding of its name and its position in spherical coordinates around the
resident. The embedding is in a ``NameTable``; a row holds its id.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from operator import attrgetter
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from irollan_env.world.observation import Percept
from itcma_s.fields.name_table import IdArray, NameTable

PositionArray: TypeAlias = NDArray[np.float64]
"""Shape (..., 3): theta, phi in radians, gamma in metres."""

_TWO_PI = 2.0 * math.pi
_DECIMALS = 4
"""Decimals of positions in ``Field.named_rows``: a tenth of a millimetre."""
_position = attrgetter("theta", "phi", "gamma")


@dataclass(frozen=True, slots=True, eq=False)
class Field:
    """A phenomenal field (Eq. 1): rows of a name and a position. Immutable, and so are its arrays.

    Attributes:
        ids: Shape (a,), int32: ids of names in a ``NameTable``.
        positions: Shape (a, 3), float64: theta in [0, pi], phi in [0, 2 pi), gamma >= 0.

    Raises:
        ValueError: for other shapes, a negative id, or a coordinate that is not finite or outside its range.
    """

    ids: IdArray
    positions: PositionArray

    def __post_init__(self) -> None:
        ids = np.array(self.ids, dtype=np.int32)
        positions = np.array(self.positions, dtype=np.float64)
        if ids.size == 0 and positions.size == 0:
            ids, positions = ids.reshape(0), positions.reshape(0, 3)
        if ids.ndim != 1 or positions.shape != (len(ids), 3):
            raise ValueError(
                f"a field needs ids of shape (a,) and positions (a, 3), got {ids.shape} and {positions.shape}; "
                "give each object one name and one position"
            )
        if ids.size and ids.min() < 0:
            raise ValueError(f"ids must be at least 0, got {ids.min()}; use NameTable.ids")
        if ids.size:
            # For NaN every comparison is false.
            least, (theta, phi, gamma) = positions.min(), positions.max(axis=0)
            if not (least >= 0.0 and theta <= math.pi and phi < _TWO_PI and gamma < math.inf):
                _name_the_row(positions)
        ids.flags.writeable = False
        positions.flags.writeable = False
        object.__setattr__(self, "ids", ids)
        object.__setattr__(self, "positions", positions)

    def __len__(self) -> int:
        return len(self.ids)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Field):
            return NotImplemented
        return np.array_equal(self.ids, other.ids) and np.array_equal(self.positions, other.positions)

    def __hash__(self) -> int:
        return hash(self.ids.tobytes())

    @classmethod
    def trusted(cls, ids: IdArray, positions: PositionArray) -> Field:
        """Make a field from arrays that are known to be valid, without checking or copying them.

        Args:
            ids: Identifiers in the name table, shape (n,), int32.
            positions: theta, phi and gamma of each object, shape (n, 3), float64.
        """
        field = object.__new__(cls)
        object.__setattr__(field, "ids", ids)
        object.__setattr__(field, "positions", positions)
        return field

    @classmethod
    def empty(cls) -> Field:
        """Make a field without objects."""
        return cls(np.empty(0, dtype=np.int32), np.empty((0, 3)))

    @classmethod
    def from_percepts(cls, percepts: Sequence[Percept], table: NameTable) -> Field:
        """Make the field of an observation, one row per percept, in order.

        Args:
            percepts: The percepts of the observation.
            table: The name table; new names are added.
        """
        ids = table.ids([p.name for p in percepts])
        positions = np.array(list(map(_position, percepts)), dtype=np.float64).reshape(-1, 3)
        azimuths = positions[:, 1]
        azimuths[azimuths == _TWO_PI] = 0.0  # a percept may say 2 pi, the same direction
        ids.flags.writeable = positions.flags.writeable = False
        return cls.trusted(ids, positions)  # a percept checks itself

    def named_rows(self, table: NameTable) -> tuple[tuple[str, float, float, float], ...]:
        """Return the rows with names and rounded positions: name, theta and phi in radians, gamma in metres."""
        return tuple(
            (name, round(theta, _DECIMALS), round(phi, _DECIMALS), round(gamma, _DECIMALS))
            for name, (theta, phi, gamma) in zip(self.names(table), self.positions.tolist(), strict=True)
        )

    @classmethod
    def from_names(cls, names: Iterable[str], table: NameTable) -> Field:
        """Make a field for an observation without positions: objects evenly on a circle of radius 1 at eye height.

        Object i of n stands at theta = pi / 2, phi = 2 pi i / n, gamma = 1.

        Args:
            names: The names of the objects, in the order of the text.
            table: The name table; new names are added.
        """
        ids = table.ids(names)
        count = len(ids)
        positions = np.empty((count, 3))
        positions[:, 0] = math.pi / 2
        positions[:, 1] = np.arange(count) * (_TWO_PI / max(count, 1))
        positions[:, 2] = 1.0
        return cls(ids, positions)

    def names(self, table: NameTable) -> tuple[str, ...]:
        """Return the name of each row."""
        return table.names_of(self.ids)

    def rows(self) -> list[tuple[int, float, float, float]]:
        """Return the rows as plain tuples (id, theta, phi, gamma); rows are the same if these are equal."""
        return list(zip(self.ids.tolist(), *self.positions.T.tolist(), strict=True))

    def get_state(self) -> dict[str, Any]:
        """Return the field as JSON-ready data; ids refer to the table that the field was made with."""
        return {"ids": self.ids.tolist(), "positions": self.positions.tolist()}

    @classmethod
    def from_state(cls, state: Mapping[str, Any]) -> Field:
        """Return the field with a state from ``get_state``, also after a JSON round trip."""
        return cls(
            np.array(state["ids"], dtype=np.int32), np.array(state["positions"], dtype=np.float64).reshape(-1, 3)
        )


def _name_the_row(positions: PositionArray) -> None:
    """Raise a ValueError that names the first coordinate outside its range."""
    for column, label, high, shown in (
        (0, "theta", math.nextafter(math.pi, math.inf), "[0, pi]"),
        (2, "gamma", math.inf, "[0, inf)"),
        (1, "phi", _TWO_PI, "[0, 2 pi)"),
    ):
        values = positions[:, column]
        valid = (values >= 0.0) & (values < high)
        if not valid.all():
            row = int(np.argmin(valid))
            raise ValueError(
                f"{label} of row {row} must lie in {shown}, got {float(values[row])!r}; check the map's geometry"
            )


@dataclass(frozen=True, slots=True, eq=False)
class FieldBatch:
    """Many fields concatenated in two arrays.

    Attributes:
        ids: Shape (rows of all fields,), int32.
        positions: Shape (rows of all fields, 3), float64.
        starts: Shape (m,), int64: first row of each field.
        counts: Shape (m,), int64: number of rows of each field.
    """

    ids: IdArray
    positions: PositionArray
    starts: NDArray[np.int64]
    counts: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.starts)

    def __getitem__(self, index: int) -> Field:
        rows = slice(int(self.starts[index]), int(self.starts[index] + self.counts[index]))
        return Field(self.ids[rows], self.positions[rows])

    def take(self, indices: NDArray[np.int64]) -> FieldBatch:
        """Return the fields with these indices; rows are shared, not copied."""
        return FieldBatch(self.ids, self.positions, self.starts[indices], self.counts[indices])

    def rows(self) -> NDArray[np.int64]:
        """Return the indices of the rows of all fields, one field after the other."""
        ends = np.cumsum(self.counts)
        total = int(ends[-1]) if len(ends) else 0
        result: NDArray[np.int64] = np.repeat(self.starts - (ends - self.counts), self.counts) + np.arange(total)
        return result

    @classmethod
    def of(cls, fields: Sequence[Field]) -> FieldBatch:
        """Make a batch of the given fields, in order."""
        counts = np.array([len(field) for field in fields], dtype=np.int64)
        if not fields:
            return cls(np.empty(0, dtype=np.int32), np.empty((0, 3)), counts, counts)
        ids = np.concatenate([field.ids for field in fields])
        return cls(ids, np.concatenate([field.positions for field in fields]), np.cumsum(counts) - counts, counts)
