"""A run as it is looked up by who and when, and the lines that were said in it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import pandas as pd

from evaluation.measures.data_frames import everyone, rows
from irollan_env.actions import SILENCE

LOST = ("filtered", "inadmissible")


@dataclass(frozen=True, slots=True)
class Line:
    """What one resident said to another, or wanted to.

    Attributes:
        time: Time step.
        speaker: Who.
        addressee: To whom.
        text: The words.
        said: Whether it was carried out; otherwise it was lost.
    """

    time: int
    speaker: str
    addressee: str
    text: str
    said: bool


@dataclass(frozen=True, slots=True)
class Life:
    """The rows of ``actions`` by time step and resident.

    Attributes:
        residents: Everyone.
        last: The last time step.
        moments: (time step, resident) -> row.
        lines: In the order of time.
    """

    residents: tuple[str, ...]
    last: int
    moments: Mapping[tuple[int, str], Any]
    lines: tuple[Line, ...]

    def after(self, time: int, resident: str, steps: int) -> list[Any]:
        """What a resident did in the so many steps after one, as far as they are recorded."""
        found = (self.moments.get((at, resident)) for at in range(time + 1, time + steps + 1))
        return [row for row in found if row is not None]


def read_life(frame: pd.DataFrame) -> Life:
    """Look a run up.

    Args:
        frame: Of ``actions``.

    Returns:
        Its moments and lines. A silence, and what is no chat of a resident with a resident, is no line.
    """
    residents = everyone(frame)
    moments = {(row.time, str(row.resident)): row for row in rows(frame)}
    lines = [
        Line(row.time, str(row.resident), row.target, row.words, row.outcome == "executed")
        for row in moments.values()
        if row.words and row.words != SILENCE and row.target in residents and row.outcome in ("executed", *LOST)
    ]
    return Life(residents=residents, last=int(frame["time"].max()), moments=moments, lines=tuple(lines))
