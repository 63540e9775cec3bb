"""Parser of claims in sentences: where somebody or something is, what somebody has or did."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from typing import Literal

from evaluation.measures.talk.names import Names, kinds_in, places_in
from evaluation.measures.talk.sentences import any_of
from irollan_env.english import possessive
from irollan_env.naming import whole_name

HERE = r"(?:here|over there|right there|just over there|there)"

CLAUSES = re.compile(r"(?:,|;| but| so| and(?= [A-Z])| because)\s|\s(?=if\s)")
"""Boundaries between clauses."""

HEDGES = any_of(
    r"\?",
    r"\b(?:if|will|would|could|shall|let's|may|might|hope|wish|want|what a|how many)\b",
    r"\b(?:never seen|not seen|haven't seen)\b",
    r"'ll\b",
    r"'d\b",
)
"""Marks of clauses that claim nothing: questions, wishes, proposals and predictions."""

ELIDED = re.compile(r"\s*(?:and |so |then )*(?:who|was|have|has|brought|came)\b")
"""Clauses without a subject, which share that of the previous clause."""

_SETTLED = "sitting|waiting|standing|resting|eating|reading|sleeping"
IS_AT = any_of(
    rf"^(?:'s|'m|'re| is| am| are)(?: (?!(?!{_SETTLED})\w+ing\b|ready\b|due\b|off\b)\w+){{0,3}}?"
    rf" (?:in|at|inside|outside|{HERE})\b"
)
GONE = any_of(
    r"^(?:'s|'re| is| are) (?:not )?(?:out|away)(?=[.,;!]|$)",
    r"^(?:'s|'ve| has| have)?(?: \w+)? (?:gone ahead|gone away|gone out|gone|went away)\b",
    r"^(?:'s|'ve| has| have)?(?: \w+)? left(?=[.,;!]|$| (?:already|just|alone|with|for|together|now)\b)",
)
COME = any_of(r"^(?:'s|'ve| has| have)(?: \w+)? come (?:along|too|here|in)\b")

WAS_AT = any_of(
    rf"^(?: (?:was|were)(?: never| not)?| never (?:was|were)|(?:'ve| have| has)(?:n't| never| not)? been"
    rf"| (?:was|were)n't)"
    rf"(?: \w+){{0,2}}? (?:in|at|inside|outside|to|{HERE})\b"
)
"""Clauses that say where somebody has been."""
THROUGHOUT = any_of(
    r"\ball (?:the |this )?(?:day|morning|time|along)\b", r"\bthe whole (?:day|morning|time)\b", r"\buntil now\b"
)
LONG_AGO = any_of(
    r"\bbefore \w+", r"\b(?:yesterday|once|that (?:day|week|night)|years?|months?|last|spring|autumn|winter|summer)\b"
)
"""Marks of clauses about a time before the run."""

HAS = any_of(
    r"(?:\bhave|\bhas|^'ve|^'s got|\bhold|\bholds|\bbrought|\bown)\b(?P<not> not| no|n't)?(?: got| brought)?"
    r"(?! (?:\w+ )?\w+(?:en|ed)\b)"
)
NO_MORE = any_of(r"\bno (?:longer|more)\b", r"\bany ?(?:more|longer)\b")
EMPTY = any_of(r"\bmy hands are(?: as)? empty\b", r"\bI (?:have|hold|carry|brought) nothing (?:with me|in my hands)\b")
LEFT_BEHIND = any_of(r"^ (?:have )?left\b.*\b(?:at home|behind|in my house)\b")
AT_HOME = any_of(r"\bat home\b", r"\bin my house\b")
AT_HAND = any_of(r"\bbrought\b", r"\bhold", r"\bwith (?:me|you)\b", r"\bhere\b")
COUNT = {"two": 2, "both": 2, "three": 3, "four": 4, "five": 5, "six": 6, "several": 3}

DID = {
    verb: re.compile(
        rf"(?P<did_not>\bdid(?: not|n't) {verb}\b)|"
        rf"(?P<not>\b(?:not|never)\b|n't)?(?: (?!not\b|never\b)\w+)?\s?\b(?:{forms})\b(?P<no> no\b)?",
        re.IGNORECASE,
    )
    for verb, forms in {
        "cook": "cooked",
        "eat": "ate|eaten",
        "drink": "drank|drunk|opened",
        "read": r"have read|'ve read|finished|read(?= (?:book \d|it\b|the book))",
        "give": "gave|given|handed",
        "take": "took|taken|picked up",
        "put": "put",
        "wash": "washed",
    }.items()
}

THING_IS = any_of(
    r"\b(?:is|are|'s|lies|lie)\b(?: \w+){0,3}? (?:on|in|at|here|right there|there)\b",
    r"\b(?:full of|enough on|on the shel)",
    r"\b(?:noticed|see|saw|found)\b.*\bon\b",
    r"\bthere(?:'s| is| are)\b",
)
THE_SAME = any_of(
    r"\bit(?:'s| is)\b", r"\bthere is one\b", r"\b(?:gave|handed|took|read|ate|drank|put|left|cooked) it\b"
)
"""Clauses about the thing mentioned before."""


ClaimKind = Literal["person is", "person was", "thing is", "has", "did"]


@dataclass(frozen=True, slots=True)
class Claim:
    """A claim made by a clause.

    Attributes:
        kind: Where a person is or was, where a thing is, what somebody has, or what somebody did.
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
        item: Name of the item with its number: "book 7"; empty for any of its kind.
        throughout: Whether somebody was in the place all the time.
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
    item: str = ""
    throughout: bool = False


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
    long_ago = LONG_AGO.search(text) is not None
    for clause in CLAUSES.split(text):
        if HEDGES.search(clause):
            continue
        earlier = text[: text.find(clause)]
        sorts = kinds_in(clause, names.kinds)
        if not sorts and THE_SAME.search(clause):
            sorts = kinds_in(before + earlier, names.kinds)[-1:]
        found += _thing_is(clause, sorts, speaker, addressee, names)
        subject, rest = _subject(clause, earlier, speaker, addressee, names)
        if EMPTY.search(clause):
            found.append(Claim("has", speaker, negated=True, at_hand=True))
        elif subject:
            of_person = (
                _whereabouts(subject, rest, speaker, addressee, names),
                None if long_ago else _deed(subject, rest, sorts, names, (speaker, addressee)),
            )
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
    negated = bool(re.search(r"\b(?:not|never)\b|n't\b", rest))
    if GONE.search(rest):
        return Claim("person is", subject, negated, place="away")
    if COME.search(rest):
        return Claim("person is", subject, negated, place="here")
    past = WAS_AT.search(rest)
    match = past or IS_AT.search(rest)
    if match is None or (past and LONG_AGO.search(rest)):
        return None
    sort: ClaimKind = "person was" if past else "person is"
    places = places_in(rest, names, speaker, addressee)
    at_home = re.search(r"\bat home\b", rest)
    here = re.search(rf"\b{HERE}$", match.group()) or (past and re.match(rf" {HERE}\b", rest[match.end() :]))
    where = "home" if at_home else "here" if here else places[0] if places else ""
    throughout = past is not None and THROUGHOUT.search(rest) is not None
    return Claim(sort, subject, negated, place=where, throughout=throughout) if where else None


