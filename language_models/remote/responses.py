"""Reading of OpenAI API answers: texts, choices, log-probabilities and usage.

The content of a message may be a text or a list of parts; its thinking stands beside it, as `reasoning_content`
(DeepSeek, llama.cpp, older vLLM), `reasoning` (vLLM, Ollama, OpenRouter) or a part of another type, or in the text (see
``reasoning``). An object that was asked for may also come as the arguments of a tool call.
"""

from __future__ import annotations

import asyncio
import json
import math
import re
from collections.abc import Awaitable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from typing import Any, NamedTuple, TypeVar

from language_models.arguments import OPTIONS
from language_models.protocol import Attempt, Choice, ModelError, ModelUnavailable, Refused, Scores, Usage, total_usage
from language_models.remote.prompt_length import LONGER_CONTEXT
from language_models.remote.reasoning import split_thought
from language_models.remote.retrying_client import Reply

MOST_TOKENS = 1_000_000_000  # Above the tokens of any request.
GREATEST_LOGPROB = 0.01  # Certainty has log-probability 0, which some servers round up.

_THOUGHT_KEYS = ("thinking", "reasoning", "reasoning_content", "thought")

ALL_THINKING = "is empty: all its tokens went into thinking"
"""What is wrong with an answer that has only thinking; worded to follow "which"."""

MORE_THINKING = f"; set thinking to more tokens {OPTIONS}"
"""Remedy for answers that have only thinking."""

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


def text_of(answer: dict[str, Any], usage: Usage, *, as_object: bool = False) -> str:
    """Return the text of the first answer; arguments and errors are those of ``said_in``."""
    return said_in(answer, usage, as_object=as_object)[0]


def said_in(answer: dict[str, Any], usage: Usage, place: int = 0, *, as_object: bool = False) -> tuple[str, str]:
    """Return the text of one answer, and what the model thought before it, empty for nothing.

    Args:
        answer: The server's answer.
        usage: Its cost, for errors.
        place: Index of the text, from 0.
        as_object: Whether a JSON object was asked for, which may be the arguments of a tool call.

    Raises:
        UnusableAnswer: if it is no text, or only thinking.
        Refused: if the model refused to answer.
        ModelError: if there is none.
    """
    try:
        choice = answer["choices"][place]
        message = choice.get("message") or {}
        if choice.get("finish_reason") == "content_filter" or message.get("refusal"):
            reason = message.get("refusal") or "its content filter"
            usage = as_unusable(usage, "refuses what was asked", answer)
            raise Refused(f"the model refused to answer: {str(reason)[:300]}", usage=usage)
        content = message.get("content") if message else choice["text"]
    except (KeyError, IndexError, TypeError, AttributeError):
        usage = as_unusable(usage, "holds no text", answer)
        raise ModelError(f"the server's answer holds no text: {json.dumps(answer)[:300]}", usage=usage) from None
    text, among = _joined(content)
    beside = _thought_beside(message)
    if text is None:
        raise UnusableAnswer(json.dumps(content), "is no text", usage)
    if not text.strip():
        cut = choice.get("finish_reason") == "length"
        thought = "\n".join(one for one in (beside, among) if one)
        if calls := _tool_calls(message):
            text = _arguments(calls, usage, as_object=as_object)
        elif as_object and not cut and _is_object(thought):
            return thought, ""  # Servers that look for thinking where a model does none take all of it for thinking.
        elif thought:
            raise UnusableAnswer(thought, ALL_THINKING, usage, MORE_THINKING)
    answered, within = split_thought(text)
    thoughts = [one for one in (beside, among, within) if one]
    if answered is None:
        raise UnusableAnswer(text, ALL_THINKING, usage, MORE_THINKING)
    return answered, "\n".join(thoughts)


def _joined(content: Any) -> tuple[str | None, str]:
    """Join the parts of a content: texts, and thinking; the text is None where the content has another form."""
    if content is None or isinstance(content, str):
        return content or "", ""
    texts: list[str] = []
    thoughts: list[str] = []
    for part in content if isinstance(content, list) else [content]:
        if isinstance(part, str):
            texts.append(part)
            continue
        if not isinstance(part, dict):
            return None, ""
        if thought := next((part[key] for key in _THOUGHT_KEYS if part.get(key)), None):
            thoughts.append(_flat(thought))
        elif any(word in str(part.get("type")) for word in ("think", "thought", "reason")):
            thoughts.append(_flat(part.get("text") or part.get("content")))
        elif found := _flat(part.get("text") or part.get("content")):
            texts.append(found)
    if not texts and not thoughts and content:
        return None, ""  # A picture, for instance.
    return "".join(texts), "\n".join(one.strip() for one in thoughts)


