"""A PIANO agent: its modules in the waves of a step, each of which can be left out."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Mapping
from typing import Any

from irollan_env.actions import Action, Primitive
from irollan_env.hints import did_you_mean
from irollan_env.resident import Act
from irollan_env.world.observation import Observation
from minds.mind import MindContext
from minds.piano import modules
from minds.piano.agent_state import AgentState
from minds.piano.modules import AT_ONCE, Changes
from minds.wording import with_words

MODULES = ("memory", "awareness", "goals", "social", "talking", "skills", "controller")
BASELINE = ("skills", "memory", "controller")
"""What the paper compares with (its section 8.1)."""

_WITHOUT = "without-"


class Piano:
    """Modules over one state.

    Within a step, memory, action awareness, goal generation and social awareness run at once, on the same state; then
    the controller decides, where it is time to; its decision goes to skill execution, and to talking where the skill
    is a chat.

    Attributes:
        state: What all modules read and write.
    """

    def __init__(self, setting: MindContext, argument: frozenset[str]) -> None:
        """Begin with what is remembered from before, and nothing else.

        Args:
            setting: Whose mind it is, and what it asks.
            argument: The modules that it has.
        """
        self._setting = setting
        self._has = argument
        self.state = AgentState(long_term=setting.history.lines())

    @staticmethod
    def read_argument(text: str) -> frozenset[str]:
        """The modules of ``without-NAME+NAME``; all where nothing is said.

        Raises:
            ValueError: for another form, or a name that is no module's.
        """
        if not text:
            return frozenset(MODULES)
        names = text.removeprefix(_WITHOUT).split("+")
        if not text.startswith(_WITHOUT):
            raise ValueError(f"the mind piano is written piano:{_WITHOUT}NAME+NAME, got {text!r}")
        for name in names:
            if name not in MODULES:
                raise ValueError(
                    f"piano has no module {name!r}: it must be one of {', '.join(MODULES)}{did_you_mean(name, MODULES)}"
                )
        return frozenset(MODULES) - frozenset(names)

    async def act(self, observation: Observation) -> Act:
        """One step: perceive; run what is due; decide; do or say it."""
        state, ask = self.state, self._setting.ask
        self._write(await modules.perceive(state, observation, ask, remembers="memory" in self._has))
        if not observation.admissible:
            state.acted = None
            return Act(action=None, goal=state.goal)
        due = [name for name, one in AT_ONCE.items() if name in self._has and one.due(state, observation)]
        for changes in await _all(AT_ONCE[name].run(state, observation, ask) for name in due):
            self._write(changes)
        if "controller" in self._has and modules.decision_is_due(state, observation):
            self._write(await modules.decide(state, observation, ask))
        action = await self._carry_out(observation)
        state.acted = action
        if action is not None and "memory" in self._has:
            state.short_term = [*state.short_term, f"You: {action}"]
        return Act(action=action, thought=state.decision, goal=state.goal)

    async def _carry_out(self, observation: Observation) -> Action | None:
        """What is done in this step; who has no skills can but talk."""
        ask, talks = self._setting.ask, "talking" in self._has
        action: Action | None = None
        if "skills" in self._has:
            action = await modules.execute(self.state, observation, ask, talks=talks)
        elif talks:
            action = next((one for one in observation.admissible if one.primitive is Primitive.CHAT), None)
        if action is None or action.primitive is not Primitive.CHAT:
            return action
        return with_words(action, await modules.talk(self.state, observation, ask, action.target))

    def _write(self, changes: Changes) -> None:
        for name, value in changes.items():
            setattr(self.state, name, value)

    def tell(self) -> list[str]:
        """Its memories, how it feels about others, its goal and its last decision."""
        return self.state.told()

    def get_state(self) -> dict[str, Any]:
        """The one state."""
        return self.state.to_json()

    def set_state(self, state: Mapping[str, Any]) -> None:
        """Go on from it."""
        self.state = AgentState.from_json(state)


class PianoBaseline(Piano):
    """Skill execution, memory and the controller alone."""

    def __init__(self, setting: MindContext) -> None:
        super().__init__(setting, frozenset(BASELINE))


async def _all(running: Any) -> list[Changes]:
    """What modules write that run at once; all are waited for, also where one fails.

    Raises:
        ModelError: the first that one raised.
    """
    at_once: list[Awaitable[Changes]] = list(running)
    answers = await asyncio.gather(*at_once, return_exceptions=True)
    for answer in answers:
        if isinstance(answer, BaseException):
            raise answer
    return [answer for answer in answers if not isinstance(answer, BaseException)]
