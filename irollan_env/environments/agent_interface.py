"""What agents are shown of the valley, and how they say what they do: sentences and masks, numbers and texts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from irollan_env.environments.action_numbers import (
    ActionNumbers,
    ActionSlots,
    AgentAction,
    CatalogueNumbers,
    action_text,
)
from irollan_env.environments.info import step_info
from irollan_env.environments.spaces import AgentSpaces
from irollan_env.map.valley_map import ValleyMap
from irollan_env.tasks.episode import AssignedTasks
from irollan_env.world.observation import ObservationTuple

ParallelObservation = dict[str, str | NDArray[np.int8]] | str
"""``{"sentence": str, "action_mask": int8 array}``, or the sentence alone with ``observation="text"``."""

Shown = tuple[dict[str, ParallelObservation], dict[str, dict[str, Any]]]
"""Observations and infos, by agent."""


class AgentInterface:
    """The form in which the agents of one valley observe and act.

    Attributes:
        spaces: The spaces of each agent.
    """

    def __init__(
        self,
        valley_map: ValleyMap,
        *,
        observation: str,
        actions: str,
        slots: int | None,
    ) -> None:
        """The arguments are those of ``IrollanValleyParallelEnv``, which says what they mean.

        Raises:
            ValueError: for an argument that cannot be, or a map whose actions are too many to number.
        """
        if observation not in ("dict", "text"):
            raise ValueError(f"observation must be 'dict' or 'text', got {observation!r}")
        self._text_only = observation == "text"
        self._numbers = _numbers(valley_map, actions, slots, self._text_only)
        size = None if self._numbers is None else self._numbers.size
        self.spaces = AgentSpaces(valley_map.tables, size, text_only=self._text_only)

    def show(self, perceived: Mapping[str, ObservationTuple], tasks: AssignedTasks, *, expert_plan: bool) -> Shown:
        """What each agent is shown of what it perceives, and its info; numbers mean what is admissible in it."""
        observations: dict[str, ParallelObservation] = {}
        infos = {}
        numbers, assigned, text_only = self._numbers, tasks.by_resident, self._text_only
        for name, seen in perceived.items():
            offered = _NO_NUMBERS if numbers is None else numbers.offer(name, seen.admissible)
            infos[name] = step_info(seen, offered, assigned.get(name), expert_plan=expert_plan)
            observations[name] = (
                seen.sentence if text_only else {"sentence": seen.sentence, "action_mask": offered["action_mask"]}
            )
        return observations, infos

    def texts(self, actions: Mapping[str, AgentAction]) -> dict[str, str | None]:
        """What agents do, as ``World.step`` takes it.

        Raises:
            ValueError: for a number that is not in the action space.
            TypeError: for an action that is neither a number, a string nor None.
        """
        numbers = self._numbers
        return {name: action_text(name, action, numbers) for name, action in actions.items()}

    def copy(self) -> AgentInterface:
        """The same, to go its own way from here."""
        twin = AgentInterface.__new__(AgentInterface)
        twin.__dict__.update(self.__dict__)
        twin.spaces = self.spaces.copy()
        twin._numbers = None if self._numbers is None else self._numbers.copy()
        return twin


_NO_NUMBERS: Mapping[str, Any] = {"action_mask": None}


def _numbers(valley_map: ValleyMap, actions: str, slots: int | None, text_only: bool) -> ActionNumbers | None:
    if actions not in ("numbers", "text"):
        raise ValueError(f"actions must be 'numbers' or 'text', got {actions!r}")
    if actions == "numbers":
        return CatalogueNumbers(valley_map.catalogue) if slots is None else ActionSlots(slots)
    if slots is not None or not text_only:
        raise ValueError("actions='text' has no numbers: give observation='text' with it, and no slots")
    return None
