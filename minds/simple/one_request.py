"""A mind of one bare request: what any architecture has to beat."""

from __future__ import annotations

from irollan_env.world.observation import Observation
from minds.mind import MindContext
from minds.wording import decided, decision_form, options, scene


class OneRequest:
    """Asks the model once a step what to do, and remembers nothing."""

    def __init__(self, setting: MindContext) -> None:
        self._setting = setting

    async def act(self, observation: Observation) -> str | None:
        """One admissible action, with words where it is a chat."""
        if not observation.admissible:
            return None
        prompt = (
            f"You are {self._setting.name}.\n\n{self._setting.history.told()}"
            f"{scene(observation)}\n\nYou can:\n{options(observation)}\n\n"
            'Answer with one JSON object: {"number": the number of what you do, "words": "what you say, if you speak"}.'
        )
        return decided(observation, await self._setting.ask.fill("action", prompt, decision_form(observation)))
