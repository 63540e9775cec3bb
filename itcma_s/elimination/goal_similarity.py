"""Similarity of a goal to actions: the cosine with the closest of each action's paraphrases."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from language_models.protocol import Embedder


def sentences(goal: str) -> tuple[str, str]:
    """Return a goal as it is and as a sentence; the mean of both embeddings is more stable than either."""
    return goal, f"I {goal}."


def likeness(goal: str, actions: Sequence[Sequence[str]], embedder: Embedder) -> NDArray[np.float64]:
    """Return the similarity of a goal to each action: the cosine with the closest of its paraphrases.

    Args:
        goal: The goal.
        actions: The paraphrases of each action, at least one each.
        embedder: Embeds sentences.

    Returns:
        Shape (len(actions),), in [-1, 1].
    """
    return _aim(goal, embedder).closeness(actions, embedder)


class _Aim:
    """The embedding of a goal, with a cache of its similarities.

    Each cosine is a sum over one row alone, so that its bits do not depend on the batch in which it is computed.
    """

    def __init__(self, goal: str, embedder: Embedder) -> None:
        wanted = embedder.embed(sentences(goal)).astype(np.float64).sum(axis=0)
        self._wanted = wanted / np.linalg.norm(wanted)
        self._known: dict[tuple[str, ...], float] = {}

    def closeness(self, actions: Sequence[Sequence[str]], embedder: Embedder) -> NDArray[np.float64]:
        """Return the similarities as ``likeness`` does, from the cache where possible."""
        said = [tuple(meanings) for meanings in actions]
        if fresh := list(dict.fromkeys(meanings for meanings in said if meanings not in self._known)):
            vectors = embedder.embed([meaning for meanings in fresh for meaning in meanings])
            cosines = (vectors * self._wanted).sum(axis=1)  # in float64
            starts = list(accumulate(map(len, fresh[:-1]), initial=0))
            self._known.update(zip(fresh, np.maximum.reduceat(cosines, starts).tolist(), strict=True))
        return np.array([self._known[meanings] for meanings in said], dtype=np.float64)


# By embedder, weakly: an embedder of one run is released together with its cached goals.
_AIMS: WeakKeyDictionary[Embedder, dict[str, _Aim]] = WeakKeyDictionary()
_MOST_AIMS = 2**13
"""Number of cached goals: enough for the goals and heard lines of a thousand residents."""


def _aim(goal: str, embedder: Embedder) -> _Aim:
    aims = _AIMS.setdefault(embedder, {})
    if (aim := aims.get(goal)) is None:
        if len(aims) >= _MOST_AIMS:
            aims.pop(next(iter(aims)), None)
        aim = aims[goal] = _Aim(goal, embedder)
    return aim
