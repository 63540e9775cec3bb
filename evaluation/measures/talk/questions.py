"""Detection of questions, of whether they are answered in words or by an action, and of repeated ones."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from evaluation.measures.talk.life import Life, Line
from evaluation.measures.talk.names import Names, places_in
from evaluation.measures.talk.sentences import asking, content_words, sentences, share_words
from evaluation.measures.text_similarity import TextSimilarity
from evaluation.measures.turns import WINDOW
from irollan_env.naming import kind
from itcma_s.memory.mentions import mentioned
from language_models.protocol import Embedder

Fate = Literal["answered", "unanswered", "unanswerable", "too late"]

ABOUT = 0.45
"""Cosine from which a reply counts as an answer."""

_CONSENT = re.compile(
    r"\b(?:yes|no|sure|of course|certainly|gladly|not yet|i'd (?:love|like|be)|i would|i do|i don't|i am|i'm|i have|"
    r"i haven't|i will|i'll|thank you|thanks|sorry|welcome|let's|please do)\b",
    re.IGNORECASE,
)
_WHAT = re.compile(r"(?:^|, |; |so |and |but )(?:what|who|whose|which|where|when|why|how)\b", re.IGNORECASE)
_OPEN = re.compile(r"\b(?:what (?:was|is) it|what did you (?:want|mean)|you wanted to (?:say|tell))\b", re.IGNORECASE)
"""Questions about what somebody wanted to say, to which any words are an answer."""

_ALONG = re.compile(r"\b(?:come|go|join|walk|follow|move|meet|visit|sit|shall we|look|see)\b", re.IGNORECASE)
_HAND = re.compile(r"\b(?:give|hand|bring|lend|pass|have|share|spare|borrow)\b", re.IGNORECASE)
_HELP = re.compile(r"\b(?:take|have|eat|drink|try|read|help yourself|use|play|wear|sit)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Question:
    """A line with a question, and whether it was answered.

    Attributes:
        line: The line, which was said.
        asks: Its questions and requests.
        fate: Whether it was answered within the window, unanswered, unanswerable, or too late in the run.
    """

    line: Line
    asks: tuple[str, ...]
    fate: Fate


def questions(life: Life, embedder: Embedder, window: int = WINDOW) -> list[Question]:
    """Find the questions that were said, in order of time, and whether each was answered.

    Args:
        life: The run.
        embedder: Compares questions with replies if no rule decides.
        window: Time steps within which a reply counts.

    Returns:
        One per line that asks; docs/measures.md defines each fate.
    """
    asked = [(line, asks) for line in life.lines if line.said and (asks := asking(line.text, life.residents))]
    fates = [_by_rule(life, line, asks, window) for line, asks in asked]
    replies = [
        []
        if fate != "unanswered"
        else [said for row in replies_to(life, line, window) for said in _asserted(life, row)]
        for (line, _), fate in zip(asked, fates, strict=True)
    ]
    undecided = [(asks, said) for (_, asks), said in zip(asked, replies, strict=True) if said]
    alike = TextSimilarity(embedder, [text for asks, said in undecided for text in (*asks, *said)])
    return [
        Question(line, asks, "answered" if said and alike.closest(asks, said) >= ABOUT else fate)
        for (line, asks), fate, said in zip(asked, fates, replies, strict=True)
    ]


def replies_to(life: Life, line: Line, window: int) -> list[Any]:
    """Find actions in which the addressee said something within the asker's hearing."""
    return [
        row
        for row in chances_after(life, line, window)
        if row.outcome == "executed" and row.words and (row.target == line.speaker or line.speaker in row.company)
    ]


def chances_after(life: Life, line: Line, window: int) -> list[Any]:
    """Find steps in which the addressee can answer: the next ones, and the same one if it had heard the line then."""
    now = life.moments.get((line.time, line.addressee))
    after = life.after(line.time, line.addressee, window)
    return [now, *after] if now is not None and _heard(now, line) else after


def _heard(row: Any, line: Line) -> bool:
    return any(
        one["sender"] == line.speaker and one["text"] == line.text and one.get("time", line.time - 1) == line.time
        for one in row.messages
    )


