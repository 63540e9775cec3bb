"""Reading of OpenAI API answers: texts, choices, log-probabilities and usage.

Servers that know the form of a model's thinking put it beside the answer, as `reasoning_content` (DeepSeek, llama.cpp,
older vLLM) or `reasoning` (vLLM, Ollama, OpenRouter). Others leave it in the text, as the block <think>...</think> at
its beginning; where the model's template opens the block, the text has its end alone.
"""

from __future__ import annotations

import asyncio
import json
import math
from collections.abc import Awaitable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from typing import Any, NamedTuple, TypeVar

from language_models.arguments import OPTIONS
from language_models.protocol import Attempt, Choice, ModelError, ModelUnavailable, Refused, Scores, Usage, total_usage
from language_models.remote.prompt_length import LONGER_CONTEXT
from language_models.remote.retrying_client import Reply

MOST_TOKENS = 1_000_000_000  # Above the tokens of any request.
GREATEST_LOGPROB = 0.01  # Certainty has log-probability 0, which some servers round up.

ALL_THINKING = "is empty: all its tokens went into thinking"
"""What is wrong with an answer that has only thinking; worded to follow "which"."""

MORE_THINKING = f"; set thinking to more tokens {OPTIONS}"
"""Remedy for answers that have only thinking."""

_BEGIN, _END = "<think>", "</think>"

_FULL = f"; where the model's context was full, {LONGER_CONTEXT}"

AnswerT = TypeVar("AnswerT", bound=Choice | Scores)


class UnusableAnswer(Exception):
    """An answer that does not have the requested form.

    Attributes:
        reason: What is wrong with it, worded to follow "which".
        usage: Its cost, with this answer as the last of the attempts.
    """

    def __init__(self, text: str, reason: str, usage: Usage, remedy: str = "") -> None:
        """Compose the message of the error.

        Args:
            text: The answer.
            reason: What is wrong with it, worded to follow "which".
            usage: Its cost.
            remedy: What to do if every retry fails.
        """
        super().__init__(f"{text[:200]!r}, which {reason}{remedy}")
        self.reason = reason
        self.usage = as_unusable(usage, reason, text)

    @property
    def complaint(self) -> str:
        """Text appended to the prompt in a retry."""
        return f"\n\nYour last answer {self.reason}. Answer again, in the form that was asked for."


def as_unusable(usage: Usage, reason: str, answer: Any) -> Usage:
    """Return the usage of an unusable answer, with the answer as the last attempt.

    Args:
        usage: Its cost.
        reason: What is wrong with it, worded to follow "which".
        answer: Its text, or its whole body.
    """
    text = answer if isinstance(answer, str) else json.dumps(answer, ensure_ascii=False)
    return replace(usage, attempts=(*usage.attempts, Attempt(kind="unusable", reason=reason, text=text)))


def text_of(answer: dict[str, Any], usage: Usage, place: int = 0) -> str:
    """Return the text of one answer, the first by default, without the thinking before it.

    Args:
        answer: The server's answer.
        usage: Its cost, for errors.
        place: Index of the text, from 0.

    Raises:
        UnusableAnswer: if it is no text, or only thinking.
        Refused: if the model refused to answer.
        ModelError: if there is none.
    """
    try:
        choice = answer["choices"][place]
        message = choice.get("message", {})
        if choice.get("finish_reason") == "content_filter" or message.get("refusal"):
            reason = message.get("refusal") or "its content filter"
            usage = as_unusable(usage, "refuses what was asked", answer)
            raise Refused(f"the model refused to answer: {str(reason)[:300]}", usage=usage)
        text = message["content"] if message else choice["text"]
        thought = thought_beside(message)
    except (KeyError, IndexError, TypeError, AttributeError):
        usage = as_unusable(usage, "holds no text", answer)
        raise ModelError(f"the server's answer holds no text: {json.dumps(answer)[:300]}", usage=usage) from None
    if thought and (text is None or text == ""):
        raise UnusableAnswer(thought, ALL_THINKING, usage, MORE_THINKING)
    if text is None and choice.get("finish_reason") == "length":
        text = ""  # Thinking that the server does not return took all its tokens.
    if not isinstance(text, str):
        raise UnusableAnswer(json.dumps(text), "is no text", usage)
    if any("\ud800" <= character <= "\udfff" for character in text):
        raise UnusableAnswer(text, "is not valid Unicode", usage)
    if (answered := without_thinking(text)) is None:
        raise UnusableAnswer(text, ALL_THINKING, usage, MORE_THINKING)
    return answered


