"""The rubric: the five dimensions of section 5.2, each with a question and anchors."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import cache
from importlib import resources


@dataclass(frozen=True, kw_only=True, slots=True)
class Dimension:
    """One dimension of the rubric.

    Attributes:
        name: One of ``DIMENSIONS``.
        definition: The paper's definition.
        question: Question, with ``{name}`` for the resident.
        low: Anchor of 1.
        middle: Anchor of 4.
        high: Anchor of 7.
    """

    name: str
    definition: str
    question: str
    low: str
    middle: str
    high: str

    def ask(self, resident: str) -> str:
        """Return the question about one resident."""
        return self.question.replace("{name}", resident)


@cache
def rubric() -> tuple[Dimension, ...]:
    """Read the five dimensions, in the paper's order, from ``rubric.toml``."""
    text = (resources.files("evaluation.rating") / "rubric.toml").read_text(encoding="utf-8")
    return tuple(Dimension(**entry) for entry in tomllib.loads(text)["dimension"])
