"""The state of a generator of any kind as JSON-ready data."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np


def plain(state: Any) -> Any:
    """The state of a bit generator with lists instead of arrays; numpy takes it back as it is."""
    if isinstance(state, Mapping):
        return {key: plain(value) for key, value in state.items()}
    if isinstance(state, np.ndarray):
        return state.tolist()
    return state
