"""PIANO agent, which runs its modules in order within a step; each module can be left out."""

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
"""Modules of the paper's baseline (its section 8.1)."""

_WITHOUT = "without-"


class Piano:
    """PIANO agent whose modules share one state.

    Within a step, memory, action awareness, goal generation and social awareness run at once, on the same state; then
    the controller decides, if due; its decision goes to skill execution, and to talking where the skill
    is a chat.

    Attributes:
        state: State that all modules read and write.
    """

    def __init__(self, context: MindContext, argument: frozenset[str]) -> None:
        """Start with the memories, the first goal and the feelings about others of the resident's history only.

        Args:
            context: Name, models and history of the resident.
            argument: The modules of the agent.
        """
        self._context = context
        self._has = argument
        history = context.history
        felt = history.feelings.items() if "social" in argument else ()
        self.state = AgentState(
            long_term=history.lines(),
            goal=history.goals[0] if history.goals and "goals" in argument else "",
            social={who: (round(5 + 5 * feeling), "nothing that is known yet") for who, feeling in felt},
        )

    @staticmethod
    def parse_argument(text: str) -> frozenset[str]:
        """Parse ``without-NAME+NAME`` to the agent's modules; all by default.

        Raises:
            ValueError: for another form, or an unknown module.
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
        """Run one step: perceive, run the modules that are due, decide, and act."""
        state, model = self.state, self._context.model
        self._write(await modules.perceive(state, observation, model, remembers="memory" in self._has))
        if not observation.admissible:
            state.acted = None
            return Act(action=None, goal=state.goal)
        due = [name for name, one in AT_ONCE.items() if name in self._has and one.due(state, observation)]
        for changes in await _all(AT_ONCE[name].run(state, observation, model) for name in due):
            self._write(changes)
        if "controller" in self._has and modules.decision_is_due(state, observation):
            self._write(await modules.decide(state, observation, model))
        action = await self._carry_out(observation)
        state.acted = action
        if action is not None and "memory" in self._has:
            state.short_term = [*state.short_term, f"You: {action}"]
        return Act(action=action, thought=state.decision, goal=state.goal)

    async def _carry_out(self, observation: Observation) -> Action | None:
        """Return the action of this step; without skills the agent can only talk."""
        model, talks = self._context.model, "talking" in self._has
        action: Action | None = None
        if "skills" in self._has:
            action = await modules.execute(self.state, observation, model, talks=talks)
        elif talks:
            action = next((one for one in observation.admissible if one.primitive is Primitive.CHAT), None)
        if action is None or action.primitive is not Primitive.CHAT:
            return action
        return with_words(action, await modules.talk(self.state, observation, model, action.target))

    def _write(self, changes: Changes) -> None:
        for name, value in changes.items():
            setattr(self.state, name, value)

    def answer(self) -> list[str]:
        """Return its memories, feelings about others, goal and last decision."""
        return self.state.describe()

    def get_state(self) -> dict[str, Any]:
        """Return the shared state."""
        return self.state.to_json()

    def set_state(self, state: Mapping[str, Any]) -> None:
        """Restore a state from `get_state`."""
        self.state = AgentState.from_json(state)


class PianoBaseline(Piano):
    """PIANO with skill execution, memory and the controller only."""

    def __init__(self, context: MindContext) -> None:
        super().__init__(context, frozenset(BASELINE))


async def _all(running: Any) -> list[Changes]:
    """Run modules concurrently and return their changes; all are awaited, even if one fails.

    Raises:
        ModelError: the first error of a module.
    """
    at_once: list[Awaitable[Changes]] = list(running)
    answers = await asyncio.gather(*at_once, return_exceptions=True)
    for answer in answers:
        if isinstance(answer, BaseException):
            raise answer
    return [answer for answer in answers if not isinstance(answer, BaseException)]
