"""A model on this machine that takes too long is stopped, and says so."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from language_models.option_hints import RESUMABLE
from language_models.protocol import ModelUnavailable, Usage


@asynccontextmanager
async def deadline(name: str, seconds: float) -> AsyncIterator[None]:
    """Cancel what is awaited within this when its time is over, on a clock that no change of the date moves.

    Args:
        name: The model.
        seconds: For all of it, waiting included.

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
    """The deadline, checked.

    Raises:
        ValueError: if it is not above 0.
    """
    if not seconds > 0:
        raise ValueError(f"deadline must be above 0, got {seconds}")
    return seconds
