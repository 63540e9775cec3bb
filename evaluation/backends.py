"""The model and the embedder of a run: found by name, loaded, and let go of."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from evaluation import provenance
from evaluation.configuration import Configuration
from evaluation.files import nearby
from evaluation.progress import Progress
from language_models.embedding_cache import CachedEmbedder, EmbeddingCache, shared_cache_path
from language_models.protocol import Embedder, LanguageModel
from language_models.registry import EMBEDDERS, MODELS, Resolved, resolve_embedder, resolve_model

BackendT = TypeVar("BackendT", LanguageModel, Embedder)


class RunError(RuntimeError):
    """A run that cannot be begun or gone on with, through no fault of the request."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Backends:
    """The model and the embedder of a run, found but not loaded.

    Attributes:
        weights: Name and file hashes of each, as the manifest has them.
    """

    model: Resolved[LanguageModel]
    embedder: Resolved[Embedder]
    weights: Mapping[str, Mapping[str, Any]]

    @contextmanager
    def open_embedder(self, progress: Progress) -> Iterator[Embedder]:
        """The embedder, with the cache that all runs share.

        Raises:
            ValueError: if a folder that was named is no such model.
            RunError: if it cannot be loaded for any other reason.
        """
        if self.embedder.name == "hash":
            yield self.embedder.build()
            return
        with ExitStack() as stack:
            embedder = cached_embedder(self.weights["embedder"], partial(_load_embedder, self.embedder, progress))
            path = shared_cache_path()
            known = False
            try:
                path.parent.mkdir(parents=True, exist_ok=True)
                cache = stack.enter_context(EmbeddingCache(path))
            except OSError as error:
                progress.say(f"embeddings are not shared with other runs: {error}")
            else:
                embedder.add_cache(cache)
                known = cache.dimension(embedder.model) is not None
            if not known:
                embedder.load()
            yield embedder

    def load_model(self, embedder: Embedder, progress: Progress) -> LanguageModel:
        """Load the model.

        Raises:
            ValueError: if a file that was named is no such model.
            RunError: if it cannot be loaded for any other reason.
        """
        try:
            progress.say(f"loading the model {self.model.name} ...")
            if self.model.name.startswith("openai:") or self.model.name == "scripted":
                return self.model.build()
            return self.model.build(embedder=embedder)
        except (OSError, ImportError, RuntimeError) as error:
            raise RunError(f"cannot load {self.model.name}: {error}") from error


def resolve(configuration: Configuration) -> Backends:
    """Find the model and the embedder of a configuration.

    Raises:
        ValueError: for a name that is unknown, or a path where nothing is.
        RunError: if the weights of a known name are not on this machine; the message says how to get them.
    """
    model = _find(resolve_model, configuration.model, MODELS)
    embedder = _find(resolve_embedder, configuration.embedder, EMBEDDERS)
    weights = {
        part: {"name": backend.name, "sha256": provenance.weights(backend.path)}
        for part, backend in (("model", model), ("embedder", embedder))
    }
    return Backends(model=model, embedder=embedder, weights=weights)


def cached_embedder(weights: Mapping[str, Any], build: Callable[[], Embedder]) -> CachedEmbedder:
    """An embedder whose vectors are kept by its name and the hashes of its files.

    Args:
        weights: Its entry in a manifest: name and sha256.
        build: Loads it.
    """
    identity = json.dumps([weights["name"], weights["sha256"]], sort_keys=True)
    return CachedEmbedder(weights["name"], hashlib.sha256(identity.encode()).hexdigest(), build)


@contextmanager
def keeping(embedder: Embedder, path: Path) -> Iterator[None]:
    """Within this, the vectors that an embedder with caches gives are kept in a file of the run, too.

    Raises:
        ValueError: if the file is there and damaged.
    """
    if not isinstance(embedder, CachedEmbedder):
        yield
        return
    with EmbeddingCache(path) as cache:
        embedder.add_cache(cache)
        try:
            yield
        finally:
            embedder.remove_cache(cache)


def _load_embedder(embedder: Resolved[Embedder], progress: Progress) -> Embedder:
    progress.say(f"loading the embedder {embedder.name} ...")
    try:
        return embedder.build()
    except (OSError, ImportError, RuntimeError) as error:
        raise RunError(f"cannot load {embedder.name}: {error}") from error


def _find(find: Callable[[str], Resolved[BackendT]], name: str, known: Sequence[str]) -> Resolved[BackendT]:
    try:
        return find(name)
    except FileNotFoundError as error:
        if name in known:
            raise RunError(str(error)) from error
        near = nearby(Path(name).expanduser())
        raise ValueError(f"{error}{f'; did you mean {near}?' if near is not None else ''}") from error
