"""Text from models and raters, made fit for pages, databases and tables."""

from __future__ import annotations

import unicodedata

_KEPT = ("\n", "\t")


def plain_text(text: str) -> str:
    """The text with line ends as newlines, without control characters, and with U+FFFD for lone surrogates.

    Markup stays what it is: escaping it is the business of whoever shows it.
    """
    text = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace").replace("\r\n", "\n").replace("\r", "\n")
    return "".join(one for one in text if one in _KEPT or unicodedata.category(one) != "Cc")
