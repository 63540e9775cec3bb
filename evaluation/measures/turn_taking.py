"""Which turns are answered."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

WINDOW = 2
"""Time steps within which a turn back is an answer: as soon as it is heard, or one step later if that was filtered."""


def answered(
    times: NDArray[np.int64], senders: NDArray[Any], receivers: NDArray[Any], window: int = WINDOW
) -> NDArray[np.bool_]:
    """For each turn, whether its receiver turned back to its sender later, within the window.

    Args:
        times: Shape (m,), ascending.
        senders: Shape (m,).
        receivers: Shape (..., m): several ways in which the senders may have chosen are looked at together.
        window: Time steps, at least 1.

    Returns:
        Shape (..., m).

    Raises:
        ValueError: for a window below 1.
    """
    if window < 1:
        raise ValueError(f"the window must be at least 1 time step, got {window}")
    flags = np.zeros(receivers.shape, dtype=np.bool_)
    ends = np.searchsorted(times, times + window, side="right")
    starts = np.searchsorted(times, times, side="right")
    for turn, (start, end) in enumerate(zip(starts, ends, strict=True)):
        if start == end:
            continue
        later = slice(start, end)
        back = (senders[later] == receivers[..., turn, np.newaxis]) & (receivers[..., later] == senders[turn])
        flags[..., turn] = back.any(axis=-1)
    return flags
