"""Reflexion (Shinn et al. 2023): an actor that writes down, in words, what it has learned from what went wrong."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from irollan_env.resident import Act
from irollan_env.world.observation import Observation
from minds.mind import MindContext
from minds.simple.react import React

LESSONS = 3
"""How many lessons are kept, the paper's Omega."""

TRIAL = 10
"""Steps after which it looks back, if nothing went wrong before."""


class Reflexion(React):
    """Acts as ``React``, and looks back after a step that came to nothing, or after ten steps.

    Attributes:
        lessons: What it told itself, the latest last.
        since: Steps since it last looked back.
    """

    def __init__(self, setting: MindContext) -> None:
        super().__init__(setting)
        self.lessons: list[str] = []
        self.since = 0

    async def act(self, observation: Observation) -> Act:
        """Look back where there is reason to, then think and act."""
        self.since += 1
        in_vain = observation.outcome in ("inadmissible", "filtered")
        if observation.admissible and self.trajectory and (in_vain or self.since >= TRIAL):
            await self._look_back(observation, "it came to nothing" if in_vain else "some time has passed")
        return await super().act(observation)

    async def _look_back(self, observation: Observation, why: str) -> None:
        past = "\n".join(line for step in self.trajectory for line in step)
        prompt = (
            f"You are {self.setting.name}. This is what you lately did:\n\n{past}\n"
            f"Observation: {observation.result}\n\n"
            f"Look back, since {why}: say in one or two sentences what you would do otherwise, and what to try next.\n"
            "What I learned:"
        )
        lesson = await self.setting.ask.write("reflection", prompt, max_tokens=80)
        self.lessons = [*self.lessons, " ".join(lesson.split())][-LESSONS:]
        self.since = 0

    def advice(self) -> str:
        """The lessons."""
        if not self.lessons:
            return ""
        return "What you learned before:\n" + "\n".join(f"- {lesson}" for lesson in self.lessons) + "\n\n"

    def tell(self) -> list[str]:
        """Its trajectory, and its lessons."""
        return [*super().tell(), *(f"What I learned: {lesson}" for lesson in self.lessons)]

    def get_state(self) -> dict[str, Any]:
        """The trajectory, the lessons, and when it last looked back."""
        return {**super().get_state(), "lessons": self.lessons, "since": self.since}

    def set_state(self, state: Mapping[str, Any]) -> None:
        """Go on from it."""
        super().set_state(state)
        self.lessons, self.since = list(state["lessons"]), int(state["since"])
