"""Catalogue of the measures: dimension, level, range and meaning of each."""

from __future__ import annotations

import csv
import math
from dataclasses import dataclass
from importlib import resources
from typing import Any, Literal

Level = Literal["resident", "place", "society"]


@dataclass(frozen=True, slots=True)
class Measure:
    """A measure; docs/measures.md has its formula and its source.

    Attributes:
        name: Name in the table of measures.
        dimension: Group that it belongs to, such as "exploration".
        level: What has a value: each resident (with a mean for the society), each place, or the society.
        low: Smallest possible value.
        high: Largest possible value.
        meaning: Meaning in a few words.
        embedder: Whether it needs an embedder.
        whole: Whether the values of residents are whole numbers as a rule, such as counts.
    """

    name: str
    dimension: str
    level: Level
    low: float
    high: float
    meaning: str
    embedder: bool = False
    whole: bool = False

    @property
    def pooled(self) -> bool:
        """Whether the society's value is that of all residents' cases together, and no mean over residents."""
        return self.dimension == "talk"

    def to_text(self, value: float | None) -> str:
        """Format a value with two digits, which whole numbers go without; a dash where it is not defined."""
        if value is None or math.isnan(value):
            return "–"
        text = f"{value:,.2f}".replace("-", "−")
        return text.removesuffix(".00") if self.whole else text


def _read() -> dict[str, Measure]:
    text = (resources.files("evaluation.measures") / "catalogue.csv").read_text(encoding="utf-8")
    rows: list[dict[str, Any]] = list(csv.DictReader(text.splitlines()))
    for row in rows:
        row |= {"low": float(row["low"]), "high": float(row["high"]), "embedder": bool(row["embedder"])}
        row["whole"] = bool(row["whole"])
    return {row["name"]: Measure(**row) for row in rows}


MEASURES = _read()
"""All measures by name, from ``catalogue.csv``."""
