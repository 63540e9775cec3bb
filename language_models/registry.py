"""Models and embedders by name, as `--model` and `--embedder` take it: lookup, description and loading.

Finding a model checks its name and looks for its files, quickly; building it loads the weights. A name stands for one
thing only: where that is missing, finding it fails and says how to get it.
"""

from __future__ import annotations

import difflib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from language_models.gguf_header import cached_gguf_header, is_instructed_file
from language_models.model_names import (
    SMOLLM2,
    ModelKind,
    address_in,
    kind_of,
    path_in,
    plugin_sources,
)
from language_models.packages import WRITER, import_object, minilm_path, missing_package, needs, smollm2_path
from language_models.protocol import Embedder, LanguageModel
from language_models.remote.address import check_address, remote_name

if TYPE_CHECKING:
    from language_models.base_model import BaseModel

MODELS = (*SMOLLM2, "scripted")
EMBEDDERS = ("minilm", "hash")

_UNCONSTRAINED = ("plain", "logprobs")
"""Methods of choosing (``remote.choosing``) for which no JSON schema constrains answers."""


_HAS_LOG_PROBABILITIES = {ModelKind.SCRIPTED: True, ModelKind.EMBEDDED: True, ModelKind.TRANSFORMERS: True}


@dataclass(frozen=True, kw_only=True, slots=True)
class ModelSpec:
    """A model by name: its backend, its files and its capabilities.

    Attributes:
        name: The name as it was given.
        kind: Kind of backend that runs it.
        recorded_name: Its name in a transcript.
        builder: Function that loads it; None to load it by its kind.
        path: File or folder of its weights; None if there are none on this machine.
        instructed: Whether it follows instructions, as large models do. Others continue a text.
        grammar: Whether a GBNF grammar constrains its sampling; otherwise the finished text is checked.
        json_schema: Whether a JSON schema constrains its sampling; otherwise the finished text is checked.
        log_probabilities: Whether it can `score`; None if only its server knows.
        adapter: A LoRA that is added to its weights; None for none.
    """

    name: str
    kind: ModelKind
    recorded_name: str
    builder: Callable[..., LanguageModel] | None = None
    path: Path | None = None
    instructed: bool = False
    grammar: bool = False
    json_schema: bool = False
    log_probabilities: bool | None = None
    adapter: Path | None = None

    @property
    def parameters(self) -> int | None:
        """Number of parameters; None if no GGUF file states it."""
        if self.kind is not ModelKind.EMBEDDED or self.path is None:
            return None
        try:
            return cached_gguf_header(self.path).parameters
        except (OSError, ValueError):
            return None

    @property
    def trained_on_scenes(self) -> bool:
        """Whether its adapter was trained to continue pages of scenes instead of following instructions."""
        return self.adapter is not None and not self.instructed

    def build(self, **options: Any) -> LanguageModel:
        """Load the model.

        Args:
            options: Keyword arguments of the class.

        Raises:
            TypeError: for an option that the class does not have.
        """
        if self.builder is not None:
            return self.builder(**options)
        if self.name in SMOLLM2:
            from language_models.local.embedded import EmbeddedModel

            return EmbeddedModel.smollm2(**{"name": self.name, "adapter": self.adapter} | options)
        made: Callable[..., BaseModel] = self.model_class()
        match self.kind:
            case ModelKind.EMBEDDED | ModelKind.TRANSFORMERS:
                return made(self.path or Path(self.name), **options)
            case ModelKind.REMOTE:
                return made(*address_in(self.name), **options)
            case ModelKind.PLUGIN:
                model = made(**options)
                model.name = self.recorded_name
                return model
            case _:
                return made(**options)

    def model_class(self) -> type[BaseModel]:
        """Import and return its class, without loading the model.

        Raises:
            ValueError: for an unknown name, or a custom class that is no model.
        """
        # Imported here, so that code that loads no model does not wait for these imports.
        match self.kind:
            case ModelKind.SCRIPTED:
                from language_models.scripted import ScriptedModel

                return ScriptedModel
            case ModelKind.EMBEDDED:
                from language_models.local.embedded import EmbeddedModel

                return EmbeddedModel
            case ModelKind.TRANSFORMERS:
                from language_models.local.transformers_model import TransformersModel

                return TransformersModel
            case ModelKind.REMOTE:
                from language_models.remote.openai_compatible import OpenAICompatible

                return OpenAICompatible
            case ModelKind.PLUGIN:
                return plugin_class(self.name)
            case ModelKind.UNKNOWN:
                raise ValueError(f"unknown model {self.name!r}; irollan models lists those that there are")


