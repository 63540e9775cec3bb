"""Usage of an in-process llama.cpp call: tokens, and how long it waited."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

from language_models.protocol import Usage, total_usage


class UsageMeter:
    """Measures the tokens and the time of one call, over all its requests, which may run in parallel."""

    def __init__(self) -> None:
        """Start the clock of the call."""
        self._asked = time.perf_counter()
        self._usages: list[Usage] = []
        self._spans: list[tuple[float, float]] = []
        self._tokens = 0

    def add(self, answer: dict[str, Any]) -> Usage:
        """Add an answer that has just arrived, and return its own token usage."""
        now = time.perf_counter()
        self._spans.append((now - computing_seconds(answer), now))
        self._usages.append(usage_of(answer))
        return self._usages[-1]

    def add_tokens(self, count: int) -> None:
        """Count generated tokens that no answer reported."""
        self._tokens += count

    @contextmanager
    def working(self) -> Iterator[None]:
        """Count the time in this context as work, not as waiting."""
        began = time.perf_counter()
        try:
            yield
        finally:
            self._spans.append((began, time.perf_counter()))

    def total(self) -> Usage:
        """Return the usage so far; time when no request was being computed counts as waiting."""
        seconds = time.perf_counter() - self._asked
        waiting = max(0.0, seconds - covered_seconds(self._spans))
        usage = total_usage([*self._usages, Usage(generated_tokens=self._tokens)])
        return replace(usage, seconds=seconds, waiting=waiting)


def usage_of(answer: dict[str, Any]) -> Usage:
    """Return the token usage of one answer."""
    counts = answer.get("usage") or {}
    return Usage(
        prompt_tokens=int(counts.get("prompt_tokens", 0)),
        cached_tokens=int((counts.get("prompt_tokens_details") or {}).get("cached_tokens", 0)),
        generated_tokens=int(counts.get("completion_tokens", 0)),
    )


def computing_seconds(answer: dict[str, Any]) -> float:
    """Return the seconds that llama.cpp computed; the rest of a request's time it waited for a slot."""
    timings = answer.get("timings") or {}
    return (float(timings.get("prompt_ms", 0.0)) + float(timings.get("predicted_ms", 0.0))) / 1000


def covered_seconds(spans: Iterable[tuple[float, float]]) -> float:
    """Return how many seconds lie within at least one of the (start, end) spans."""
    seconds, until = 0.0, float("-inf")
    for began, ended in sorted(spans):
        seconds += max(0.0, ended - max(began, until))
        until = max(until, ended)
    return seconds
