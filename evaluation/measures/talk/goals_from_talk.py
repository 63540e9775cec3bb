"""Detection of goals that arose from talk, because their new content had just been mentioned."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from evaluation.measures.talk.life import Life, Line
from evaluation.measures.talk.names import Names, kinds_in, people_in, places_in
from evaluation.measures.talk.sentences import content_words, sentences
from evaluation.measures.text_similarity import TextSimilarity
from evaluation.measures.turns import WINDOW
from language_models.protocol import Embedder

ALIKE = 0.55
"""Cosine from which a line counts as about a goal with which it shares no new name."""


NEARER = 0.05
"""Margin by which the cosine with the goal must exceed that with the previous goal."""


@dataclass(frozen=True, slots=True)
class NewGoal:
    """A goal that differs from the previous step's, and whether it arose from talk."""

    row: Any
    from_talk: bool


def goals_from_talk(life: Life, names: Names, embedder: Embedder, window: int = WINDOW) -> list[NewGoal]:
    """Find the goals that differ from the previous step's, and whether each arose from talk.

    Args:
        life: The run.
        names: Names that occur in the run.
        embedder: Compares goals with lines.
        window: Time steps before the goal in which lines count.

    Returns:
        One per new goal, in order of time.
    """
    new = []
    for (time, resident), row in life.moments.items():
        before = life.moments.get((time - 1, resident))
        if row.goal and before is not None and row.goal != before.goal:
            new.append((row, before.goal or "", _in_hearing(life, row, window)))
    verdicts = [_named_before(row, before, lines, names) for row, before, lines in new]
    undecided = [one for one, verdict in zip(new, verdicts, strict=True) if verdict is None]
    alike = TextSimilarity(
        embedder, [text for row, before, lines in undecided for text in (row.goal, before, *_sentences(lines, names))]
    )
    return [
        NewGoal(row, _likened(row.goal, before, _sentences(lines, names), alike) if verdict is None else verdict)
        for (row, before, lines), verdict in zip(new, verdicts, strict=True)
    ]


def _in_hearing(life: Life, row: Any, window: int) -> list[Line]:
    """Find recent lines that a resident said, attempted, or could hear."""
    me = str(row.resident)
    return [
        line
        for line in life.lines
        if row.time - window <= line.time < row.time
        and (line.speaker == me or (line.said and me in life.moments[line.time, line.speaker].company))
    ]


def _sentences(lines: list[Line], names: Names) -> list[str]:
    return [one for line in lines for one in sentences(line.text, names.people)]


def _named_before(row: Any, before: str, lines: list[Line], names: Names) -> bool | None:
    """Check whether new names or words of the goal were mentioned; None if undecided for lack of new names."""
    me = str(row.resident)
    goal = str(row.goal)
    fresh = _named(goal, names, me) - _named(before, names, me) - {me}
    words = content_words(goal) - content_words(before) - content_words(" ".join(names.people))
    for line in lines:
        spoken = _named(line.text, names, line.speaker, line.addressee)
        if fresh & (spoken - {line.addressee} if line.speaker == me else spoken):
            return True
        if words and len(words & content_words(line.text)) >= min(2, len(words)):
            return True
    return False if fresh or not lines else None


def _likened(goal: str, before: str, said: list[str], alike: TextSimilarity) -> bool:
    """Check whether a sentence is similar to the goal, and more similar to it than to the previous goal."""
    near = alike.closest([goal], said)
    return near >= ALIKE and near >= alike.closest([before], said) + NEARER


def _named(text: str, names: Names, speaker: str, addressee: str | None = None) -> set[str]:
    places = [one for one in places_in(text, names, speaker, addressee) if one != "outside"]
    return {*people_in(text, names), *places, *kinds_in(text, names.kinds)}