@dataclass(frozen=True, kw_only=True, slots=True)
class EmbedderSpec:
    """An embedder by name: how to load it, and its files.

    Attributes:
        name: The name as it was given.
        builder: Function that loads it; takes the options of its class.
        path: Folder of its weights; None if there are none on this machine.
    """

    name: str
    builder: Callable[..., Embedder]
    path: Path | None = None

    def build(self, **options: Any) -> Embedder:
        """Load the embedder.

        Args:
            options: Keyword arguments of the class.
        """
        return self.builder(**options)


def describe_model(name: str, options: Mapping[str, Any] | None = None) -> ModelSpec:
    """Describe what a model can do, by its name and options, whether or not it is on this machine.

    Args:
        name: As ``find_model`` takes it. An unknown name has the kind UNKNOWN.
        options: Loading options, as ``ModelSpec.build`` takes them.
    """
    options = {} if options is None else options
    kind, path = kind_of(name), path_in(name)
    if name in SMOLLM2:
        path = _installed_smollm2()
    instructed = kind in (ModelKind.REMOTE, ModelKind.TRANSFORMERS, ModelKind.PLUGIN)
    if kind is ModelKind.EMBEDDED and name not in SMOLLM2:
        instructed = path is not None and is_instructed_file(path)
    in_process = kind in (ModelKind.SCRIPTED, ModelKind.EMBEDDED)
    grammar = in_process or (kind is ModelKind.REMOTE and options.get("grammar_field") is not None)
    adapter = options.get("adapter", WRITER if name == SMOLLM2[0] else None)
    return ModelSpec(
        name=name,
        kind=kind,
        recorded_name=_recorded_name(name, kind),
        path=path,
        instructed=options.get("instructed", instructed),
        grammar=grammar,
        json_schema=grammar or (kind is ModelKind.REMOTE and options.get("choosing") not in _UNCONSTRAINED),
        log_probabilities=_HAS_LOG_PROBABILITIES.get(kind),
        adapter=None if adapter is None else Path(adapter).expanduser(),
    )


def find_model(name: str, options: Mapping[str, Any] | None = None) -> ModelSpec:
    """Find a model that can be loaded on this machine.

    Args:
        name: "smollm2", "smollm2-plain", "scripted", the path of a .gguf file, "transformers:FOLDER",
            "openai:ADDRESS" with "#MODEL" behind it where the server has several models, such as
            openai:http://127.0.0.1:8000/v1#qwen, or a model of one's own: the name of an entry point in the group
            "irollan.models", or "module:Class".
        options: Loading options, as ``ModelSpec.build`` takes them.

    Raises:
        ValueError: if the name is none of these, or names a class that is no model.
        FileNotFoundError: if its weights, or what computes with them, are not on this machine; the message says how to
            get them.
    """
    spec = describe_model(name, options)
    match spec.kind:
        case ModelKind.EMBEDDED if name in SMOLLM2:
            smollm2_path()
            _check_installed(name, "xllamacpp")
        case ModelKind.EMBEDDED:
            if spec.path is None or not spec.path.is_file():
                raise FileNotFoundError(
                    f"model {name!r}: there is no such file; give the path of a .gguf file, or smollm2"
                )
            _check_installed(name, "xllamacpp")
        case ModelKind.TRANSFORMERS:
            if spec.path is None or not spec.path.is_dir():
                file = spec.path is not None and spec.path.suffix.lower() == ".gguf"
                hint = ", or the path of a GGUF file alone" if file else ""
                raise FileNotFoundError(
                    f"model {name!r}: there is no such folder; give one that transformers reads{hint}"
                )
            _check_installed(name, "torch", "transformers")
        case ModelKind.REMOTE:
            check_address(address_in(name)[0])
        case ModelKind.PLUGIN:
            plugin_class(name)
        case ModelKind.UNKNOWN:
            known = [*MODELS, *plugin_sources()]
            forms = [
                *known,
                "a path ending in .gguf",
                "transformers:FOLDER",
                "openai:http://HOST:PORT/v1#MODEL",
                "module:Class",
            ]
            raise ValueError(_unknown("model", name, known, forms))
    return spec


