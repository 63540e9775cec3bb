"""The measures of talk as a small table in plain words, with the counts behind each share."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from evaluation.measures.talk.talk import Cases


@dataclass(frozen=True, slots=True)
class Told:
    """One row: what is counted, how many there were, and for how many of them it holds.

    Attributes:
        measure: Its name in the table of measures.
        what: In plain words.
        holds: For how many.
        cases: Of how many.
    """

    measure: str
    what: str
    holds: int
    cases: int


_WORDS = {
    "questions_answered": "questions and requests answered, of those that could be",
    "questions_repeated": "questions put to the same person before, of all that were put",
    "promises_kept": "promises and announced plans kept within 5 steps, of those kept or broken",
    "promises_held_back": "promises tried and held back each time, of all that were made",
    "statements_true": "statements that are so, of those that are true or false",
    "thoughts_agreeing": "thoughts that agree with the action, where it can be told",
    "thoughts_against": "thoughts that argue against the action, of all",
    "goals_from_talk": "new goals that arose from talk, of all new ones",
    "lines_lost": "lines held back or refused, of all that were to be said",
    "lines_recovered": "lost lines that were said later, of all that were lost",
}


def told(cases: Mapping[str, Cases]) -> list[Told]:
    """A row for each share of talk, of all residents together.

    Args:
        cases: Of ``talk_cases``.
    """
    return [
        Told(name, what, sum(flag for _, flag in cases[name]), len(cases[name]))
        for name, what in _WORDS.items()
        if name in cases
    ]
