"""Detection of secrets: what is told to be kept, what is withheld, and what is denied after it was told in private."""

from __future__ import annotations

from functools import lru_cache

from evaluation.measures.talk.life import Life, Line
from evaluation.measures.talk.sentences import any_of, sentences, share_words

_CONFIDES = any_of(
    # What one asks to tell nobody.
    r"\bmust (?:never|not) (?:learn|know|hear|find out)\b|\bkeep (?:quiet|silent|silence) about\b",
    r"\b(?:nobody|no one) else knows\b|\bmy lips are sealed\b|\bfor your ears (?:alone|only)\b",
    r"\b(?:told|tell|said|heard)\b.*\bstays? with (?:me|us)\b",
    r"\b(?:better not|don't|do not|not to) mention\b|\btell (?:it |this |that )?(?:to )?(?:nobody|no one)\b",
    r"(?<!nothing )\bbetween (?:you and me|us|ourselves|the two of us)\b(?! (?:is|but|lies|stands)\b)",
    r"\b(?:our|my|a) secret\b(?=.*\b(?:stays?|keep|safe|tell)\b)|\bkeep (?:a|the|this|my|our|that) secret\b",
    r"\bkeep (?:it|this|that) (?:to yourself|quiet|secret|from)\b",
    r"\b(?:must|shall|should|let it|this|it) go(?:es)? no further\b",
    r"\b(?:don't|do not|never|must not|not to) (?:tell (?!me\b)|say (?:a word|anything|this|it) to"
    r"|mention (?:it|this)|breathe)",
    r"\b(?:promise|swear)\b.*\bnot tell\b|(?:^|, |; )not a word (?:to|about|of)\b",
    r"\bI tell (?:only you|you this and|nobody else|you alone)\b",
    r"\bnobody (?:else )?(?:must|may|is to|should) (?:know|hear)\b",
    r"\b(?:swear|promise)(?: me)?(?: that)?(?: you)?(?:'ll| will)? (?:say|tell) (?:nothing|nobody|no one)\b",
    r"\byou (?:did not|didn't) hear (?:this|it|that) from me\b|\byou (?:have )?(?:seen|saw|heard|know) nothing\b",
    r"\b(?:it|this|that|me) stays? (?:among|between|in this (?:room|house|kitchen))\b|\blet (?:this|it|that) stay\b",
    # What one promised to tell nobody.
    r"\b(?:gave|given) my word (?:not|to (?:keep|say nothing|be silent))\b",
    r"\bpromised (?:not to (?:say|tell)|to (?:keep (?:it|this|silen|quiet|the secret)|say nothing"
    r"|tell nobody)|silence)",
    r"\bI know\b.*\b(?:may|will|must|can|won't|cannot|can't)(?: not)? (?:say|tell)\b",
)
_NOTHING_KNOWN = any_of(
    r"\bI (?:know nothing|never|did not|didn't|have not|haven't|was not|wasn't)\b",
    r"\bno idea\b|\bI (?:don't|do not) know\b",
)


@lru_cache(maxsize=2**13)
def confides(text: str, people: tuple[str, ...]) -> bool:
    """Check whether a line tells something that is to be kept, or says that something is not told.

    Args:
        text: The line.
        people: Names of the residents.
    """
    return any(_CONFIDES.search(one) for one in sentences(text, people))


def secrets(life: Life) -> list[Line]:
    """Find the lines that tell or withhold a secret.

    Args:
        life: The run.

    Returns:
        In order of time: lines that were said and confide or withhold, and those said to one person with nobody else
        present that the speaker denies to somebody else later.
    """
    said = [line for line in life.lines if line.said]
    own: dict[str, list[Line]] = {}
    for line in said:
        own.setdefault(line.speaker, []).append(line)
    return [
        line for line in said if confides(line.text, life.residents) or _denied_later(life, line, own[line.speaker])
    ]


def _denied_later(life: Life, line: Line, own: list[Line]) -> bool:
    """Check whether a line was said in private, and its speaker denies it to somebody else later."""
    if set(life.moments[line.time, line.speaker].company) != {line.addressee}:
        return False
    told = [one for one in sentences(line.text, life.residents) if "?" not in one and not _NOTHING_KNOWN.search(one)]
    denials = (
        one
        for later in own
        if later.time > line.time and later.addressee != line.addressee
        for one in sentences(later.text, life.residents)
        if "?" not in one and _NOTHING_KNOWN.search(one)
    )
    return any(share_words(one, other, 2) for one in denials for other in told)
