"""Names of models and embedders, as given to `--model` and `--embedder`, and what they stand for.

Resolving a name checks it and finds its files, quickly; building loads the weights. A name stands for one thing only:
where that is missing, resolving fails and says how to get it.
"""

from __future__ import annotations

import difflib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Generic, TypeVar

from language_models.embedders.hash_embedder import HashEmbedder
from language_models.embedders.minilm import MiniLM
from language_models.embedders.openai_embedder import OpenAIEmbedder
from language_models.embedders.sentence_embedder import SentenceEmbedder
from language_models.extras import missing_package, needs
from language_models.protocol import Embedder, LanguageModel
from language_models.remote.address import check_address
from language_models.remote.openai_compatible import OpenAICompatible
from language_models.scripted import ScriptedModel
from language_models.weights import TRAINED_ON_SCENES, WRITER, minilm_path, smollm2_path

MODELS = ("smollm2", "smollm2-plain", "scripted")
EMBEDDERS = ("minilm", "hash")

BuiltT = TypeVar("BuiltT", bound=LanguageModel | Embedder, covariant=True)


@dataclass(frozen=True, slots=True)
class Resolved(Generic[BuiltT]):
    """What a name stands for.

    Attributes:
        name: The name as it was given.
        path: The weights, a file or a folder; None where there are none on this machine.
        builder: Builds it, taking the options of its class.
        adapter: What is added to the weights, unless the option of this name says otherwise; None for nothing.
    """

    name: str
    path: Path | None
    builder: Callable[..., BuiltT]
    adapter: Path | None = None

    def build(self, **options: Any) -> BuiltT:
        """Load it.

        Args:
            options: Keyword arguments of the class that the name stands for.
        """
        return self.builder(**options)


def resolve_model(name: str) -> Resolved[LanguageModel]:
    """What a model name stands for.

    Args:
        name: "smollm2", "smollm2-plain", "scripted", the path of a .gguf file, "transformers:FOLDER", or
            "openai:ADDRESS" with "#MODEL" behind it where the server has several models, such as
            openai:http://127.0.0.1:8000/v1#qwen.

    Raises:
        ValueError: if the name is none of these.
        FileNotFoundError: if its weights, or what computes with them, are not on this machine; the message says how to
            get them.
    """
    if name == "scripted":
        return Resolved(name, None, ScriptedModel)
    if name in ("smollm2", "smollm2-plain"):
        path = smollm2_path()
        _check_installed(name, "xllamacpp")
        adapter = WRITER if name == TRAINED_ON_SCENES else None
        return Resolved(name, path, lambda **options: _smollm2({"name": name, "adapter": adapter} | options), adapter)
    if name.startswith("openai:"):
        address, _, model = name.removeprefix("openai:").partition("#")
        # So that a wrong address is found now.
        check_address(address)
        return Resolved(name, None, lambda **options: OpenAICompatible(address, model, **options))
    if name.startswith("transformers:"):
        path = Path(name.removeprefix("transformers:")).expanduser()
        if not path.is_dir():
            hint = ", or the path of a GGUF file alone" if path.suffix.lower() == ".gguf" else ""
            raise FileNotFoundError(f"model {name!r}: there is no such folder; give one that transformers reads{hint}")
        _check_installed(name, "torch", "transformers")
        return Resolved(name, path, lambda **options: _transformers(path, **options))
    if name.lower().endswith(".gguf"):
        path = Path(name).expanduser()
        if not path.is_file():
            raise FileNotFoundError(f"model {name!r}: there is no such file; give the path of a .gguf file, or smollm2")
        _check_installed(name, "xllamacpp")
        return Resolved(name, path, lambda **options: _embedded(path, **options))
    forms = [*MODELS, "a path ending in .gguf", "transformers:FOLDER", "openai:http://HOST:PORT/v1#MODEL"]
    raise ValueError(_unknown("model", name, MODELS, forms))


def recorded_name(name: str) -> str:
    """What a model of this name is called in a transcript, without looking whether it is here.

    Args:
        name: A name that ``resolve_model`` takes.
    """
    if name.startswith("openai:"):
        address, _, model = name.removeprefix("openai:").partition("#")
        return OpenAICompatible(address, model, api_key="").name
    if name.startswith("transformers:"):
        return f"transformers:{Path(name.removeprefix('transformers:')).expanduser().resolve().name}"
    return Path(name).name if name.lower().endswith(".gguf") else name


def resolve_embedder(name: str) -> Resolved[Embedder]:
    """What an embedder name stands for.

    Args:
        name: "minilm", "hash", the path of a sentence-transformers folder, or "openai:ADDRESS" with "#MODEL" behind it
            where the server has several models.

    Raises:
        ValueError: if the name is none of these.
        FileNotFoundError: if its weights, or what computes with them, are not on this machine; the message says how to
            get them.
    """
    if name == "hash":
        return Resolved(name, None, HashEmbedder)
    if name == "minilm":
        path = minilm_path()
        _check_installed(name, "torch", "transformers")
        return Resolved(name, path, MiniLM)
    if name.startswith("openai:"):
        address, _, model = name.removeprefix("openai:").partition("#")
        check_address(address)
        return Resolved(name, None, lambda **options: OpenAIEmbedder(address, model, **options))
    path = Path(name).expanduser()
    if name and path.is_dir():
        if not (path / "config.json").is_file():
            raise FileNotFoundError(
                f"embedder {name!r}: this folder has no config.json; give a sentence-transformers one"
            )
        _check_installed(name, "torch", "transformers")
        return Resolved(name, path, lambda **options: SentenceEmbedder(path, **options))
    if "/" in name:
        raise FileNotFoundError(
            f"embedder {name!r}: there is no such folder; give a sentence-transformers one, or minilm"
        )
    raise ValueError(
        _unknown(
            "embedder",
            name,
            EMBEDDERS,
            [*EMBEDDERS, "openai:http://HOST:PORT/v1#MODEL", "the path of a sentence-transformers folder"],
        )
    )


def _check_installed(name: str, *packages: str) -> None:
    """Check that what a name needs is installed.

    Raises:
        FileNotFoundError: if it is not, as where its weights are missing.
    """
    if package := missing_package(*packages):
        raise FileNotFoundError(needs(name, package))


def _smollm2(options: Mapping[str, Any]) -> LanguageModel:
    from language_models.local.embedded import EmbeddedModel

    return EmbeddedModel.smollm2(**options)


def _transformers(path: Path, **options: Any) -> LanguageModel:
    from language_models.local.transformers_model import TransformersModel

    return TransformersModel(path, **options)


def _embedded(path: Path, **options: Any) -> LanguageModel:
    from language_models.local.embedded import EmbeddedModel

    return EmbeddedModel(path, **options)


def _unknown(what: str, name: str, known: Sequence[str], forms: Sequence[str]) -> str:
    near = difflib.get_close_matches(name.lower(), known, n=1)
    hint = f"; did you mean {near[0]!r}?" if near else ""
    return f"unknown {what} {name!r}: it must be {', '.join(forms[:-1])} or {forms[-1]}{hint}"
