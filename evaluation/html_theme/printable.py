"""Text of models, servers, people and files as it is written to a terminal and onto a page.

What acts instead of being read is shown as U+FFFD: control characters, of which a terminal's commands are made; marks
that turn the direction of a line, so that it reads as what it is not (Unicode's Bidi_Control); separators of lines; and
halves of surrogate pairs, which no file in UTF-8 can hold.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

_ACTS = "\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff"
_IN_A_LINE = re.compile(f"[{_ACTS}\t\n\r]")
_ON_A_PAGE = re.compile(f"[{_ACTS}]")


def printable(text: str) -> str:
    """One line of text for a terminal; line ends and tabs count among what acts."""
    return _IN_A_LINE.sub("\N{REPLACEMENT CHARACTER}", text)


def printable_lines(text: str) -> str:
    """Text for a terminal that keeps its lines; it has no line end at its end."""
    return "\n".join(printable(line.expandtabs()) for line in text.splitlines())


def readable(text: str) -> str:
    """Text for a page: line ends and tabs stay."""
    return _ON_A_PAGE.sub("\N{REPLACEMENT CHARACTER}", text)


def readable_data(value: Any) -> Any:
    """JSON-ready data for a page, with every text in it, keys included, as ``readable`` gives it."""
    if isinstance(value, str):
        return readable(value)
    if isinstance(value, Mapping):
        return {readable_data(key): readable_data(one) for key, one in value.items()}
    return [readable_data(one) for one in value] if isinstance(value, list | tuple) else value
