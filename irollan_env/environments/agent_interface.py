"""Conversion of observations to agents' format and of agents' actions to texts."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
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
from irollan_env.environments.shown_text import ShownText, full_text
from irollan_env.environments.spaces import AgentSpaces
from irollan_env.map.catalogue import Catalogue
from irollan_env.map.valley_map import ValleyMap
from irollan_env.tasks.episode import AssignedTasks
from irollan_env.world.numbered_actions import catalogue_of
from irollan_env.world.observation import Observation, ObservationTuple

ParallelObservation = dict[str, str | NDArray[np.int8]] | str
"""``{"observation": str, "action_mask": int8 array}``, or the text alone where actions are text."""

Shown = tuple[dict[str, ParallelObservation], dict[str, dict[str, Any]]]
"""Observations and infos, by agent."""

Stepped = tuple[
    dict[str, ParallelObservation], dict[str, float], dict[str, bool], dict[str, bool], dict[str, dict[str, Any]]
]
"""Observations, rewards, terminations, truncations and infos, by agent."""


class AgentInterface:
    """Observation and action format of the agents of one valley: texts, masks and numbers.

    Attributes:
        spaces: The spaces of each agent.
    """

    def __init__(
        self,
        valley_map: ValleyMap,
        *,
        full: bool,
        actions: str,
        slots: int | None,
        catalogue: Callable[[], Catalogue] | None = None,
    ) -> None:
        """Set up the spaces; ``full`` shows goal, result and messages, the others are as in the environment.

        Args:
            valley_map: The map.
            full: Whether agents see goal, result and messages before the sentence.
            actions: ``"numbers"`` or ``"text"``.
            slots: The number of slots, at least 2; None numbers every action of the map.
            catalogue: Numbers every action; by default as the map has them.

        Raises:
            ValueError: for an invalid argument, or a map with too many actions to number.
        """
        self._full = full
        self._numbers = _numbers(catalogue or partial(catalogue_of, valley_map), actions, slots)
        size = None if self._numbers is None else self._numbers.size
        self.spaces = AgentSpaces(valley_map.tables, size, full=full)

    def show(
        self, perceived: Mapping[str, ObservationTuple | Observation], tasks: AssignedTasks, *, expert_plan: bool
    ) -> Shown:
        """Return each agent's observation and info; slot numbers refer to the actions admissible now.

        Args:
            perceived: Each agent's observation, by name.
            tasks: The tasks of this episode.
            expert_plan: Whether infos hold the expert's plan.
        """
        observations: dict[str, ParallelObservation] = {}
        infos = {}
        numbers, assigned, full = self._numbers, tasks.by_resident, self._full
        characters = self.spaces.characters
        for name, seen in perceived.items():
            offered = _NO_NUMBERS if numbers is None else numbers.offer(name, seen.admissible, seen.goal)
            infos[name] = step_info(name, seen, offered, assigned.get(name), expert_plan=expert_plan)
            text = ShownText(full_text(seen, characters) if full else seen.sentence)
            observations[name] = (
                text if numbers is None else {"observation": text, "action_mask": offered["action_mask"]}
            )
        return observations, infos

    def texts(self, actions: Mapping[str, AgentAction]) -> dict[str, str | None]:
        """Convert agents' actions to texts for ``World.step``.

        Raises:
            ValueError: for a number that is not in the action space.
            TypeError: for an action that is neither a number, a string nor None.
        """
        numbers = self._numbers
        return {name: action_text(name, action, numbers) for name, action in actions.items()}

    def copy(self) -> AgentInterface:
        """Return an independent copy."""
        twin = AgentInterface.__new__(AgentInterface)
        twin.__dict__.update(self.__dict__)
        twin.spaces = self.spaces.copy()
        twin._numbers = None if self._numbers is None else self._numbers.copy()
        return twin


_NO_NUMBERS: Mapping[str, Any] = {"action_mask": None}


def _numbers(catalogue: Callable[[], Catalogue], actions: str, slots: int | None) -> ActionNumbers | None:
    if actions not in ("numbers", "text"):
        raise ValueError(f"actions must be 'numbers' or 'text', got {actions!r}")
    if actions == "numbers":
        return CatalogueNumbers(catalogue()) if slots is None else ActionSlots(slots)
    if slots is not None:
        raise ValueError("actions='text' has no numbers, and so no slots; give one of the two")
    return None
