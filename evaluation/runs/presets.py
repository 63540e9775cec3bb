"""Named sets of values of a configuration."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import Any


class Preset(StrEnum):
    """Name a set of values that apply where a configuration gives none."""

    DEFAULT = "default"
    """This project's choices."""
    PAPER = "paper"
    """The paper's: see ``PAPER``."""


_SMALL = "openai:http://127.0.0.1:8000/v1#meta-llama/Llama-3.1-8B-Instruct"
_LARGE = "openai:https://api.openai.com/v1#gpt-4o"

PAPER: Mapping[str, Any] = {
    "model.name": _LARGE,
    "model.roles": dict.fromkeys(("elimination", "protention", "matrix"), _SMALL),
    "mind.deliberation": "llm",
    "mind.elimination": "model",
    "mind.prompt_detail": "positions",
    "ltrha.execution_draw": "after",
    "ltrha.resource_mode": "amount",
    "ltrha.standing_decides": "execution",
    "ltrha.draws": "independent",
    "ltrha.parameters.consumption": 0.0,
    "ltrha.rank_by": "goals",
    "ltrha.rank_scope": "society",
}
"""Section 5.1's models by module (GPT-4o acts and talks; Llama 3.1-8B, served on this machine, eliminates, predicts and
ranks), elimination by a language model (section 3.4), protentions described in full, and Eq. 18 and 19 as printed."""

_MODELS = frozenset({"model.name", "model.roles"})
_VALUES: Mapping[Preset, Mapping[str, Any]] = {Preset.DEFAULT: {}, Preset.PAPER: PAPER}


def with_preset(preset: Preset, keys: Mapping[str, Any]) -> dict[str, Any]:
    """Add the values of a preset for the keys that are missing.

    Args:
        preset: Its models hold only where no model is named at all.
        keys: Values by path.
    """
    named = _MODELS & set(keys)
    values = {path: value for path, value in _VALUES[preset].items() if not (named and path in _MODELS)}
    return {**values, **keys}
