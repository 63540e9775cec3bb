"""A person lives in the valley: what can be done is put to whoever answers the calls of the module ``person``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import groupby
from typing import Any

from irollan_env.actions import Action, Primitive
from irollan_env.world.observation import Observation
from language_models.protocol import Caller, GenerateRequest, LanguageModel
from minds.mind import MindContext
from minds.simple.prompted import OneRequest
from minds.wording import perceived_lines, with_words

MODULE = "person"
WAIT = "wait"
HAND = "hand"
"""What the option begins with that ends a person's part; no action does."""

_KINDS = tuple(primitive.value for primitive in Primitive)


class Me:
    """Asks a person once a step, and once more for the words of a chat.

    Every answer is a recorded call, so that a run with people in it replays and branches as any other.

    Attributes:
        handed_over: Whether the person has handed the resident over to the model of the run, which is then asked as
            ``OneRequest`` asks, from that step on.
    """

    def __init__(self, context: MindContext) -> None:
        self._context = context
        self._successor = OneRequest(context)
        self.handed_over = False

    async def act(self, observation: Observation) -> str | None:
        """What the person picks; None where it waits, or is held back."""
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
        prompt, options = question(observation, f"{HAND} {self._context.name} over to the model")
        return await self._context.model.choose(MODULE, prompt, options)

    async def _with_words(self, action: Action) -> Action:
        asked = question_of_words(action)
        return action if asked is None else with_words(action, await self._context.model.generate(MODULE, asked))

    def get_state(self) -> dict[str, Any]:
        """Whether the resident was handed over."""
        return {"handed_over": self.handed_over}

    def set_state(self, state: Mapping[str, Any]) -> None:
        """Go on from it."""
        self.handed_over = bool(state["handed_over"])


async def answer_of(
    person: LanguageModel, prompt: str, options: Sequence[str], caller: Caller, heading: str = ""
) -> tuple[str, tuple[int, ...]]:
    """What a person picks, with their words where it is a chat, and the calls that this took.

    Args:
        person: Answers as the person does.
        prompt: What they are shown, as ``question`` gives it.
        options: Likewise.
        caller: In whose name.
        heading: What stands above all that they are shown.
    """
    choice = await person.choose(f"{heading}{prompt}", options, caller=caller)
    if (asked := question_of_words(choice.option)) is None:
        return choice.option, (choice.usage.call,)
    words = await person.generate(GenerateRequest(prompt=f"{heading}{asked}", caller=caller))
    return with_words(Action(choice.option), words.text.strip()), (choice.usage.call, words.usage.call)


def question(observation: Observation, last: str) -> tuple[str, list[str]]:
    """What a person is asked in a step: what its resident perceives, with all that it can do, and that as options.

    Args:
        observation: Of the resident.
        last: The option that ends the person's part; no action is worded so.
    """
    options = [*sorted(observation.admissible, key=_rank), WAIT, last]
    prompt = f"You are {observation.resident}.\n\n{_perceived(observation)}\n\nYou can:\n{_listed(options)}"
    return prompt, options


def question_of_words(action: str) -> str | None:
    """What a person is asked who has picked this action, if words are needed."""
    chat = Action.parse(action)
    return f"You say to {chat.target}:" if isinstance(chat, Action) and chat.words else None


def _perceived(observation: Observation) -> str:
    """What is perceived, each thing in a line of its own: nobody's words can look like an action."""
    goal = [f"You were set this goal: {observation.goal}"] if observation.goal else []
    return "\n".join(" ".join(line.split()) for line in [*perceived_lines(observation), *goal])


def _kind(action: str) -> str:
    """What an action begins with; empty for what is none."""
    return next((kind for kind in _KINDS if action.startswith(kind)), "")


def _rank(action: str) -> int:
    return _KINDS.index(_kind(action))


def _listed(options: list[str]) -> str:
    """Options by their kind, numbered from 1."""
    lines = []
    for kind, group in groupby(enumerate(options, 1), key=lambda one: _kind(one[1])):
        lines.append(kind or "or")
        lines += [f"{number:4} {_rest(option, kind)}" for number, option in group]
    return "\n".join(lines)


def _rest(option: str, kind: str) -> str:
    return option.target if isinstance(option, Action) and option.words else option.removeprefix(kind).strip()
