"""Which models are asked by instruction: those that are large enough to do as they are told. Others continue a text."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

from language_models.gguf_header import read_gguf_header

MORE_PARAMETERS_THAN = 1_000_000_000
"""SmolLM2 with 135 million parameters and a chat template keeps to no form that it is asked for (docs/models.md)."""


def is_instructed(name: str) -> bool:
    """Whether the model of a name, as ``registry.resolve_model`` takes it, is asked by instruction.

    A file is looked at only where the name is that of a GGUF file. One that is not there, or cannot be read, is not
    instructed: that it cannot be had is said where it is resolved and loaded.
    """
    if name.startswith(("openai:", "transformers:")):
        return True
    return name.lower().endswith(".gguf") and is_instructed_file(Path(name).expanduser())


def is_instructed_file(path: Path) -> bool:
    """Whether a GGUF file is of a model that is asked by instruction: with a chat template, and large enough."""
    try:
        state = path.stat()
    except OSError:
        return False
    return _is_instructed(path, state.st_size, state.st_mtime_ns)


@lru_cache(maxsize=64)
def _is_instructed(path: Path, size: int, changed: int) -> bool:
    try:
        header = read_gguf_header(path)
    except (OSError, ValueError):
        return False
    return bool(header.chat_template.strip()) and header.parameters > MORE_PARAMETERS_THAN
