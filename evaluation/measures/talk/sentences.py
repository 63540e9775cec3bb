"""Lines cut into sentences and content words."""

from __future__ import annotations

import re
from functools import lru_cache

_END = re.compile(r"(?<=[.!?;:])\s+")
_WORD = re.compile(r"[a-z]+(?:'[a-z]+)?")
_FILLERS = frozenset(
    word
    for line in (
        "a an the i i'm i'd i'll i've me my mine you you're you'd you'll you've your yours we we're we'd we'll",
        "we've us our he she it it's its they they're them their this that that's there there's here is am are was",
        "were be been being do does did don't didn't have has had having will would shall should can could may",
        "might must to of in on at for from with by as and or but so if then than too also very just now not no",
        "yes oh well hello hi dear please thank thanks what who whom whose which where when why how all any some",
        "something anything somebody anybody one ones go goes going gone come comes coming get got let let's like",
        "about up out over together along more much many way good nice glad lovely happy want wants know think ask",
        "tell find found see seen look take sit",
    )
    for word in line.split()
)


def sentences(text: str) -> list[str]:
    """A text cut after each full stop, question mark, exclamation mark, colon and semicolon."""
    return [one for one in _END.split(" ".join(text.replace("’", "'").split())) if one]


@lru_cache(maxsize=2**14)
def content_words(text: str) -> frozenset[str]:
    """The words of a text that say what it is about, in lower case and without their commonest endings."""
    return frozenset(_stem(word) for word in _WORD.findall(text.lower().replace("’", "'")) if word not in _FILLERS)


def _stem(word: str) -> str:
    word = word.removesuffix("'s")
    for ending in ("ing", "ed", "es", "s"):
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            return word.removesuffix(ending)
    return word


def share_words(one: str, other: str, least: int = 1) -> bool:
    """Whether two texts have so many words in common that say what they are about, or all that either has."""
    ours, theirs = content_words(one), content_words(other)
    return len(ours & theirs) >= min(least, len(ours), len(theirs))
