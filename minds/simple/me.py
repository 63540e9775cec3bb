"""Mind whose decisions a person makes, at a terminal or on the page of a run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import groupby
from typing import Any

from irollan_env.actions import Action, Primitive, with_names
from irollan_env.world.observation import Observation
from language_models.protocol import Caller, GenerateRequest, LanguageModel
from minds.mind import MindContext
from minds.simple.prompted import OneRequest
from minds.wording import perceived_lines, with_words

MODULE = "person"
WAIT = "wait"
HAND = "hand"
"""First word of the option that hands the resident over to the model; no action begins with it."""

_KINDS = tuple(primitive.value for primitive in Primitive)


class Me:
    """Asks a person for each action, and for the words of a chat.

    Every answer is a recorded call of the module ``person``, so a run with people replays and branches as any other.

    Attributes:
        handed_over: Whether the person has handed the resident over to the run's model, which then decides
            as ``OneRequest`` does.
    """

    def __init__(self, context: MindContext) -> None:
        self._context = context
        self._successor = OneRequest(context)
        self.handed_over = False

    async def act(self, observation: Observation) -> str | None:
        """Return the action that the person picks; None if it waits or cannot act."""
        if not observation.admissible:
            return None
        if not self.handed_over:
            chosen = await self._ask(observation)
            if chosen == WAIT:
                return None
            if chosen in observation.admissible:
                return await self._with_words(Action(chosen))
            self.handed_over = True
        return await self._successor.act(observation)

    async def _ask(self, observation: Observation) -> str:
        last = f"{HAND} {self._context.name} over to the model"
        prompt, options = decision_prompt(observation, last, self._context.history.to_prompt())
        return await self._context.model.choose(MODULE, prompt, options)

    async def _with_words(self, action: Action) -> Action:
        asked = words_prompt(action)
        return action if asked is None else with_words(action, await self._context.model.generate(MODULE, asked))

    def get_state(self) -> dict[str, Any]:
        """Return whether the resident was handed over."""
        return {"handed_over": self.handed_over}

    def set_state(self, state: Mapping[str, Any]) -> None:
        """Restore a state from `get_state`."""
        self.handed_over = bool(state["handed_over"])


async def ask_person(
    person: LanguageModel, prompt: str, options: Sequence[str], caller: Caller, heading: str = ""
) -> tuple[str, tuple[int, ...]]:
    """Ask a person for an action, with words where it is a chat.

    Args:
        person: The model that returns the person's answers.
        prompt: The text shown, from ``decision_prompt``.
        options: The options to pick from, from ``decision_prompt``.
        caller: Module, resident and time step of the calls.
        heading: Text above the prompt.

    Returns:
        The option, and the identifiers of the calls.
    """
    choice = await person.choose(f"{heading}{prompt}", options, caller=caller)
    if (asked := words_prompt(choice.option)) is None:
        return choice.option, (choice.usage.call,)
    words = await person.generate(GenerateRequest(prompt=f"{heading}{asked}", caller=caller))
    return with_words(Action(choice.option), words.text.strip()), (choice.usage.call, words.usage.call)


def decision_prompt(observation: Observation, last: str, history: str = "") -> tuple[str, list[str]]:
    """Return the prompt of a step, with the observation and the options, and the options themselves.

    Args:
        observation: The resident's observation.
        last: The last option, which must differ from every action's text.
        history: Who the resident was before, from ``History.to_prompt``.

    Returns:
        The prompt, and the options in the order of their numbers in it.
    """
    options = [*sorted(observation.admissible, key=_rank), WAIT, last]
    prompt = f"You are {observation.resident}.\n\n{history}{_perceived(observation)}\n\nYou can:\n{_listed(options)}"
    return prompt, options


def words_prompt(action: str) -> str | None:
    """Return the prompt for the words of a chat; None for another action."""
    chat = Action.parse(action)
    return f"You say to {chat.target}:" if isinstance(chat, Action) and chat.words else None


def _perceived(observation: Observation) -> str:
    """Format the observation with each message on one line, so that no words can look like an option."""
    goal = [f"You were set this goal: {observation.goal}"] if observation.goal else []
    return "\n".join(" ".join(line.split()) for line in [*perceived_lines(observation), *goal])


def _kind(action: str) -> str:
    """Return the primitive of an option; empty for none."""
    return str(action.primitive) if isinstance(action, Action) else ""


def _rank(action: Action) -> tuple[int, str]:
    """Sort by primitive, those of one's own last."""
    own = action.primitive not in _KINDS
    return len(_KINDS) if own else _KINDS.index(_kind(action)), _kind(action)


def _listed(options: list[str]) -> str:
    """Format options grouped by primitive, numbered from 1."""
    lines = []
    for kind, group in groupby(enumerate(options, 1), key=lambda one: _kind(one[1])):
        lines.append(kind or "or")
        lines += [f"{number:4} {_rest(option, kind)}" for number, option in group]
    return "\n".join(lines)


def _rest(option: str, kind: str) -> str:
    if isinstance(option, Action) and option.words:
        return option.target
    return (option if kind in ("", *_KINDS) else with_names(option, str)).removeprefix(kind).strip()