def _by_rule(life: Life, line: Line, asks: Sequence[str], window: int) -> Fate:
    """Decide by rules whether a question was answered, without comparing embeddings."""
    if line.time > life.last - window:
        return "too late"
    chances = chances_after(life, line, window)
    if any(_takes_up(life, line, asks, reply) for reply in replies_to(life, line, window)):
        return "answered"
    if any(_does(life, line, asks, row) for row in chances):
        return "answered"
    together = any(line.speaker in row.company for row in chances)
    return "unanswered" if together and any(row.outcome != "filtered" for row in chances) else "unanswerable"


def _asserted(life: Life, reply: Any) -> list[str]:
    return [one for one in sentences(reply.words, life.residents) if "?" not in one]


def _takes_up(life: Life, line: Line, asks: Sequence[str], reply: Any) -> bool:
    """Check whether a reply says yes or no, or shares a content word with the question."""
    said = _asserted(life, reply)
    closed = [one for one in asks if not _WHAT.search(one)]
    if closed and reply.target == line.speaker and any(_CONSENT.search(one) for one in said[:2]):
        return True
    if _OPEN.search(" ".join(asks)) and reply.target == line.speaker and said:
        return True
    # "What is yours about?" has no content words of its own, so that those of the whole line count.
    asked = frozenset[str]().union(*map(content_words, asks)) or content_words(line.text)
    return not asked.isdisjoint(frozenset[str]().union(*map(content_words, said)))


def _does(life: Life, line: Line, asks: Sequence[str], row: Any) -> bool:
    """Check whether an action does what was asked for."""
    if row.outcome != "executed" or row.target is None:
        return False
    asked = " ".join(asks)
    match row.primitive:
        case "go to":
            named = mentioned(asked, [row.target])
            return bool(_ALONG.search(asked)) and (bool(named) or _place_after(life, line, row.time) == row.target)
        case "put":
            item = item_put(row.action)
            return row.partner == line.speaker and bool(_HAND.search(asked)) and _is_meant(asked, item)
        case "take" | "use":
            return bool(_HELP.search(asked)) and _is_meant(asked, row.target)
        case _:
            return False


def _place_after(life: Life, line: Line, time: int) -> str | None:
    row = life.moments.get((time + 1, line.speaker))
    return None if row is None or row.place == life.moments[line.time, line.speaker].place else row.place


def item_put(action: str) -> str:
    """Return the thing that an action puts somewhere."""
    return action.removeprefix("put ").partition(" in/on ")[0]


def _is_meant(asked: str, item: str) -> bool:
    return bool(mentioned(asked, [item])) or kind(item) in asked


SAME = 0.78
"""Cosine from which two questions that name no place count as the same."""
SAME_PLACE = 0.6
"""Cosine from which two questions that name the same places count as the same."""


def repeated(asked: Sequence[Question], names: Names, embedder: Embedder) -> list[bool]:
    """Find the questions that their asker had already put to the same person.

    Args:
        asked: Questions of one run, in order of time.
        names: Names that occur in the run.
        embedder: Compares the questions.

    Returns:
        One flag per question.
    """
    before: dict[tuple[str, str], list[Question]] = defaultdict(list)
    earlier = []
    for one in asked:
        own = before[one.line.speaker, one.line.addressee]
        earlier.append([other for other in own if _comparable(one.asks, other.asks, names)])
        own.append(one)
    pairs = zip(asked, earlier, strict=True)
    alike = TextSimilarity(embedder, [text for one, own in pairs for other in own for text in (*one.asks, *other.asks)])
    return [
        any(same_question(one.asks, other.asks, names, alike) for other in own)
        for one, own in zip(asked, earlier, strict=True)
    ]


def _comparable(ones: Sequence[str], others: Sequence[str], names: Names) -> bool:
    """Check whether two questions name the same places and share a content word in some pair of sentences."""
    return any(
        _places(one, names) == _places(other, names) and share_words(one, other) for one in ones for other in others
    )


def same_question(ones: Sequence[str], others: Sequence[str], names: Names, alike: TextSimilarity) -> bool:
    """Check whether two questions are similar and name the same places in some pair of sentences.

    Args:
        ones: Sentences of one question.
        others: Sentences of the other.
        names: Names that occur in the run.
        alike: Compares the sentences.
    """
    return any(
        _places(one, names) == _places(other, names)
        and alike.between(one, other) >= (SAME_PLACE if _places(one, names) else SAME)
        for one in ones
        for other in others
    )


def _places(text: str, names: Names) -> frozenset[str]:
    return frozenset(places_in(text, names, ""))