def find_embedder(name: str) -> EmbedderSpec:
    """Find an embedder that can be loaded on this machine.

    Args:
        name: "minilm", "hash", the path of a sentence-transformers folder, or "openai:ADDRESS" with "#MODEL" behind it
            where the server has several models.

    Raises:
        ValueError: if the name is none of these.
        FileNotFoundError: if its weights, or what computes with them, are not on this machine; the message says how to
            get them.
    """
    if name == "hash":
        from language_models.embedders.hash_embedder import HashEmbedder

        return EmbedderSpec(name=name, builder=HashEmbedder)
    if name == "minilm":
        folder = minilm_path()
        _check_installed(name, "torch", "transformers")
        from language_models.embedders.sentence_embedder import MiniLM

        return EmbedderSpec(name=name, path=folder, builder=MiniLM)
    if kind_of(name) is ModelKind.REMOTE:
        from language_models.embedders.openai_embedder import OpenAIEmbedder

        address, model = address_in(name)
        check_address(address)
        return EmbedderSpec(name=name, builder=partial(OpenAIEmbedder, address, model))
    path = Path(name).expanduser()
    if name and path.is_dir():
        if not (path / "config.json").is_file():
            raise FileNotFoundError(
                f"embedder {name!r}: this folder has no config.json; give a sentence-transformers one"
            )
        _check_installed(name, "torch", "transformers")
        from language_models.embedders.sentence_embedder import SentenceEmbedder

        return EmbedderSpec(name=name, path=path, builder=partial(SentenceEmbedder, path))
    if "/" in name:
        raise FileNotFoundError(
            f"embedder {name!r}: there is no such folder; give a sentence-transformers one, or minilm"
        )
    forms = [*EMBEDDERS, "openai:http://HOST:PORT/v1#MODEL", "the path of a sentence-transformers folder"]
    raise ValueError(_unknown("embedder", name, EMBEDDERS, forms))


def load_model(name: str, **options: Any) -> BaseModel:
    """Load a language model.

    Use it in a ``with`` statement, or close it: it may hold weights, threads and connections. In plain code `ask` it;
    in a coroutine ``await model.generate(...)``, many requests at once if you like.

    >>> from language_models import Caller, GenerateRequest, load_model
    >>> with load_model("scripted") as model:
    ...     print(model.ask("LL sees SG. LL says:", max_tokens=16, seed=1))
    I keep thinking about this.
    >>> async def say(model):
    ...     request = GenerateRequest(prompt="LL sees SG. LL says:", caller=Caller(module="demo"), seed=1)
    ...     return (await model.generate(request)).text

    Args:
        name: As ``find_model`` takes it: "smollm2", "scripted", the path of a .gguf file, "transformers:FOLDER",
            "openai:http://127.0.0.1:8000/v1#qwen", an installed model, or "module:Class".
        options: Keyword arguments of its class, such as context and slots of a GGUF file or timeout of a server.

    Returns:
        The model. It loads its weights now; a server is asked nothing yet.

    Raises:
        ValueError: if the name stands for no model, or its class has no such option.
        FileNotFoundError: if its weights, or what computes with them, are not on this machine; the message says how to
            get them.
    """
    spec = find_model(name, options)
    _check_options(name, spec.model_class(), options)
    return cast("BaseModel", spec.build(**options))


