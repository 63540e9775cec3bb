"""Person as a player of the task benchmark, asked at each step like a human resident of the valley."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any

from evaluation.models.model_roles import PERSON
from irollan_env import TASK_STEPS
from irollan_env.tasks import Task
from irollan_env.world.observation import Observation
from language_models.protocol import Caller, LanguageModel
from minds.simple.me import WAIT, ask_person, decision_prompt

GIVE_UP = "give up this task"
"""The last option of every step."""


class TaskPerson:
    """Creates players whose actions a person chooses.

    Args:
        person: Model that returns the person's answers.
    """

    def __init__(self, person: LanguageModel) -> None:
        self._person = person
        self._runner = asyncio.Runner()

    def make(self, agent: str, name: str, task: Task, number: int) -> _Played:
        """Create the player of a resident in the episode of an instance."""
        return _Played(self._person, self._runner, f"{task.family}, instance {number}")

    def close(self) -> None:
        """Close the event loop."""
        self._runner.close()


class _Played:
    """Player of one resident in one episode whose actions the person chooses."""

    def __init__(self, person: LanguageModel, runner: asyncio.Runner, episode: str) -> None:
        self._person, self._runner, self._episode = person, runner, episode
        self._given_up = False

    def act(self, observation: Observation, info: Mapping[str, Any]) -> str | None:
        """Return the action that the person picks; None if they wait or have given up.

        Raises:
            Left: if the person has left.
        """
        if self._given_up or not observation.admissible:
            return None
        prompt, options = decision_prompt(observation, GIVE_UP)
        caller = Caller(module=PERSON, resident=observation.resident, time=observation.time)
        # The heading makes every question unique, so that a recorded answer fits only one question.
        heading = f"{self._episode}, step {observation.time + 1} of {TASK_STEPS}\n"
        picked, _ = self._runner.run(ask_person(self._person, prompt, options, caller, heading))
        self._given_up = picked == GIVE_UP
        return None if picked in (GIVE_UP, WAIT) else picked