def thought_beside(message: Mapping[str, Any]) -> str:
    """Return the thinking that a message holds beside the answer; empty if there is none."""
    for key in ("reasoning_content", "reasoning"):
        if isinstance(thought := message.get(key), str) and thought.strip():
            return thought
    return ""


def without_thinking(text: str) -> str | None:
    """Remove the block of thinking at the beginning of a text; return None if nothing is left.

    A text that begins as a JSON object does is an answer from its first character on, whatever words it holds.
    """
    before, end, answer = text.partition(_END)
    if before.lstrip().startswith(_BEGIN):
        return answer.lstrip() or None
    if not end or _BEGIN in before or before.lstrip().startswith("{"):
        return text
    return answer.lstrip() or None


class CutOff(NamedTuple):
    """Why an answer was cut off.

    Attributes:
        reason: Worded to follow "which".
        remedy: How to avoid it, for errors.
    """

    reason: str
    remedy: str


def cut_off(answer: dict[str, Any], most: int, place: int = 0) -> CutOff | None:
    """Return why a text of an answer was cut off; None if it ended by itself.

    Args:
        answer: The server's answer.
        most: Token limit of the text, thinking included.
        place: Index of the text.

    Raises:
        ValueError: if the reported token counts are invalid.
    """
    choices = answer["choices"]
    if choices[place].get("finish_reason") != "length":
        return None
    # The tokens of several texts are reported as one sum, and some servers report none.
    written = (tokens_of(answer).generated if len(choices) == 1 else 0) or most
    if written >= most:
        return CutOff(f"was cut off at {written:,} tokens", MORE_THINKING)
    return CutOff(f"was cut off at {written:,} tokens, of {most:,} that it could have", MORE_THINKING + _FULL)


def first_token(answer: dict[str, Any], usage: Usage) -> list[tuple[str, float]]:
    """Return the likeliest first tokens with their log-probabilities, from the chat or the completions format.

    Args:
        answer: The server's answer.
        usage: Its cost, for errors.

    Raises:
        UnusableAnswer: if the answer is empty.
        ModelError: if there are no log-probabilities, or they are not numbers.
    """
    remedy = 'choose with choosing="structured"'
    try:
        logprobs = answer["choices"][0]["logprobs"]
        if "content" in logprobs:  # llama.cpp's server uses the chat format for both.
            first = [(entry["token"], entry["logprob"]) for entry in logprobs["content"][0]["top_logprobs"]]
        else:
            first = list(logprobs["top_logprobs"][0].items())
        tokens = [(str(token), float(value)) for token, value in first]
    except (KeyError, IndexError, TypeError, ValueError, OverflowError, AttributeError):
        if not (text := text_of(answer, usage)).strip():
            raise UnusableAnswer(text, "is empty", usage) from None
        usage = as_unusable(usage, "has no log-probabilities", answer)
        raise ModelError(f"the server returns no log-probabilities; {remedy}", usage=usage) from None
    for token, value in tokens:
        if not value <= GREATEST_LOGPROB:
            wrong = f"gives {token[:20]!r} a log-probability of {value:g}"
            raise ModelError(f"the server {wrong}; {remedy}", usage=as_unusable(usage, wrong, answer))
    return tokens


def choice_in(text: str, usage: Usage) -> Any:
    """Return the `choice` of the first JSON object in a text, which may have a sentence or a fence around it.

    Args:
        text: What the model wrote.
        usage: Its cost, for errors.

    Raises:
        UnusableAnswer: if there is none.
    """
    try:
        return json.JSONDecoder().raw_decode(text, max(text.find("{"), 0))[0]["choice"]
    except (ValueError, TypeError, KeyError, RecursionError):
        raise UnusableAnswer(text, "is not JSON with a choice", usage) from None


