"""Which sentences of a line ask for something: questions, requests and invitations."""

from __future__ import annotations

import re
from functools import lru_cache

from evaluation.measures.talk.sentences import sentences

_LEAD = r"(?:^|, |[;:] )(?:(?:so|and|but|then|well|now|please|do|oh|yes|hello|hi|perhaps|maybe|(?-i:[A-Z]{2,3})),? )*"
_VERBS = (
    "tell|come|show|give|help|take|bring|join|have a|have some|have one|sit|follow|wait|try|meet me|stay|lend|hand|"
    "let me|pass|remember|feel free|ask|keep me|say|eat|drink|pick"
)
_REQUEST = re.compile(rf"{_LEAD}(?:{_VERBS})\b(?! you for)", re.IGNORECASE)
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
def asking(text: str) -> tuple[str, ...]:
    """The sentences of a line that ask: with a question mark, or a request or an invitation without one."""
    return tuple(one for one in sentences(text) if "?" in one or _REQUEST.search(one) or _INDIRECT.search(one))
