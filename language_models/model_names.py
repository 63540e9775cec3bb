"""Parsing of model names: the kind of backend, and the path or address in the name."""

from __future__ import annotations

import re
from enum import StrEnum
from pathlib import Path

ENTRY_POINTS = "irollan.models"
"""Entry point group of installed models."""

SMOLLM2 = ("smollm2", "smollm2-plain")
"""Names of SmolLM2-135M with the adapter trained on scenes of the valley, and without it."""

_REMOTE, _TRANSFORMERS = "openai:", "transformers:"
_CLASS = re.compile(r"[A-Za-z_][\w.]*:[A-Za-z_][\w.]*")


class ModelKind(StrEnum):
    """Kind of backend that runs a model."""

    SCRIPTED = "scripted"
    """No model: answers are computed by rule from the request."""
    EMBEDDED = "embedded"
    """llama.cpp in this process, from a GGUF file."""
    TRANSFORMERS = "transformers"
    """Hugging Face transformers in this process, from a folder."""
    REMOTE = "remote"
    """A server with an OpenAI-compatible API."""
    PLUGIN = "plugin"
    """A custom class, by entry point or as module:Class."""
    UNKNOWN = "unknown"
    """A name that stands for no model."""


def kind_of(name: str) -> ModelKind:
    """Return the kind of model that a name stands for; the only lookup is of entry points.

    Args:
        name: As `--model` takes it, or as a transcript records it.
    """
    if name == "scripted":
        return ModelKind.SCRIPTED
    if name in SMOLLM2:
        return ModelKind.EMBEDDED
    if name.startswith(_REMOTE):
        return ModelKind.REMOTE
    if name.startswith(_TRANSFORMERS):
        return ModelKind.TRANSFORMERS
    if name.lower().endswith(".gguf"):
        return ModelKind.EMBEDDED
    if _CLASS.fullmatch(name) or name in plugin_sources():
        return ModelKind.PLUGIN
    return ModelKind.UNKNOWN


def plugin_sources() -> dict[str, str]:
    """Return the ``module:Class`` of each installed model, by name."""
    from importlib import metadata  # Slower to import than all else here.

    return {one.name: one.value for one in sorted(metadata.entry_points(group=ENTRY_POINTS))}


def path_in(name: str) -> Path | None:
    """Return the file or folder that a model name contains; None for a name without one."""
    if name.startswith(_TRANSFORMERS):
        return Path(name.removeprefix(_TRANSFORMERS)).expanduser()
    if kind_of(name) is ModelKind.EMBEDDED and name not in SMOLLM2:
        return Path(name).expanduser()
    return None


def address_in(name: str) -> tuple[str, str]:
    """Split a name into the server's address and its model, which is empty if the name has none.

    Args:
        name: Name of a remote model or embedder, such as openai:http://127.0.0.1:8000/v1#qwen.
    """
    address, _, model = name.removeprefix(_REMOTE).partition("#")
    return address, model
