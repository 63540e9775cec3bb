"""Network statistics of weighted adjacency matrices.

Counts have shape (..., n, n): rows send turns, columns receive them, the diagonal is 0, and leading axes are samples.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations

import networkx as nx
import numpy as np
from numpy.typing import NDArray

from evaluation.social.louvain import louvain

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

LOUVAIN_SEED = 0
"""Seed of Louvain's method, for reproducible partitions."""


def count_turns(senders: Integers, receivers: Integers, residents: int) -> Floats:
    """Count turns in weighted adjacency matrices.

    Args:
        senders: Shape (turns,).
        receivers: Shape (..., turns).
        residents: Number of residents n.

    Returns:
        Shape (..., residents, residents).
    """
    *several, turns = receivers.shape
    networks = int(np.prod(several, dtype=np.int64))
    cells = residents * residents
    place = np.arange(networks)[:, np.newaxis] * cells + senders * residents + receivers.reshape(networks, turns)
    counts = np.bincount(place.ravel(), minlength=networks * cells)
    return counts.reshape(*several, residents, residents).astype(np.float64)


def reciprocity(counts: Floats) -> Floats:
    """Weighted reciprocity: the share of turns that are matched by one the other way (Squartini et al. 2013).

    Returns:
        Shape (...), in [0, 1]; not a number where there is no turn.
    """
    matched = np.minimum(counts, np.swapaxes(counts, -1, -2)).sum(axis=(-1, -2))
    return _ratio(matched, counts.sum(axis=(-1, -2)))


def centralisation(counts: Floats) -> Floats:
    """Freeman's centralisation of the in-strength (Freeman 1978).

    Returns:
        Shape (...), in [0, 1]: 0 if all receive equally many turns, 1 if one receives all; not a number without turns.
    """
    received = counts.sum(axis=-2)
    distances = (received.max(axis=-1, keepdims=True) - received).sum(axis=-1)
    return _ratio(distances, (counts.shape[-1] - 1) * received.sum(axis=-1))


def linearity(counts: Floats) -> Floats:
    """Landau's h, the linearity of the dominance order (Landau 1951; ties as in de Vries 1995).

    In each pair, the resident that receives more turns from the other dominates it; ties count half.

    Returns:
        Shape (...), in [0, 1]: 1 for a linear order, 0 if each dominates as many as dominate it; not a number for fewer
        than three residents.
    """
    n = counts.shape[-1]
    if n < 3:
        return np.full(counts.shape[:-2], np.nan)
    towards = np.swapaxes(counts, -1, -2)
    above = ((towards > counts) + 0.5 * (towards == counts)).sum(axis=-1) - 0.5
    h: Floats = 12 / (n**3 - n) * ((above - (n - 1) / 2) ** 2).sum(axis=-1)
    return h


def correlation(one: Floats, other: Floats) -> Floats:
    """Pearson correlation of two networks over all ordered pairs of residents.

    Args:
        one: Counts, shape (..., n, n).
        other: Counts of the same residents, of a shape that broadcasts with `one`.

    Returns:
        Shape (...), in [-1, 1]; not a number where one of them is the same for all pairs.
    """
    if one.shape[-1] < 2:
        return np.full(np.broadcast_shapes(one.shape, other.shape)[:-2], np.nan)
    pairs = ~np.eye(one.shape[-1], dtype=np.bool_)
    return pearson(one[..., pairs], other[..., pairs])


def pearson(x: Floats, y: Floats) -> Floats:
    """Pearson correlation along the last axis.

    Args:
        x: Shape (..., n).
        y: Shape that broadcasts with that of `x`.

    Returns:
        Shape (...), in [-1, 1]; not a number where one of them does not vary.
    """
    x, y = x - x.mean(axis=-1, keepdims=True), y - y.mean(axis=-1, keepdims=True)
    return _ratio((x * y).sum(axis=-1), np.sqrt((x**2).sum(axis=-1) * (y**2).sum(axis=-1)))


def communities(counts: Floats) -> tuple[list[frozenset[int]], float]:
    """Communities by Louvain's method (Blondel et al. 2008), and their directed modularity.

    Args:
        counts: Counts of one network, shape (n, n).

    Returns:
        The communities, the largest first, and the modularity in [-0.5, 1] (Leicht and Newman 2008); each resident
        alone and not a number where there is no turn.
    """
    n = len(counts)
    if not counts.any():
        return [frozenset([resident]) for resident in range(n)], np.nan
    graph = nx.from_numpy_array(counts, create_using=nx.DiGraph)
    found = louvain(counts, LOUVAIN_SEED)
    ordered = sorted((frozenset(one) for one in found), key=lambda one: (-len(one), sorted(one)))
    return ordered, float(nx.community.modularity(graph, found, weight="weight"))


def mutual_excess(counts: Floats, expected: Floats) -> Floats:
    """Mutual ties: the smaller excess over expectation of the two directions of a pair.

    Args:
        counts: Shape (..., n, n).
        expected: Expected counts, shape (n, n) or (..., n, n).

    Returns:
        Shape (..., n, n), at least 0, symmetric.
    """
    excess = counts - expected
    return np.clip(np.minimum(excess, np.swapaxes(excess, -1, -2)), 0.0, None)


def cliques(ties: Floats) -> Iterator[frozenset[int]]:
    """Maximal cliques of three or more residents.

    Args:
        ties: Ties of one network, shape (n, n), symmetric: above 0 for a tie.
    """
    graph = nx.from_numpy_array(ties)
    return (frozenset(one) for one in nx.find_cliques(graph) if len(one) > 2)


def strength(group: frozenset[int], ties: Floats) -> float:
    """Sum of the ties within a group, in both directions.

    Args:
        group: Residents.
        ties: Ties of one network, shape (n, n), symmetric.

    Returns:
        At least 0.
    """
    return float(sum(2 * ties[i, j] for i, j in combinations(sorted(group), 2)))


def strongest_clique(ties: Floats, around: int | None = None) -> tuple[frozenset[int], float]:
    """The clique with the largest strength.

    Args:
        ties: Ties of one network, shape (n, n), symmetric.
        around: Only cliques with this resident.

    Returns:
        The clique and its strength; an empty set and 0 if there is none.
    """
    found = [one for one in cliques(ties) if around is None or around in one]
    best = max(found, key=lambda one: (strength(one, ties), sorted(one)), default=frozenset())
    return best, strength(best, ties)


def names_of(group: frozenset[int], names: Sequence[str]) -> tuple[str, ...]:
    """The names of a group, in the order of all names.

    Args:
        group: Residents, as indices.
        names: Names of all residents.

    Returns:
        The names.
    """
    return tuple(names[resident] for resident in sorted(group))


def _ratio(part: Floats, whole: Floats) -> Floats:
    ratio: Floats = np.divide(part, whole, out=np.full(np.shape(part), np.nan), where=np.asarray(whole) > 0)
    return ratio
