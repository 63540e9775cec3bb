"""The measures of talk: of each resident, and of all together."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TypeAlias

import numpy as np
import pandas as pd

from evaluation.measures.data_frames import everyone
from evaluation.measures.talk.goals_from_talk import goals_from_talk
from evaluation.measures.talk.intentions import thoughts
from evaluation.measures.talk.life import Life, read_life
from evaluation.measures.talk.lost_lines import lost_lines
from evaluation.measures.talk.names import Names, names_of
from evaluation.measures.talk.promises import promises
from evaluation.measures.talk.questions import questions
from evaluation.measures.talk.repeated import repeated
from evaluation.measures.talk.statements import statements
from language_models.protocol import Embedder

Cases: TypeAlias = Sequence[tuple[str, bool]]
"""Whose each case is, and whether it holds."""


COUNTS = {
    "lines_lost": "lines",
    "questions_repeated": "questions",
    "questions_answered": "questions_answerable",
    "promises_held_back": "promises",
    "promises_kept": "promises_due",
    "statements_true": "statements",
    "goals_from_talk": "goals_new",
}
"""The share whose cases are counted -> what their number is called."""


def talk_cases(frame: pd.DataFrame, embedder: Embedder | None) -> dict[str, Cases]:
    """The cases that each share of talk is taken over.

    Args:
        frame: Of ``actions``.
        embedder: Compares texts; None leaves out the shares that need it.

    Returns:
        Name of the measure -> its cases.
    """
    life = read_life(frame)
    names = names_of(life)
    made = promises(life, names)
    due = [one for one in made if one.keeping in ("kept", "broken")]
    said = [one for one in statements(life, names) if one.line.said and one.truth != "cannot be told"]
    thought = [(str(one.row.resident), one.agreement) for one in thoughts(life, names)]
    cases: dict[str, Cases] = {
        "lines_lost": [(line.speaker, not line.said) for line in life.lines],
        "promises_held_back": [(one.what.line.speaker, one.keeping == "held back") for one in made],
        "promises_kept": [(one.what.line.speaker, one.keeping == "kept") for one in due],
        "statements_true": [(one.line.speaker, one.truth == "true") for one in said],
        "thoughts_agreeing": [(who, one == "agrees") for who, one in thought if one != "cannot be told"],
        "thoughts_against": [(who, one == "argues against") for who, one in thought],
    }
    return cases if embedder is None else cases | _compared(life, names, embedder)


def _compared(life: Life, names: Names, embedder: Embedder) -> dict[str, Cases]:
    """The cases of the shares for which texts are compared."""
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
    """Measures of talk; see docs/measures.md.

    Args:
        frame: Of ``actions``.
        cases: Of ``talk_cases``.

    Returns:
        One row per resident and one column per measure; and the same of all residents together, where every case
        counts the same.
    """
    table = {
        resident: _measured({name: [flag for whose, flag in one if whose == resident] for name, one in cases.items()})
        for resident in everyone(frame)
    }
    society = _measured({name: [flag for _, flag in one] for name, one in cases.items()})
    return pd.DataFrame.from_dict(table, orient="index"), society


def _measured(flags: Mapping[str, Sequence[bool]]) -> dict[str, float]:
    shares = {name: _share(some) for name, some in flags.items()}
    return shares | {COUNTS[name]: float(len(some)) for name, some in flags.items() if name in COUNTS}


def _share(flags: Iterable[bool]) -> float:
    listed = list(flags)
    return float(np.mean(listed)) if listed else np.nan
