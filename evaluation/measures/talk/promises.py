"""Detection of promises and announced plans, and of whether they are kept."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, Literal

from evaluation.measures.talk.life import Life, Line
from evaluation.measures.talk.names import Names, kinds_in, people_in, places_in
from evaluation.measures.talk.sentences import sentences
from irollan_env.naming import kind

Deed = Literal["go", "hand", "use", "talk"]

_OWN = (
    r"(?:I'll|I will|I shall|we'll|we will|I'm going|I am going|we(?:'re| are)(?: all)? going|let's|let us|"
    r"(?:I'm|I am|I was|was) about to|I'd (?:be glad to|gladly)|I would (?:be glad to|gladly)|I(?:'m| am) on my way|"
    r"we can(?: all)? go|I can bring|I promise to|I intend to|I(?:'m| am) off)"
)
_NEGATED = re.compile(rf"{_OWN} (?:not|never)\b|\bwon't\b", re.IGNORECASE)
_DEEDS: dict[Deed, str] = {
    "hand": r"bring|give|hand|lend|share|fetch|pass",
    "use": r"eat|cook|read|drink|play|wash|wear",
    "go": r"go|come|head|walk|set off|look in|look at|join|visit|see|meet|be there|be right there|follow",
    "talk": r"talk|speak|ask|tell|introduce|meet|go to|come to|visit|see",
}
_UNDER_WAY = r"(?:I'm|I am|we're|we are)(?: all)? (?:going|off|on my way|on our way)\b"
_PLAN = {
    deed: re.compile(rf"\b{_OWN}\b(?: \w+){{0,5}}? (?:{verbs})\b", re.IGNORECASE) for deed, verbs in _DEEDS.items()
}
_PLAN["go"] = re.compile(f"{_PLAN['go'].pattern}|{_UNDER_WAY}", re.IGNORECASE)
_ALONG = re.compile(r"\b(?:along|with you|over|there|come|join|together|follow|so do I|too)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Announcement:
    """An action that a resident announced.

    Attributes:
        line: The line that announces it.
        deed: Kind of action.
        places: Destinations, for going; any of them keeps the promise.
        kinds: Kinds of items; empty for any.
        people: Partners or recipients; the addressee if nobody is named.
    """

    line: Line
    deed: Deed
    places: tuple[str, ...] = ()
    kinds: tuple[str, ...] = ()
    people: tuple[str, ...] = ()


def announcements(life: Life, line: Line, names: Names) -> list[Announcement]:
    """Find the promises and plans of a line that are specific enough to be checked.

    Args:
        life: The run; "I'll come along" means the place that was mentioned just before.
        line: The line.
        names: Names that occur in the run.

    Returns:
        At most one per sentence, in their order.
    """
    found = []
    for sentence in sentences(line.text, names.people):
        if "?" in sentence or _NEGATED.search(sentence):
            continue
        for deed, pattern in _PLAN.items():
            if (match := pattern.search(sentence)) is None:
                continue
            plan = _read(life, line, deed, sentence[match.start() :], sentence, names)
            if plan is not None:
                found.append(plan)
                break
    return list(dict.fromkeys(found))


def _read(life: Life, line: Line, deed: Deed, said: str, sentence: str, names: Names) -> Announcement | None:
    people = tuple(one for one in people_in(said, names) if one != line.speaker) or (line.addressee,)
    if deed == "go":
        here = life.moments[line.time, line.speaker].place
        places = places_in(said, names, line.speaker, line.addressee) or places_in(
            sentence, names, line.speaker, line.addressee
        )
        if not places and _ALONG.search(said):
            places = _spoken_of(life, line, names)
        places = tuple(place for place in places if place != here)
        return Announcement(line, deed, places=places) if places else None
    kinds = kinds_in(said, names.kinds)
    if deed in ("hand", "use"):
        return Announcement(line, deed, kinds=kinds, people=people) if kinds else None
    named = tuple(one for one in people if one != line.addressee)
    return Announcement(line, deed, people=named) if named else None


def _spoken_of(life: Life, line: Line, names: Names) -> tuple[str, ...]:
    """Return the places mentioned in a line, or else the last ones that the speaker heard in the two steps before."""
    near = [one for one in life.lines if line.time - 2 <= one.time < line.time and _heard(life, line.speaker, one)]
    for one in (line, *reversed(near)):
        if places := places_in(one.text, names, one.speaker, one.addressee):
            return places
    return ()


def _heard(life: Life, person: str, line: Line) -> bool:
    return line.speaker == person or (line.said and person in life.moments[line.time, line.speaker].company)


Keeping = Literal["kept", "broken", "filtered", "too late"]

KEEP_WITHIN = 5
"""Time steps within which a promise must be kept."""


@dataclass(frozen=True, slots=True)
class Promise:
    """An announcement and whether it was kept."""

    what: Announcement
    keeping: Keeping


def promises(life: Life, names: Names, within: int = KEEP_WITHIN) -> list[Promise]:
    """Find the promises and announced plans that were said, in order of time.

    Args:
        life: The run.
        names: Names that occur in the run.
        within: Time steps within which it must be kept.

    Returns:
        "filtered" if every attempt was filtered; "too late" if the run ended before the promise was due.
    """
    made = [one for line in life.lines if line.said for one in announcements(life, line, names)]
    return [Promise(one, _keeping(life, one, within)) for one in made]


def _keeping(life: Life, plan: Announcement, within: int) -> Keeping:
    rows = life.after(plan.line.time, plan.line.speaker, within)
    tries = [row for row in rows if _is_it(plan, row)]
    if any(row.outcome == "executed" for row in tries):
        return "kept"
    if plan.line.time + within > life.last:
        return "too late"
    on_the_way = [row for row in rows if plan.deed == "go" and _leaves_for(plan, row)]
    attempts = [*tries, *on_the_way]
    return "filtered" if attempts and all(row.outcome == "filtered" for row in attempts) else "broken"


def _is_it(plan: Announcement, row: Any) -> bool:
    """Check whether an action keeps an announcement."""
    if row.target is None:
        return False
    match plan.deed:
        case "go":
            leaves = row.primitive == "leave" and "outside" in plan.places and row.target == row.place
            return leaves or (row.primitive == "go to" and row.target in plan.places)
        case "hand":
            item = row.action.removeprefix("put ").partition(" in/on ")
            return row.primitive == "put" and kind(item[0]) in plan.kinds and item[2] in plan.people
        case "use":
            return row.primitive == "use" and kind(row.target) in plan.kinds
        case "talk":
            return row.primitive == "chat with" and row.target in plan.people


def _leaves_for(plan: Announcement, row: Any) -> bool:
    """Check whether an action leaves a place on the way to an announced place that is not adjacent."""
    out = row.primitive == "leave" and row.target == row.place
    return row.place != "outside" and row.place not in plan.places and (out or row.action == "go to outside")
