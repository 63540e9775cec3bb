"""The embedder of a run with its recorded vectors, so that a replay needs no embedder."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import Any

from evaluation.models.errors import RunError
from evaluation.models.file_hashes import file_hashes
from evaluation.models.model_roles import REQUEST_OPTIONS
from language_models.embedders.cached_embedder import CachedEmbedder
from language_models.embedders.embedding_cache import EmbeddingCache
from language_models.model_names import ModelKind, kind_of
from language_models.protocol import Embedder, ModelUnavailable
from language_models.registry import find_embedder


def cached_embedder(weights: Mapping[str, Any], build: Callable[[], Embedder]) -> CachedEmbedder:
    """Wrap an embedder so that its vectors are cached by its name and the hashes of its files.

    Args:
        weights: Its entry in a manifest: name and sha256.
        build: Loads it.
    """
    identity = json.dumps([weights["name"], weights["sha256"]], sort_keys=True)
    elsewhere = kind_of(weights["name"]) is ModelKind.REMOTE
    return CachedEmbedder(weights["name"], hashlib.sha256(identity.encode()).hexdigest(), build, elsewhere=elsewhere)


def embedder_of_run(manifest: Mapping[str, Any]) -> Embedder:
    """Return the embedder of a run, which is loaded only for a text whose vector the run did not record."""
    weights = manifest["models"]["embedder"]
    if weights["name"] == "hash":
        return find_embedder("hash").build()

    def build() -> Embedder:
        try:
            found = find_embedder(weights["name"])
        except (ValueError, OSError) as error:
            raise RunError(f"the run did not keep all vectors that it needs: {error}") from error
        if file_hashes(found.path) != weights["sha256"]:
            raise RunError(f"the embedder {weights['name']} has other files than the run's; get those back")
        effective = manifest["configuration"]["effective"]
        try:
            return found.build(**embedder_options(found.name, effective["model"]["options"]))
        except (OSError, ImportError, RuntimeError) as error:
            raise RunError(f"cannot load {weights['name']}: {error}") from error

    return cached_embedder(weights, build)


@contextmanager
def storing_vectors(embedder: Embedder, path: Path) -> Iterator[None]:
    """Also write the vectors of an embedder to a file of the run, within a block.

    Args:
        embedder: One with caches.
        path: The file of the run.

    Raises:
        ValueError: if the file is there and damaged.
    """
    with _caching(embedder, lambda: EmbeddingCache(path)):
        yield


@contextmanager
def reading_vectors(embedder: Embedder, path: Path) -> Iterator[None]:
    """Take the vectors of an embedder from a file of the run, within a block, without writing anything.

    Args:
        embedder: One with caches.
        path: The file of the run; it need not be there.

    Raises:
        ValueError: if the file is damaged.
    """
    with _caching(embedder, lambda: EmbeddingCache(path, read_only=True)) if path.is_file() else nullcontext():
        yield


@contextmanager
def _caching(embedder: Embedder, open_cache: Callable[[], EmbeddingCache]) -> Iterator[None]:
    if not isinstance(embedder, CachedEmbedder):
        yield
        return
    with open_cache() as cache:
        embedder.add_cache(cache)
        try:
            yield
        finally:
            embedder.remove_cache(cache)


@contextmanager
def without_server() -> Iterator[None]:
    """Refuse calls to a server within a block, except for vectors that were not recorded.

    Raises:
        RunError: if the server of such a vector gives none.
    """
    try:
        yield
    except ModelUnavailable as error:
        raise RunError(f"a vector is needed that was not kept: {error}") from error


def check_embedder(embedder: Embedder) -> None:
    """Find the length of an embedder's vectors; one at an address has to embed a text for it.

    Raises:
        RunError: if it gives none.
    """
    try:
        _ = embedder.dimension
    except ModelUnavailable as error:
        raise RunError(f"cannot load {embedder.name}: {error}") from error


def embedder_options(name: str, options: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    """Return the options of an embedder's address, which it may share with a model.

    Args:
        name: Of the embedder.
        options: By name of model or embedder.
    """
    return {option: value for option, value in options.get(name, {}).items() if option in REQUEST_OPTIONS}
