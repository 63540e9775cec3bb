"""Measures of talk, per resident and for all residents together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import pandas as pd

from evaluation.measures.data_frames import everyone
from evaluation.measures.indices import share
from evaluation.measures.talk.confidences import secrets
from evaluation.measures.talk.goals_from_talk import goals_from_talk
from evaluation.measures.talk.life import Life, read_life
from evaluation.measures.talk.lost_lines import lost_lines
from evaluation.measures.talk.names import Names, names_of
from evaluation.measures.talk.promises import promises
from evaluation.measures.talk.quarrels import is_hostile, quarrels
from evaluation.measures.talk.questions import questions, repeated
from evaluation.measures.talk.refusals import requests
from evaluation.measures.talk.statements import statements
from evaluation.measures.talk.thoughts import thoughts
from language_models.protocol import Embedder

Cases: TypeAlias = Sequence[tuple[str, bool]]
"""(resident, whether it holds) of each case."""


COUNTS = {
    "lines_lost": "lines",
    "questions_repeated": "questions",
    "questions_answered": "questions_answerable",
    "promises_filtered": "promises",
    "promises_kept": "promises_due",
    "statements_true": "statements",
    "goals_from_talk": "goals_new",
    "requests_refused": "requests",
    "lies": "statements_own",
}
"""Measure that counts the cases of each share."""

COUNTED = ("quarrels", "secrets")
"""Measures that count for how many cases they hold, and are no share."""


def talk_cases(frame: pd.DataFrame, embedder: Embedder | None) -> dict[str, Cases]:
    """Collect the cases of each share of talk, such as promises and whether they were kept.

    Args:
        frame: Frame of ``actions``.
        embedder: Compares texts; None leaves out the shares that need it.

    Returns:
        Name of the measure -> its cases.
    """
    life = read_life(frame)
    names = names_of(life)
    made = promises(life, names)
    due = [one for one in made if one.keeping in ("kept", "broken")]
    stated = [one for one in statements(life, names) if one.line.said]
    said = [line for line in life.lines if line.said]
    confidential = set(secrets(life))
    thought = [(str(one.row.resident), one.agreement) for one in thoughts(life, names)]
    cases: dict[str, Cases] = {
        "lines_lost": [(line.speaker, not line.said) for line in life.lines],
        "promises_filtered": [(one.what.line.speaker, one.keeping == "filtered") for one in made],
        "promises_kept": [(one.what.line.speaker, one.keeping == "kept") for one in due],
        "statements_true": [(one.line.speaker, one.truth == "true") for one in stated if one.truth != "unknown"],
        "lies": [(one.line.speaker, one.of_oneself == "false") for one in stated if one.of_oneself != "unknown"],
        "requests_refused": [(one.line.addressee, one.refused) for one in requests(life) if one.refused is not None],
        "lines_hostile": [(line.speaker, is_hostile(line.text, life.residents)) for line in said],
        "quarrels": [(pair.first, pair.quarrelled) for pair in quarrels(life)],
        "secrets": [(line.speaker, line in confidential) for line in said],
        "thoughts_agreeing": [(who, one == "agrees") for who, one in thought if one != "unclear"],
        "thoughts_against": [(who, one == "argues against") for who, one in thought],
    }
    return cases if embedder is None else cases | _compared(life, names, embedder)


def _compared(life: Life, names: Names, embedder: Embedder) -> dict[str, Cases]:
    """Collect the cases of the shares that need an embedder."""
    asked = questions(life, embedder)
    again = repeated(asked, names, embedder)
    new = goals_from_talk(life, names, embedder)
    return {
        "lines_recovered": [(one.line.speaker, one.recovered) for one in lost_lines(life, embedder)],
        "questions_repeated": [(one.line.speaker, flag) for one, flag in zip(asked, again, strict=True)],
        "questions_answered": [
            (one.line.speaker, one.fate == "answered") for one in asked if one.fate in ("answered", "unanswered")
        ],
        "goals_from_talk": [(str(one.row.resident), one.from_talk) for one in new],
    }


def talk(frame: pd.DataFrame, cases: Mapping[str, Cases]) -> tuple[pd.DataFrame, dict[str, float]]:
    """Compute the measures of talk; see docs/measures.md.

    Args:
        frame: Frame of ``actions``.
        cases: Cases from ``talk_cases``.

    Returns:
        A frame with one row per resident and one column per measure, and the society's values, in which every case
        has the same weight: shares, and the numbers of ``COUNTED``.
    """
    table = {
        resident: _measured({name: [flag for whose, flag in one if whose == resident] for name, one in cases.items()})
        for resident in everyone(frame)
    }
    society = _measured({name: [flag for _, flag in one] for name, one in cases.items()})
    return pd.DataFrame.from_dict(table, orient="index"), society


def _measured(flags: Mapping[str, Sequence[bool]]) -> dict[str, float]:
    shares = {
        name: float(sum(some)) if name in COUNTED else share(sum(some), len(some)) for name, some in flags.items()
    }
    return shares | {COUNTS[name]: float(len(some)) for name, some in flags.items() if name in COUNTS}


@dataclass(frozen=True, slots=True)
class TalkCount:
    """A share of talk with the counts behind it.

    Attributes:
        measure: Name in the table of measures.
        what: Description of the share.
        holds: Number of cases for which it holds, from 0 to `cases`.
        cases: Number of cases.
    """

    measure: str
    what: str
    holds: int
    cases: int


_WORDS = {
    "questions_answered": "questions and requests answered, of those that could be answered",
    "questions_repeated": "questions put to the same person before, of all questions",
    "promises_kept": "promises and announced plans kept within 5 steps, of those kept or broken",
    "promises_filtered": "promises tried and filtered each time, of all promises",
    "statements_true": "true statements, of those that the records can verify",
    "lies": "statements about the speaker that the records contradict, of those that they can verify",
    "requests_refused": "requests, offers and invitations refused, of those that could be answered",
    "lines_hostile": "hostile lines, of all lines said",
    "quarrels": "quarrels, of all pairs that talked both ways",
    "secrets": "lines that tell or withhold a secret, of all lines said",
    "thoughts_agreeing": "thoughts that agree with the action, of those that can be judged",
    "thoughts_against": "thoughts that argue against the action, of all thoughts",
    "goals_from_talk": "new goals that arose from talk, of all new goals",
    "lines_lost": "lines filtered or refused, of all lines said or attempted",
    "lines_recovered": "lost lines said later, of all lost lines",
}


def talk_counts(cases: Mapping[str, Cases]) -> list[TalkCount]:
    """Count the cases behind each share of talk, over all residents.

    Args:
        cases: Cases from ``talk_cases``.
    """
    return [
        TalkCount(name, what, sum(flag for _, flag in cases[name]), len(cases[name]))
        for name, what in _WORDS.items()
        if name in cases
    ]
