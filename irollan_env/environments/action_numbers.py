"""Numbered actions: a catalogue of the whole map, or a few slots for the admissible actions."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from irollan_env.actions import FORMS
from irollan_env.hints import check_integer, quote_other
from irollan_env.map.catalogue import WAIT, Catalogue

AgentAction = int | str | None
"""A number of the action space, an action's text, or None to wait."""


def plain_number(action: Any) -> Any:
    """Return a whole number of NumPy, or of an array without dimensions, as an int; anything else unchanged.

    These are what ``Discrete.contains`` takes, and what policies predict.
    """
    if isinstance(action, (np.generic, np.ndarray)) and action.shape == () and np.issubdtype(action.dtype, np.integer):
        return action.item()
    return action


class ActionNumbers(ABC):
    """Base class that maps action numbers to action texts for each agent; number 0 waits.

    Attributes:
        size: The number of action numbers.
    """

    size: int

    @abstractmethod
    def offer(self, agent: str, admissible: Sequence[str], goal: str | None = None) -> dict[str, Any]:
        """Number an agent's currently admissible actions, given its goal.

        Args:
            agent: Its name.
            admissible: The agent's admissible actions.
            goal: The goal of its task; None for none.

        Returns:
            The entries for its ``info``. ``action_mask``, int8 of shape ``(size,)``, is 1 for each number that
            it can use now; it is never all zero.
        """

    @abstractmethod
    def action(self, agent: str, number: int) -> str:
        """Return the text of the action that a number currently stands for.

        Args:
            agent: Its name.
            number: In [0, size).

        Raises:
            ValueError: for a number outside [0, size).
        """

    @abstractmethod
    def copy(self) -> ActionNumbers:
        """Return an independent copy that maps numbers to the same actions."""


class CatalogueNumbers(ActionNumbers):
    """Fixed action numbers from a map's catalogue, the same in every step and for every agent."""

    def __init__(self, catalogue: Catalogue) -> None:
        """Use the numbers of a catalogue."""
        self._catalogue = catalogue
        self.size = len(catalogue)

    def offer(self, agent: str, admissible: Sequence[str], goal: str | None = None) -> dict[str, Any]:
        """Implement ``ActionNumbers.offer``."""
        return {"action_mask": self._catalogue.mask(admissible)}

    def action(self, agent: str, number: int) -> str:
        """Implement ``ActionNumbers.action``."""
        return self._catalogue.action(number) or WAIT

    def copy(self) -> CatalogueNumbers:
        """Return this object itself, which never changes."""
        return self


