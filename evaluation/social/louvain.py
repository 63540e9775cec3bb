"""Louvain's method (Blondel et al. 2008) for directed networks of whole counts, in exact arithmetic.

networkx compares gains in floating point, and moves residents back and forth without end between communities that are
equally good but for rounding. These steps are the same, in the same order, with whole numbers.
"""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

import numpy as np
from numpy.typing import NDArray

_THRESHOLD = 1e-7
"""Least gain of modularity for which another level is tried."""

_Edges = list[dict[int, int]]


def louvain(counts: NDArray[np.float64], seed: int) -> list[set[int]]:
    """Divide a network into communities.

    Args:
        counts: Whole counts, shape (n, n), of which one is above 0.
        seed: Seed of the orders in which residents are moved.

    Returns:
        The communities.
    """
    whole = np.rint(counts).astype(np.int64)
    out: _Edges = [{int(v): int(row[v]) for v in np.flatnonzero(row)} for row in whole]
    total, random = int(whole.sum()), Random(seed)
    members = [{node} for node in range(len(out))]
    quality = _quality(out, range(len(out)), total)
    while True:
        community, moved = _one_level(out, total, random)
        if not moved:
            return members
        kept = {old: new for new, old in enumerate(sorted(set(community)))}
        community = [kept[one] for one in community]
        joined: list[set[int]] = [set() for _ in kept]
        for node, one in enumerate(community):
            joined[one] |= members[node]
        members, before, quality = joined, quality, _quality(out, community, total)
        if quality - before <= _THRESHOLD * total**2:
            return members
        out = _joined(out, community, len(kept))


def _quality(out: _Edges, community: Sequence[int], total: int) -> int:
    """Return the modularity of a division, times the square of the total."""
    within, sent, received = 0, [0] * len(out), [0] * len(out)
    for node, targets in enumerate(out):
        for target, count in targets.items():
            within += count if community[node] == community[target] else 0
            sent[community[node]] += count
            received[community[target]] += count
    return total * within - sum(one * other for one, other in zip(sent, received, strict=True))


def _one_level(out: _Edges, total: int, random: Random) -> tuple[list[int], bool]:
    """Move nodes to the community of a neighbour for as long as that gains modularity; return where each is."""
    count = len(out)
    near: _Edges = [{} for _ in range(count)]
    for node, targets in enumerate(out):
        for target, weight in targets.items():
            if target != node:
                near[node][target] = near[node].get(target, 0) + weight
    sent, received = [sum(targets.values()) for targets in out], [0] * count
    for node, targets in enumerate(out):
        for target, weight in targets.items():
            received[target] += weight
            if target != node:
                near[target][node] = near[target].get(node, 0) + weight
    all_sent, all_received = sent.copy(), received.copy()
    community, order, moved, moves = list(range(count)), list(range(count)), False, 1
    random.shuffle(order)
    while moves:
        moves = 0
        for node in order:
            own = best = community[node]
            weights: dict[int, int] = {}
            for other, weight in near[node].items():
                weights[community[other]] = weights.get(community[other], 0) + weight
            all_sent[own] -= sent[node]
            all_received[own] -= received[node]
            base = weights.get(own, 0) * total - sent[node] * all_received[own] - received[node] * all_sent[own]
            most = 0
            for one, weight in weights.items():
                gain = weight * total - sent[node] * all_received[one] - received[node] * all_sent[one] - base
                if gain > most:
                    most, best = gain, one
            all_sent[best] += sent[node]
            all_received[best] += received[node]
            if best != own:
                community[node], moved, moves = best, True, moves + 1
    return community, moved


def _joined(out: _Edges, community: Sequence[int], count: int) -> _Edges:
    """Return the network of communities."""
    found: _Edges = [{} for _ in range(count)]
    for node, targets in enumerate(out):
        for target, weight in targets.items():
            one, other = community[node], community[target]
            found[one][other] = found[one].get(other, 0) + weight
    return found