def read_echo(answer: dict[str, Any], usage: Usage, prompt: str, server: str) -> Scores:
    """Return the log-probability of the text after a prompt, in nats, summed over its tokens.

    A token that spans the border counts to the text after the prompt.

    Args:
        answer: The answer for the prompt and the text after it.
        usage: Its cost.
        prompt: The prompt alone.
        server: Its address, for errors.

    Raises:
        ModelError: if the answer has no log-probabilities of the text.
    """
    try:
        logprobs = answer["choices"][0]["logprobs"]
        tokens = list(zip(logprobs["tokens"], logprobs["token_logprobs"], logprobs["text_offset"], strict=True))
        values = [value for token, value, start in tokens if start + len(token) > len(prompt)]
        if not values:
            raise ValueError("no token of the continuation")
        total = math.fsum(float(value) for value in values)
    except (KeyError, IndexError, TypeError, ValueError) as error:
        raise ModelError(
            f"{server} does not score: its answer to /completions with echo has no log-probabilities of the "
            f"prompt ({error}); use a server that has them, such as vLLM, or the embedded model",
            usage=as_unusable(usage, "has no log-probabilities of the prompt", answer),
        ) from None
    return Scores(values=(total,), usage=replace(usage, generated_tokens=len(values)))


class Tokens(NamedTuple):
    """Token counts of one answer."""

    prompt: int
    cached: int
    generated: int


def tokens_of(answer: dict[str, Any]) -> Tokens:
    """Read the token counts that the server reports; missing ones are 0.

    Raises:
        ValueError: if they are no counts; budgets and prices depend on them.
    """
    counts = _object(answer, "usage")
    details = _object(counts, "prompt_tokens_details")
    return Tokens(
        prompt=_count(counts, "prompt_tokens"),
        cached=_count(details, "cached_tokens"),
        generated=_count(counts, "completion_tokens"),
    )


def usage_of(reply: Reply) -> Usage:
    """Return the usage of a reply.

    Raises:
        ValueError: as ``tokens_of`` does.
    """
    tokens = tokens_of(reply.answer)
    return replace(
        reply.usage, prompt_tokens=tokens.prompt, cached_tokens=tokens.cached, generated_tokens=tokens.generated
    )


@contextmanager
def adding_usage_on_failure(*usages: Usage, asked_again: int = 0) -> Iterator[None]:
    """Add these costs to the error of a call that fails in this context."""
    try:
        yield
    except (ModelError, ModelUnavailable) as error:
        error.usage = total_usage([*usages, error.usage], asked_again)
        raise


async def gather_answers(asked: Iterable[Awaitable[AnswerT]]) -> list[AnswerT]:
    """Await several requests at once; raise the first failure, with the cost of all requests."""
    found = await asyncio.gather(*asked, return_exceptions=True)
    answers = [one for one in found if not isinstance(one, BaseException)]
    failures = [one for one in found if isinstance(one, BaseException)]
    if not failures:
        return answers
    first = failures[0]
    if isinstance(first, ModelError | ModelUnavailable):
        known = [one for one in failures if isinstance(one, ModelError | ModelUnavailable)]
        first.usage = total_usage([one.usage for one in (*answers, *known)])
    raise first


def _object(holder: dict[str, Any], key: str) -> dict[str, Any]:
    value = holder.get(key)
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise ValueError(f"a usage that cannot be read: {key} must be an object, got {str(value)[:100]!r}")
    return value


def _count(holder: dict[str, Any], key: str) -> int:
    value = holder.get(key)
    if value is None:
        return 0
    # Some servers write whole numbers as 12.0.
    whole = isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value <= MOST_TOKENS
    if not whole or value != int(value):
        raise ValueError(f"a usage that cannot be read: {key} must be a count of tokens, got {str(value)[:100]!r}")
    return int(value)
