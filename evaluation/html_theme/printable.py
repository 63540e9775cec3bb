"""Sanitising of untrusted text from models, servers, people and files for terminals and pages.

Unsafe characters are replaced by U+FFFD: control characters, which form terminal commands; bidirectional controls
(Unicode's Bidi_Control), which can make a line read as something else; line separators; and lone surrogates, which
UTF-8 cannot encode.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

_ACTS = "\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff"
_IN_A_LINE = re.compile(f"[{_ACTS}\t\n\r]")
_ON_A_PAGE = re.compile(f"[{_ACTS}]")


def printable(text: str) -> str:
    """Sanitise one line of text for a terminal; line ends and tabs are replaced too."""
    return _IN_A_LINE.sub("\N{REPLACEMENT CHARACTER}", text)


def printable_lines(text: str) -> str:
    """Sanitise text of several lines for a terminal; the result has no trailing line end."""
    return "\n".join(printable(line.expandtabs()) for line in text.splitlines())


def readable(text: str) -> str:
    """Sanitise text for a page, keeping line ends and tabs."""
    return _ON_A_PAGE.sub("\N{REPLACEMENT CHARACTER}", text)


def readable_data(value: Any) -> Any:
    """Apply ``readable`` to every string in JSON-ready data, including keys."""
    if isinstance(value, str):
        return readable(value)
    if isinstance(value, Mapping):
        return {readable_data(key): readable_data(one) for key, one in value.items()}
    return [readable_data(one) for one in value] if isinstance(value, list | tuple) else value
