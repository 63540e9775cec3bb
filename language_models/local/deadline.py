"""Deadlines of calls of local models."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from language_models.arguments import RESUMABLE
from language_models.protocol import ModelUnavailable, Usage


@asynccontextmanager
async def deadline(name: str, seconds: float) -> AsyncIterator[None]:
    """Cancel the awaited call after a number of seconds on a monotonic clock.

    Args:
        name: The model's name.
        seconds: For the whole call, waiting included.

    Raises:
        ModelUnavailable: when the time is over.
    """
    began = time.perf_counter()
    try:
        async with asyncio.timeout(seconds):
            yield
    except TimeoutError:
        raise ModelUnavailable(
            f"{name} gave no answer within its deadline of {seconds:g} s, and was stopped; end other work on this "
            f"machine, take a smaller model, or set a longer deadline {RESUMABLE}",
            usage=Usage(seconds=time.perf_counter() - began),
        ) from None


def check_deadline(seconds: float) -> float:
    """Check a deadline, and return it.

    Raises:
        ValueError: if it is not above 0.
    """
    if not seconds > 0:
        raise ValueError(f"deadline must be above 0, got {seconds}")
    return seconds
