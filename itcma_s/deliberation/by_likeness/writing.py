"""Thoughts and words: the text that the language model writes once an action is decided on.

A small model goes on with a page of the scene, on which stands what is about to be done (``write``). A large one is
instructed (``write_by_instruction``).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from irollan_env.world.observation import Observation
from irollan_env.world.primitives import Chat, parse
from itcma_s.deliberation.answer import TRIES, Unusable
from itcma_s.deliberation.page.page import Page
from language_models.protocol import Caller, LanguageModel, ModelError

TEMPERATURE = 0.7
"""Of what is written on a page."""

_MOST_TOKENS = 160


@dataclass(frozen=True, kw_only=True, slots=True)
class Situation:
    """What a large model is told.

    Attributes:
        observation: What is perceived now.
        action: The action decided on; a chat without its words.
        goal: What the resident wants.
        memory: What comes to mind, in a few words; empty when nothing does.
        knows: What it knows of what is spoken of: "SG was in the canteen".
        feeling: How the resident feels, in a few words.
        expected: The sentence of the action's protention.
        channel: Its whole channel in words (``channel_in_words.juxtaposed``); empty where what is there, heard,
            remembered and felt is told in short.
    """

    observation: Observation
    action: str
    goal: str
    memory: str = ""
    knows: Sequence[str] = ()
    feeling: str = ""
    expected: str = ""
    channel: str = ""

    @property
    def partner(self) -> str | None:
        """Whom the action talks with, None when it is no chat."""
        return talks_with(self.action)


def talks_with(action: str) -> str | None:
    """Whom an action talks with, None when it is no chat."""
    parsed = parse(action)
    return parsed.person if isinstance(parsed, Chat) else None


async def write(
    page: Page, partner: str | None, *, model: LanguageModel, seed: int, caller: Caller, calls: list[int]
) -> tuple[str, str]:
    """Have a model go on with a page: the thought and, in a talk, the words.

    Args:
        page: With what the resident is about to do.
        partner: Whom it is about to talk with; None where it is not.
        model: Goes on with the page.
        seed: Of the first try; each further one has the next.
        caller: Who asks.
        calls: Identifiers of the model calls made; grows.

    Raises:
        ModelError: if the model fails, or gives nothing of the form in ``TRIES`` tries.
    """
    why, usage = "", None
    for again in range(TRIES):
        answer = await model.generate(
            page.text(),
            caller=caller,
            max_tokens=_MOST_TOKENS,
            temperature=TEMPERATURE,
            seed=seed + again,
            pattern=page.writing_grammar(partner),
        )
        usage = answer.usage
        calls.append(usage.call)
        try:
            return page.read_writing(answer.text, partner)
        except Unusable as reason:
            why = str(reason)
    calls.pop()
    raise ModelError(f"{model.name} wrote nothing that can be used in {TRIES} tries: the last one {why}", usage=usage)


async def write_by_instruction(
    situation: Situation, *, model: LanguageModel, seed: int, caller: Caller, calls: list[int]
) -> tuple[str, str]:
    """Have a model that follows instructions write the thought and, in a talk, the words.

    Args:
        situation: What it is told.
        model: Writes.
        seed: Of what is drawn.
        caller: Who asks.
        calls: Identifiers of the model calls made; grows.

    Raises:
        ModelError: if the model gives no text of the form asked for, or no words for a talk.
    """
    answer = await model.generate(
        _instructions() + instruction(situation),
        caller=caller,
        max_tokens=160,
        seed=seed,
        pattern=_INSTRUCT_CHAT if situation.partner else _INSTRUCT_OTHER,
    )
    thought, _, words = answer.text.strip().partition("\nWords:")
    words = words.strip().strip('"“”')
    if situation.partner is not None and not words:
        raise ModelError(f"{model.name} gave no words to say to {situation.partner}", usage=answer.usage)
    calls.append(answer.usage.call)
    return thought.removeprefix("Thought:").strip(), words


def instruction(situation: Situation) -> str:
    """Everything a large model is told before it writes."""
    seen = situation.observation
    heard = " ".join(f'{m.sender} said to {m.addressee}: "{m.text}"' for m in seen.messages)
    told = situation.channel or "\n".join(
        [
            seen.sentence,
            *([f"You heard: {heard}"] if heard else []),
            *([f"You remember: {situation.memory}"] if situation.memory else []),
            *([f"You know that {' and that '.join(situation.knows)}."] if situation.knows else []),
            f"You feel {situation.feeling}.",
        ]
    )
    partner = f"talk with {situation.partner}" if situation.partner else situation.action
    return (
        f"Your name is {seen.resident}. {told}\nYou want to {situation.goal}.\n"
        f"You are about to: {partner}\nYou expect: {situation.expected}\n"
    )


_INSTRUCT_OTHER = r'root ::= "Thought: " [^\n]+ "\n"?'
_INSTRUCT_CHAT = r'root ::= "Thought: " [^\n]+ "\n" "\n"? "Words: " [^\n]+ "\n"?'


@cache
def _instructions() -> str:
    return files("itcma_s.deliberation.by_likeness").joinpath("prompts/instruct.txt").read_text(encoding="utf-8")
