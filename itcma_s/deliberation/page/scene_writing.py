"""Thoughts and words of a model that was trained on scenes: it goes on with the page on which the deed stands."""

from __future__ import annotations

from itcma_s.deliberation.answer import TRIES, Unusable
from itcma_s.deliberation.page.own_voice import speaks_as_itself, thinks_as_itself
from itcma_s.deliberation.page.page import Page
from language_models.protocol import Caller, GenerateRequest, LanguageModel, ModelError

TEMPERATURE = 0.5
"""Of what is written on a page."""

_MOST_TOKENS = 160


async def write_scene(
    page: Page, partner: str | None, *, model: LanguageModel, seed: int, caller: Caller, calls: list[int]
) -> tuple[str, str]:
    """Have a model go on with a page: the thought and, in a talk, the words.

    Where it takes one name for another it is asked again; after the last try, what it wrote is taken as it is.

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
    why, usage, written = "", None, None
    for again in range(TRIES):
        answer = await model.generate(
            GenerateRequest(
                prompt=page.text(),
                caller=caller,
                max_tokens=_MOST_TOKENS,
                temperature=TEMPERATURE,
                seed=seed + again,
                pattern=page.writing_grammar(partner),
            )
        )
        usage = answer.usage
        calls.append(usage.call)
        try:
            thought, words = written = page.read_writing(answer.text, partner)
        except Unusable as reason:
            why = str(reason)
            continue
        if thinks_as_itself(thought, page.me) and (partner is None or speaks_as_itself(words, page.me, partner)):
            break
    if written is not None:
        return written
    calls.pop()
    raise ModelError(f"{model.name} wrote nothing that can be used in {TRIES} tries: the last one {why}", usage=usage)
