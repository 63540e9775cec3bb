"""Things, places and deeds in plain English, told to whoever they are about."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache

from itcma_s.wording import lexicon, noun, the

_ARTICLE = re.compile(r"\b[Tt]he (?=(?:[A-Z]{2,3}'s )?[a-z]+ \d+\b)")
_HOME = re.compile(r"\b([A-Z]{2,3})'s Home\b")


def yours(name: str, me: str) -> str:
    """A thing by its name; what bears one's own name is "your clothes 1"."""
    return re.sub(rf"\b{re.escape(me)}'s\b", "your", name)


def plainly(text: str, me: str) -> str:
    """The world's words as people say them: "You take book 1 from bookshelf 1", "You go to the canteen"."""
    text = _ARTICLE.sub("", text).replace("go to outside", "go outside")
    for name, called in _places().items():
        text = text.replace(name, called)
    return yours(_HOME.sub(r"\1's house", text), me)


@cache
def _places() -> dict[str, str]:
    """Public rooms by what people call them."""
    return {name: the(name) for name in lexicon()["noun"] if name[:1].isupper()}


def joined(names: Sequence[str]) -> str:
    """Names in a row: "AY", "AY and MD", "AY, MD and WL"; empty for none."""
    *first, last = names or [""]
    return f"{', '.join(first)} and {last}" if first else last


def numbered(names: Sequence[str], me: str = "") -> str:
    """Things of one kind in short: "food 5", "food 5 and 6", "food 5 to 9", "food 5, 7 and 9"."""
    base = yours(names[0], me).rpartition(" ")[0]
    numbers = [int(name.rpartition(" ")[2]) if name.rpartition(" ")[2].isdigit() else None for name in names]
    if len(names) == 1 or not base or None in numbers:
        return " and ".join(yours(name, me) for name in names)
    found = sorted(number for number in numbers if number is not None)
    if len(found) > 2 and found[-1] - found[0] == len(found) - 1:
        return f"{base} {found[0]} to {found[-1]}"
    return f"{base} {', '.join(map(str, found[:-1]))} and {found[-1]}"


def summary(names: Sequence[str], me: str) -> list[str]:
    """Things by kinds: one or two by name, more in number: "food 5 and 6", "7 books"."""
    kinds: dict[str, list[str]] = {}
    for name in names:
        kinds.setdefault(yours(name, me).rstrip("0123456789").strip(), []).append(name)
    return [
        f"{len(group)} times {noun(group[0])}" if len(group) > 2 else numbered(group, me) for group in kinds.values()
    ]


_SECOND = (
    (r"\bI am\b", "you are"),
    (r"\bI was\b", "you were"),
    (r"\bI\b", "you"),
    (r"\b[Mm]e\b", "you"),
    (r"\b[Mm]y\b", "your"),
)


def second_person(sentence: str) -> str:
    """A sentence about oneself as it is told to one, in lower case: "I hold book 3." as "you hold book 3."."""
    for pattern, pronoun in _SECOND:
        sentence = re.sub(pattern, pronoun, sentence)
    return (
        sentence if sentence[:1] != sentence[:1].upper() or _is_name(sentence) else sentence[:1].lower() + sentence[1:]
    )


def _is_name(sentence: str) -> bool:
    return re.match(r"[A-Z]{2,}\b", sentence) is not None
