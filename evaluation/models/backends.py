"""Find the models and the embedder of a run by name, and load them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from evaluation.models.closing import closing_embedder, release_models
from evaluation.models.errors import RunError
from evaluation.models.file_hashes import file_hashes
from evaluation.models.forecasters import forecaster_file, load_forecaster
from evaluation.models.model_roles import PERSON, Models
from evaluation.models.person import HumanInterface, Person
from evaluation.models.run_embedder import cached_embedder, check_embedder, embedder_options
from evaluation.models.terminal import Terminal
from evaluation.records.files import has_ending, nearby
from language_models.embedders.embedding_cache import EmbeddingCache, shared_cache_path
from language_models.model_names import ModelKind
from language_models.protocol import Embedder, LanguageModel
from language_models.registry import (
    EMBEDDERS,
    MODELS,
    EmbedderSpec,
    ModelSpec,
    describe_model,
    find_embedder,
    find_model,
)

SpecT = TypeVar("SpecT", ModelSpec, EmbedderSpec)

CONTEXT_OF_ALL_ACTIONS = 2048
"""Tokens of a request that lists a hundred actions, as elimination by a model does; other requests are shorter."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Backends:
    """Hold the models and the embedder of a run, found but not loaded.

    Attributes:
        models: By name.
        options: How addresses are asked and files are served, by name.
        contexts: Tokens that a request to an embedded model may take, by name, where they are not the usual ones.
        weights: Name and file hashes of each, as the manifest has them.
        exact: Whether embedded models compute each request by itself; see ``LlamaPool``.
    """

    models: Mapping[str, ModelSpec]
    options: Mapping[str, Mapping[str, Any]]
    contexts: Mapping[str, int]
    embedder: EmbedderSpec
    weights: Mapping[str, Mapping[str, Any]]
    exact: bool = False

    @contextmanager
    def open_embedder(self, say: Callable[[str], None]) -> Iterator[Embedder]:
        """Load the embedder, with the cache that all runs share.

        One that is elsewhere is described at once, and asked only where the cache has no vector of it: whether it is
        there then shows before anything is written.

        Raises:
            ValueError: if a folder that was named is no such model.
            RunError: if it cannot be loaded for any other reason.
        """
        if self.embedder.name == "hash":
            yield self.embedder.build()
            return
        with ExitStack() as stack:
            embedder = cached_embedder(self.weights["embedder"], partial(load_embedder, self, say))
            stack.enter_context(closing_embedder(embedder))
            path = shared_cache_path()
            known = False

            def without(error: OSError) -> None:
                say(f"embeddings are not shared with other runs: {error}")

            try:
                path.parent.mkdir(parents=True, exist_ok=True)
                cache = stack.enter_context(EmbeddingCache(path))
            except OSError as error:
                without(error)
            else:
                embedder.add_cache(cache, on_failure=without)
                known = cache.dimension(embedder.model) is not None
            if self.embedder.path is None or not known:
                embedder.load()
            if not known:
                check_embedder(embedder)
            yield embedder

    def of_one_run(self, embedder: Embedder) -> Embedder:
        """Give one of several runs an embedder that records the run's own vectors."""
        return cached_embedder(self.weights["embedder"], lambda: embedder) if self.embedder.name != "hash" else embedder

    def build_embedder(self) -> Embedder:
        """Load the embedder without caches, with the options of the run."""
        return self.embedder.build(**embedder_options(self.embedder.name, self.options))

    @contextmanager
    def open_models(self, embedder: Embedder, say: Callable[[str], None]) -> Iterator[dict[str, LanguageModel]]:
        """Load the models by name and release them at the end; connections are closed where they were used.

        Args:
            embedder: Used by models that compare texts.
            say: Called with one line about what is loaded.

        Raises:
            ValueError: if a file that was named is no such model.
            RunError: if one cannot be loaded for any other reason.
        """
        loaded: dict[str, LanguageModel] = {}
        try:
            for name, found in self.models.items():
                say(f"loading the model {name} ...")
                # Only an embedded model compares options itself.
                options = dict(self.options.get(name, {}))
                if found.kind is ModelKind.EMBEDDED:
                    options["embedder"] = embedder
                    options["exact"] = self.exact
                    if name in self.contexts:
                        options.setdefault("context", self.contexts[name])
                try:
                    loaded[name] = found.build(**options)
                except (OSError, ImportError, RuntimeError) as error:
                    raise RunError(f"cannot load {name}: {error}") from error
            yield loaded
        finally:
            release_models(loaded.values())


