"""Minds that consist of one or two prompts: a single request, ReAct and Reflexion."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from irollan_env.resident import Act
from irollan_env.world.observation import Observation
from minds.mind import SETTING, MindContext
from minds.wording import decided, decision_schema, options, perceived_lines, scene

STEPS = 12
"""Number of last steps in the prompt."""

_LONGEST_THOUGHT = 400

LESSONS = 3
"""Most lessons kept, the paper's Omega."""

TRIAL = 10
"""Steps after which it reflects, if no step failed before."""


class OneRequest:
    """Asks the model once per step what to do, without memory: the baseline for any architecture."""

    def __init__(self, context: MindContext) -> None:
        self._context = context

    async def act(self, observation: Observation) -> str | None:
        """Return one admissible action, with words if it is a chat."""
        if not observation.admissible:
            return None
        prompt = (
            f"You are {self._context.name}.\n\n{self._context.history.to_prompt()}"
            f"{scene(observation)}\n\nYou can:\n{options(observation)}\n\n"
            'Answer with one JSON object: {"number": the number of what you do, "words": "what you say, if you speak"}.'
        )
        return decided(
            observation, await self._context.model.generate_json("action", prompt, decision_schema(observation))
        )


class React:
    """ReAct (Yao et al. 2023): thinks before each action, with its last steps in the prompt.

    Attributes:
        trajectory: Lines "Observation:", "Thought:" and "Action:" of the last steps, one list a step.
    """

    def __init__(self, context: MindContext) -> None:
        self.context = context
        self.trajectory: list[list[str]] = []

    async def act(self, observation: Observation) -> Act:
        """Write a thought and choose the action that follows from it."""
        perceived = f"Observation: {' '.join(perceived_lines(observation))}"
        if not observation.admissible:
            self._keep([perceived])
            return Act(action=None)
        answer = await self.context.model.generate_json("action", self._prompt(observation), self._form(observation))
        action, thought = decided(observation, answer), str(answer["thought"])
        self._keep([perceived, f"Thought: {thought}", f"Action: {action}"])
        return Act(action=action, thought=thought)

    def _prompt(self, observation: Observation) -> str:
        past = "\n".join(line for step in self.trajectory for line in step)
        return (
            f"You are {self.context.name}. You live in {_setting(self.context)}, step by step: you observe, think, and "
            "act.\n\n"
            f"{self.context.history.to_prompt()}{self.advice()}{past}\n"
            f"Observation: {scene(observation)}\n\nYou can:\n{options(observation)}\n\n"
            'Answer with one JSON object: {"thought": "what you think now, and what to do next", "number": the number '
            'of what you do, "words": "what you say, if you speak"}.'
        )

    @staticmethod
    def _form(observation: Observation) -> dict[str, Mapping[str, Any]]:
        return decision_schema(observation, thought=_LONGEST_THOUGHT)

    def advice(self) -> str:
        """Return the text before the trajectory; empty here."""
        return ""

    def _keep(self, step: list[str]) -> None:
        self.trajectory = [*self.trajectory, step][-STEPS:]

    def answer(self) -> list[str]:
        """Return its history and its trajectory."""
        return [*self.context.history.lines(), *(line for step in self.trajectory for line in step)]

    def get_state(self) -> dict[str, Any]:
        """Return the trajectory."""
        return {"trajectory": self.trajectory}

    def set_state(self, state: Mapping[str, Any]) -> None:
        """Restore a state from `get_state`."""
        self.trajectory = [list(step) for step in state["trajectory"]]


def _setting(context: MindContext) -> str:
    return "a valley" if context.setting == SETTING else context.setting


class Reflexion(React):
    """Reflexion (Shinn et al. 2023): ``React`` that writes lessons after a failed step, or after ten steps.

    Attributes:
        lessons: Its lessons, the latest last.
        since: Steps since its last reflection.
    """

    def __init__(self, context: MindContext) -> None:
        super().__init__(context)
        self.lessons: list[str] = []
        self.since = 0

    async def act(self, observation: Observation) -> Act:
        """Reflect if it is due, then think and act."""
        self.since += 1
        in_vain = observation.outcome in ("inadmissible", "filtered")
        if observation.admissible and self.trajectory and (in_vain or self.since >= TRIAL):
            await self._look_back(observation, "it came to nothing" if in_vain else "some time has passed")
        return await super().act(observation)

    async def _look_back(self, observation: Observation, why: str) -> None:
        past = "\n".join(line for step in self.trajectory for line in step)
        prompt = (
            f"You are {self.context.name}. This is what you lately did:\n\n{past}\n"
            f"Observation: {observation.result}\n\n"
            f"Look back, since {why}: say in one or two sentences what you would do otherwise, and what to try next.\n"
            "What I learned:"
        )
        lesson = await self.context.model.generate("reflection", prompt, max_tokens=80)
        self.lessons = [*self.lessons, " ".join(lesson.split())][-LESSONS:]
        self.since = 0

    def advice(self) -> str:
        """Return the lessons as text before the trajectory."""
        if not self.lessons:
            return ""
        return "What you learned before:\n" + "\n".join(f"- {lesson}" for lesson in self.lessons) + "\n\n"

    def answer(self) -> list[str]:
        """Return its trajectory and its lessons."""
        return [*super().answer(), *(f"What I learned: {lesson}" for lesson in self.lessons)]

    def get_state(self) -> dict[str, Any]:
        """Return the trajectory, the lessons, and the steps since the last reflection."""
        return {**super().get_state(), "lessons": self.lessons, "since": self.since}

    def set_state(self, state: Mapping[str, Any]) -> None:
        """Restore a state from `get_state`."""
        super().set_state(state)
        self.lessons, self.since = list(state["lessons"]), int(state["since"])