class ActionSlots(ActionNumbers):
    """Numbered slots for the currently admissible actions: slot 0 waits, each other slot holds one action or is empty.

    A number means another action in each step, unlike in a ``Catalogue``, so that the learner has to read the texts of
    the actions. In return the numbers are few, whatever the size of the map.
    """

    def __init__(self, size: int) -> None:
        """Create empty slots.

        Raises:
            ValueError: for anything but an integer >= 2, NumPy's included.
        """
        self.size = check_integer("slots", size, 2)  # slot 0 being to wait
        self._filled: dict[str, tuple[str, ...]] = {}
        self._masks: dict[int, NDArray[np.int8]] = {}

    def offer(self, agent: str, admissible: Sequence[str], goal: str | None = None) -> dict[str, Any]:
        """Implement ``ActionNumbers.offer``.

        ``slot_actions`` are the texts of the actions, empty slots left out; ``slots_dropped`` is how many actions found
        no slot, and ``slots_dropped_of_goal`` how many of these name what the goal names.
        """
        self._filled[agent] = filled = self.fill(admissible, goal)
        dropped = len(admissible) + 1 - len(filled)
        of_goal = sum(_serves(action, goal) for action in set(admissible).difference(filled)) if dropped else 0
        mask = self.mask(filled)
        return {
            "action_mask": mask,
            "slot_actions": filled,
            "slots_dropped": dropped,
            "slots_dropped_of_goal": of_goal,
        }

    def action(self, agent: str, number: int) -> str:
        """Implement ``ActionNumbers.action``; an empty slot's text is not an action, and the world rejects it."""
        if not 0 <= number < self.size:
            raise ValueError(f"a slot's number must lie in [0, {self.size - 1}], got {number}")
        filled = self._filled.get(agent, ())
        return filled[number] if number < len(filled) else f"empty slot {number}"

    def copy(self) -> ActionSlots:
        """Implement ``ActionNumbers.copy``."""
        twin = ActionSlots(self.size)
        twin._filled, twin._masks = dict(self._filled), self._masks
        return twin

    def fill(self, admissible: Sequence[str], goal: str | None = None) -> tuple[str, ...]:
        """Assign actions to slots: ``"wait"``, then admissible actions in their order; empty slots are left out.

        When there are more actions than slots, those come first that name what the goal names, such as its kind of
        thing. The primitives share the slots that are left: none gets more than an even share as long as another has
        actions left, and each fills its share with its first actions. What is left out can still be done by its text.

        Args:
            admissible: The admissible actions.
            goal: The goal of the task; None for none.
        """
        if len(admissible) >= self.size:
            admissible = _chosen(admissible, self.size - 1, goal)
        return (WAIT, *admissible)

    def mask(self, filled: Sequence[str]) -> NDArray[np.int8]:
        """Return the mask, of shape ``(size,)``: 1 for each slot that holds an action; slot 0 always does."""
        count = len(filled)
        if count not in self._masks:
            self._masks[count] = np.repeat(np.array([1, 0], dtype=np.int8), [count, self.size - count])
        return self._masks[count].copy()


def action_text(agent: str, action: AgentAction, numbers: ActionNumbers | None) -> str | None:
    """Convert an agent's action to the form that ``World.step`` takes.

    Args:
        agent: The acting agent.
        action: The agent's choice; see ``plain_number`` for the numbers that are taken.
        numbers: The meaning of action numbers; None where actions are text alone.

    Raises:
        ValueError: for a number that is not in the action space.
        TypeError: for an action that is neither a number, a string nor None.
    """
    if isinstance(action, str):
        return None if action == WAIT else action
    if numbers is not None and isinstance(number := plain_number(action), int):
        action = numbers.action(agent, int(number))
    elif action is not None:
        kinds = "a string" if numbers is None else "a number, a string"
        raise TypeError(f"the action of {agent!r} must be {kinds} or None, got {quote_other(action)}")
    return None if action == WAIT else action


def _chosen(actions: Sequence[str], size: int, goal: str | None) -> list[str]:
    """Select at most ``size`` actions: first those related to the goal, then even shares for the primitives."""
    chosen = [number for number, action in enumerate(actions) if _serves(action, goal)][:size]
    taken = set(chosen)
    groups: dict[str, list[int]] = {}
    for number, action in enumerate(actions):
        if number not in taken:
            groups.setdefault(action.split(" ", 1)[0], []).append(number)
    for waiting, group in zip(range(len(groups), 0, -1), sorted(groups.values(), key=len), strict=True):
        chosen += group[: (size - len(chosen)) // waiting]
    return [actions[number] for number in sorted(chosen)]


_NO_NAMES = frozenset(word for form in FORMS for word in re.findall("[a-z]+", form)) | {"the", "of", "and", "within"}
"""Words of actions and goals that name nothing."""


def _serves(action: str, goal: str | None) -> bool:
    """Return whether an action and the goal name the same kind of thing, person or place."""
    return goal is not None and not _names(action).isdisjoint(_names(goal))


@lru_cache(maxsize=2**14)
def _names(text: str) -> frozenset[str]:
    words = re.findall(r"[^\W\d][\w']*", text.split(": ", 1)[0].casefold())
    return frozenset(words) - _NO_NAMES
