"""The same question put twice to the same person."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from evaluation.measures.talk.likeness import Likeness
from evaluation.measures.talk.questions import Question
from language_models.protocol import Embedder

SAME = 0.8
"""Cosine from which on two questions are the same."""


def repeated(asked: Sequence[Question], embedder: Embedder) -> list[bool]:
    """For each question, whether its asker had put it to the same person before.

    Args:
        asked: Of one run, in the order of time.
        embedder: Compares their sentences that ask.
    """
    alike = Likeness(embedder, [sentence for one in asked for sentence in one.asks])
    before: dict[tuple[str, str], list[Question]] = defaultdict(list)
    flags = []
    for one in asked:
        earlier = before[one.line.speaker, one.line.addressee]
        flags.append(any(same_question(one.asks, other.asks, alike) for other in earlier))
        earlier.append(one)
    return flags


def same_question(ones: Sequence[str], others: Sequence[str], alike: Likeness) -> bool:
    """Whether any sentence of the first asks the same as one of the second."""
    return alike.closest(ones, others) >= SAME
