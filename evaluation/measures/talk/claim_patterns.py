"""How English says where somebody or something is, what somebody has, and what somebody did."""

from __future__ import annotations

import re


def _any(*patterns: str) -> re.Pattern[str]:
    return re.compile("|".join(patterns), re.IGNORECASE)


HERE = r"(?:here|over there|right there|just over there|there)"

CLAUSES = re.compile(r"(?:,|;| but| so| and(?= [A-Z])| because)\s|\s(?=if\s)")
"""Where a sentence is cut into clauses."""

HEDGES = _any(
    r"\?",
    r"\b(?:if|will|would|could|shall|let's|may|might|hope|wish|want|what a|how many)\b",
    r"\b(?:never seen|not seen|haven't seen)\b",
    r"'ll\b",
    r"'d\b",
)
"""A clause with one of these claims nothing: it asks, wishes, proposes or foretells."""

SUBJECT = re.compile(r"\b(?:I|[Yy]ou|[Ww]e|[A-Z]{2,3})\b(?!'s\b(?! (?:in|at|here|outside|gone|come|just|got|brought)))")
ELIDED = re.compile(r"\s*(?:and |so |then )*(?:who|was|have|has|brought|came)\b")
"""A clause that goes on about whoever the one before it was about."""

IS_AT = _any(rf"^(?:'s|'m|'re| is| am| are)(?: \w+){{0,3}}? (?:in|at|inside|outside|{HERE})\b")
GONE = _any(
    r"^(?:'s|'re| is| are) (?:not )?(?:out|away)(?=[.,;!]|$)",
    r"^(?:'s|'ve| has| have)?(?: \w+)? (?:gone ahead|gone away|gone out|left|gone|went away)\b",
)
COME = _any(r"^(?:'s|'ve| has| have)(?: \w+)? come (?:along|too|here|in)\b")

HAS = _any(
    r"(?:\bhave|\bhas|^'ve|^'s got|\bhold|\bholds|\bbrought|\bown)\b(?P<not> not| no|n't)?(?: got| brought)?"
    r"(?! (?:\w+ )?\w+(?:en|ed)\b)"
)
AT_HOME = _any(r"\bat home\b", r"\bin my house\b")
AT_HAND = _any(r"\bbrought\b", r"\bhold", r"\bwith (?:me|you)\b", r"\bhere\b")
COUNT = {"two": 2, "both": 2, "three": 3, "four": 4, "five": 5, "six": 6, "several": 3}

DID = {
    verb: re.compile(rf"(?P<not>\b(?:not|never)\b|n't)?(?: \w+)?\s?\b(?:{forms})\b", re.IGNORECASE)
    for verb, forms in {
        "cook": "cooked",
        "eat": "ate|eaten",
        "drink": "drank|drunk|opened",
        "read": "have read|'ve read|finished",
        "give": "gave|given|handed",
        "take": "took|taken|picked up",
        "put": "put",
        "wash": "washed",
    }.items()
}

THING_IS = _any(
    r"\b(?:is|are|'s|lies|lie)\b(?: \w+){0,3}? (?:on|in|at|here|right there|there)\b",
    r"\b(?:full of|enough on|on the shel)",
    r"\b(?:noticed|see|saw|found)\b.*\bon\b",
    r"\bthere(?:'s| is| are)\b",
)
THE_SAME = _any(r"\bit(?:'s| is)\b", r"\bthere is one\b")
"""A clause about the thing that was spoken of before it."""
