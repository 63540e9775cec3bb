"""Random generators that derive from one seed by name."""

from __future__ import annotations

import numpy as np


def stream(seed: int, name: str) -> np.random.Generator:
    """The generator of this name: independent of those of other names, and the same in every process.

    Args:
        seed: Of the run, at least 0.
        name: Who draws from it: "world", "ltrha", "resident AY".
    """
    return np.random.Generator(np.random.PCG64(np.random.SeedSequence(seed, spawn_key=tuple(name.encode()))))
