"""The same question put twice to the same person."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from evaluation.measures.talk.likeness import Likeness
from evaluation.measures.talk.names import Names, places_in
from evaluation.measures.talk.questions import Question
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
    alike = Likeness(embedder, [sentence for one in asked for sentence in one.asks])
    before: dict[tuple[str, str], list[Question]] = defaultdict(list)
    flags = []
    for one in asked:
        earlier = before[one.line.speaker, one.line.addressee]
        flags.append(any(same_question(one.asks, other.asks, names, alike) for other in earlier))
        earlier.append(one)
    return flags


def same_question(ones: Sequence[str], others: Sequence[str], names: Names, alike: Likeness) -> bool:
    """Whether any sentence of the first asks the same as one of the second: alike, and about the same places."""
    for one in ones:
        for other in others:
            places, same = places_in(one, names, ""), places_in(other, names, "")
            if set(places) == set(same) and alike.between(one, other) >= (SAME_PLACE if places else SAME):
                return True
    return False
