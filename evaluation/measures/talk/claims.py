"""Parser of claims in sentences: where somebody or something is, what somebody has or did."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from typing import Literal

from evaluation.measures.talk.names import Names, kinds_in, places_in
from irollan_env.english import possessive
from irollan_env.naming import whole_name


def _any(*patterns: str) -> re.Pattern[str]:
    return re.compile("|".join(patterns), re.IGNORECASE)


HERE = r"(?:here|over there|right there|just over there|there)"

CLAUSES = re.compile(r"(?:,|;| but| so| and(?= [A-Z])| because)\s|\s(?=if\s)")
"""Boundaries between clauses."""

HEDGES = _any(
    r"\?",
    r"\b(?:if|will|would|could|shall|let's|may|might|hope|wish|want|what a|how many)\b",
    r"\b(?:never seen|not seen|haven't seen)\b",
    r"'ll\b",
    r"'d\b",
)
"""Marks of clauses that claim nothing: questions, wishes, proposals and predictions."""

ELIDED = re.compile(r"\s*(?:and |so |then )*(?:who|was|have|has|brought|came)\b")
"""Clauses without a subject, which share that of the previous clause."""

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
"""Clauses about the thing mentioned before."""


ClaimKind = Literal["person is", "thing is", "has", "did"]


@dataclass(frozen=True, slots=True)
class Claim:
    """A claim made by a clause.

    Attributes:
        kind: Where a person is, where a thing is, what somebody has, or what somebody did.
        subject: The person; empty for a thing.
        negated: Whether it is negated.
        place: Claimed place; "here" for the speaker's place, "away" for anywhere else, "home" for the subject's own.
        sort: Kind of item; empty for none.
        verb: Verb of a claimed action.
        at_home: Whether it is about what is at home.
        at_hand: Whether it is about what the speaker carries.
        count: Least number of items.
        on: Kinds of furniture, one of which must match; empty for any.
        to: Recipient of the action.
        of: Owner in the item's name; empty for any.
    """

    kind: ClaimKind
    subject: str = ""
    negated: bool = False
    place: str = ""
    sort: str = ""
    verb: str = ""
    at_home: bool = False
    at_hand: bool = False
    count: int = 1
    on: tuple[str, ...] = ()
    to: str = ""
    of: str = ""


def claims(text: str, before: str, speaker: str, addressee: str, names: Names) -> tuple[Claim, ...]:
    """Find the claims of a sentence.

    Args:
        text: The sentence; questions, wishes and predictions claim nothing.
        before: What the line said before it, to resolve "it".
        speaker: The speaker, to resolve "I".
        addressee: The addressee, to resolve "you".
        names: Names that occur in the run.

    Returns:
        The claims, each once, in their order.
    """
    found: list[Claim] = []
    for clause in CLAUSES.split(text):
        if HEDGES.search(clause):
            continue
        earlier = text[: text.find(clause)]
        sorts = kinds_in(clause, names.kinds)
        if not sorts and THE_SAME.search(clause):
            sorts = kinds_in(before + earlier, names.kinds)[-1:]
        found += _thing_is(clause, sorts, speaker, addressee, names)
        subject, rest = _subject(clause, earlier, speaker, addressee, names)
        if subject:
            of_person = _whereabouts(subject, rest, speaker, addressee, names), _deed(subject, rest, sorts, names)
            said = [one for one in of_person if one is not None]
            found += said or [one for one in (_has(subject, rest, sorts, names),) if one is not None]
    return tuple(dict.fromkeys(found))


def _subject(clause: str, earlier: str, speaker: str, addressee: str, names: Names) -> tuple[str, str]:
    """Split a clause into its subject and the rest; two empty texts if it has no subject."""
    called = {"I": speaker, "we": speaker, "We": speaker, "you": addressee, "You": addressee} | {
        one: one for one in names.people
    }
    subjects = _subjects(names.people)
    before = [called[one.group()] for one in subjects.finditer(earlier)]
    if ELIDED.match(clause) and before:
        return before[-1], re.sub(r"^\s*(?:and |so )?who\b", "", clause)
    first = subjects.search(clause)
    return ("", "") if first is None else (called[first.group()], clause[first.end() :])


@cache
def _subjects(people: tuple[str, ...]) -> re.Pattern[str]:
    """Compile the pattern of subjects: pronouns and people, but not in the possessive."""
    who = "|".join(map(whole_name, sorted(people, key=len, reverse=True)))
    is_or_has = "in|at|here|outside|gone|come|just|got|brought"
    return re.compile(rf"(?:\b(?:I|[Yy]ou|[Ww]e)\b|{who})(?!['’]s\b(?! (?:{is_or_has})))")


def _whereabouts(subject: str, rest: str, speaker: str, addressee: str, names: Names) -> Claim | None:
    negated = bool(re.search(r"\bnot\b|n't\b", rest))
    if GONE.search(rest):
        return Claim("person is", subject, negated, place="away")
    if COME.search(rest):
        return Claim("person is", subject, negated, place="here")
    if (match := IS_AT.search(rest)) is None:
        return None
    if re.search(r"\bat home\b", rest):
        return Claim("person is", subject, negated, place="home")
    if re.search(rf"\b{HERE}$", match.group()):
        return Claim("person is", subject, negated, place="here")
    places = places_in(rest, names, speaker, addressee)
    return Claim("person is", subject, negated, place=places[0]) if places else None


def _deed(subject: str, rest: str, sorts: tuple[str, ...], names: Names) -> Claim | None:
    for verb, pattern in DID.items():
        if sorts and (match := pattern.search(rest)):
            to = next((one for one in names.people if re.search(whole_name(one), rest[match.end() :])), "")
            return Claim("did", subject, bool(match["not"]), sort=sorts[0], verb=verb, to=to)
    return None


def _has(subject: str, rest: str, sorts: tuple[str, ...], names: Names) -> Claim | None:
    match = HAS.search(rest)
    if match is None or not sorts:
        return None
    tail = rest[match.start() :].lower()
    return Claim(
        "has",
        subject,
        bool(match["not"]),
        sort=sorts[0],
        count=next((number for word, number in COUNT.items() if re.search(rf"\b{word}\b", tail)), 1),
        of=next((one for one in names.people if possessive(tail, one.lower(), "") != tail), ""),
        at_home=AT_HOME.search(tail) is not None,
        at_hand=AT_HAND.search(tail) is not None,
    )


def _thing_is(clause: str, sorts: tuple[str, ...], speaker: str, addressee: str, names: Names) -> list[Claim]:
    furniture = kinds_in(clause, names.furniture)
    places = places_in(clause, names, speaker, addressee)
    somewhere = furniture or places or re.search(r"\b(?:here|right there)\b", clause)
    if not (sorts and somewhere and THING_IS.search(clause)):
        return []
    negated = bool(re.search(r"\b(?:no|not)\b|n't\b", clause))
    return [Claim("thing is", negated=negated, sort=sorts[0], place=places[0] if places else "here", on=furniture)]