def load_embedder(name: str, **options: Any) -> Embedder:
    """Load an embedder.

    >>> from language_models import load_embedder
    >>> embedder = load_embedder("hash", dimension=64)
    >>> embedder.embed(["a red apple", "the sea"]).shape
    (2, 64)

    Args:
        name: As ``find_embedder`` takes it: "minilm", "hash", the path of a sentence-transformers folder, or
            "openai:http://127.0.0.1:8000/v1#model".
        options: Keyword arguments of its class, such as threads of "minilm".

    Returns:
        The embedder. One behind an address has a method `close`, which closes its connections.

    Raises:
        ValueError: if the name stands for no embedder, or its class has no such option.
        FileNotFoundError: if its weights, or what computes with them, are not on this machine; the message says how to
            get them.
    """
    spec = find_embedder(name)
    made = spec.builder.func if isinstance(spec.builder, partial) else spec.builder
    _check_options(name, made, options)
    return spec.build(**options)


def plugin_class(name: str) -> type[BaseModel]:
    """Import the class of a custom model.

    Args:
        name: Name of an entry point, or ``module:Class``; the module may be a file in the working directory.

    Raises:
        ValueError: if it cannot be imported, is no ``BaseModel``, or writes nothing.
    """
    from language_models.base_model import BaseModel

    found: Any = import_object(f"the model {name!r}", plugin_sources().get(name, name))
    if not isinstance(found, type) or not issubclass(found, BaseModel):
        raise ValueError(
            f"the model {name!r} is {found!r}, which is no language_models.BaseModel; derive it from that class and "
            "give it a method write(request)"
        )
    if found.write is BaseModel.write and found.generate is BaseModel.generate:
        raise ValueError(f"the model {name!r} has neither write(request) nor generate(request); give it one of them")
    return found


def _check_options(name: str, made: Callable[..., Any], options: Mapping[str, Any]) -> None:
    """Check that a class takes these keyword arguments.

    Raises:
        ValueError: for an unknown argument; the message names the valid ones.
    """
    import inspect

    parameters = inspect.signature(made).parameters.values()
    if any(one.kind is one.VAR_KEYWORD for one in parameters):
        return
    known = [one.name for one in parameters if one.kind in (one.KEYWORD_ONLY, one.POSITIONAL_OR_KEYWORD)]
    for option in options:
        if option not in known:
            listed = ", ".join(known) or "nothing"
            raise ValueError(f"unknown option {option!r} of {name}: it takes {listed}{_hint(option, known)}")


def _installed_smollm2() -> Path | None:
    try:
        return smollm2_path()
    except FileNotFoundError:
        return None


def _recorded_name(name: str, kind: ModelKind) -> str:
    """Return a model's name in transcripts."""
    path = path_in(name)
    if kind is ModelKind.REMOTE:
        address, model = address_in(name)
        return remote_name(address, model)
    if kind is ModelKind.TRANSFORMERS and path is not None:
        return f"transformers:{path.resolve().name}"
    return name if path is None else path.name


def _check_installed(name: str, *packages: str) -> None:
    """Check that the packages that a name needs are installed.

    Raises:
        FileNotFoundError: if one is not, the same error as for missing weights.
    """
    if package := missing_package(*packages):
        raise FileNotFoundError(needs(name, package))


def _unknown(what: str, name: str, known: Sequence[str], forms: Sequence[str]) -> str:
    return f"unknown {what} {name!r}: it must be {', '.join(forms[:-1])} or {forms[-1]}{_hint(name, known)}"


def _hint(name: str, known: Sequence[str]) -> str:
    near = difflib.get_close_matches(name.lower(), known, n=1)
    return f"; did you mean {near[0]!r}?" if near else ""
