"""Wrappers that replace text actions by numbers with a mask."""

from __future__ import annotations

from typing import Any, SupportsFloat

import gymnasium as gym
import numpy as np
from gymnasium import spaces
from gymnasium.error import ResetNeeded
from gymnasium.utils import RecordConstructorArgs
from numpy.typing import NDArray

from irollan_env.environments.action_numbers import ActionNumbers, ActionSlots, CatalogueNumbers, plain_number
from irollan_env.hints import quote_other

_LEARNER = "learner"


class _NumberedActions(gym.Wrapper[Any, Any, Any, Any], RecordConstructorArgs):
    """Takes action numbers instead of texts, and adds their meaning to each info."""

    def __init__(self, env: gym.Env[str, str], numbers: ActionNumbers) -> None:
        super().__init__(env)
        self._numbers = numbers
        self._mask: NDArray[np.int8] | None = None
        self.action_space = spaces.Discrete(numbers.size)

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[str, dict[str, Any]]:
        """Reset the environment; the info also has the numbers and their mask."""
        observation, info = self.env.reset(seed=seed, options=options)
        return observation, self._numbered(info)

    def step(
        self, action: int | np.integer[Any] | NDArray[np.integer[Any]]
    ) -> tuple[str, SupportsFloat, bool, bool, dict[str, Any]]:
        """Perform the action of a number; the world rejects one that is not possible now.

        Raises:
            ValueError: for a number outside the action space.
            TypeError: for an action that is no whole number.
            ResetNeeded: before the first reset.
        """
        if self._mask is None:
            raise ResetNeeded("step was called before reset; call reset first")
        if not isinstance(number := plain_number(action), int):
            raise TypeError(f"the action must be a number of the action space, got {quote_other(action)}")
        text = self._numbers.action(_LEARNER, number)
        observation, reward, terminated, truncated, info = self.env.step(text)
        return observation, reward, terminated, truncated, self._numbered(info)

    def action_masks(self) -> NDArray[np.bool_]:
        """Return the mask of possible actions, of shape ``(n,)``.

        Raises:
            ResetNeeded: before the first reset.
        """
        if self._mask is None:
            raise ResetNeeded("action_masks was called before reset; call reset first")
        return self._mask.astype(np.bool_)

    def _numbered(self, info: dict[str, Any]) -> dict[str, Any]:
        offered = self._numbers.offer(_LEARNER, info["admissible_actions"], info.get("goal"))
        self._mask = offered["action_mask"]
        return {**info, **offered}


class CatalogueActions(_NumberedActions):
    """Numbers actions by the map's catalogue: a number means the same action in every step.

    For a Gymnasium environment whose actions are text, whose ``info`` has ``admissible_actions``, and which has a
    ``catalogue``, and for learners whose network has one output an action and never reads what the actions say. The
    paper's valley has about ten thousand; maps of more than a few dozen residents have too many, and need
    ``SlotActions``.

    ``action_masks()`` is the mask, never all zero, where MaskablePPO of sb3-contrib looks for it;
    ``info["action_mask"]`` is the same.
    """

    def __init__(self, env: gym.Env[str, str]) -> None:
        """Wrap an environment with a ``catalogue``.

        Raises:
            ValueError: for a map with too many actions to number.
        """
        RecordConstructorArgs.__init__(self)
        super().__init__(env, CatalogueNumbers(env.get_wrapper_attr("catalogue")))

    def _numbered(self, info: dict[str, Any]) -> dict[str, Any]:
        try:
            return super()._numbered(info)
        except KeyError as error:
            raise ValueError(
                f"{error.args[0]}; if the valley of this episode is not the one that was numbered, as every drawn "
                "valley is, use SlotActions"
            ) from error


class SlotActions(_NumberedActions):
    """Numbers admissible actions by a fixed number of slots: 0 waits, the others are the actions possible now.

    For a Gymnasium environment whose actions are text and whose ``info`` has ``admissible_actions``, for learners that
    read the texts of the actions in ``info["slot_actions"]``, and for maps of any size. When there are more actions
    than slots, those of the goal come first, and the primitives share the other slots (``ActionSlots.fill``);
    ``info["slots_dropped"]`` says how many were left out, and ``info["slots_dropped_of_goal"]`` how many of the goal's.

    ``action_masks()`` and ``info["action_mask"]`` are the mask, never all zero.
    """

    def __init__(self, env: gym.Env[str, str], slots: int = 64) -> None:
        """Wrap an environment.

        Args:
            env: An environment with text actions.
            slots: The number of slots, at least 2.

        Raises:
            ValueError: for a number of slots below 2.
        """
        RecordConstructorArgs.__init__(self, slots=slots)
        super().__init__(env, ActionSlots(slots))
