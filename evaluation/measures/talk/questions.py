"""Questions put to somebody, and whether they are answered in words or by the deed."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from evaluation.measures.talk.asking import asking
from evaluation.measures.talk.life import Life, Line
from evaluation.measures.talk.likeness import Likeness
from evaluation.measures.talk.sentences import content_words, sentences
from evaluation.measures.turn_taking import WINDOW
from irollan_env.naming import is_person, kind
from itcma_s.memory.mentions import mentioned
from language_models.protocol import Embedder

Fate = Literal["answered", "unanswered", "could not be", "too late"]

ABOUT = 0.45
"""Cosine from which on a reply is about what was asked."""

_CONSENT = re.compile(
    r"\b(?:yes|no|sure|of course|certainly|gladly|not yet|i'd (?:love|like|be)|i would|i do|i don't|i am|i'm|i have|"
    r"i haven't|i will|i'll|thank you|thanks|sorry|welcome|let's|please do)\b",
    re.IGNORECASE,
)
_WHAT = re.compile(r"(?:^|, |; |so |and |but )(?:what|who|whose|which|where|when|why|how)\b", re.IGNORECASE)
_OPEN = re.compile(r"\b(?:what (?:was|is) it|what did you (?:want|mean)|you wanted to (?:say|tell))\b", re.IGNORECASE)
"""Asks what somebody had to say, so that whatever it says answers."""

_ALONG = re.compile(r"\b(?:come|go|join|walk|follow|move|meet|visit|sit|shall we|look|see)\b", re.IGNORECASE)
_HAND = re.compile(r"\b(?:give|hand|bring|lend|pass|have|share|spare|borrow)\b", re.IGNORECASE)
_HELP = re.compile(r"\b(?:take|have|eat|drink|try|read|help yourself|use|play|wear|sit)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Question:
    """A line that asks, and what became of it.

    Attributes:
        line: The line, which was said.
        asks: Its sentences that ask.
        fate: Whether it was answered within the window, could have been, could not be, or came too late in the run.
    """

    line: Line
    asks: tuple[str, ...]
    fate: Fate


def questions(life: Life, embedder: Embedder, window: int = WINDOW) -> list[Question]:
    """Every question that was said, in the order of time.

    Args:
        life: The run.
        embedder: Compares what was asked with what was replied, where no rule decides.
        window: Time steps within which one is answered.

    Returns:
        Its fate each; docs/measures.md says when it is answered and when it could not be.
    """
    asked = [(line, asking(line.text)) for line in life.lines if line.said and asking(line.text)]
    fates = [_by_rule(life, line, asks, window) for line, asks in asked]
    replies = [
        [] if fate != "unanswered" else [told for row in _replies(life, line, window) for told in _told(row.words)]
        for (line, _), fate in zip(asked, fates, strict=True)
    ]
    open_ones = [(asks, told) for (_, asks), told in zip(asked, replies, strict=True) if told]
    alike = Likeness(embedder, [text for asks, told in open_ones for text in (*asks, *told)])
    return [
        Question(line, asks, "answered" if told and alike.closest(asks, told) >= ABOUT else fate)
        for (line, asks), fate, told in zip(asked, fates, replies, strict=True)
    ]


def _replies(life: Life, line: Line, window: int) -> list[Any]:
    """What the one who was asked said afterwards, within the asker's hearing."""
    return [
        row
        for row in _chances(life, line, window)
        if row.outcome == "executed" and row.words and (row.target == line.speaker or line.speaker in row.company)
    ]


def _chances(life: Life, line: Line, window: int) -> list[Any]:
    """The steps in which the one who was asked can answer: those after, and this one if it had heard the line in it."""
    now = life.moments.get((line.time, line.addressee))
    after = life.after(line.time, line.addressee, window)
    return [now, *after] if now is not None and _heard(now, line) else after


def _heard(row: Any, line: Line) -> bool:
    return any(
        one["sender"] == line.speaker and one["text"] == line.text and one.get("time", line.time - 1) == line.time
        for one in row.messages
    )


def _by_rule(life: Life, line: Line, asks: Sequence[str], window: int) -> Fate:
    """What became of a question, as far as words and deeds tell without comparing what they mean."""
    if line.time > life.last - window:
        return "too late"
    chances = _chances(life, line, window)
    if any(_takes_up(line, asks, reply) for reply in _replies(life, line, window)):
        return "answered"
    if any(_does(life, line, asks, row) for row in chances):
        return "answered"
    together = any(line.speaker in row.company for row in chances)
    return "unanswered" if together and any(row.outcome != "filtered" for row in chances) else "could not be"


def _told(words: str) -> list[str]:
    return [one for one in sentences(words) if "?" not in one]


def _takes_up(line: Line, asks: Sequence[str], reply: Any) -> bool:
    """Whether a reply says yes or no, or shares a word with what was asked."""
    told = _told(reply.words)
    closed = [one for one in asks if not _WHAT.search(one)]
    if closed and reply.target == line.speaker and any(_CONSENT.search(one) for one in told[:2]):
        return True
    if _OPEN.search(" ".join(asks)) and reply.target == line.speaker and told:
        return True
    # "What is yours about?" says what it is about only with the sentence before it.
    asked = frozenset[str]().union(*map(content_words, asks)) or content_words(line.text)
    return not asked.isdisjoint(frozenset[str]().union(*map(content_words, told)))


def _does(life: Life, line: Line, asks: Sequence[str], row: Any) -> bool:
    """Whether an action is the deed that was asked for."""
    if row.outcome != "executed" or row.target is None:
        return False
    asked = " ".join(asks)
    match row.primitive:
        case "go to":
            named = mentioned(asked, [row.target])
            return bool(_ALONG.search(asked)) and (bool(named) or _place_after(life, line, row.time) == row.target)
        case "put":
            item = _item(row.action)
            return row.partner == line.speaker and bool(_HAND.search(asked)) and _is_meant(asked, item)
        case "take" | "use":
            return bool(_HELP.search(asked)) and not is_person(row.target) and _is_meant(asked, row.target)
        case _:
            return False


def _place_after(life: Life, line: Line, time: int) -> str | None:
    row = life.moments.get((time + 1, line.speaker))
    return None if row is None or row.place == life.moments[line.time, line.speaker].place else row.place


def _item(action: str) -> str:
    return action.removeprefix("put ").partition(" in/on ")[0]


def _is_meant(asked: str, item: str) -> bool:
    return bool(mentioned(asked, [item])) or kind(item) in asked
