"""The actions of a run by time step and resident, and the lines that were said."""

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
    """A line that a resident said to another one, or attempted.

    Attributes:
        time: Time step.
        speaker: The speaker.
        addressee: The resident spoken to.
        text: The words.
        said: Whether it was executed; otherwise it was lost.
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
        residents: All residents.
        last: The last time step.
        moments: (time step, resident) -> row.
        lines: In order of time.
    """

    residents: tuple[str, ...]
    last: int
    moments: Mapping[tuple[int, str], Any]
    lines: tuple[Line, ...]

    def after(self, time: int, resident: str, steps: int) -> list[Any]:
        """Return the next rows of a resident.

        Args:
            time: Time step.
            resident: The resident.
            steps: Number of time steps.

        Returns:
            Its rows, in order; fewer at the end of the run.
        """
        found = (self.moments.get((at, resident)) for at in range(time + 1, time + steps + 1))
        return [row for row in found if row is not None]


def read_life(frame: pd.DataFrame) -> Life:
    """Index a run by time step and resident.

    Args:
        frame: Frame of ``actions``.

    Returns:
        Its moments and lines; silences, and chats with nobody in the run, are no lines.
    """
    residents = everyone(frame)
    moments = {(row.time, str(row.resident)): row for row in rows(frame)}
    lines = [
        Line(row.time, str(row.resident), row.target, row.words, row.outcome == "executed")
        for row in moments.values()
        if row.words and row.words != SILENCE and row.target in residents and row.outcome in ("executed", *LOST)
    ]
    return Life(residents=residents, last=int(frame["time"].max()), moments=moments, lines=tuple(lines))