def resolve(
    chosen: Models, *, protention: str, elimination: str, exact: bool = False, human: HumanInterface | None = None
) -> Backends:
    """Find the models and the embedder of a run.

    Args:
        chosen: Their names; that of the model for all modules and that of the embedder are among them.
        protention: Who says what follows where neither rule nor memory does; see ``evaluation.models.forecasters``.
        elimination: What scores the relevance of actions, "embedder" or "model".
        exact: Whether embedded models compute each request by itself.
        human: Where a person sits, if one is among the models; at the terminal when None.

    Raises:
        ValueError: for a name that is missing or unknown, a path where nothing is, two models that would be recorded
            under one name, a damaged learned protention, or a person where there is no terminal.
        RunError: if the weights or the package of a known name are not on this machine; the message says how to get
            them.
    """
    if chosen.model is None or chosen.embedder is None:
        raise ValueError(f"a run needs a model for all modules and an embedder, got {chosen.model}, {chosen.embedder}")
    names = dict.fromkeys([chosen.model, *chosen.roles.values()])
    models = {
        name: _person(human)
        if name == PERSON
        else _find(partial(find_model, options=chosen.options.get(name)), name, MODELS)
        for name in names
    }
    _check_recorded_names(models)
    embedder = _find(find_embedder, chosen.embedder, EMBEDDERS)
    hashes = {name: file_hashes(found.path) | _adapter_hashes(found) for name, found in models.items()}
    weights = {
        "model": {"name": chosen.model, "sha256": hashes[chosen.model]},
        **{f"{role} model": {"name": name, "sha256": hashes[name]} for role, name in chosen.roles.items()},
        "embedder": {"name": embedder.name, "sha256": file_hashes(embedder.path)},
    }
    try:
        load_forecaster(protention)  # so that a damaged file is found before anything is written
        forecaster = forecaster_file(protention)
    except FileNotFoundError as error:
        raise ValueError(str(error)) from error
    except ImportError as error:
        raise RunError(str(error)) from error
    if forecaster is not None:
        weights["protention"] = {"name": protention, "sha256": file_hashes(forecaster)}
    scorer = chosen.roles.get("elimination", chosen.model)
    contexts = {scorer: CONTEXT_OF_ALL_ACTIONS} if elimination == "model" else {}
    return Backends(
        models=models, options=chosen.options, contexts=contexts, embedder=embedder, weights=weights, exact=exact
    )


def _person(human: HumanInterface | None) -> ModelSpec:
    taken = Terminal.of_process() if human is None else human
    return ModelSpec(name=PERSON, kind=ModelKind.PLUGIN, recorded_name=PERSON, builder=lambda: Person(taken))


def _adapter_hashes(found: ModelSpec) -> dict[str, str]:
    """Return the hash of the adapter of a model, where it has one.

    Raises:
        ValueError: if the file is not there.
    """
    path = found.adapter
    if path is None:
        return {}
    if not path.is_file():
        raise ValueError(
            f"the adapter {str(path)!r} of {found.name} does not exist; give the path of a GGUF file with a LoRA"
        )
    return {f"adapter/{file}": sha256 for file, sha256 in file_hashes(path).items()}


def load_embedder(backends: Backends, say: Callable[[str], None]) -> Embedder:
    """Load an embedder, without caches; nothing is sent to an address.

    Args:
        backends: What was found for the run.
        say: Called with one line about what is loaded.

    Raises:
        ValueError: if a folder that was named is no such model.
        RunError: if it cannot be loaded for any other reason.
    """
    found = backends.embedder
    say(f"loading the embedder {found.name} ...")
    try:
        return backends.build_embedder()
    except (OSError, ImportError, RuntimeError) as error:
        raise RunError(f"cannot load {found.name}: {error}") from error


def _check_recorded_names(names: Iterable[str]) -> None:
    """Check that a transcript can distinguish the answers of several models."""
    known: dict[str, str] = {}
    for name in names:
        recorded = describe_model(name).recorded_name
        if (first := known.setdefault(recorded, name)) != name:
            raise ValueError(
                f"{first!r} and {name!r} are both recorded as {recorded!r}, so that their answers could not "
                "be distinguished; use one name for a model everywhere, or give one of the files another name"
            )


def _find(find: Callable[[str], SpecT], name: str, known: Sequence[str]) -> SpecT:
    try:
        return find(name)
    except FileNotFoundError as error:
        if name in known:
            raise RunError(str(error)) from error
        path = Path(name).expanduser()
        is_file = has_ending(".gguf")
        near = nearby(path, lambda one: is_file(one) or one.is_dir())
        raise ValueError(f"{error}{f'; did you mean {near}?' if near is not None else ''}") from error
