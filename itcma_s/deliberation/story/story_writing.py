"""Writing of thought and words for a decided action by a model trained on scenes."""

from __future__ import annotations

from itcma_s.deliberation.model_answer import TRIES, Unusable
from itcma_s.deliberation.story.facts import Facts
from itcma_s.deliberation.story.sentences import lines, thoughts
from itcma_s.deliberation.story.story_prompt import StoryPrompt
from itcma_s.model_calls import ModelCalls
from language_models.protocol import GenerateRequest, LanguageModel

TEMPERATURE = 0.5
"""Sampling temperature of a continuation."""

_MOST_TOKENS = 160


async def write_story(
    page: StoryPrompt, facts: Facts, *, model: LanguageModel, seed: int, calls: ModelCalls
) -> tuple[str, str]:
    """Have a model continue a story prompt with the thought and, in a talk, the words.

    The grammar holds what the facts bear out, and the model writes what it finds likely of it. A model that heeds no
    grammar and writes something else is asked again, at most twice; then the first thought and line take its place.

    Args:
        page: The story prompt, with the decided action.
        facts: What is the case.
        model: The language model.
        seed: Seed of the first try, incremented for each further one.
        calls: The model calls of this step.

    Raises:
        ModelError: if the model fails.
    """
    partner, said = facts.partner, lines(facts) if facts.partner is not None else ()
    thought = thoughts(facts)
    for again in range(TRIES):
        answer = await model.generate(
            GenerateRequest(
                prompt=page.text(),
                caller=calls.caller("writing"),
                max_tokens=_MOST_TOKENS,
                temperature=TEMPERATURE,
                seed=seed + again,
                pattern=page.writing_grammar(partner, thought, said),
            )
        )
        calls.add(answer.usage.call)
        try:
            written = page.read_writing(answer.text, partner)
        except Unusable:
            continue
        if written[0] in thought and (not said or written[1] in said):
            return written
    return thought[0], said[0] if said else ""
