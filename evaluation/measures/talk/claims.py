"""Which sentences say where somebody or something is, what somebody has, or what somebody did."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from evaluation.measures.talk.names import Names, kinds_in, places_in

ClaimKind = Literal["person is", "thing is", "has", "did"]

_SUBJECT = re.compile(r"\b(?:I|you|we|[A-Z]{2,3})\b(?!'s\b(?! (?:in|at|here|outside|gone|come|just|got|brought)))")
_HERE = r"(?:here|over there|right there|just over there|there)"
_IS_AT = re.compile(
    rf"^(?:'s|'m|'re| is| am| are)(?: \w+){{0,3}}? (?:in|at|inside|outside|{_HERE})\b(?! the (?:mood|way))", re.IGNORECASE
)
_GONE = re.compile(r"^(?:'s|'ve| has| have)?(?: \w+)? (?:gone ahead|gone away|gone out|left|gone|went away)\b", re.IGNORECASE)
_COME = re.compile(r"^(?:'s|'ve| has| have)(?: \w+)? come (?:along|too|here|in)\b", re.IGNORECASE)
_NOT = r"(?: not| never|n't)?"
_HAS = re.compile(
    rf"(?:\bhave|\bhas|^'ve|^'s got|\bhold|\bholds|\bbrought|\bown)\b(?P<not> not| no|n't)?(?: got| brought)?(?! (?:\w+ )?\w+(?:en|ed)\b)", re.IGNORECASE
)
_VERBS = {
    "cook": r"cooked",
    "eat": r"ate|eaten",
    "drink": r"drank|drunk|opened",
    "read": r"have read|'ve read|finished",
    "give": r"gave|given|handed",
    "take": r"took|taken|picked up",
    "put": r"put",
    "wash": r"washed",
}
_THING_AT = re.compile(r"\b(?:is|are|'s|lies|lie)\b(?: \w+){0,3}? (?:on|in|at|here|right there|there)\b", re.IGNORECASE)
_FULL_OF = re.compile(r"\b(?:full of|enough on|on the shel)|\b(?:noticed|see|saw|found)\b.*\bon\b", re.IGNORECASE)
_THERE_IS = re.compile(r"\bthere(?:'s| is| are)\b", re.IGNORECASE)
_SAME = re.compile(r"\bit(?:'s| is)\b|\bthere is one\b", re.IGNORECASE)
_COUNT = {"two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "several": 3}


@dataclass(frozen=True, slots=True)
class Claim:
    """What a clause says is so.

    Attributes:
        kind: Where a person is, where a thing is, what somebody has, or what somebody did.
        subject: Who; empty for a thing.
        negated: Whether it says that it is not so.
        place: Where; "here" for the speaker's place, "away" for anywhere else.
        sort: The sort of thing; empty for none.
        verb: What was done.
        at_home: Whether it is about what is at home.
        at_hand: Whether it is about what the speaker has with it.
        count: How many, at least.
        on: The sorts of furniture, any of which will do; empty for any.
        to: To whom.
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


def claims(text: str, before: str, speaker: str, addressee: str, names: Names) -> tuple[Claim, ...]:
    """The claims of one sentence.

    Args:
        text: The sentence; one that asks, wishes or foretells claims nothing.
        before: What the line said before it, for "it".
        speaker: Who says it.
        addressee: To whom, for "you".
        names: Of the run.
    """
    found: list[Claim] = []
    for clause in re.split(r"(?:,|;| but| so| and(?= [A-Z])| because)\s|\s(?=if\s)", text):
        if re.search(r"\?|\b(?:if|will|would|could|shall|let's|may|might|hope|wish|want|what a|how many)\b|'ll\b|'d\b", clause, re.IGNORECASE):
            continue
        found += _of_clause(clause, text, before, speaker, addressee, names)
    return tuple(dict.fromkeys(found))


