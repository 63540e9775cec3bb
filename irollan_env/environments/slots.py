"""Admissible actions under a fixed number of slots, for learners whose action space must not grow with the map."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from irollan_env.map.catalogue import WAIT


class Slots:
    """Numbers for what is admissible now: slot 0 waits, and each other slot holds one action or is empty.

    A number means another action in each step, unlike in a ``Catalogue``, so that the learner has to read the texts of
    the actions. In return the numbers are few, whatever the size of the map.

    Attributes:
        size: How many slots there are, slot 0 included.
    """

    def __init__(self, size: int) -> None:
        """Empty slots.

        Raises:
            ValueError: for anything but an integer >= 2.
        """
        if isinstance(size, bool) or not isinstance(size, int) or size < 2:
            raise ValueError(f"slots must be an integer >= 2, slot 0 being to wait, got {size!r}")
        self.size = size
        self._masks: dict[int, NDArray[np.int8]] = {}

    def fill(self, admissible: Sequence[str]) -> tuple[str, ...]:
        """What each slot stands for: ``"wait"``, then the admissible actions in their order; empty slots are left out.

        When there are more actions than slots, the primitives share them: none gets more than an even share as long as
        another has actions left, and each fills its share with its first actions. What is left out can still be done by
        its text.
        """
        if len(admissible) >= self.size:
            admissible = _even_shares(admissible, self.size - 1)
        return (WAIT, *admissible)

    def action(self, number: int, filled: Sequence[str]) -> str:
        """The action in a slot; an empty slot's text is none, which the world refuses.

        Raises:
            ValueError: for a number outside [0, size).
        """
        if not 0 <= number < self.size:
            raise ValueError(f"a slot's number must lie in [0, {self.size - 1}], got {number}")
        return filled[number] if number < len(filled) else f"empty slot {number}"

    def mask(self, filled: Sequence[str]) -> NDArray[np.int8]:
        """Shape ``(size,)``: 1 for each slot that holds an action, which slot 0 always does."""
        count = len(filled)
        if count not in self._masks:
            self._masks[count] = np.repeat(np.array([1, 0], dtype=np.int8), [count, self.size - count])
        return self._masks[count].copy()


def _even_shares(actions: Sequence[str], size: int) -> list[str]:
    groups: dict[str, list[int]] = {}
    for number, action in enumerate(actions):
        groups.setdefault(action.split(" ", 1)[0], []).append(number)
    chosen: list[int] = []
    for waiting, group in zip(range(len(groups), 0, -1), sorted(groups.values(), key=len), strict=True):
        chosen += group[: (size - len(chosen)) // waiting]
    return [actions[number] for number in sorted(chosen)]
