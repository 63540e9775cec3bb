"""The valley as a PettingZoo AEC environment: residents choose in turn, and then all act at once."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from typing import Any

from gymnasium.error import ResetNeeded
from pettingzoo.utils import AgentSelector
from pettingzoo.utils.conversions import parallel_to_aec_wrapper
from pettingzoo.utils.wrappers import OrderEnforcingWrapper

from irollan_env.environments.action_numbers import AgentAction, plain_number
from irollan_env.environments.parallel import IrollanValleyParallelEnv, parallel_env
from irollan_env.hints import check_keys, check_list, check_version
from irollan_env.world.observation import Observation

VERSION = 1
"""Version of the saved-state layout; states of other versions are rejected."""

_STATE = ("version", "valley", "rewards", "acts")
_LARGEST = sys.float_info.max


class IrollanValleyAECEnv(OrderEnforcingWrapper):  # type: ignore[misc]
    """``IrollanValleyParallelEnv`` in AEC form: residents choose in turn, and the world steps when all have chosen."""

    def __init__(self, env: IrollanValleyParallelEnv) -> None:
        """Wrap a parallel environment."""
        super().__init__(_Turns(env))

    def step(self, action: AgentAction) -> None:
        """Choose the action of ``agent_selection``; after the end, each agent leaves with None.

        Raises:
            ValueError: for a number that is not in the action space.
            TypeError: for an action that is neither a number, a string nor None.
            ResetNeeded: before the first reset, and when all agents have left.
        """
        if not self._has_reset or not self.agents:
            when = "after all agents had left" if self._has_reset else "before reset"
            raise ResetNeeded(f"step was called {when}; call reset first")
        action = plain_number(action)
        self.env.env.check_action(self.agent_selection, action)
        super().step(action)

    def observation_of(self, resident: str | None = None) -> Observation:
        """Return a resident's current observation; None selects the resident whose turn it is.

        Raises:
            ResetNeeded: before the first reset.
            ValueError: for an unknown resident.
        """
        if not self._has_reset:
            raise ResetNeeded("there is no episode yet; call reset first")
        valley: IrollanValleyParallelEnv = self.env.env
        return valley.observation_of(resident or self.agent_selection)

    def get_state(self) -> dict[str, Any]:
        """Return the complete state as JSON-ready data.

        The state of the parallel environment, the rewards of its last step, and what has been answered since then.

        Raises:
            ResetNeeded: before the first reset.
        """
        if not self._has_reset:
            raise ResetNeeded("get_state was called before reset; call reset first")
        state: dict[str, Any] = self.env.get_state()
        return state

    def set_state(self, state: Mapping[str, Any]) -> None:
        """Restore a state from ``get_state``, in this or another process, after any JSON round trip.

        Raises:
            ValueError: for another version, environment or map, or a state that contradicts itself, saying where; the
                environment has not changed then.
        """
        self.env.set_state(state)
        self._has_reset = self._has_updated = True

    def copy(self) -> IrollanValleyAECEnv:
        """Return an independent environment in the same state, for search; only the map is shared."""
        twin = IrollanValleyAECEnv(self.env.env.copy())
        if self._has_reset:
            twin.env.resume(self.env.rewards_of_step(), self.env.acts())
            twin._has_reset, twin._has_updated = True, self._has_updated
        return twin


class _Turns(parallel_to_aec_wrapper):  # type: ignore[misc]
    """PettingZoo's AEC conversion, extended by saving and restoring the actions chosen since the last step."""

    env: IrollanValleyParallelEnv

    def acts(self) -> list[AgentAction]:
        """Return the actions chosen since the last step; None for each agent that has left after the end."""
        agents = self.possible_agents
        if not self.env.agents:
            return [None] * (len(agents) - len(self.agents))
        return [self._actions[agent] for agent in agents[: agents.index(self.agent_selection)]]

    def rewards_of_step(self) -> dict[str, float]:
        """Return the rewards of the last step; 0 for agents that have left."""
        return {agent: self._cumulative_rewards.get(agent, 0) for agent in self.possible_agents}

    def get_state(self) -> dict[str, Any]:
        valley, rewards = self.env.get_state(), self.rewards_of_step()
        return {"version": VERSION, "valley": valley, "rewards": rewards, "acts": self.acts()}

    def set_state(self, state: Mapping[str, Any]) -> None:
        check_version(state, VERSION)
        check_keys("state", state, _STATE)
        check_keys("state.rewards", state["rewards"], self.possible_agents)
        for agent, reward in state["rewards"].items():
            if isinstance(reward, bool) or not isinstance(reward, (int, float)) or not abs(reward) <= _LARGEST:
                raise ValueError(f"state.rewards[{agent!r}] must be a finite number, got {reward!r}")
        try:
            valley = self.env.episodes.restored(state["valley"])
        except ValueError as error:
            raise ValueError(f"state.valley: {error}") from error
        self._check_acts(state["acts"], over=valley.over)
        self.env.take(valley)
        self.resume(state["rewards"], state["acts"])

    def _check_acts(self, acts: Any, *, over: bool) -> None:
        most = len(self.possible_agents) - (0 if over else 1)
        if len(check_list("state.acts", acts)) > most:
            raise ValueError(f"state.acts must be a list of at most {most} answers, got {acts!r}")
        for agent, act in zip(self.possible_agents, acts, strict=False):
            number = isinstance(act, int) and not isinstance(act, bool)
            if over and act is not None:
                raise ValueError(f"state.acts must hold nothing but null after the end, got {act!r}")
            if number and not self.action_space(agent).contains(act):
                raise ValueError(f"state.acts: {act} is not in the action space of {agent!r}")
            if not number and act is not None and not isinstance(act, str):
                raise ValueError(f"state.acts: the act of {agent!r} must be a number, a string or null, got {act!r}")

    def resume(self, rewards: Mapping[str, float], acts: Sequence[AgentAction]) -> None:
        """Restore the turn order from the last step's rewards and the actions chosen since."""
        agents, over, solved = list(self.possible_agents), not self.env.agents, self.env.finished
        self._observations, self.infos = self.env.observe()
        self.agents = sorted(agents) if over else list(agents)  # as after a step of PettingZoo's wrapper
        self._actions = dict.fromkeys(agents)
        self._agent_selector = AgentSelector(agents)
        self.agent_selection = self._agent_selector.reset()
        self._skip_agent_selection = None
        self.terminations = dict.fromkeys(agents, solved)
        self.truncations = dict.fromkeys(agents, over and not solved)
        self.rewards = dict(rewards)
        self._cumulative_rewards = dict(rewards)
        self._deads_step_first()
        for act in acts:
            self.step(act)


def env(**arguments: Any) -> IrollanValleyAECEnv:
    """Create the AEC environment: residents choose in turn, and the world steps when all have chosen.

    Spaces, rewards and info are those of ``parallel_env``, and so are the arguments.
    """
    return IrollanValleyAECEnv(parallel_env(**arguments))