def _deed(subject: str, rest: str, sorts: tuple[str, ...], names: Names, speakers: tuple[str, str]) -> Claim | None:
    for verb, pattern in DID.items():
        match = pattern.search(rest)
        if match is None or _subjects(names.people).search(rest[: match.end()]):
            continue
        after = rest[match.end() :]
        to = next((one for one in names.people if re.search(whole_name(one), after)), "") if verb == "give" else ""
        if not (sorts or to or verb == "eat"):
            continue
        places = places_in(after, names, *speakers) if verb in _DONE_SOMEWHERE else ()
        negated = any(match[one] for one in ("did_not", "not", "no"))
        sort, place = (sorts or ("",))[0], (places or ("",))[0]
        return Claim("did", subject, negated, sort=sort, item=_numbered(sort, rest), verb=verb, to=to, place=place)
    return None


_DONE_SOMEWHERE = ("cook", "eat", "drink", "read", "take")
"""Verbs of claims whose place counts."""


def _numbered(sort: str, text: str) -> str:
    """Return the thing of a kind that a text names with its number, such as "book 7"."""
    found = re.search(rf"\b{re.escape(sort)} \d+\b", text) if sort else None
    return found.group() if found is not None else ""


def _has(subject: str, rest: str, sorts: tuple[str, ...], names: Names) -> Claim | None:
    if sorts and LEFT_BEHIND.search(rest):
        return Claim("has", subject, negated=True, sort=sorts[0], item=_numbered(sorts[0], rest), at_hand=True)
    match = HAS.search(rest)
    if match is None or not sorts:
        return None
    tail = rest[match.start() :].lower()
    return Claim(
        "has",
        subject,
        bool(match["not"]) or NO_MORE.search(tail) is not None,
        sort=sorts[0],
        item=_numbered(sorts[0], tail),
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
