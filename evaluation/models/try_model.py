"""One model tried: does it answer, does it keep to a form, does it choose, does it score, and how fast is it."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from evaluation.runs import event_loop
from language_models.at_an_address.choosing import AGAINST, QUESTION
from language_models.at_an_address.choosing import ANSWERS as OPTIONS
from language_models.at_an_address.openai_compatible import OpenAICompatible
from language_models.protocol import Caller, LanguageModel, ModelError, ModelUnavailable, Usage

PROMPT = "Today I walked through the valley and saw a house. In front of the house"
YES_OR_NO = 'root ::= "yes" | "no"'
_CALLER = Caller(module="test")


@dataclass(frozen=True, kw_only=True, slots=True)
class Trial:
    """One thing that was tried.

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


def try_model(model: LanguageModel) -> list[Trial]:
    """Try a model out, with a handful of short calls.

    Args:
        model: A loaded model; it is closed afterwards.
    """

    async def serves() -> tuple[str, Usage]:
        assert isinstance(model, OpenAICompatible)
        return ", ".join(await model.served()) or "nothing", Usage()

    async def answer() -> tuple[str, Usage]:
        text = await model.generate(PROMPT, caller=_CALLER, max_tokens=48, temperature=0.0)
        speed = text.usage.generated_tokens / text.usage.seconds if text.usage.seconds else 0.0
        return f"{_short(text.text)} ({speed:.0f} tokens a second)" if speed else _short(text.text), text.usage

    async def form() -> tuple[str, Usage]:
        text = await model.generate(
            "Answer with yes or no only. Is water wet?",
            caller=_CALLER,
            max_tokens=8,
            temperature=0.0,
            pattern=YES_OR_NO,
        )
        return f"{text.text}{_asked_again(text.usage)}", text.usage

    async def held() -> tuple[str, Usage]:
        text = await model.generate(AGAINST, caller=_CALLER, max_tokens=8, temperature=0.0, pattern=YES_OR_NO)
        return f"{text.text}, where the prompt asks for something else", text.usage

    async def choose() -> tuple[str, Usage]:
        choice = await model.choose(QUESTION, OPTIONS, caller=_CALLER, query="find food")
        certain = max(choice.probabilities) == 1.0
        told = "it tells nothing about the others" if certain else f"probability {max(choice.probabilities):.2f}"
        if isinstance(model, OpenAICompatible):
            told = f'by choosing = "{model.chooser.method}", {told}'
        return f"{choice.option} ({told}){_asked_again(choice.usage)}", choice.usage

    async def letters() -> tuple[str, Usage]:
        assert isinstance(model, OpenAICompatible)
        choice = await model.chooser.try_letters()
        return f"{choice.option} (probability {max(choice.probabilities):.2f})", choice.usage

    async def schema() -> tuple[str, Usage]:
        assert isinstance(model, OpenAICompatible)
        held, text, usage = await model.chooser.try_schema()
        if not held:
            raise ModelError(f"the server takes no notice of response_format: {_short(text)}", usage=usage)
        return "where the prompt asks for something else", usage

    async def score() -> tuple[str, Usage]:
        scores = await model.score("The sky is", (" blue", " kitchen"), caller=_CALLER)
        return f"blue {scores.values[0]:.1f}, kitchen {scores.values[1]:.1f} nats", scores.usage

    async def at_once() -> tuple[str, Usage]:
        began = time.perf_counter()
        texts = await asyncio.gather(
            *(model.generate(f"{PROMPT} {n}", caller=_CALLER, max_tokens=16, seed=n) for n in range(6))
        )
        seconds = time.perf_counter() - began
        tokens = sum(text.usage.prompt_tokens + text.usage.generated_tokens for text in texts)
        return f"{tokens / seconds:.0f} tokens a second, prompts included" if tokens else "they came back", Usage()

    async def all_of_it() -> list[Trial]:
        # An address that is not there is waited for once, not twice.
        first = [_try("serves", serves, False)] if isinstance(model, OpenAICompatible) else []
        try:
            trials = await asyncio.gather(*first, _try("answers", answer, True))
            if trials[-1].works:
                trials.append(await _try("keeps to a form", form, True))
                trials.append(await _try("is held to a form", held, False))
                trials.append(await _try("chooses", choose, True))
                if isinstance(model, OpenAICompatible):
                    trials.append(await _try("gives top_logprobs", letters, False))
                    trials.append(await _try("is held to a schema", schema, False))
                trials.append(await _try("gives log-probabilities", score, False))
                trials.append(await _try("answers six at once", at_once, True))
        finally:
            if (aclose := getattr(model, "aclose", None)) is not None:
                await aclose()
        return trials

    try:
        return event_loop.run(all_of_it())
    finally:
        if (close := getattr(model, "close", None)) is not None:
            close()


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
