"""The valley as a PettingZoo parallel environment: all residents act at once."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Mapping
from collections.abc import Set as AbstractSet
from pathlib import Path
from typing import Any, ClassVar, Literal

from gymnasium import spaces
from gymnasium.error import ResetNeeded
from pettingzoo import ParallelEnv

from irollan_env.environments.action_numbers import AgentAction
from irollan_env.environments.agent_interface import AgentInterface, ParallelObservation, Shown, Stepped
from irollan_env.environments.episodes import ValleyEpisodes
from irollan_env.environments.info import MAX_STEPS, RENDER_MODES, check_render_mode, only_resident, picture
from irollan_env.environments.settings import EpisodeSettings, Tasks
from irollan_env.environments.shown_text import VISIBLE, Content, check_content
from irollan_env.map.catalogue import Catalogue
from irollan_env.map.loading import load_map
from irollan_env.map.valley_map import ValleyMap
from irollan_env.world.numbered_actions import catalogue_of
from irollan_env.world.observation import Observation
from irollan_env.world.world import World
from irollan_env.world.world_classes import WorldClasses, find_world_classes

SLOTS = 64
"""Numbers of actions in valleys that are drawn, where no number can mean the same in every episode."""


class IrollanValleyParallelEnv(ParallelEnv[str, ParallelObservation, AgentAction]):  # type: ignore[misc]
    """All residents of a valley as agents, named as in the paper: AY, SG, MD, WL, LL, WM.

    It has 16 methods: those of PettingZoo's API, and those for saving, restoring and copying.

    **Observation space.** ``Dict(observation=Text, action_mask=Box)``, or ``Text`` with ``actions="text"``. The text
    is goal, result of the last action, messages and the paper's sentence, or the sentence alone. The mask has one entry
    a number of the action space. Number 0, to wait, is always allowed, so that the mask is never all zero.

    **Action space.** ``Discrete(len(env.catalogue))``: each number means one action, the same in every step. With
    ``slots=K`` it is ``Discrete(K)``: number 0 waits, and the others stand for the actions that are admissible now, as
    ``infos[name]["slot_actions"]`` lists them. ``step`` also takes an action's text, which is how an agent chats with
    words of its own, and None to wait. With ``actions="text"`` it is ``Text``, there are no numbers, and the mask is
    None. Residents that are not named wait. An action that is not admissible changes nothing, and ``info["result"]``
    says why.

    **Turn order.** Each step draws an order of the residents from the seed, and their acts meet the world one after the
    other. Of two who reach for one thing the first gets it, and the other's result says who did.

    **Rewards.** For a resident with a task, sparse (1.0 when it is solved) or dense (how much nearer the expert's plan
    has come to its end; 1.0 in sum); 0.0 for one without.

    **Info.** One entry a resident, as ``IrollanValleyEnv`` has it; with slots ``slot_actions``, ``slots_dropped`` and
    ``slots_dropped_of_goal``, too.

    **Episode end.** For all at once: terminated when every task is solved or lost, or a mechanic ends the world;
    truncated after ``max_steps`` steps.
    A resident with a solved task stays until then, with rewards of 0, since others' tasks may need it.
    """

    metadata: ClassVar[dict[str, Any]] = {
        "name": "irollan_valley_v0",
        "render_modes": [*RENDER_MODES],
        "render_fps": 1,
        "is_parallelizable": True,
    }

    state_space: ClassVar[spaces.Text] = spaces.Text(max_length=10**8, charset=VISIBLE)

    def __init__(
        self,
        *,
        map: ValleyMap | str | Path | None = None,
        world: WorldClasses = (),
        max_steps: int = MAX_STEPS,
        task: Tasks = None,
        split: str = "train",
        reward: str = "sparse",
        credit: str = "own",
        instance: int | None = None,
        difficulty: int | None = None,
        draws: bool = False,
        expert_plan: bool = False,
        observation: Content | None = None,
        actions: Literal["numbers", "text"] = "numbers",
        slots: int | None = None,
        percepts: bool | Collection[str] = False,
        render_mode: str | None = None,
    ) -> None:
        """Create the valley; call ``reset`` before anything else.

        Args:
            map: What ``load_map`` takes; the paper's valley when None.
            world: World classes, which ``docs/worlds.md`` describes: ``"module:Class"``, the name of an installed one,
                or the class; one or several.
            max_steps: Steps until all residents are truncated.
            task: A family of tasks, of which everybody gets one of its own in each episode; ``"random"`` for any,
                ``"random_seen"`` for any that is not held out; a mapping from names to families or to a ``Task``, and
                then nobody else has one; None for none.
            split: ``"train"``, ``"validation"``, ``"test_seen"`` or ``"test_unseen"``.
            reward: ``"sparse"`` or ``"dense"``.
            credit: ``"own"`` rewards, the mean of the ``"team"``, or half of ``"both"``.
            instance: The number of the instance that every episode plays, in [0, 499]; None draws one.
            difficulty: 1 to 3; None for any.
            draws: Whether tasks of a family have valleys of their own although a map is given, of which only the
                residents count then. Without a map they do.
            expert_plan: True adds ``infos[name]["expert_plan"]``.
            observation: ``"full"`` for goal, result, messages and sentence, ``"sentence"`` for the sentence alone; by
                default full where there is a task.
            actions: ``"numbers"``, which texts can stand for too, or ``"text"``, and then there is no mask.
            slots: An integer K >= 2 numbers what is admissible now, K at most; maps of more than a few dozen residents
                need it. None numbers every action of the map; in valleys that are drawn it is 64.
            percepts: True fills "percepts" and "events" of infos, at several times the cost of a step; names do so for
                these residents alone.
            render_mode: None, ``"ansi"`` or ``"rgb_array"``.

        Raises:
            ValueError: for an invalid map, task, name or number, or a map with too many actions to number.
        """
        valley_map, drawn = load_map(map), map is None or draws
        if drawn and slots is None and actions == "numbers" and EpisodeSettings(task=task).all_drawn:
            slots = SLOTS
        self.render_mode = check_render_mode(render_mode)
        self.possible_agents = list(valley_map.tables.residents)
        self.agents: list[str] = []
        full = check_content(observation, tasks=task is not None)
        classes = find_world_classes(world)
        self._interface = AgentInterface(
            valley_map,
            full=full,
            actions=actions,
            slots=slots,
            catalogue=lambda: catalogue_of(valley_map, classes),
        )
        asked = {"max_steps": max_steps, "task": task, "split": split, "reward": reward, "expert_plan": expert_plan}
        more = {"credit": credit, "instance": instance, "difficulty": difficulty}
        settings = EpisodeSettings().changed({**asked, **more}, valley_map)
        numbered = actions == "numbers" and slots is None
        self.episodes = ValleyEpisodes(
            self.metadata["name"], valley_map, settings, percepts, drawn=drawn and not numbered, classes=classes
        )

    @property
    def map(self) -> ValleyMap:
        """The valley of this episode."""
        return self.episodes.map

    @property
    def world(self) -> World:
        """The simulated world of the current episode.

        Raises:
            ResetNeeded: before the first reset.
        """
        return self.episodes.world

    @property
    def catalogue(self) -> Catalogue:
        """All actions of the map by number; without slots, the numbers of the action space index it.

        Raises:
            ValueError: for a map with too many actions to number.
        """
        return catalogue_of(self.map, self.episodes.classes)

    def observation_space(self, agent: str) -> spaces.Dict | spaces.Text:
        """Return an agent's observation space: text, with the action mask unless actions are text."""
        return self._interface.spaces.observation(agent)

    def action_space(self, agent: str) -> spaces.Discrete | spaces.Text:
        """Return an agent's action space: catalogue or slot numbers, or texts with ``actions="text"``."""
        return self._interface.spaces.action(agent)

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> Shown:
        """Start an episode, with everyone at home.

        Args:
            seed: Seed of this and later episodes; None continues with the current generator.
            options: ``max_steps``, ``task``, ``split``, ``reward`` and ``expert_plan``, for this and later episodes.

        Raises:
            ValueError: for an unknown option, or an invalid value.
        """
        self.episodes.begin(seed, options or {})
        self.agents = list(self.possible_agents)
        return self.show(self.possible_agents)

    def step(self, actions: Mapping[str, AgentAction], *, failed: AbstractSet[str] = frozenset()) -> Stepped:
        """Let all residents act once. After the last step no agents are left, and ``step({})`` returns empty results.

        Args:
            actions: The actions by resident; residents not named wait.
            failed: Residents that reached no decision; their results say so.

        Raises:
            ValueError: for an unknown resident, or a number that is not in the action space.
            TypeError: for an action that is neither a number, a string nor None.
            ResetNeeded: before the first reset, and for actions after the last step.
        """
        agents, world = self.agents, self.world
        if not agents:
            if actions:
                raise ResetNeeded(f"step was called after the last step, {world.time}; call reset first")
            return {}, {}, {}, {}, {}
        rewards = {**dict.fromkeys(agents, 0.0), **self.act(actions, failed=failed)}
        observations, infos = self.show(self.possible_agents)
        finished, over = self.finished, not self.agents
        return (
            observations,
            rewards,
            dict.fromkeys(agents, finished),
            dict.fromkeys(agents, over and not finished),
            infos,
        )

    def check_action(self, agent: str, action: AgentAction) -> None:
        """Check that an agent can choose an action, possible or not, before all act.

        Raises:
            ValueError: for a number that is not in the action space.
            TypeError: for an action that is neither a number, a string nor None.
        """
        self._interface.texts({agent: action})

    def act(self, actions: Mapping[str, AgentAction], *, failed: AbstractSet[str] = frozenset()) -> dict[str, float]:
        """Let all residents act once without building observations.

        Args:
            actions: The actions by resident; residents not named wait.
            failed: Residents that reached no decision.

        Returns:
            The reward of each resident that has a task.
        """
        rewards = self.episodes.act(self._interface.texts(actions), failed)
        if self.episodes.over:
            self.agents = []
        return rewards

    @property
    def finished(self) -> bool:
        """Whether there are tasks, and each is solved or lost; or a mechanic has ended the world."""
        return self.episodes.finished

    def observe(self) -> Shown:
        """Return the current observations and infos of all residents, as the last ``reset`` or ``step`` did.

        Raises:
            ResetNeeded: before the first reset.
        """
        self.episodes.look()
        return self.show(self.possible_agents)

    def observation_of(self, resident: str | None = None) -> Observation:
        """Return a resident's current observation, with percepts and events.

        Raises:
            ResetNeeded: before the first reset.
            ValueError: for an unknown resident, or None where there are several.
        """
        return self.episodes.observation_of(only_resident(resident, self.possible_agents))

    def show(self, agents: Iterable[str]) -> Shown:
        """Return the latest observations and infos of some residents.

        Raises:
            ResetNeeded: before the first reset.
        """
        episodes = self.episodes
        perceived = episodes.perceived
        seen = {name: perceived[name] for name in agents}
        return self._interface.show(seen, episodes.tasks, expert_plan=episodes.settings.expert_plan)

    def state(self) -> str:
        """Return the whole state as JSON (the world and everybody's task), for centralised critics."""
        return json.dumps({"world": self.world.get_state(), "tasks": self.episodes.tasks.get_state()})

    def render(self) -> Any:
        """Render the observations of all residents as text, or the world from above.

        Returns:
            With ``render_mode="ansi"`` a string; with ``"rgb_array"`` an array of shape ``(height, 1000, 3)``, uint8;
            None without a render mode.

        Raises:
            ModuleNotFoundError: for ``"rgb_array"`` without Matplotlib.
        """
        if self.render_mode is None:
            return None
        if self.render_mode == "rgb_array":
            from irollan_env.environments.drawing import draw_world

            return draw_world(self.world)
        views = [self.world.observe(name) for name in self.possible_agents]
        return "\n\n".join(picture(view) for view in views)

    def get_state(self) -> dict[str, Any]:
        """Return the complete state, all generators included, as JSON-ready data.

        It includes neither the constructor's arguments, except those that ``reset`` also takes,
        nor the generators of the spaces, which belong to the learner.

        Raises:
            ResetNeeded: before the first reset.
        """
        return self.episodes.get_state()

    def set_state(self, state: Mapping[str, Any]) -> None:
        """Restore a state from ``get_state``, in this or another process, after any JSON round trip.

        Raises:
            ValueError: for another version, environment or map, or a state that contradicts itself, saying where; the
                environment has not changed then.
        """
        self.take(self.episodes.restored(state))
        self.observe()  # so that slots hold what is admissible now

    def take(self, episodes: ValleyEpisodes) -> None:
        """Replace the episodes by others of the same valley; call ``observe`` to refresh the action numbers."""
        self.episodes = episodes
        self.agents = [] if episodes.over else list(self.possible_agents)

    def copy(self) -> IrollanValleyParallelEnv:
        """Return an independent environment in the same state, for search; only the map is shared."""
        twin = IrollanValleyParallelEnv.__new__(IrollanValleyParallelEnv)
        twin.__dict__.update(self.__dict__)
        twin.agents, twin.possible_agents = list(self.agents), list(self.possible_agents)
        twin._interface, twin.episodes = self._interface.copy(), self.episodes.copy()
        return twin


def parallel_env(*, max_cycles: int | None = None, **arguments: Any) -> IrollanValleyParallelEnv:
    """Create the parallel environment, in which all residents are agents.

    Args:
        max_cycles: PettingZoo's name for ``max_steps``, which ``pettingzoo.make`` passes.
        arguments: The arguments of ``IrollanValleyParallelEnv``.
    """
    if max_cycles is not None:
        arguments.setdefault("max_steps", max_cycles)
    return IrollanValleyParallelEnv(**arguments)
