"""The measures of talk: of each resident, and of all together."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TypeAlias

import numpy as np
import pandas as pd

from evaluation.measures.data_frames import everyone
from evaluation.measures.talk.life import read_life
from evaluation.measures.talk.lost_lines import lost_lines
from evaluation.measures.talk.names import names_of
from evaluation.measures.talk.questions import questions
from evaluation.measures.talk.repeated import repeated
from language_models.protocol import Embedder

Cases: TypeAlias = Sequence[tuple[str, bool]]
"""Whose each case is, and whether it holds."""


def talk_cases(frame: pd.DataFrame, embedder: Embedder | None) -> dict[str, Cases]:
    """The cases that each share of talk is taken over.

    Args:
        frame: Of ``actions``.
        embedder: Compares texts; None leaves out the shares that need it.

    Returns:
        Name of the measure -> its cases.
    """
    life = read_life(frame)
    cases: dict[str, Cases] = {"lines_lost": [(line.speaker, not line.said) for line in life.lines]}
    if embedder is not None:
        asked = questions(life, embedder)
        due = [one for one in asked if one.fate in ("answered", "unanswered")]
        cases["questions_answered"] = [(one.line.speaker, one.fate == "answered") for one in due]
        again = repeated(asked, names_of(life), embedder)
        cases["questions_repeated"] = [(one.line.speaker, flag) for one, flag in zip(asked, again, strict=True)]
        cases["lines_recovered"] = [(one.line.speaker, one.recovered) for one in lost_lines(life, embedder)]
    return cases


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


COUNTS = {"lines_lost": "lines", "questions_repeated": "questions", "questions_answered": "questions_answerable"}
"""The share whose cases are counted -> what their number is called."""


def _measured(flags: Mapping[str, Sequence[bool]]) -> dict[str, float]:
    shares = {name: _share(some) for name, some in flags.items()}
    return shares | {COUNTS[name]: float(len(some)) for name, some in flags.items() if name in COUNTS}


def _share(flags: Iterable[bool]) -> float:
    listed = list(flags)
    return float(np.mean(listed)) if listed else np.nan
