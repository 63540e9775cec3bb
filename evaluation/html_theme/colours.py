"""Colours of all figures and residents, and escaping of names for Matplotlib."""

from __future__ import annotations

from collections.abc import Sequence

INK, MUTED, FAINT = "#1b1f24", "#6a727b", "#e2e5e9"
HEAT, ON_HEAT = "#0a4a86", "#fdfdfd"
# Okabe and Ito's colour-blind-safe palette, without black and yellow.
COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9")
COMMON = ("#5b4fa2", "#8a6d3b", "#7f868d")
"""Colours of places that are nobody's home."""


def colour(name: str, everyone: Sequence[str]) -> str:
    """Return the colour of a resident, the same in every figure; colours repeat after six residents."""
    return COLOURS[everyone.index(name) % len(COLOURS)]


def literal(name: str) -> str:
    """Escape dollar signs in a name, so that Matplotlib does not read it as a formula."""
    return name.replace("$", r"\$")
