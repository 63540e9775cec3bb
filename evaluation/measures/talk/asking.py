"""Which sentences of a line ask for something: questions, requests and invitations."""

from __future__ import annotations

import re
from functools import lru_cache

from evaluation.measures.talk.sentences import sentences

_LEAD = (
    r"(?:^|, |[;:] )(?:(?:so|and|but|then|well|now|please|do|oh|yes|hello|hi|perhaps|maybe|why not|[A-Z]{2,3}),? )*"
)
_VERBS = (
    "tell|come|show|give|help|take|bring|join|have a|have some|have one|sit|follow|wait|look|try|meet me|stay|lend|"
    "hand|let me|let us|pass|remember|feel free|ask|keep me|say|hear|eat|drink|put"
)
_REQUEST = re.compile(rf"{_LEAD}(?:{_VERBS})\b(?! you for)", re.IGNORECASE)
_INDIRECT = re.compile(
    r"\bI(?:'d| would)(?: very much)? (?:like|love) (?:to (?:know|hear)|you to)\b|\bI wonder (?:what|who|where|why|how|if|whether)\b|"
    r"\bI (?:want|need) you to\b|\bI hope you(?:'ll| will| can)\b|\bplease\b|\b(?:you|we) (?:could|might) (?:all )?(?:come|go|sit|join|read|"
    r"eat|share|meet)\b|\byou(?:'d| would| are|'re)(?: all)?(?: very)? welcome to (?:join|come)\b|\bshall we\b|"
    r"\b(?:would|could|can|will|may|do) you\b|\bmay I (?:come|have|join|take)\b",
    re.IGNORECASE,
)


@lru_cache(maxsize=2**13)
def asking(text: str) -> tuple[str, ...]:
    """The sentences of a line that ask: with a question mark, or a request or an invitation without one."""
    return tuple(one for one in sentences(text) if "?" in one or _REQUEST.search(one) or _INDIRECT.search(one))
