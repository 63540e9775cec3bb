"""Minds as players of the task benchmark; each starts an episode without observations and is given the goal."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping
from typing import Any

from evaluation.ability.ability import LED, Players
from evaluation.models.closing import close_connections
from irollan_env.actions import Action
from irollan_env.random_streams import stream
from irollan_env.resident import Resident
from irollan_env.tasks import Task
from irollan_env.world.observation import Observation
from language_models.protocol import Embedder, LanguageModel
from minds.hosted import HostedMind
from minds.mind_specs import find_mind

REACT = "react"
MINDS = ("itcma", "itcma-s", LED, REACT)
"""Two architectures with the similarity policy, ITCMA-S with decisions by a large model, and a ReAct prompt."""

SPEAKING = (LED, REACT)
"""Minds that write their own words; the chats of others have a placeholder that the task replaces."""


class TaskMinds:
    """Creates minds as players, and runs their decisions in one event loop.

    Args:
        model: Decides for ``SPEAKING`` minds; imagines unseen places for the others.
        embedder: Embeds names and sentences.
    """

    def __init__(self, model: LanguageModel, embedder: Embedder) -> None:
        self._model, self._embedder = model, embedder
        self._players = Players(model, embedder)
        self._runner = asyncio.Runner()
        self._playing: dict[str, Resident] = {}

    def make(self, agent: str, name: str, task: Task, number: int) -> Mind:
        """Create a mind for a resident in the episode of an instance.

        Raises:
            ValueError: for a name that is not in ``MINDS``.
        """
        if name in self._playing:
            self._keep()
        mind: Resident
        if agent == REACT:
            generator = stream(number, f"resident {name}")
            mind = HostedMind(
                name, spec=find_mind(REACT), model=self._model, embedder=self._embedder, generator=generator
            )
        else:
            mind = self._playing[name] = self._players.make(agent, name, number)
        return Mind(mind, self._runner, speaks=agent in SPEAKING)

    def _keep(self) -> None:
        """Keep what the minds of the last episode imagined of unseen places."""
        for mind in self._playing.values():
            self._players.done(mind)
        self._playing.clear()

    def close(self, models: Iterable[LanguageModel]) -> None:
        """Close the connections of the models in the event loop that used them, then the loop."""
        self._runner.run(close_connections(models))
        self._runner.close()


class Mind:
    """Player that decides with a mind."""

    def __init__(self, mind: Resident, runner: asyncio.Runner, *, speaks: bool) -> None:
        self._mind, self._runner, self._speaks = mind, runner, speaks

    def act(self, observation: Observation, info: Mapping[str, Any]) -> str | None:
        """Return the action that the mind decides on.

        Raises:
            RuntimeError: if the decision fails, since an aborted episode is no valid measurement.
        """
        decided = self._runner.run(self._mind.act(observation))
        if decided.failure is not None:
            raise RuntimeError(f"{observation.resident!r} could not decide: {decided.failure}")
        action = decided.action
        return action.listed if isinstance(action, Action) and not self._speaks else action
