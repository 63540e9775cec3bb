"""Data of model calls: request, caller, response and cost."""

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
        parameters: All other settings of the request, as JSON values: options, max_tokens, seed and so on.
    """

    model: str
    method: Literal["generate", "choose", "score"]
    prompt: str
    parameters: Mapping[str, Any]

    @property
    def key(self) -> str:
        """Sha256 of the request as canonical JSON, without the caller."""
        return self.key_of(canonical(self.parameters))

    def key_of(self, parameters: str) -> str:
        """Return `key` from parameters that are canonical JSON already."""
        method, model, prompt = canonical(self.method), canonical(self.model), canonical(self.prompt)
        return sha256(f'{{"method":{method},"model":{model},"parameters":{parameters},"prompt":{prompt}}}')


@dataclass(frozen=True, kw_only=True, slots=True)
class Call:
    """One call: request, caller, response and cost.

    Attributes:
        caller: Module, resident and time step that made the call.
        request: The request.
        response: The answer without its usage, as JSON values; None when the call failed.
        usage: Its cost; `usage.call` is the identifier.
        error: Why it failed; empty when it did not.
        refused: Whether the model refused to answer.
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
        """How the call ended: answered, failed or refused."""
        return "ok" if self.response is not None else "refused" if self.refused else "failed"


@dataclass(frozen=True, kw_only=True, slots=True)
class ModuleUsage:
    """Cost of the calls of one module, or one module and model, failed ones included.

    Attributes:
        module: The calling module; empty for all together.
        model: The model called; empty for all together.
        retries: Number of repeated requests.
        unusable: Unusable answers, including those of failed calls.
        network_failures: Requests that failed in the network or the server, including those of failed calls.
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
        """Tokens of prompts and generated tokens together."""
        return self.prompt_tokens + self.generated_tokens

    def plus(self, calls: Sequence[Call]) -> ModuleUsage:
        """Return the sum with more calls."""
        return self.plus_usages([call.usage for call in calls], [call.outcome for call in calls])

    def plus_usages(self, usages: Sequence[Usage], outcomes: Sequence[Outcome]) -> ModuleUsage:
        """Return the sum with more calls, given by usage and outcome.

        Args:
            usages: Usage of each call.
            outcomes: Outcome of each call, in the same order.
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
    """Serialise a JSON value so that the order of its keys does not matter."""
    return _ENCODER.encode(value)


def sha256(text: str) -> str:
    """Return the sha256 of a text, in hexadecimal."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def generate_request(model: str, request: GenerateRequest) -> Request:
    """Return the recorded form of a ``generate`` request; unset schema and think are omitted.

    Args:
        model: The model's name.
        request: The request.
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
        # As text: the order of its properties is that of the answer, and parameters are stored without order.
        parameters["schema"] = json.dumps(request.schema, ensure_ascii=False)
    if request.think:
        parameters["think"] = request.think
    return Request(model=model, method="generate", prompt=request.prompt, parameters=parameters)


def choose_request(model: str, prompt: str, options: Sequence[str], query: str, descriptions: Sequence[str]) -> Request:
    """Return the recorded form of a ``choose`` request.

    Args:
        model: The model's name.
        prompt: The situation.
        options: The options.
        query: What is wanted, in a few words; empty for none.
        descriptions: Meaning or effect of each option; empty, or as many as options.
    """
    parameters = {"options": list(options), "query": query, "descriptions": list(descriptions)}
    return Request(model=model, method="choose", prompt=prompt, parameters=parameters)


def score_request(model: str, prompt: str, continuations: Sequence[str]) -> Request:
    """Return the recorded form of a ``score`` request.

    Args:
        model: The model's name.
        prompt: The text before the continuations.
        continuations: The texts that are scored.
    """
    return Request(model=model, method="score", prompt=prompt, parameters={"continuations": list(continuations)})


@lru_cache(maxsize=8)
def _digest(vocabulary: frozenset[str]) -> str:
    """Return the sha256 of a vocabulary, which thousands of calls share."""
    return sha256("\n".join(sorted(vocabulary)))
