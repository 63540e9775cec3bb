"""Model calls as data: request, caller, response and cost."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, Literal, TypeAlias

from language_models.protocol import Caller, GenerateRequest, Usage

Outcome: TypeAlias = Literal["ok", "failed", "refused"]

_ENCODER = json.JSONEncoder(sort_keys=True, separators=(",", ":"), ensure_ascii=False)


@dataclass(frozen=True, kw_only=True, slots=True)
class Request:
    """One request to a model.

    Attributes:
        model: The model's name.
        method: generate, choose or score.
        prompt: The prompt.
        parameters: Everything else that was asked for, as JSON values: options, max_tokens, seed and so on.
    """

    model: str
    method: Literal["generate", "choose", "score"]
    prompt: str
    parameters: Mapping[str, Any]

    @property
    def key(self) -> str:
        """The sha256 of the request as canonical JSON; who asked is not part of it."""
        return self.key_of(canonical(self.parameters))

    def key_of(self, parameters: str) -> str:
        """As `key`, from parameters that are canonical JSON already."""
        method, model, prompt = canonical(self.method), canonical(self.model), canonical(self.prompt)
        return sha256(f'{{"method":{method},"model":{model},"parameters":{parameters},"prompt":{prompt}}}')


@dataclass(frozen=True, kw_only=True, slots=True)
class Call:
    """One call: request, caller, response and cost.

    Attributes:
        caller: Who asked.
        request: What was asked.
        response: The answer without its usage, as JSON values; None when the call failed.
        usage: What it cost; `usage.call` is the identifier.
        error: Why it failed; empty when it did not.
        refused: Whether the model would not answer.
    """

    caller: Caller
    request: Request
    response: Mapping[str, Any] | None
    usage: Usage
    error: str = ""
    refused: bool = False

    def __post_init__(self) -> None:
        if (self.response is None) != bool(self.error):
            raise ValueError(f"a call has a response or an error, got {self.response!r} and {self.error!r}")
        if self.usage.call < 0:
            raise ValueError(f"a call needs an identifier of at least 0, got {self.usage.call}; ask CallIds.next")

    @property
    def outcome(self) -> Outcome:
        """Whether the model answered."""
        return "ok" if self.response is not None else "refused" if self.refused else "failed"


@dataclass(frozen=True, kw_only=True, slots=True)
class ModuleUsage:
    """What the calls of one module, or one module and model, cost, failed ones included.

    Attributes:
        module: Who asked; empty for all together.
        model: Who was asked; empty for all together.
        retries: How often they were asked again.
        unusable: Answers that were of no use, those of calls that failed included.
        network_failures: Requests that the network or the server failed, those of calls that failed included.
        failures: Calls that failed.
        refusals: Calls that were refused.
    """

    module: str = ""
    model: str = ""
    calls: int = 0
    prompt_tokens: int = 0
    cached_tokens: int = 0
    generated_tokens: int = 0
    seconds: float = 0.0
    waiting: float = 0.0
    retries: int = 0
    unusable: int = 0
    network_failures: int = 0
    failures: int = 0
    refusals: int = 0

    @property
    def tokens(self) -> int:
        """Prompt and generated together."""
        return self.prompt_tokens + self.generated_tokens

    def plus(self, calls: Sequence[Call]) -> ModuleUsage:
        """The sum with more calls."""
        return self.plus_usages([call.usage for call in calls], [call.outcome for call in calls])

    def plus_usages(self, usages: Sequence[Usage], outcomes: Sequence[Outcome]) -> ModuleUsage:
        """The sum with more calls.

        Args:
            usages: What each of them cost.
            outcomes: How each of them ended, in the same order.
        """
        kinds = [attempt.kind for usage in usages for attempt in usage.attempts]
        return replace(
            self,
            calls=self.calls + len(usages),
            prompt_tokens=self.prompt_tokens + sum(usage.prompt_tokens for usage in usages),
            cached_tokens=self.cached_tokens + sum(usage.cached_tokens for usage in usages),
            generated_tokens=self.generated_tokens + sum(usage.generated_tokens for usage in usages),
            seconds=self.seconds + sum(usage.seconds for usage in usages),
            waiting=self.waiting + sum(usage.waiting for usage in usages),
            retries=self.retries + sum(usage.retries for usage in usages),
            unusable=self.unusable + kinds.count("unusable"),
            network_failures=self.network_failures + kinds.count("network"),
            failures=self.failures + outcomes.count("failed"),
            refusals=self.refusals + outcomes.count("refused"),
        )


def canonical(value: Any) -> str:
    """A JSON value as text that does not depend on the order of its keys."""
    return _ENCODER.encode(value)


def sha256(text: str) -> str:
    """The sha256 of a text, in hexadecimal."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def generate_request(model: str, request: GenerateRequest) -> Request:
    """The recorded form of a ``generate`` request; schema and think are left out where they are not set.

    Args:
        model: The model's name.
        request: What it is asked for.
    """
    parameters: dict[str, Any] = {
        "max_tokens": request.max_tokens,
        "temperature": float(request.temperature),
        "seed": request.seed,
        "stop": list(request.stop),
        "pattern": request.pattern,
        "samples": request.samples,
        "vocabulary": None if request.vocabulary is None else _digest(request.vocabulary),
    }
    if request.schema is not None:
        # As text: the order of its properties is that of the answer, and parameters are kept in none.
        parameters["schema"] = json.dumps(request.schema, ensure_ascii=False)
    if request.think:
        parameters["think"] = request.think
    return Request(model=model, method="generate", prompt=request.prompt, parameters=parameters)


def choose_request(model: str, prompt: str, options: Sequence[str], query: str, descriptions: Sequence[str]) -> Request:
    """The recorded form of a ``choose`` request.

    Args:
        model: The model's name.
        prompt: The situation.
        options: What is chosen among.
        query: The heart of the matter; empty for none.
        descriptions: What each option means or brings; empty, or as many as options.
    """
    parameters = {"options": list(options), "query": query, "descriptions": list(descriptions)}
    return Request(model=model, method="choose", prompt=prompt, parameters=parameters)


def score_request(model: str, prompt: str, continuations: Sequence[str]) -> Request:
    """The recorded form of a ``score`` request.

    Args:
        model: The model's name.
        prompt: What the continuations follow.
        continuations: The texts that are scored.
    """
    return Request(model=model, method="score", prompt=prompt, parameters={"continuations": list(continuations)})


@lru_cache(maxsize=8)
def _digest(vocabulary: frozenset[str]) -> str:
    """A vocabulary by its sha256: thousands of calls share one."""
    return sha256("\n".join(sorted(vocabulary)))
