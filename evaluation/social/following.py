"""Who is followed from place to place."""

from __future__ import annotations

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from evaluation.measures.frames import everyone

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


def count_follows(where: Integers, shifts: Integers | None = None, window: int = WINDOW) -> NDArray[np.float64]:
    """How often each resident was followed by each other one.

    When a resident goes from one place to another, those follow it who were with it, stayed, and within the window went
    to the same place as their next move.

    Args:
        where: Of ``paths``, shape (residents, steps).
        shifts: Per resident, by how many steps its path is moved round, shape (..., residents); not at all if None.
        window: Time steps, at least 1.

    Returns:
        Shape (..., residents, residents): rows are followed by columns.
    """
    n, steps = where.shape
    moved = np.zeros(n, dtype=np.int64) if shifts is None else shifts
    index = (np.arange(steps) - moved[..., np.newaxis]) % steps
    now = where[np.arange(n)[:, np.newaxis], index]  # (..., n, steps)
    follows = np.zeros((*moved.shape[:-1], n, n))
    if steps < 3:
        return follows
    # The step from a path's end back to its beginning is no move.
    true_step = index[..., 1:] > 0
    goes = true_step & (now[..., 1:] != now[..., :-1])
    for leader in range(n):
        here, there = now[..., leader, np.newaxis, :], goes[..., leader, np.newaxis, :]
        together = there[..., :-1] & (now[..., :-2] == here[..., :-2])
        stayed = together & true_step[..., :-1] & ~goes[..., :-1]
        for later in range(1, window + 1):
            if later > steps - 2:
                break
            # Turns 0 to steps - 2 - later: the leader leaves in t, the follower in t + later.
            last = steps - 1 - later
            leaves = stayed[..., :last] & goes[..., later : later + last]
            target = here[..., 1 : 1 + last]
            follows[..., leader, :] += (leaves & (now[..., later + 1 : later + 1 + last] == target)).sum(axis=-1)
            if later < window:
                stayed = stayed[..., :last] & ~goes[..., later : later + last] & true_step[..., later : later + last]
    follows[..., np.arange(n), np.arange(n)] = 0.0
    return follows
