"""Requests as data: the form in which they are recorded and looked up."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from language_models.protocol import GenerateRequest
from language_models.transcript.calls import Request


def generate_request(model: str, request: GenerateRequest) -> Request:
    """The recorded form of a ``generate`` request; schema and think are left out where they are not set."""
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
    """The request of one ``choose``."""
    parameters = {"options": list(options), "query": query, "descriptions": list(descriptions)}
    return Request(model=model, method="choose", prompt=prompt, parameters=parameters)


def score_request(model: str, prompt: str, continuations: Sequence[str]) -> Request:
    """The request of one ``score``."""
    return Request(model=model, method="score", prompt=prompt, parameters={"continuations": list(continuations)})


@lru_cache(maxsize=8)
def _digest(vocabulary: frozenset[str]) -> str:
    """A vocabulary by its sha256: thousands of calls share one."""
    return hashlib.sha256("\n".join(sorted(vocabulary)).encode()).hexdigest()
