"""List what ``--model`` and ``--embedder`` take, and which weights are on this machine."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from language_models.model_names import plugin_sources
from language_models.registry import EmbedderSpec, ModelSpec, find_embedder, find_model


@dataclass(frozen=True, kw_only=True, slots=True)
class Row:
    """Describe one name, or one form of names, that an option takes.

    Attributes:
        name: As it is given.
        description: What it stands for.
        here: Whether its weights are on this machine; None where that is no question.
        state: The same in words, with the command that fetches what is missing.
    """

    name: str
    description: str
    here: bool | None
    state: str


def model_rows() -> list[Row]:
    """List everything that ``--model`` takes, the default first."""
    return [
        _row("smollm2", "SmolLM2-135M, trained on scenes of the valley, embedded; the default", find_model),
        _row("smollm2-plain", "SmolLM2-135M-Instruct as it comes, embedded", find_model),
        _row("scripted", "answers in form, not in sense, by rule; for trying things out and for tests", find_model),
        _form("FILE.gguf", "any model file that llama.cpp reads", "give the path of the file"),
        _form("transformers:FOLDER", "any folder that Hugging Face transformers reads", "give the path of the folder"),
        _form(
            "openai:URL#MODEL",
            "a server with an OpenAI-compatible API, such as openai:http://127.0.0.1:8000/v1#qwen",
            "give its address; #MODEL may be left out where the server has one model only",
        ),
        *(_row(name, f"installed: {source}", find_model) for name, source in plugin_sources().items()),
        _form("module:Class", "a model of your own, such as a language_models.BaseModel", "give its module and class"),
    ]


def embedder_rows() -> list[Row]:
    """List everything that ``--embedder`` takes."""
    return [
        _row("minilm", "all-MiniLM-L6-v2; the default", find_embedder),
        _row("hash", "compares spelling only; the default with the scripted model", find_embedder),
        _form("FOLDER", "any sentence-transformers model", "give the path of its folder"),
        _form("openai:URL#MODEL", "a server with an OpenAI-compatible API for embeddings", "give its address"),
    ]


def _row(name: str, description: str, find: Callable[[str], ModelSpec | EmbedderSpec]) -> Row:
    try:
        found = find(name)
    except (FileNotFoundError, ValueError) as error:
        return Row(name=name, description=description, here=False, state=f"not here: {error}")
    state = "needs no weights" if found.path is None else f"here: {found.path}"
    return Row(name=name, description=description, here=True, state=state)


def _form(name: str, description: str, how: str) -> Row:
    return Row(name=name, description=description, here=None, state=how)
