"""The rating scale: five dimensions, seven points, and the columns of a ratings file (section 5.2)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

DIMENSIONS = ("personification", "consistency", "logicality", "exploration", "proactiveness")
LOWEST, HIGHEST = 1, 7
COLUMNS = ("rater", "run", "architecture", "resident", "dimension", "rating")
OPTIONAL_COLUMNS = ("comment", "expected", "source")
ATTENTION_CHECK = "attention-check"
"""Dimension of an attention check: ``rating`` is the answer, ``expected`` the answer asked for."""
PEOPLE, JUDGE = SOURCES = ("people", "judge")
"""Sources of ratings, the values of the column ``source``."""
JUDGE_PREFIX = "judge:"
"""Prefix of the names of raters that are language models."""


def ordered(names: Iterable[str], known: Sequence[str]) -> list[str]:
    """Sort names, known ones first in their known order.

    Args:
        names: Names in any order, with repetitions.
        known: Known names in order.

    Returns:
        Each name once: those known in their known order, then the others by alphabet.
    """
    here = set(names)
    return [name for name in known if name in here] + sorted(here - set(known))
