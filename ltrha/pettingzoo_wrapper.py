"""LTRHA around any PettingZoo environment whose infos say where each agent is."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from pettingzoo import ParallelEnv
from pettingzoo.utils import BaseParallelWrapper

from irollan_env.actions import Action
from irollan_env.resident import Act
from irollan_env.world.observation import OutcomeKind
from ltrha.framework import LTRHA


class LTRHAParallelWrapper(BaseParallelWrapper):  # type: ignore[misc]
    """Puts the execution filter, the topics and the resources around a ``ParallelEnv``.

    An action that is filtered is replaced by ``wait`` before the environment sees it. Each agent's info gets the keys
    ``filtered``, ``resources`` and ``topic``. What an agent feels and is after is told by ``feel`` before each step;
    whoever says nothing keeps what it said last, and feels nothing at the start.

    Args:
        env: An environment in which no agent leaves before the end, and whose infos have the key ``place``.
        framework: A fresh framework per episode, made for the environment's ``possible_agents``.
        wait: The environment's action that does nothing.
        describe: Puts an environment's action into words, for the matrix and the habitus; ``str`` by default.

    The matrix's model is awaited in an event loop of the wrapper's own, so ``step`` must not be called from a running
    one; ``close`` ends it.
    """

    def __init__(
        self,
        env: ParallelEnv[str, Any, Any],
        framework: Callable[[], LTRHA],
        *,
        wait: Any,
        describe: Callable[[Any], str] = str,
    ) -> None:
        super().__init__(env)
        self.framework = framework()
        self._new_framework = framework
        self._wait = wait
        self._describe = describe
        self._feelings: dict[str, Act] = {}
        self._places: dict[str, str] = {}
        self._time = 0
        self._runner = asyncio.Runner()

    def feel(self, agent: str, *, pleasure: float, arousal: float, goal: str = "") -> None:
        """Say what an agent feels, each in [-1, 1], and what it is after, in this step.

        Raises:
            ValueError: for an unknown agent or an emotion outside its range.
        """
        if agent not in self.framework.residents:
            raise ValueError(f"{agent!r} is not among the agents {list(self.framework.residents)}")
        for label, value in (("pleasure", pleasure), ("arousal", arousal)):
            if not -1.0 <= value <= 1.0:
                raise ValueError(f"{label} must lie in [-1, 1], got {value!r} for agent {agent!r}")
        self._feelings[agent] = Act(action=None, goal=goal, pleasure=pleasure, arousal=arousal)

    def reset(
        self, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, Any], dict[str, dict[str, Any]]]:
        """Begin an episode with a fresh framework."""
        observations, infos = self.env.reset(seed=seed, options=options)
        self.framework, self._feelings, self._time = self._new_framework(), {}, 0
        self._locate(infos)
        return observations, self._informed(infos, frozenset())

    def step(
        self, actions: Mapping[str, Any]
    ) -> tuple[dict[str, Any], dict[str, float], dict[str, bool], dict[str, bool], dict[str, dict[str, Any]]]:
        """Filter, let the environment step, then let the matrix move resources.

        Raises:
            ValueError: if an agent's info does not say in which place it is.
        """
        filtered = self.framework.filter(actions)
        passed = {agent: self._wait if agent in filtered else action for agent, action in actions.items()}
        observations, rewards, terminations, truncations, infos = self.env.step(passed)
        self._locate(infos)
        acts: dict[str, Act] = {}
        outcomes: dict[str, OutcomeKind] = {}
        for agent in self.framework.residents:
            words = self._describe(actions[agent]) if agent in actions else None
            action = None if words is None else Action.parse(words)
            acts[agent] = replace(self._feelings.get(agent, Act(action=None)), action=action)
            outcomes[agent] = "filtered" if agent in filtered else "executed"
        self._runner.run(self.framework.update(acts, outcomes, self._places, self._time))
        self._time += 1
        return observations, rewards, terminations, truncations, self._informed(infos, filtered)

    def close(self) -> None:
        """Close the environment and the event loop."""
        self._runner.close()
        self.env.close()

    def _locate(self, infos: Mapping[str, Mapping[str, Any]]) -> None:
        for agent, info in infos.items():
            if "place" not in info:
                raise ValueError(f"the info of agent {agent!r} must have the key 'place', got {sorted(info)}")
            self._places[agent] = info["place"]

    def _informed(self, infos: Mapping[str, Mapping[str, Any]], filtered: frozenset[str]) -> dict[str, dict[str, Any]]:
        framework = self.framework
        return {
            agent: {
                **info,
                "filtered": agent in filtered,
                "resources": framework.resources[agent],
                "topic": framework.topics[info["place"]],
            }
            for agent, info in infos.items()
        }
