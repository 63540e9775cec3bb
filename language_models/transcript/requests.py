"""What was asked, as data: the form in which a request is recorded, and found again."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

from language_models.transcript.calls import Request


def generate_request(
    model: str,
    prompt: str,
    *,
    max_tokens: int,
    temperature: float,
    seed: int,
    stop: Sequence[str],
    pattern: str | None,
    samples: int,
    vocabulary: frozenset[str] | None,
    schema: Mapping[str, Any] | None = None,
    think: int = 0,
) -> Request:
    """The request of one ``generate``; what was not asked for before there was a schema is not in it."""
    parameters: dict[str, Any] = {
        "max_tokens": max_tokens,
        "temperature": float(temperature),
        "seed": seed,
        "stop": list(stop),
        "pattern": pattern,
        "samples": samples,
        "vocabulary": None if vocabulary is None else _digest(vocabulary),
    }
    if schema is not None:
        # As text: the order of its properties is that of the answer, and parameters are kept in none.
        parameters["schema"] = json.dumps(schema, ensure_ascii=False)
    if think:
        parameters["think"] = think
    return Request(model=model, method="generate", prompt=prompt, parameters=parameters)


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
