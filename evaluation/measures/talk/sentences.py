"""Splitting of lines into sentences and content words, and detection of questions and requests."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache

from irollan_env.naming import mask_marks, unmask

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


def any_of(*patterns: str) -> re.Pattern[str]:
    """Compile a pattern that finds any of several, in upper or lower case."""
    return re.compile("|".join(patterns), re.IGNORECASE)


def sentences(text: str, people: Iterable[str]) -> list[str]:
    """Split a text after each full stop, question mark, exclamation mark, colon and semicolon.

    Args:
        text: The text.
        people: Names of the residents, in which a full stop ends no sentence: "Dr. Li".
    """
    plain = mask_marks(" ".join(text.replace("’", "'").split()), people)
    return [unmask(one) for one in _END.split(plain) if one]


@lru_cache(maxsize=2**14)
def content_words(text: str) -> frozenset[str]:
    """Return the stemmed content words of a text, without stop words, in lower case."""
    return frozenset(_stem(word) for word in _WORD.findall(text.lower().replace("’", "'")) if word not in _FILLERS)


def _stem(word: str) -> str:
    word = word.removesuffix("'s")
    for ending in ("ing", "ed", "es", "s"):
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            return word.removesuffix(ending)
    return word


def share_words(one: str, other: str, least: int = 1) -> bool:
    """Check whether two texts share at least `least` content words, or all content words of either.

    Args:
        one: Any text.
        other: Any text.
        least: Number of words, at least 1.
    """
    ours, theirs = content_words(one), content_words(other)
    return len(ours & theirs) >= min(least, len(ours), len(theirs))


_LEADS = "so|and|but|then|well|now|please|do|oh|yes|hello|hi|perhaps|maybe"
_VERBS = (
    "tell|come|show|give|help|take|bring|join|have a|have some|have one|sit|follow|wait|try|meet me|stay|lend|hand|"
    "let me|pass|remember|feel free|ask|keep me|say|eat|drink|pick"
)
_INDIRECT = re.compile(
    r"\bI(?:'d| would)(?: very much)? (?:like|love) (?:to (?:know|hear)|you to)\b|"
    r"\bI wonder (?:what|who|where|why|how|if|whether)\b|"
    r"\bI (?:want|need) you to\b|\bI hope you(?:'ll| will| can)\b|\bplease\b|\bshall we\b|"
    r"\b(?:you|we) (?:could|might) (?:all )?(?:come|go|sit|join|read|eat|share|meet)\b|"
    r"\byou(?:'d be| would be| are|'re)(?: all| very| always)* welcome to (?:join|come)\b|"
    r"\b(?:would|could|can|will|may|do) you\b|\bmay I (?:come|have|join|take)\b",
    re.IGNORECASE,
)


@lru_cache(maxsize=2**13)
def asking(text: str, people: tuple[str, ...]) -> tuple[str, ...]:
    """Find the sentences of a line that are questions, requests or invitations.

    Args:
        text: The line.
        people: Names of the residents, by which a request may call somebody.
    """
    request = request_pattern(people)
    return tuple(one for one in sentences(text, people) if "?" in one or request.search(one) or _INDIRECT.search(one))


@lru_cache(maxsize=64)
def request_pattern(people: tuple[str, ...]) -> re.Pattern[str]:
    """Return the pattern of a sentence that begins with a request, such as "LL, tell me"."""
    called = "|".join(re.escape(name) for name in sorted(people, key=len, reverse=True))
    lead = rf"(?:^|, |[;:] )(?:(?:{_LEADS}|(?-i:{called})),? )*"
    return re.compile(rf"{lead}(?:{_VERBS})\b(?! you for)", re.IGNORECASE)
