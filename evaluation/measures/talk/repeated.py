"""The same question put twice to the same person."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from evaluation.measures.talk.likeness import Likeness
from evaluation.measures.talk.names import Names, places_in
from evaluation.measures.talk.questions import Question
from evaluation.measures.talk.sentences import share_words
from language_models.protocol import Embedder

SAME = 0.78
"""Cosine from which on two questions are the same where they name no place."""
SAME_PLACE = 0.6
"""The same where they name the same places."""


def repeated(asked: Sequence[Question], names: Names, embedder: Embedder) -> list[bool]:
    """For each question, whether its asker had put it to the same person before.

    Args:
        asked: Of one run, in the order of time.
        names: Of the run.
        embedder: Compares their sentences that ask.
    """
    before: dict[tuple[str, str], list[Question]] = defaultdict(list)
    earlier = []
    for one in asked:
        own = before[one.line.speaker, one.line.addressee]
        earlier.append([other for other in own if comparable(one.asks, other.asks, names)])
        own.append(one)
    pairs = zip(asked, earlier, strict=True)
    alike = Likeness(embedder, [text for one, own in pairs for other in own for text in (*one.asks, *other.asks)])
    return [
        any(same_question(one.asks, other.asks, names, alike) for other in own)
        for one, own in zip(asked, earlier, strict=True)
    ]


def comparable(ones: Sequence[str], others: Sequence[str], names: Names) -> bool:
    """Whether any sentence of the first may ask the same as one of the second: the same places, and a shared word."""
    return any(
        _places(one, names) == _places(other, names) and share_words(one, other) for one in ones for other in others
    )


def same_question(ones: Sequence[str], others: Sequence[str], names: Names, alike: Likeness) -> bool:
    """Whether any sentence of the first asks the same as one of the second: alike, and about the same places."""
    return any(
        _places(one, names) == _places(other, names)
        and alike.between(one, other) >= (SAME_PLACE if _places(one, names) else SAME)
        for one in ones
        for other in others
    )


def _places(text: str, names: Names) -> frozenset[str]:
    return frozenset(places_in(text, names, ""))
