"""LoRA adapters (Hu et al. 2021): small additions to a model's weights, in GGUF files of their own."""

from __future__ import annotations

import hashlib
from functools import lru_cache
from pathlib import Path

from language_models.gguf_header import read_gguf_header

BASE = "irollan.base_sha256"
"""Metadata key under which examples/train_writer.py stores the hash of the weights that an adapter was trained on."""


def check_adapter(adapter: Path, weights: Path) -> None:
    """Check that a file is a LoRA adapter and, if it names its base model, that these weights match.

    Args:
        adapter: A GGUF file with a LoRA.
        weights: The GGUF file of the base model.

    Raises:
        FileNotFoundError: if there is no such file.
        ValueError: if the file is no adapter, is damaged, or belongs to other weights.
    """
    if not adapter.is_file():
        raise FileNotFoundError(f"adapter {str(adapter)!r} does not exist; give the path of a GGUF file with a LoRA")
    texts = read_gguf_header(adapter).texts
    if (sort := texts.get("general.type", "model")) != "adapter":
        raise ValueError(f"{str(adapter)!r} is no adapter but a {sort}; give it as the model itself")
    if (of := texts.get(BASE)) is not None and of != (found := _sha256(weights)):
        raise ValueError(
            f"the adapter {str(adapter)!r} is of other weights than {weights.name}: of those with sha256 {of[:12]}..., "
            f"and these have {found[:12]}...; train it on them with examples/train_writer.py"
        )


@lru_cache(maxsize=16)
def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
