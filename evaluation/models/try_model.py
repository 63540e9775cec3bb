"""Try one model: does it answer, follow a form, choose and score, and how fast is it."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from evaluation.models.closing import close_connections, release_models
from language_models.arguments import shorten_list
from language_models.protocol import Caller, GenerateRequest, LanguageModel, ModelError, ModelUnavailable, Usage
from language_models.remote.choosing import AGAINST, QUESTION
from language_models.remote.choosing import ANSWERS as OPTIONS
from language_models.remote.openai_compatible import OpenAICompatible

PROMPT = "Today I walked through the valley and saw a house. In front of the house"
YES_OR_NO = 'root ::= "yes" | "no"'
_CALLER = Caller(module="test")


@dataclass(frozen=True, kw_only=True, slots=True)
class Trial:
    """Record one trial of a model: what was tried, the result and the cost.

    Attributes:
        what: What it is.
        works: Whether it does.
        result: What came back, or why nothing did and what to do about it.
        seconds: What it took.
        needed: Whether a run needs it.
    """

    what: str
    works: bool
    result: str
    seconds: float
    needed: bool


async def try_model(model: LanguageModel) -> list[Trial]:
    """Try a model with a handful of short calls.

    Args:
        model: A loaded model; it is closed afterwards.
    """
    at_an_address = _AddressTrials(model) if isinstance(model, OpenAICompatible) else None
    tried = _Trials(model)
    try:
        # An address that is not there is waited for once, not twice.
        first = [] if at_an_address is None else [_try("serves", at_an_address.serves, False)]
        trials = await asyncio.gather(*first, _try("answers", tried.answers, True))
        if trials[-1].works:
            trials.append(await _try("keeps to a form", tried.keeps_to_form, True))
            trials.append(await _try("is held to a form", tried.follows_form, False))
            trials.append(await _try("chooses", tried.chooses, True))
            if at_an_address is not None:
                trials.append(await _try("gives top_logprobs", at_an_address.gives_top_logprobs, False))
                trials.append(await _try("is held to a schema", at_an_address.follows_schema, False))
            trials.append(await _try("gives log-probabilities", tried.scores, False))
            trials.append(await _try("answers six at once", tried.answers_at_once, True))
        if at_an_address is not None and (refused := at_an_address.refused()):
            said = f"left out: {', '.join(refused)}"
            trials.append(Trial(what="takes all fields", works=False, result=said, seconds=0.0, needed=False))
        return trials
    finally:
        await close_connections([model])
        release_models([model])


class _Trials:
    """Run the trials that every model gets; each returns the result and its cost."""

    def __init__(self, model: LanguageModel) -> None:
        self._model = model

    async def answers(self) -> tuple[str, Usage]:
        text = await self._model.generate(
            GenerateRequest(prompt=PROMPT, caller=_CALLER, max_tokens=48, temperature=0.0)
        )
        speed = text.usage.generated_tokens / text.usage.seconds if text.usage.seconds else 0.0
        return f"{_short(text.text)} ({speed:.0f} tokens a second)" if speed else _short(text.text), text.usage

    async def keeps_to_form(self) -> tuple[str, Usage]:
        text = await self._model.generate(
            GenerateRequest(
                prompt="Answer with yes or no only. Is water wet?",
                caller=_CALLER,
                max_tokens=8,
                temperature=0.0,
                pattern=YES_OR_NO,
            )
        )
        return f"{text.text}{_asked_again(text.usage)}", text.usage

    async def follows_form(self) -> tuple[str, Usage]:
        text = await self._model.generate(
            GenerateRequest(prompt=AGAINST, caller=_CALLER, max_tokens=8, temperature=0.0, pattern=YES_OR_NO)
        )
        return f"{text.text}, where the prompt asks for something else", text.usage

    async def chooses(self) -> tuple[str, Usage]:
        choice = await self._model.choose(QUESTION, OPTIONS, caller=_CALLER, query="find food")
        certain = max(choice.probabilities) == 1.0
        certainty = "it tells nothing about the others" if certain else f"probability {max(choice.probabilities):.2f}"
        if isinstance(self._model, OpenAICompatible):
            certainty = f'by choosing = "{self._model.chooser.method}", {certainty}'
        return f"{choice.option} ({certainty}){_asked_again(choice.usage)}", choice.usage

    async def scores(self) -> tuple[str, Usage]:
        scores = await self._model.score("The sky is", (" blue", " kitchen"), caller=_CALLER)
        return f"blue {scores.values[0]:.1f}, kitchen {scores.values[1]:.1f} nats", scores.usage

    async def answers_at_once(self) -> tuple[str, Usage]:
        began = time.perf_counter()
        texts = await asyncio.gather(
            *(
                self._model.generate(GenerateRequest(prompt=f"{PROMPT} {n}", caller=_CALLER, max_tokens=16, seed=n))
                for n in range(6)
            )
        )
        seconds = time.perf_counter() - began
        tokens = sum(text.usage.prompt_tokens + text.usage.generated_tokens for text in texts)
        return f"{tokens / seconds:.0f} tokens a second, prompts included" if tokens else "they came back", Usage()


class _AddressTrials:
    """Run the trials that only a model at an address gets."""

    def __init__(self, model: OpenAICompatible) -> None:
        self._model = model

    def refused(self) -> list[str]:
        """Return the fields that the server refused in the other trials."""
        return list(self._model.fields.refused)

    async def serves(self) -> tuple[str, Usage]:
        return shorten_list(await self._model.served()) or "nothing", Usage()

    async def gives_top_logprobs(self) -> tuple[str, Usage]:
        choice = await self._model.chooser.try_letters()
        return f"{choice.option} (probability {max(choice.probabilities):.2f})", choice.usage

    async def follows_schema(self) -> tuple[str, Usage]:
        conforms, text, usage = await self._model.chooser.try_schema()
        if not conforms:
            raise ModelError(f"the server takes no notice of response_format: {_short(text)}", usage=usage)
        return "where the prompt asks for something else", usage


async def _try(what: str, ask: Callable[[], Awaitable[tuple[str, Usage]]], needed: bool) -> Trial:
    began = time.perf_counter()
    try:
        result, works = (await ask())[0], True
    except (ModelError, ModelUnavailable, ValueError) as error:
        result, works = str(error), False
    return Trial(what=what, works=works, result=result, seconds=time.perf_counter() - began, needed=needed)


def _asked_again(usage: Usage) -> str:
    return f", asked again {usage.retries} times" if usage.retries else ""


def _short(text: str) -> str:
    text = " ".join(text.split())
    return text if len(text) <= 60 else f"{text[:57]}..."
