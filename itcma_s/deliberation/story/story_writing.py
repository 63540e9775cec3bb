"""Writing of thought and words for a decided action by a model trained on scenes."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache

from irollan_env.naming import whole_name
from itcma_s.deliberation.model_answer import TRIES, Unusable
from itcma_s.deliberation.story.story_prompt import StoryPrompt
from itcma_s.model_calls import ModelCalls
from language_models.protocol import GenerateRequest, LanguageModel, ModelError

TEMPERATURE = 0.5
"""Sampling temperature of a continuation."""

_MOST_TOKENS = 160
_I_AM = r"\b(?:I am|I'm|[Mm]y name is) "
_CALLED = (
    r"(?:^|[,.!?:;-]|\b(?:[Hh]ello|[Hh]i|[Hh]ey|[Yy]es|[Nn]o|[Oo]h|[Ww]ell|[Dd]ear|[Ww]elcome|[Tt]hanks?(?: you)?))\s*"
)


async def write_story(
    page: StoryPrompt,
    partner: str | None,
    *,
    model: LanguageModel,
    seed: int,
    calls: ModelCalls,
    people: Iterable[str],
) -> tuple[str, str]:
    """Have a model continue a story prompt with the thought and, in a talk, the words.

    If it confuses names it is asked again; after the last try its text is accepted as it is.

    Args:
        page: The story prompt, with the decided action.
        partner: The partner of a chat; None for other actions.
        model: The language model.
        seed: Seed of the first try, incremented for each further one.
        calls: The model calls of this step.
        people: Names of all who live here, which a model may take for the resident's own.

    Raises:
        ModelError: if the model fails, or gives nothing of the form in ``TRIES`` tries.
    """
    why, usage, written = "", None, None
    for again in range(TRIES):
        answer = await model.generate(
            GenerateRequest(
                prompt=page.text(),
                caller=calls.caller("writing"),
                max_tokens=_MOST_TOKENS,
                temperature=TEMPERATURE,
                seed=seed + again,
                pattern=page.writing_grammar(partner),
            )
        )
        usage = answer.usage
        calls.add(usage.call)
        try:
            thought, words = written = page.read_writing(answer.text, partner)
        except Unusable as reason:
            why = str(reason)
            continue
        itself = partner is None or speaks_as_itself(words, page.me, partner, people)
        if itself and thinks_as_itself(thought, page.me):
            break
    if written is not None:
        return written
    raise ModelError(f"{model.name} wrote nothing that can be used in {TRIES} tries: the last one {why}", usage=usage)


def thinks_as_itself(thought: str, thinker: str) -> bool:
    """Return whether a thought is in the first person: it does not contain the thinker's name.

    Args:
        thought: The thought.
        thinker: The thinker's name.
    """
    return not _named(thought, _own(thinker))


def speaks_as_itself(words: str, speaker: str, partner: str, people: Iterable[str]) -> bool:
    """Return whether words speak as "I" and to "you": no false name, and neither person in the third person.

    A small model takes one name for another: SG tells AY "I am WL", or asks LL "Do you know where LL is?".

    Args:
        words: What is said.
        speaker: Who says it; its name stands in it as "I am SG" alone.
        partner: To whom; that name calls it, as in "Hello, LL.", "Come in, LL!" or "LL, is this yours?".
        people: Names of all who live here.
    """
    if any(name in words and name != speaker and _named(words, _being(name)) for name in people):
        return False
    own, called = _own(speaker), _called(partner)
    return not _named(_being(speaker).sub("I", words), own) and not _named(called.sub(" ", words), _own(partner))


def _named(words: str, name: re.Pattern[str]) -> bool:
    return name.search(words) is not None


@lru_cache(maxsize=4096)
def _own(name: str) -> re.Pattern[str]:
    return re.compile(whole_name(name))


@lru_cache(maxsize=4096)
def _being(name: str) -> re.Pattern[str]:
    return re.compile(_I_AM + whole_name(name))


@lru_cache(maxsize=4096)
def _called(name: str) -> re.Pattern[str]:
    """Compile the pattern of addressing somebody by name, set off from the rest of the sentence."""
    at_the_end = rf",?\s*(?<!\w){re.escape(name)}(?=\s*[.!?](?:\s|$))"
    return re.compile(rf"{_CALLED}{re.escape(name)}(?=\s*(?:[,.!?:;]|$))|{at_the_end}")