def _of_clause(clause: str, text: str, before: str, speaker: str, addressee: str, names: Names) -> list[Claim]:
    subject, rest = _subject(clause, text, speaker, addressee, names)
    sorts = kinds_in(clause, names.kinds)
    found: list[Claim] = []
    for place in _thing_at(clause, sorts or (kinds_in(before + text[: text.find(clause)], names.kinds)[-1:] if _SAME.search(clause) else ()), speaker, addressee, names):
        found.append(place)
    if not subject:
        return found
    if where := _whereabouts(subject, rest, speaker, addressee, names):
        found.append(where)
    for verb, pattern in _VERBS.items():
        if sorts and (match := re.search(rf"(?P<not>\b(?:not|never)\b|n't)?(?: \w+)?\s?\b(?:{pattern})\b", rest, re.IGNORECASE)):
            to = next((one for one in names.people if re.search(rf"\b{one}\b", rest[match.end() :])), "")
            return [*found, Claim("did", subject, bool(match["not"]), sort=sorts[0], verb=verb, to=to)]
    match = _HAS.search(rest)
    if match and sorts and not found:
        tail = rest[match.end() :].lower()
        count = next((number for word, number in _COUNT.items() if re.search(rf"\b{word}\b", tail)), 1)
        found.append(
            Claim(
                "has", subject, bool(match["not"]), sort=sorts[0], count=count,
                at_home=bool(re.search(r"\bat home\b|\bin my house\b", tail)),
                at_hand=bool(re.search(r"\bbrought|\bhold", rest)) or bool(re.search(r"\bwith (?:me|you)\b|\bhere\b", tail)),
            )
        )  # fmt: skip
    return found


def _subject(clause: str, text: str, speaker: str, addressee: str, names: Names) -> tuple[str, str]:
    """Whom a clause is about, and the rest of it after the name."""
    elided = re.match(r"\s*(?:and |so |then )*(?:who|was|have|has|brought|came)\b", clause)
    where = text.find(clause)
    matches = [one for one in _SUBJECT.finditer(clause) if _person(one.group(), speaker, addressee, names)]
    if elided:
        earlier = [m for m in _SUBJECT.finditer(text[:where]) if _person(m.group(), speaker, addressee, names)]
        if earlier:
            return _person(earlier[-1].group(), speaker, addressee, names), re.sub(r"^\s*(?:and |so )?who\b", "", clause)
    if not matches:
        return "", ""
    first = matches[0]
    return _person(first.group(), speaker, addressee, names), clause[first.end() :]


def _person(word: str, speaker: str, addressee: str, names: Names) -> str:
    return {"I": speaker, "we": speaker, "you": addressee}.get(word, word if word in names.people else "")


def _whereabouts(subject: str, rest: str, speaker: str, addressee: str, names: Names) -> Claim | None:
    negated = bool(re.search(r"\bnot\b|n't\b", rest))
    if _GONE.search(rest):
        return Claim("person is", subject, negated, place="away")
    if _COME.search(rest):
        return Claim("person is", subject, negated, place="here")
    if (match := _IS_AT.search(rest)) is None:
        return None
    if re.search(rf"\b{_HERE}$", match.group()):
        return Claim("person is", subject, negated, place="here")
    places = places_in(rest, names, speaker, addressee)
    return Claim("person is", subject, negated, place=places[0]) if places else None


def _thing_at(
    clause: str, sorts: tuple[str, ...], speaker: str, addressee: str, names: Names
) -> list[Claim]:
    furniture = kinds_in(clause, names.furniture)
    places = places_in(clause, names, speaker, addressee)
    somewhere = furniture or places or re.search(r"\b(?:here|right there)\b", clause)
    said = _THING_AT.search(clause) or _FULL_OF.search(clause) or _THERE_IS.search(clause)
    if not (sorts and somewhere and said):
        return []
    negated = bool(re.search(r"\b(?:no|not)\b|n't\b", clause))
    return [Claim("thing is", negated=negated, sort=sorts[0], place=places[0] if places else "here", on=furniture)]
