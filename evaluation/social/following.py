"""Who is followed from place to place."""

from __future__ import annotations

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from evaluation.measures.data_frames import everyone

Integers = NDArray[np.int64]

WINDOW = 2
"""Time steps within which one who goes the same way follows."""


def paths(frame: pd.DataFrame) -> Integers:
    """Where everyone was, step by step.

    Args:
        frame: Of ``actions``, of whole time steps.

    Returns:
        Places as numbers, shape (residents, steps), residents in their order.

    Raises:
        ValueError: if a time step lacks a resident.
    """
    places = frame["place"].astype("category").cat.codes.astype(np.int64)
    table = pd.DataFrame({"time": frame["time"], "resident": frame["resident"].astype(str), "place": places})
    whole = table.pivot(index="resident", columns="time", values="place").loc[list(everyone(frame))]
    for time, present in whole.notna().items():
        if not present.all():
            raise ValueError(
                f"{present.idxmin()} has no record at time step {time}; social structure needs whole time steps"
            )
    return whole.to_numpy(dtype=np.int64)


def count_follows(
    where: Integers, shifts: Integers | None = None, window: int = WINDOW
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """How often each resident was followed by each other one, and how often it could have been.

    When a resident goes from one place to another, those who were with it and stayed could follow it. Those do whose
    next move, within the window, is to the same place. Where the window reaches beyond the path it counts in neither.

    Args:
        where: Of ``paths``, shape (residents, steps).
        shifts: Per resident, by how many steps its path is moved round, shape (..., residents); not at all if None.
        window: Time steps, at least 1.

    Returns:
        Times followed and chances to follow, each of shape (..., residents, residents): rows by columns.
    """
    n, steps = where.shape
    moved = np.zeros(n, dtype=np.int64) if shifts is None else shifts
    follows, chances = np.zeros((*moved.shape[:-1], n, n)), np.zeros((*moved.shape[:-1], n, n))
    last = steps - 1 - window
    if last < 1:
        return follows, chances
    index = (np.arange(steps) - moved[..., np.newaxis]) % steps
    now = where[np.arange(n)[:, np.newaxis], index]  # (..., residents, steps)
    # The step from a path's end back to its beginning is no move.
    whole = index[..., 1:] > 0
    goes = whole & (now[..., 1:] != now[..., :-1])
    seen = np.logical_and.reduce([whole[..., later : later + last] for later in range(window + 1)])
    for leader in range(n):
        here, there = now[..., leader, np.newaxis, :last], now[..., leader, np.newaxis, 1 : last + 1]
        waiting = goes[..., leader, np.newaxis, :last] & (now[..., :last] == here) & ~goes[..., :last] & seen
        chances[..., leader, :] = waiting.sum(axis=-1)
        for later in range(1, window + 1):
            sets_out = waiting & goes[..., later : later + last]
            follows[..., leader, :] += (sets_out & (now[..., later + 1 : later + 1 + last] == there)).sum(axis=-1)
            waiting &= ~sets_out
    return follows, chances
