"""Following: which residents others follow from place to place."""

from __future__ import annotations

import numpy as np
import pandas as pd

from evaluation.measures.data_frames import everyone
from evaluation.social.networks import Floats, Integers

WINDOW = 2
"""Time steps within which a move to the same place counts as following."""


def paths(frame: pd.DataFrame) -> Integers:
    """Return the places of all residents by time step.

    Args:
        frame: Frame of ``actions``, of whole time steps.

    Returns:
        Place indices, shape (residents, steps), residents in the order of ``everyone``. Whoever is away is in a place
        of its own, below 0.
    """
    places = frame["place"].astype("category").cat.codes.astype(np.int64)
    table = pd.DataFrame({"time": frame["time"], "resident": frame["resident"].astype(str), "place": places})
    whole = table.pivot(index="resident", columns="time", values="place").loc[list(everyone(frame))]
    found = whole.to_numpy(dtype=np.float64)
    alone = -1.0 - np.arange(len(found))
    return np.where(np.isnan(found), alone[:, np.newaxis], found).astype(np.int64)


def count_follows(where: Integers, shifts: Integers | None = None, window: int = WINDOW) -> tuple[Floats, Floats]:
    """Count how often each resident was followed by each other one, and the opportunities to follow.

    When a resident moves, each resident that was with it and stayed has an opportunity, and follows if its next move
    within the window is to the same place. Moves whose window reaches beyond the path are not counted.

    Args:
        where: Places from ``paths``, shape (residents, steps).
        shifts: Steps by which each resident's path is rotated, shape (..., residents); none if None.
        window: Time steps, at least 1.

    Returns:
        Times followed and opportunities, each of shape (..., residents, residents): rows followed by columns.
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
