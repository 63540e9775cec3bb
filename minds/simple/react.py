"""ReAct (Yao et al. 2023): reasoning and acting in turn, each in the light of what the others brought."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from irollan_env.resident import Act
from irollan_env.world.observation import Observation
from minds.mind import MindContext
from minds.wording import decided, decision_form, lines_of, options, scene

STEPS = 12
"""How many of its last steps it has before it."""

_LONGEST_THOUGHT = 400


class React:
    """Thinks, acts and observes; its trajectory is all that it knows.

    Attributes:
        trajectory: Lines "Observation:", "Thought:" and "Action:" of the last steps, one list a step.
    """

    def __init__(self, setting: MindContext) -> None:
        self.setting = setting
        self.trajectory: list[list[str]] = []

    async def act(self, observation: Observation) -> Act:
        """A thought, and the action that follows from it."""
        perceived = f"Observation: {' '.join(lines_of(observation))}"
        if not observation.admissible:
            self._keep([perceived])
            return Act(action=None)
        answer = await self.setting.ask.fill("action", self._prompt(observation), self._form(observation))
        action, thought = decided(observation, answer), str(answer["thought"])
        self._keep([perceived, f"Thought: {thought}", f"Action: {action}"])
        return Act(action=action, thought=thought)

    def _prompt(self, observation: Observation) -> str:
        past = "\n".join(line for step in self.trajectory for line in step)
        return (
            f"You are {self.setting.name}. You live in a valley, step by step: you observe, think, and act.\n\n"
            f"{self.setting.history.told()}{self.advice()}{past}\n"
            f"Observation: {scene(observation)}\n\nYou can:\n{options(observation)}\n\n"
            'Answer with one JSON object: {"thought": "what you think now, and what to do next", "number": the number '
            'of what you do, "words": "what you say, if you speak"}.'
        )

    @staticmethod
    def _form(observation: Observation) -> dict[str, Mapping[str, Any]]:
        return decision_form(observation, thought=_LONGEST_THOUGHT)

    def advice(self) -> str:
        """What stands before the trajectory; nothing here."""
        return ""

    def _keep(self, step: list[str]) -> None:
        self.trajectory = [*self.trajectory, step][-STEPS:]

    def tell(self) -> list[str]:
        """Who it was before, and its trajectory."""
        return [*self.setting.history.lines(), *(line for step in self.trajectory for line in step)]

    def get_state(self) -> dict[str, Any]:
        """The trajectory."""
        return {"trajectory": self.trajectory}

    def set_state(self, state: Mapping[str, Any]) -> None:
        """Go on from it."""
        self.trajectory = [list(step) for step in state["trajectory"]]
