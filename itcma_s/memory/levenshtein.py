"""Memory activation as in ITCMA: a Levenshtein scan over every window of memory (section 3.2.2).

The channel, a sequence of fields, is compared with each stretch of memory of the same length by an edit distance:
insertions and deletions cost 1, a substitution costs the difference of the two fields. Every frame of memory is
scanned every time: this is the bottleneck that compressed memories replace.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from itcma_s.fields.name_table import NameTable
from itcma_s.fields.phenomenal_field import Field, FieldBatch
from itcma_s.fields.similarity import DEFAULT_WEIGHTS, FieldWeights, difference, similarity_to_many


@dataclass(frozen=True, kw_only=True, slots=True)
class Window:
    """A contiguous stretch of memory and its distance to the channel.

    Attributes:
        start: Index of its first frame.
        stop: Index after its last frame.
        distance: Its edit distance to the channel, >= 0.
    """

    start: int
    stop: int
    distance: float


def edit_distance(costs: NDArray[np.float64] | Sequence[Sequence[float]]) -> float:
    """Return the Levenshtein distance of two sequences with the given substitution costs, in plain loops.

    Insertions and deletions cost 1.

    Args:
        costs: Shape (p, q): cost of substituting element j of one sequence for element i of the other.

    Returns:
        The least total cost, >= 0.
    """
    previous = [float(j) for j in range(len(costs[0]) + 1)] if len(costs) else [0.0]
    for i, row in enumerate(costs, start=1):
        current = [float(i)]
        for j, cost in enumerate(row, start=1):
            current.append(min(previous[j] + 1.0, current[j - 1] + 1.0, previous[j - 1] + float(cost)))
        previous = current
    return previous[-1]


def best_window_plain(
    channel: Sequence[Field], memory: Sequence[Field], table: NameTable, weights: FieldWeights = DEFAULT_WEIGHTS
) -> Window | None:
    """Return the window of memory nearest to the channel, in plain loops: the reference for ``best_window``.

    Arguments and result are those of ``best_window``.
    """
    if not channel or not len(memory):
        return None
    length = min(len(channel), len(memory))
    best: Window | None = None
    for start in range(len(memory) - length + 1):
        window = [memory[start + j] for j in range(length)]
        distance = edit_distance([[difference(f, g, table, weights) for g in window] for f in channel])
        if best is None or distance < best.distance:
            best = Window(start=start, stop=start + length, distance=distance)
    return best


def window_distances(costs: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the edit distances of a sequence to all windows of a longer one, vectorised over the windows.

    Args:
        costs: Shape (p, m): cost of substituting frame j of memory for frame i of the channel.

    Returns:
        Shape (m - q + 1,) with windows of q = min(p, m) frames: the distance of the window that starts there.
    """
    p, m = costs.shape
    q = min(p, m)
    windows = m - q + 1
    previous: list[NDArray[np.float64]] = [np.full(windows, float(j)) for j in range(q + 1)]
    for i in range(p):
        current: list[NDArray[np.float64]] = [np.full(windows, float(i + 1))]
        for j in range(q):
            step = np.minimum(previous[j + 1] + 1.0, current[j] + 1.0)
            current.append(np.minimum(step, previous[j] + costs[i, j : j + windows]))
        previous = current
    distances: NDArray[np.float64] = previous[q]
    return distances


def best_window(
    channel: Sequence[Field],
    memory: Sequence[Field] | FieldBatch,
    table: NameTable,
    weights: FieldWeights = DEFAULT_WEIGHTS,
) -> Window | None:
    """Return the window of memory that is nearest to the channel, the first on ties.

    Args:
        channel: Retention and primal impression, oldest first.
        memory: Every frame remembered, oldest first.
        table: The table all were made with.
        weights: Weights of names and coordinates in the difference of fields.

    Returns:
        The best window, as long as the channel; all of memory when that is shorter; None when either is empty.
    """
    batch = memory if isinstance(memory, FieldBatch) else FieldBatch.of(memory)
    if not channel or not len(batch):
        return None
    distances = window_distances(1.0 - similarity_to_many(channel, batch, table, weights))
    start = int(distances.argmin())
    return Window(start=start, stop=start + min(len(channel), len(batch)), distance=float(distances[start]))
