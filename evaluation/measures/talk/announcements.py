"""Promises and announced plans: which sentences have one, and what would keep it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from evaluation.measures.talk.life import Life, Line
from evaluation.measures.talk.names import Names, kinds_in, people_in, places_in
from evaluation.measures.talk.sentences import sentences

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
    """What somebody said that it would do.

    Attributes:
        line: Where it was said.
        deed: What kind of deed it is.
        places: Where to, for going: any of them keeps it.
        kinds: Which sorts of things it is about; empty is any.
        people: With whom or to whom; the addressee where nobody is named.
    """

    line: Line
    deed: Deed
    places: tuple[str, ...] = ()
    kinds: tuple[str, ...] = ()
    people: tuple[str, ...] = ()


def announcements(life: Life, line: Line, names: Names) -> list[Announcement]:
    """The promises and plans of a line that say enough to tell whether they are kept.

    Args:
        life: The run; an answer such as "I'll come along" means the place that was spoken of just before.
        line: The line.
        names: Of the run.
    """
    found = []
    for sentence in sentences(line.text):
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
    """The places that were spoken of in this line, or last in the speaker's hearing in the two steps before it."""
    near = [one for one in life.lines if line.time - 2 <= one.time < line.time and _heard(life, line.speaker, one)]
    for one in (line, *reversed(near)):
        if places := places_in(one.text, names, one.speaker, one.addressee):
            return places
    return ()


def _heard(life: Life, person: str, line: Line) -> bool:
    return line.speaker == person or (line.said and person in life.moments[line.time, line.speaker].company)
