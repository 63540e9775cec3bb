"""Random generators from seeds and their JSON-ready states."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import numpy as np

from irollan_env.hints import check_keys


def make_generator(seed: int | np.random.Generator | None) -> np.random.Generator:
    """Create a generator from a seed; a generator is returned unchanged.

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
    """Create the generator of a name: independent of other names' generators, and the same in every process.

    Args:
        seed: At least 0.
        name: The generator's purpose: "world", "ltrha", "resident AY".
    """
    return np.random.Generator(np.random.PCG64(np.random.SeedSequence(seed, spawn_key=tuple(name.encode()))))


def generator_state(generator: np.random.Generator) -> dict[str, Any]:
    """Return a generator's state as JSON-ready data; 128-bit integers are text, which every JSON reader keeps exact."""
    state = generator.bit_generator.state
    return {
        "state": str(state["state"]["state"]),
        "increment": str(state["state"]["inc"]),
        "has_uint32": int(state["has_uint32"]),
        "uinteger": int(state["uinteger"]),
    }


def restored_generator(data: Mapping[str, Any]) -> np.random.Generator:
    """Recreate a generator from a saved state.

    Raises:
        ValueError: for data that is not from ``generator_state``.
    """
    check_keys("state.generator", data, ("state", "increment", "has_uint32", "uinteger"))
    state, increment = _digits(data["state"]), _digits(data["increment"])
    flag, half = data["has_uint32"], data["uinteger"]
    wholes = type(flag) is int and type(half) is int and flag in (0, 1) and 0 <= half < 2**32
    if state is None or increment is None or increment % 2 == 0 or not wholes:
        raise ValueError(
            "state.generator must be that of a PCG64 generator: 'state' and an odd 'increment' below 2**128 in decimal "
            f"digits, 'has_uint32' 0 or 1, 'uinteger' below 2**32; got {str(dict(data))[:200]}"
        )
    generator = np.random.Generator(np.random.PCG64())
    generator.bit_generator.state = {
        "bit_generator": "PCG64",
        "state": {"state": state, "inc": increment},
        "has_uint32": flag,
        "uinteger": half,
    }
    return generator


def _digits(text: Any) -> int | None:
    """Parse decimal ASCII digits to a number below 2**128; None for anything else."""
    if not isinstance(text, str) or re.fullmatch("[0-9]{1,39}", text) is None or int(text) >= 2**128:
        return None
    return int(text)
