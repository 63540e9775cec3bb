"""Roles: which model answers which module (section 5.1), and how options assign them."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from evaluation.records.files import has_ending, nearby, read_toml
from irollan_env.hints import did_you_mean
from language_models.model_names import ModelKind, kind_of
from language_models.protocol import LanguageModel
from language_models.routing import RoutedModel

ROLES = ("elimination", "protention", "action", "writing", "matrix", "person")
PERSON = "person"
"""The role that answers for residents with the mind "me", and the name of the model that is a person."""

REQUEST_OPTIONS: Mapping[str, type] = {
    "concurrency": int,
    "rate": float,
    "timeout": float,
    "deadline": float,
    "retries": int,
    "backoff": float,
    "extra_body": dict,
    "key_variable": str,
}
"""Options of whatever is asked over HTTP, be it a model or an embedder, with their types."""

_ADDRESS_OPTIONS: Mapping[str, type] = {
    **REQUEST_OPTIONS,
    "asks": int,
    "endpoint": str,
    "choosing": str,
    "drop": list,
    "grammar_field": str,
    "max_tokens_field": str,
    "thinking": int,
}
_FILE_OPTIONS: Mapping[str, type] = {
    "adapter": str,
    "asks": int,
    "context": int,
    "deadline": float,
    "instructed": bool,
    "slots": int,
    "threads": int,
}
_FOLDER_OPTIONS: Mapping[str, type] = {"asks": int, "deadline": float}

TRANSPORT_OPTIONS = frozenset(
    ("concurrency", "rate", "timeout", "deadline", "retries", "backoff", "key_variable", "context", "slots", "threads")
)
"""Options that say how a model is reached or served, and nothing of what it is asked or answers."""


_BRANCH = "irollan branch --model"


@dataclass(frozen=True, kw_only=True, slots=True)
class Models:
    """Hold the models, roles, options and embedder that were requested.

    Attributes:
        model: Answers every module that has none of its own; None if it was not said.
        roles: By module, the models of those that have one of their own.
        options: By name, how an address is asked or a file is served: keyword arguments of ``OpenAICompatible``,
            ``OpenAIEmbedder``, ``EmbeddedModel`` or ``TransformersModel``.
        embedder: Compares names and sentences; None if it was not said.
    """

    model: str | None = None
    embedder: str | None = None
    roles: Mapping[str, str] = field(default_factory=dict)
    options: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)


def read_models(values: Sequence[str], before: Models | None = None) -> Models:
    """Read the values of ``--model``: names, ROLE=NAME, or TOML files, of which later ones win.

    Args:
        values: What was given, in order.
        before: What holds where they say nothing.

    Raises:
        ValueError: for an unknown role, an empty name, or a file of another form.
        OSError: if a file cannot be read.
    """
    found = Models() if before is None else before
    for value in values:
        role, equals, name = value.partition("=")
        if value.lower().endswith(".toml") and not equals:
            read = _read_file(Path(value).expanduser())
            found = Models(
                model=read.model or found.model,
                roles={**found.roles, **read.roles},
                options={**found.options, **read.options},
                embedder=read.embedder or found.embedder,
            )
        elif equals and re.fullmatch(r"[a-z]+", role):
            check_roles([role])
            if not name:
                raise ValueError(f"the name of a model must not be empty, got {value!r}")
            found = replace(found, roles={**found.roles, role: name})
        else:
            found = replace(found, model=value)
    return found


def options_for_resume(values: Sequence[str], run: Models) -> dict[str, dict[str, Any]]:
    """Return the options for a resumed run: its own, with changes to how its models are reached and served.

    An adapter may lie elsewhere now; that it is the same file is for ``check_same_models`` to see.

    Args:
        values: What ``--model`` was given. It may name the models that the run has.
        run: All of the run's.

    Raises:
        ValueError: for another model, one that the run does not have, or an option that decides what a model answers.
        OSError: if a file cannot be read.
    """
    asked = read_models(values, replace(run, options={}))
    if replace(asked, options=run.options) != run:
        raise ValueError(f"a resumed run keeps the models that it started with; {_BRANCH} takes others")
    known = {run.model, run.embedder, *run.roles.values(), *run.options} - {None}
    for name, options in asked.options.items():
        if name not in known:
            raise ValueError(f"the run asks no model {name!r}: it has {', '.join(sorted(map(str, known)))}")
        before = run.options.get(name, {})
        for option, value in answer_options(options).items():
            if option not in before or (before[option] != value and option != "adapter"):
                now = f"is {before[option]!r}" if option in before else "is as by default"
                raise ValueError(
                    f"the option {option} of {name} decides what it answers, and {now} as long as this run goes on; "
                    f"{_BRANCH} takes {value!r}"
                )
    changed = {name: {**run.options.get(name, {}), **options} for name, options in asked.options.items()}
    return {name: dict(options) for name, options in {**run.options, **changed}.items()}


def check_roles(roles: Sequence[str] | Mapping[str, str]) -> None:
    """Check that each key names a module that calls a model.

    Raises:
        ValueError: for one that is not.
    """
    for role in roles:
        if role not in ROLES:
            raise ValueError(f"unknown role {role!r}: it must be one of {', '.join(ROLES)}{did_you_mean(role, ROLES)}")


def check_options(options: Mapping[str, Mapping[str, Any]], embedder: str | None = None) -> None:
    """Check the options of models: how addresses are called and files are served.

    Args:
        options: By name.
        embedder: The name that is an embedder's and no model's.

    Raises:
        ValueError: for a name that takes no options, an unknown option, or a value of the wrong type.
    """
    for name, chosen in options.items():
        kind = kind_of(name)
        if kind is ModelKind.PLUGIN:
            continue  # They are keyword arguments of a class that is not ours.
        if kind is ModelKind.REMOTE:
            what, known = ("an embedder", REQUEST_OPTIONS) if name == embedder else ("an address", _ADDRESS_OPTIONS)
        elif kind is ModelKind.EMBEDDED:
            what, known = "an embedded model", _FILE_OPTIONS
        elif kind is ModelKind.TRANSFORMERS:
            what, known = "a folder", _FOLDER_OPTIONS
        elif kind is ModelKind.UNKNOWN:
            what, known = "a model that was handed in", {"instructed": bool}
        else:
            raise ValueError(
                "options are for addresses, such as openai:http://127.0.0.1:8000/v1#qwen, smollm2, paths of GGUF "
                f"files and transformers:FOLDER, got {name!r}"
            )
        for option, value in chosen.items():
            if option not in known:
                hint = did_you_mean(option, known)
                raise ValueError(
                    f"unknown option {option!r} of {name}: for {what} it must be one of {', '.join(known)}{hint}"
                )
            expected = known[option]
            fits = isinstance(value, (int, float) if expected is float else expected)
            if not fits or isinstance(value, bool) != (expected is bool):
                raise ValueError(f"the option {option} of {name} must be of type {expected.__name__}, got {value!r}")


def answer_options(options: Mapping[str, Any]) -> dict[str, Any]:
    """Return the options of a model that can change its answers."""
    return {option: value for option, value in options.items() if option not in TRANSPORT_OPTIONS}


def routed(model: str, roles: Mapping[str, str], build: Callable[[str], LanguageModel]) -> LanguageModel:
    """Build one model that passes each module's calls to the model of its role.

    Args:
        model: Name of the model for all others.
        roles: Names by module.
        build: Gives the model of a name; asked once for each name.
    """
    built = {name: build(name) for name in dict.fromkeys([model, *roles.values()])}
    if len(built) == 1:
        return built[model]
    return RoutedModel(built[model], {role: built[name] for role, name in roles.items()})


def _read_file(path: Path) -> Models:
    """Read a TOML file with keys of the part ``model`` of a configuration."""
    if not path.is_file():
        near = nearby(path, has_ending(".toml"))
        raise ValueError(f"there is no file {path}{f'; did you mean {near}?' if near is not None else ''}")
    try:
        data = read_toml(path)
        keys = ("name", "embedder", "roles", "options")
        if unknown := set(data).difference(keys):
            key = min(unknown)
            raise ValueError(f"unknown key {key!r}: it must be one of {', '.join(keys)}{did_you_mean(key, keys)}")
        roles, options = data.get("roles", {}), data.get("options", {})
        check_roles(roles)
        named = [data.get("name", ""), *roles.values()]
        if not all(isinstance(name, str) for name in [*named, data.get("embedder", "")]):
            raise ValueError("the names of models must be text")
        check_options(options, None if data.get("embedder") in named else data.get("embedder"))
    except (ValueError, AttributeError, TypeError) as error:
        raise ValueError(f"{path} does not say which models to use: {error}") from error
    return Models(model=data.get("name"), embedder=data.get("embedder"), roles=roles, options=options)
