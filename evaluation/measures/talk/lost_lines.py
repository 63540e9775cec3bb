"""Detection of lost lines, which were filtered or refused, and of those said again later."""

from __future__ import annotations

from dataclasses import dataclass

from evaluation.measures.talk.life import Life, Line
from evaluation.measures.talk.sentences import sentences, share_words
from evaluation.measures.text_similarity import TextSimilarity
from language_models.protocol import Embedder

SAID_AGAIN = 0.62
"""Cosine from which a later line, or a sentence of it, counts as the lost line."""
SAY_WITHIN = 10
"""Time steps within which a lost line can be recovered."""


@dataclass(frozen=True, slots=True)
class LostLine:
    """A line that was filtered or refused.

    Attributes:
        line: The line.
        recovered: Whether the speaker said the same later to the addressee, or within its hearing.
    """

    line: Line
    recovered: bool


def lost_lines(life: Life, embedder: Embedder) -> list[LostLine]:
    """Find the lines that were not executed.

    Args:
        life: The run.
        embedder: Compares lines.

    Returns:
        The lines, in order of time.
    """
    lost = [line for line in life.lines if not line.said]
    later = {line: [other for other in life.lines if _comes_later(life, line, other)] for line in lost}
    again = {
        line: [
            part
            for other in later[line]
            for part in dict.fromkeys((other.text, *sentences(other.text, life.residents)))
            if share_words(line.text, part, 2)
        ]
        for line in lost
    }
    alike = TextSimilarity(embedder, [text for line in lost if again[line] for text in (line.text, *again[line])])
    return [LostLine(line, alike.closest([line.text], again[line]) >= SAID_AGAIN) for line in lost]


def _comes_later(life: Life, line: Line, other: Line) -> bool:
    """Check whether another line is the same speaker's, later, and within the addressee's hearing."""
    if not other.said or other.speaker != line.speaker or not line.time < other.time <= line.time + SAY_WITHIN:
        return False
    return other.addressee == line.addressee or line.addressee in life.moments[other.time, other.speaker].company
