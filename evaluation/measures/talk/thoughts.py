"""Agreement of thoughts with the actions chosen in the same step."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, get_args

from evaluation.measures.talk.life import Life
from evaluation.measures.talk.names import Names, kinds_in, people_in, places_in
from irollan_env.english import Form, conjugate
from irollan_env.naming import kind

Agreement = Literal["agrees", "argues against", "unclear"]

_INTENDS = re.compile(
    r"\b(?:I'll|I will|I shall|I should|I must|I need to|I have to|I(?:'m| am) going to|I may as well|"
    r"I might as well|I can|I could|I(?:'d| would) like|I want|I still want|let's|let me|time to|moment to|"
    r"best way to|so I|and I go|Now I|and (?:I )?(?:want|would like) to|bringing|I owe|I still owe|deserves|"
    r"eager to|look forward to|to try again|I (?:also )?cannot wait to|more curious about)\b",
    re.IGNORECASE,
)
_DECIDES = re.compile(
    r"\bI (?:now |just |simply |gladly )?(?=(?:say|tell|ask|greet|thank|answer|invite|offer|hand|give|take|put|go|eat|"
    r"drink|read|play|follow|accept|welcome|suggest|sit|cook|return|lay|light)\b)"
)
_TALK = (
    r"say|tell|ask|greet|welcome|thank|speak|talk|introduce|invite|answer|reply|accept|mention|suggest|know|"
    r"hear|hello|offer|word|words|include|bring|along|too|meet|call|explain|chat|turn to|feel welcome|"
    r"feel at ease|take that up|once more"
)
_GO = (
    r"go|out|head|set off|set out|step|come|leave|walk|visit|way|join|find|look for|meet|see|along|yard|ahead|"
    r"there|home|follow|look into|look"
)
_DOES = {
    "chat with": _TALK,
    "go to": _GO,
    "leave": rf"{_GO}|get up|stand",
    "take": r"take|pick|fetch|get|bring|bringing|eat|drink|read|cook|wash|wear|play|share|offer|begin|start|see|look",
    "put": r"put|place|set|lay|give|giving|hand|share|offer|have|cook|hang|bring",
    "bed": r"rest|rests|lie|sleep|nap|bed",
    "chair": r"sit|rest|chair",
    "food": r"eat|eating|taste|finish|food|meal|have it",
    "beverage": r"drink|sip|finish",
    "book": r"read|reading|open|book|see what|begin|start",
    "toy": r"play|toy",
    "clothes": r"wear|dress|put on|clothes",
    "stoveburner": r"cook|light|heat|warm|stove",
    "sinkbasin": r"wash|clean|sink",
    "use": r"use|try|look",
}
_VAGUE = frozenset({"use", "try", "look", "see", "begin", "start", "see what"})
_ANY = re.compile(rf"\b(?:{'|'.join(sorted(set('|'.join(_DOES.values()).split('|')) - _VAGUE))})\b", re.IGNORECASE)


_LATER = re.compile(r"[.;] Then I\b|\b(?:and then|after that|afterwards|right after)\b")


@dataclass(frozen=True, slots=True)
class Thought:
    """A thought, and whether it agrees with the action."""

    row: Any
    agreement: Agreement


def thoughts(life: Life, names: Names) -> list[Thought]:
    """Find the thoughts of steps with an action, and whether they agree with it.

    Args:
        life: The run.
        names: Names that occur in the run.

    Returns:
        The thoughts, in order of time.
    """
    return [
        Thought(row, agreement(row.thought, row, names))
        for row in life.moments.values()
        if row.thought and row.action and row.primitive not in (None, "wait")
    ]


def agreement(thought: str, row: Any, names: Names) -> Agreement:
    """Judge whether a thought agrees with an action, by a clause that states it or by the last stated intention.

    Args:
        thought: Its text.
        row: Row of ``actions`` with the action.
        names: Names that occur in the run.

    Returns:
        The verdict; "unclear" if the thought states no intention that can be compared.
    """
    decided = [one for one in _clauses(_DECIDES, thought) if _fits(one, thought, row, names)]
    if decided:
        return "agrees"
    stated = _clauses(_INTENDS, thought)
    if not stated:
        return "unclear"
    if _fits(stated[-1], thought, row, names):
        return "agrees"
    if _LATER.search(thought) and any(_fits(one, thought, row, names) for one in stated[:-1]):
        return "agrees"
    return "argues against" if _ANY.search(stated[-1]) and not _is_means(stated, row, names) else "unclear"


def _clauses(begin: re.Pattern[str], thought: str) -> list[str]:
    """Split a thought into the clauses that begin with a match of a pattern."""
    found = [match.start() for match in begin.finditer(thought)]
    return [thought[start : next((m for m in found if m > start), None)] for start in found]


def _fits(said: str, thought: str, row: Any, names: Names) -> bool:
    """Check whether a clause mentions the kind of action, and no other object of it."""
    sort = kind(row.target)
    verbs = _DOES.get(sort, _DOES["use"]) if row.primitive == "use" else _DOES.get(row.primitive)
    if verbs is None:
        verb = row.primitive.partition(" ")[0]
        forms: tuple[Form, ...] = get_args(Form)
        verbs = "|".join(conjugate(verb, form) for form in forms)
    spoken = re.search(rf"\b(?:{verbs})\b", said, re.IGNORECASE) is not None
    if row.primitive == "go to":
        places = places_in(said, names, str(row.resident))
        return row.target in places or (spoken and not places) or (spoken and row.target == "outside")
    if row.primitive == "chat with":
        people = people_in(said, names)
        return row.target in people or (spoken and (not people or row.target in people_in(thought, names)))
    if row.primitive in ("take", "put"):
        sorts = kinds_in(said, names.kinds)
        return spoken and (not sorts or sort in sorts)
    return spoken


def _is_means(stated: Sequence[str], row: Any, names: Names) -> bool:
    """Check whether an action is a means to the intention, such as taking the item, going there or inviting."""
    said = stated[-1]
    if row.primitive == "chat with":
        spoken_of = places_in(row.words or "", names, str(row.resident), row.target)
        return not set(spoken_of).isdisjoint(places_in(said, names, str(row.resident)))
    if row.primitive == "take":
        return kind(row.target) in kinds_in(said, names.kinds)
    if row.primitive in ("leave", "go to"):
        elsewhere = [one for one in places_in(said, names, str(row.resident)) if one != row.place]
        return bool(elsewhere) or (row.target not in names.people and bool(people_in(said, names)))
    return False
