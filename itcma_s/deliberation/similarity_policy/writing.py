"""Writing of thoughts and words by the language model after a decision.

Two styles. A small model continues a page of a story, in words that exist in the valley, a few times over, and the
sample that fits best is kept; asked by instructions it repeats them (docs/models.md). A large model is instructed.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from itcma_s.deliberation.similarity_policy.fitting import best, compared, fits, sound
from itcma_s.deliberation.similarity_policy.story_page import (
    Situation,
    beginning,
    head,
    page,
    page_grammar,
    read_page,
    wants_to_ask,
)
from itcma_s.wording import Style
from language_models.prefetching import prefetch
from language_models.protocol import Caller, Embedder, GenerateRequest, LanguageModel, Usage

SAMPLES = 2


@dataclass(frozen=True, kw_only=True, slots=True)
class Text:
    """A thought, the words of a chat, and the usage of each model call."""

    thought: str
    words: str
    usages: tuple[Usage, ...]


async def write(
    situation: Situation,
    *,
    style: Style,
    model: LanguageModel,
    embedder: Embedder,
    vocabulary: frozenset[str] | None,
    seed: int,
    caller: Caller,
) -> Text:
    """Have the model write the thought and the words.

    Raises:
        ModelError: if the model gives no text of the form asked for.
    """
    if style == "instruct":
        answer = await model.generate(
            GenerateRequest(
                prompt=_instructions() + instruction(situation),
                caller=caller,
                max_tokens=160,
                seed=seed,
                pattern=_INSTRUCT_CHAT if situation.partner else _INSTRUCT_OTHER,
            )
        )
        thought, _, words = answer.text.strip().partition("\nWords:")
        return Text(
            thought=thought.removeprefix("Thought:").strip(),
            words=words.strip().strip('"“”'),
            usages=(answer.usage,),
        )
    usages: list[Usage] = []
    for naming in _rounds(situation):
        answer = await model.generate(
            GenerateRequest(
                prompt=head() + page(situation),
                caller=caller,
                max_tokens=96,
                temperature=0.7,
                seed=seed + naming,
                pattern=page_grammar(situation, naming=naming),
                samples=SAMPLES,
                vocabulary=vocabulary,
            )
        )
        usages.append(answer.usage)
        drawn = [read_page(text, situation) for text in (answer.text, *answer.alternatives)]
        await prefetch(embedder, compared([words for _, words in drawn], situation))
        fitting = [
            (thought, words)
            for thought, words in drawn
            if (
                fits(words, situation, embedder, vocabulary)
                if situation.partner is not None
                else sound(thought, situation, vocabulary)
            )
        ]
        if fitting:
            break
    # If nothing fits, the last samples at least name something in sight.
    thought, words = best(fitting or drawn, situation, embedder)
    if not sound(thought, situation, vocabulary):
        thought = f"{beginning(situation)}."
    return Text(thought=thought, words=words, usages=tuple(usages))


def _rounds(situation: Situation) -> tuple[bool, ...]:
    """Return for each writing attempt whether the line has to name something.

    A line that answers nobody fits only if it names something, which three in four unconstrained lines do not. Answers
    and questions also use the given openings, since the model cannot guess what the resident knows.
    """
    if situation.partner is None:
        return (False,)
    if situation.answers or wants_to_ask(situation):
        return (True,)
    return (False, True) if situation.observation.messages else (True,)


def instruction(situation: Situation) -> str:
    """Return the situation part of the prompt for a large model."""
    answers = f"\nYou could answer: {' '.join(situation.answers)}" if situation.answers else ""
    partner = f"talk with {situation.partner}" if situation.partner else situation.action
    return (
        f"Your name is {situation.observation.resident}. {situation.channel}{answers}\nYou want to {situation.goal}.\n"
        f"You are about to: {partner}\nYou expect: {situation.expected}\n"
    )


_INSTRUCT_OTHER = r'root ::= "Thought: " [^\n]+ "\n"?'
_INSTRUCT_CHAT = r'root ::= "Thought: " [^\n]+ "\n" "\n"? "Words: " [^\n]+ "\n"?'


@cache
def _instructions() -> str:
    return files("itcma_s.deliberation.similarity_policy").joinpath("prompts/instruct.txt").read_text(encoding="utf-8")
