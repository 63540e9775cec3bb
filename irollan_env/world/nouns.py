"""Everyday words for things and public rooms whose names are not plain words."""

from __future__ import annotations

import re
from collections.abc import Mapping
from types import MappingProxyType

NOUNS: Mapping[str, str] = MappingProxyType(
    {
        "foodshelf": "food shelf",
        "countertop": "counter",
        "sinkbasin": "sink",
        "stoveburner": "stove",
        "storagebin": "box",
        "bookshelf": "bookshelf",
        "nightstand": "nightstand",
        "beverage": "drink",
        "beefsteak": "beefsteak",
        "10 dollar": "dollar bill",
        "1 gold coin": "gold coin",
        "Public Canteen": "canteen",
        "Public Reading Room": "reading room",
    }
)
"""Kind of thing, or name, -> noun; whatever is missing is called as it is named."""

_FIXTURE = re.compile(
    r"\b(table|chair|bed|bookshelf|countertop|foodshelf|sinkbasin|storagebin|stoveburner|wardrobe|nightstand) \d+\b"
)
_HOME = re.compile(r"\b([A-Z]{2,3})'s Home\b")
_WHOLE = re.compile("|".join(rf"\b{re.escape(name)}\b" for name in NOUNS if " " in name or name == "beefsteak"))


def without_numbers(text: str) -> str:
    """Replace designations by everyday words: "on the stove", "LL's house".

    Things that can be told apart by their numbers alone, as food and books, keep them.
    """
    text = _FIXTURE.sub(lambda match: f"the {NOUNS.get(match[1], match[1])}", text)
    text = _WHOLE.sub(lambda match: f"the {NOUNS[match[0]]}", text)
    return _HOME.sub(r"\1's house", text)
