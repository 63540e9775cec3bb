"""How well the field that follows an action was foretold: what appears and disappears, and where things are."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.intervals import wilson
from itcma_s.fields.name_table import NameTable
from itcma_s.fields.phenomenal_field import Field
from itcma_s.protention.geometric_rule import cartesian
from itcma_s.protention_rollouts import Transition

NEAR = 0.5
"""Metres within which a position counts as right."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Foretold:
    """What one way says of one transition.

    Attributes:
        field: The field that it expects.
        appearing: Names, the one that is likeliest to appear first; None where the way gives no order, and any of
            the names that its field has new stands for the first.
        leaving: Names of the present, the one that is likeliest to disappear first; None as above.
    """

    field: Field
    appearing: Sequence[str] | None = None
    leaving: Sequence[str] | None = None


@dataclass(slots=True)
class Scores:
    """Counts over transitions.

    Attributes:
        appeared: For each transition in which something appeared, how surely the first name said to appear did.
        disappeared: The same for what disappeared.
        right, said, there: Names that were foretold and there, foretold, there.
        errors: Distance in metres of each object that was foretold and there.
    """

    appeared: list[float] = field(default_factory=list)
    disappeared: list[float] = field(default_factory=list)
    right: int = 0
    said: int = 0
    there: int = 0
    errors: list[float] = field(default_factory=list)

    def add(self, transition: Transition, foretold: Foretold, table: NameTable) -> None:
        """Count one transition."""
        before = list(dict.fromkeys(transition.moment.present.names(table)))
        after = dict.fromkeys(transition.field.names(table))
        said = list(dict.fromkeys(foretold.field.names(table)))
        self.right += len(after.keys() & set(said))
        self.said += len(said)
        self.there += len(after)
        if new := [name for name in after if name not in before]:
            self.appeared.append(_first(foretold.appearing, [name for name in said if name not in before], new))
        if gone := [name for name in before if name not in after]:
            self.disappeared.append(_first(foretold.leaving, [name for name in before if name not in said], gone))
        where = _points(transition.field, table)
        self.errors += [
            float(np.linalg.norm(point - where[name]))
            for name, point in _points(foretold.field, table).items()
            if name in where
        ]

    def to_json(self) -> dict[str, Any]:
        """Shares in [0, 1], the first two with Wilson's intervals; errors in metres; None where nothing counts."""
        return {
            "appeared": _share(self.appeared),
            "disappeared": _share(self.disappeared),
            "f1": round(2 * self.right / (self.said + self.there), 3) if self.said + self.there else None,
            "error_mean": round(float(np.mean(self.errors)), 2) if self.errors else None,
            "error_median": round(float(np.median(self.errors)), 2) if self.errors else None,
            "near": round(sum(error <= NEAR for error in self.errors) / self.there, 3) if self.there else None,
        }


def _first(order: Sequence[str] | None, said: Sequence[str], true: Sequence[str]) -> float:
    """1 when the first name is one of the true ones, else 0; without an order, the share of names that are."""
    if order is not None:
        return float(bool(order) and order[0] in true)
    return sum(name in true for name in said) / len(said) if said else 0.0


def _share(hits: Sequence[float]) -> dict[str, float] | None:
    if not hits:
        return None
    low, high = wilson(sum(hits), len(hits))
    return {"rate": round(sum(hits) / len(hits), 3), "low": low, "high": high, "of": len(hits)}


def _points(field: Field, table: NameTable) -> dict[str, NDArray[np.float64]]:
    return dict(zip(field.names(table), cartesian(field.positions), strict=True))
