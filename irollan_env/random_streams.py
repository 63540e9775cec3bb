"""Random generators as arguments and as JSON-ready data."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np


def make_generator(seed: int | np.random.Generator | None) -> np.random.Generator:
    """A generator from a seed; a generator is taken as it is.

    Raises:
        TypeError: for anything else, or a generator whose state is not PCG64's, which could not be saved.
    """
    if isinstance(seed, np.random.Generator):
        if not isinstance(seed.bit_generator, np.random.PCG64):
            kind = type(seed.bit_generator).__name__
            raise TypeError(f"the generator must use PCG64, got {kind}; use numpy.random.default_rng(seed)")
        return seed
    if seed is not None and (isinstance(seed, bool) or not isinstance(seed, (int, np.integer)) or seed < 0):
        raise TypeError(f"seed must be an integer >= 0, a numpy Generator or None, got {seed!r}")
    return np.random.default_rng(seed)


def stream(seed: int, name: str) -> np.random.Generator:
    """The generator of this name: independent of those of other names, and the same in every process.

    Args:
        seed: At least 0.
        name: Who draws from it: "world", "ltrha", "resident AY".
    """
    return np.random.Generator(np.random.PCG64(np.random.SeedSequence(seed, spawn_key=tuple(name.encode()))))


def generator_state(generator: np.random.Generator) -> dict[str, Any]:
    """The generator as JSON-ready data; its 128-bit integers as text, which every reader of JSON keeps exact."""
    state = generator.bit_generator.state
    return {
        "state": str(state["state"]["state"]),
        "increment": str(state["state"]["inc"]),
        "has_uint32": int(state["has_uint32"]),
        "uinteger": int(state["uinteger"]),
    }


def restored_generator(data: Mapping[str, Any]) -> np.random.Generator:
    """A generator that goes on exactly where the saved one was.

    Raises:
        ValueError: for data that ``generator_state`` did not write.
    """
    generator = np.random.Generator(np.random.PCG64())
    try:
        generator.bit_generator.state = {
            "bit_generator": "PCG64",
            "state": {"state": int(data["state"]), "inc": int(data["increment"])},
            "has_uint32": int(data["has_uint32"]),
            "uinteger": int(data["uinteger"]),
        }
    except (KeyError, TypeError, ValueError, OverflowError) as error:
        raise ValueError(f"state.generator is not the state of a PCG64 generator: {error!r}") from error
    return generator