def _flat(value: Any) -> str:
    """Return the text in a part's value, which may be a list of parts, or an object with the text as its value."""
    if isinstance(value, dict):
        value = value.get("text") or value.get("value") or value.get("content")
    if isinstance(value, list):
        return "".join(_flat(one) for one in value)
    return value if isinstance(value, str) else ""


def _thought_beside(message: Mapping[str, Any]) -> str:
    """Return the thinking that a message holds beside the answer; empty if there is none."""
    for key in ("reasoning_content", "reasoning", "thinking", "reasoning_details"):
        if thought := _flat(message.get(key)).strip():
            return thought
    return ""


def _tool_calls(message: Mapping[str, Any]) -> list[Any]:
    """Return the functions that a message calls."""
    calls = message.get("tool_calls") or []
    found = [call.get("function") for call in calls if isinstance(call, dict)] if isinstance(calls, list) else []
    old = message.get("function_call")
    return [one for one in [*found, old] if isinstance(one, dict)]


def _arguments(calls: list[dict[str, Any]], usage: Usage, *, as_object: bool) -> str:
    """Return the arguments of the only tool call, as the object that was asked for.

    Raises:
        UnusableAnswer: if no object was asked for, or there are several calls.
    """
    arguments = calls[0].get("arguments")
    text = arguments if isinstance(arguments, str) else json.dumps(arguments)
    if len(calls) > 1 or not as_object:
        wrong = (
            f"is a call of {len(calls)} tools" if len(calls) > 1 else f"is a call of the tool {calls[0].get('name')!r}"
        )
        raise UnusableAnswer(text, f"{wrong[:80]} and no text", usage)
    return text


def _is_object(text: str) -> bool:
    """Return whether a text is one JSON object and nothing else."""
    try:
        return isinstance(json.loads(text), dict)
    except (ValueError, RecursionError):
        return False


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
        UnusableAnswer: if the answer is empty, there are no log-probabilities, or they are not numbers.
    """
    remedy = 'choose with choosing="structured"'
    try:
        logprobs = answer["choices"][0]["logprobs"]
        if "content" in logprobs:  # llama.cpp's server uses the chat format for both.
            first = [(entry["token"], entry["logprob"]) for entry in logprobs["content"][0]["top_logprobs"]]
        else:
            first = list(logprobs["top_logprobs"][0].items())
        # JSON has no infinity: a token that cannot come has null.
        tokens = [(str(token), -math.inf if value is None else float(value)) for token, value in first]
    except (KeyError, IndexError, TypeError, ValueError, OverflowError, AttributeError):
        text = text_of(answer, usage)
        if not text.strip():
            raise UnusableAnswer(text, "is empty", usage) from None
        raise UnusableAnswer(text, "has no log-probabilities", usage, f"; {remedy}") from None
    for token, value in tokens:
        if not value <= GREATEST_LOGPROB:
            wrong = f"gives {token[:20]!r} a log-probability of {value:g}"
            raise UnusableAnswer(text_of(answer, usage), wrong, usage, f"; {remedy}")
    return tokens


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
    """Read the token counts that the server reports; those that are missing, or no counts, are unknown, which is 0."""
    counts = _object(answer, "usage")
    details = _object(counts, "prompt_tokens_details")
    return Tokens(
        prompt=_count(counts, "prompt_tokens"),
        cached=_count(details, "cached_tokens"),
        generated=_count(counts, "completion_tokens"),
    )


def usage_of(reply: Reply) -> Usage:
    """Return the usage of a reply."""
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
    return value if isinstance(value, dict) else {}


def _count(holder: dict[str, Any], key: str) -> int:
    """Return a count of tokens, which some servers write as 12.0 or "12"; 0 for anything else."""
    value = holder.get(key)
    if isinstance(value, str) and re.fullmatch(r"[0-9]{1,10}", value):
        value = int(value)
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= MOST_TOKENS:
        return 0
    return int(value) if value == int(value) else 0
