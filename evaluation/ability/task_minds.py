"""Minds that play the benchmark's tasks: each begins its episode with nothing seen, and is given the goal."""

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
"""Two architectures that decide by likeness; ITCMA-S led by a large model; and ReAct, which is one of its prompts."""

SPEAKING = (LED, REACT)
"""Those that have words of their own. A chat of the others has the dots that the task replaces."""


class TaskMinds:
    """Makes minds, and lets them decide.

    Args:
        model: Leads ``SPEAKING`` minds; says to the others what there may be in places never seen.
        embedder: Embeds names and sentences.
    """

    def __init__(self, model: LanguageModel, embedder: Embedder) -> None:
        self._model, self._embedder = model, embedder
        self._players = Players(model, embedder)
        self._runner = asyncio.Runner()
        self._playing: dict[str, Resident] = {}

    def make(self, agent: str, name: str, task: Task, number: int) -> Mind:
        """A mind for a resident in the episode of an instance.

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
        """What those of the last episode were told of places never seen."""
        for mind in self._playing.values():
            self._players.done(mind)
        self._playing.clear()

    def close(self, models: Iterable[LanguageModel]) -> None:
        """Close the connections of these models, in the loop in which they were used, and the loop."""
        self._runner.run(close_connections(models))
        self._runner.close()


class Mind:
    """A mind as a player."""

    def __init__(self, mind: Resident, runner: asyncio.Runner, *, speaks: bool) -> None:
        self._mind, self._runner, self._speaks = mind, runner, speaks

    def act(self, observation: Observation, info: Mapping[str, Any]) -> str | None:
        """What it decides.

        Raises:
            RuntimeError: if it cannot: an episode that was cut short measures nothing.
        """
        decided = self._runner.run(self._mind.act(observation))
        if decided.failure is not None:
            raise RuntimeError(f"{observation.resident!r} could not decide: {decided.failure}")
        action = decided.action
        return action.listed if isinstance(action, Action) and not self._speaks else action
