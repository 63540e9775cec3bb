"""Cleaning of text from models and raters for pages, databases and tables."""

from __future__ import annotations

import unicodedata

_KEPT = ("\n", "\t")


def plain_text(text: str) -> str:
    """Normalise line ends to newlines, remove control characters, and replace lone surrogates by U+FFFD.

    Markup is kept; pages escape it.
    """
    text = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace").replace("\r\n", "\n").replace("\r", "\n")
    return "".join(one for one in text if one in _KEPT or unicodedata.category(one) != "Cc")
