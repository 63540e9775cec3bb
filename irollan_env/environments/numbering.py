"""The numbers under which agents act: those of the whole map's catalogue, or of a few slots."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from irollan_env.environments.slots import Slots
from irollan_env.map.catalogue import WAIT
from irollan_env.map.valley_map import ValleyMap

ParallelAction = int | str | None
"""A number of the action space, an action's text, or None to wait."""


class Numbering:
    """What numbers mean to each agent, and which of them can be done.

    Attributes:
        size: How many numbers there are; 0 waits.
        slot_actions: With slots, what they stand for now, for each agent whose mask was made.
    """

    def __init__(self, valley_map: ValleyMap, slots: int | None) -> None:
        """Numbers of the catalogue, or with ``slots`` those of so many slots.

        Raises:
            ValueError: for a number of slots below 2, or a map whose actions are too many to number.
        """
        self._map = valley_map
        self._slots = None if slots is None else Slots(slots)
        self.size = len(valley_map.catalogue) if self._slots is None else self._slots.size
        self.slot_actions: dict[str, tuple[str, ...]] = {}

    def mask(self, agent: str, admissible: Sequence[str]) -> NDArray[np.int8]:
        """Shape ``(size,)``: 1 for each number that an agent can use now, given its admissible actions."""
        if self._slots is None:
            return self._map.catalogue.mask(admissible)
        self.slot_actions[agent] = filled = self._slots.fill(admissible)
        return self._slots.mask(filled)

    def text(self, agent: str, action: ParallelAction) -> str | None:
        """What an agent does, as ``World.step`` takes it.

        Raises:
            ValueError: for a number outside [0, size).
            TypeError: for an action that is neither a number, a string nor None.
        """
        if action is not None and not isinstance(action, (str, int, np.integer)):
            raise TypeError(f"the action of {agent!r} must be a number, a string or None, got {action!r}")
        if isinstance(action, (int, np.integer)):
            if self._slots is None:
                return self._map.catalogue.action(int(action))
            action = self._slots.action(int(action), self.slot_actions.get(agent, ()))
        return None if action == WAIT else action

    def copy(self) -> Numbering:
        """An independent numbering in which the same numbers mean the same."""
        twin = Numbering.__new__(Numbering)
        twin._map, twin._slots, twin.size = self._map, self._slots, self.size
        twin.slot_actions = dict(self.slot_actions)
        return twin
