"""How long a request that a decision can do without rests after failures, so that it is not made in every step."""

from __future__ import annotations

from collections.abc import Sequence

LONGEST = 16
"""Most time steps from one failed request to the next one of its kind."""


def rests(failed: Sequence[int], time: int) -> bool:
    """Return whether a kind of request is left out in a time step: 2, 4, 8, then 16 steps after failures in a row.

    Args:
        failed: The time steps of the failures since the last usable answer, in order.
        time: The time step.
    """
    return bool(failed) and time < failed[-1] + min(2 ** min(len(failed), LONGEST), LONGEST)


def in_a_row(failed: Sequence[int]) -> list[int]:
    """Return the last failures between which nothing was answered, of requests made in every step in which none rests.

    Args:
        failed: The time steps of all failures, in order.
    """
    row: list[int] = []
    for time in failed:
        followed = bool(row) and not rests(row, time) and rests(row, time - 1)
        row = [*row, time] if followed else [time]
    return row
