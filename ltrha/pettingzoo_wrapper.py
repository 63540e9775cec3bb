"""PettingZoo wrapper that adds LTRHA to any environment whose infos say where each agent is."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from gymnasium.error import ResetNeeded
from pettingzoo import ParallelEnv
from pettingzoo.utils import BaseParallelWrapper

from irollan_env.actions import Action
from irollan_env.environments.info import observation_of
from irollan_env.resident import Act
from irollan_env.sync_resident import run_sync
from irollan_env.world.acting import FILTERED
from irollan_env.world.observation import Observation, OutcomeKind
from ltrha.execution import StandingDecides
from ltrha.framework import LTRHA


class LTRHAParallelWrapper(BaseParallelWrapper):  # type: ignore[misc]
    """Adds the execution filter, the topics and the resources to a ``ParallelEnv``.

    An action that is filtered is replaced by ``wait`` before the environment sees it. Each agent's info gets the keys
    ``filtered``, ``resources`` and ``topic``. LTRHA also needs each agent's emotions and goal: give ``step``
    the agent's ``Act`` for its action, or call ``feel`` before the step. Without either an agent keeps its last
    emotions and goal; emotions start at 0.

    Args:
        env: An environment in which no agent leaves before the end, and whose infos have the key ``place``.
        framework: Creates the framework of an episode, for the environment's ``possible_agents``.
        wait: The environment's no-op action.
        describe: Puts an environment's action into words, for the matrix and the habitus; ``str`` by default.

    Raises:
        TypeError: for a framework instead of a function that creates one.
        ValueError: for a framework in which standing decides turns.

    Examples:
        >>> import irollan_env, itcma_s, language_models, ltrha
        >>> model, embedder = language_models.load_model("scripted"), language_models.load_embedder("hash")
        >>> make_framework = lambda: ltrha.make_framework(ltrha.LikenessRanker(embedder))
        >>> env = ltrha.LTRHAParallelWrapper(irollan_env.parallel_env(max_steps=2), make_framework)
        >>> _, infos = env.reset(seed=0)
        >>> minds = {name: itcma_s.make_resident(name, model=model, embedder=embedder) for name in env.agents}
        >>> while env.agents:
        ...     seen = {name: irollan_env.observation_of(env, name) for name in env.agents}
        ...     _, _, _, _, infos = env.step({name: minds[name].act(seen[name]) for name in env.agents})
        >>> sum(env.framework.resources.values())  # the changes of Eq. 19 sum to 0
        6.0
    """

    def __init__(
        self,
        env: ParallelEnv[str, Any, Any],
        framework: Callable[[], LTRHA],
        *,
        wait: Any = None,
        describe: Callable[[Any], str] = str,
    ) -> None:
        super().__init__(env)
        if not callable(framework):
            raise TypeError(
                "framework must be a function that makes the LTRHA of an episode, such as "
                f"lambda: ltrha.make_framework(ranker), got {type(framework).__name__}"
            )
        self.framework = framework()
        if self.framework.standing_decides is not StandingDecides.EXECUTION:
            raise ValueError(
                "standing_decides must be 'execution' here, since the environment itself orders the actions of a step; "
                f"got {self.framework.standing_decides.value!r}"
            )
        self._new_framework = framework
        self._wait = wait
        self._describe = describe
        self._feelings: dict[str, Act] = {}
        self._places: dict[str, str] = {}
        self._last: Mapping[str, Mapping[str, Any]] = {}
        self._time = 0

    def feel(self, agent: str, *, pleasure: float, arousal: float, goal: str = "") -> None:
        """Set an agent's emotions and its goal for this step, from which topic and ranking follow.

        Args:
            agent: The agent.
            pleasure: In [-1, 1].
            arousal: In [-1, 1].
            goal: In words; empty for none.

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
        """Apply the filter, step the environment, then let the matrix move resources.

        Args:
            actions: Agent -> an action of the environment, or the ``Act`` of a resident.

        Raises:
            ValueError: if an agent's info does not say in which place it is.
        """
        for agent, act in actions.items():
            if isinstance(act, Act):
                self.feel(agent, pleasure=act.pleasure, arousal=act.arousal, goal=act.goal)
        actions = {agent: act.action if isinstance(act, Act) else act for agent, act in actions.items()}
        filtered = self.framework.filter(actions)
        passed = {agent: self._wait if agent in filtered else action for agent, action in actions.items()}
        observations, rewards, terminations, truncations, infos = self.env.step(passed)
        self._locate(infos)
        acts: dict[str, Act] = {}
        outcomes: dict[str, OutcomeKind] = {}
        for agent in self.framework.residents:
            action = actions.get(agent)
            words = None if action is None else Action.parse(self._describe(action))
            acts[agent] = replace(self._feelings.get(agent, Act(action=None)), action=words)
            outcomes[agent] = "filtered" if agent in filtered else "executed"
        run_sync(self.framework.update(acts, outcomes, self._places, self._time))
        self._time += 1
        return observations, rewards, terminations, truncations, self._informed(infos, filtered)

    def observation_of(self, resident: str | None = None) -> Observation:
        """Return the current observation of an agent of the valley, with its resources, the topic and its habitus.

        ``irollan_env.observation_of(env, resident)`` calls this, also through other wrappers; use that.

        Raises:
            ResetNeeded: before the first reset.
            ValueError: for an unknown agent, or None where there are several.
            TypeError: if the wrapped environment is not the valley, since it has no full observation.
        """
        if not self._last:
            raise ResetNeeded("there is no episode yet; call reset first")
        seen = observation_of(self.env, resident)
        if self._last[seen.resident]["filtered"]:
            seen = replace(seen, outcome="filtered", result=FILTERED)
        return self.framework.observe(seen.resident, seen)

    def _locate(self, infos: Mapping[str, Mapping[str, Any]]) -> None:
        for agent, info in infos.items():
            if "place" not in info:
                raise ValueError(f"the info of agent {agent!r} must have the key 'place', got {sorted(info)}")
            self._places[agent] = info["place"]

    def _informed(self, infos: Mapping[str, Mapping[str, Any]], filtered: frozenset[str]) -> dict[str, dict[str, Any]]:
        framework = self.framework
        self._last = {
            agent: {
                **info,
                **({"outcome": "filtered", "result": FILTERED} if agent in filtered and "outcome" in info else {}),
                "filtered": agent in filtered,
                "resources": framework.resources[agent],
                "topic": framework.topics[info["place"]],
            }
            for agent, info in infos.items()
        }
        return {agent: dict(info) for agent, info in self._last.items()}
