"""Which model answers which module: the roles that the paper gives to models, and how they are given here."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from evaluation.files import nearby
from irollan_env.names import did_you_mean
from language_models.protocol import LanguageModel
from language_models.routing import Routed

ROLES = ("elimination", "protention", "action", "writing", "matrix")
_OPTIONS = {
    "concurrency": int,
    "rate": float,
    "timeout": float,
    "deadline": float,
    "retries": int,
    "backoff": float,
    "asks": int,
    "endpoint": str,
    "choosing": str,
    "grammar_field": str,
    "max_tokens_field": str,
    "extra_body": dict,
    "key_variable": str,
}


@dataclass(frozen=True, kw_only=True, slots=True)
class Models:
    """The models that were asked for.

    Attributes:
        model: Answers every module that has none of its own; None if it was not said.
        roles: By module, the models of those that have one of their own.
        options: By model name, how an address is asked: keyword arguments of ``OpenAICompatible``.
    """

    model: str | None = None
    roles: Mapping[str, str] = field(default_factory=dict)
    options: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)


def read_models(values: Sequence[str], before: Models | None = None) -> Models:
    """What ``--model`` was given: names, ROLE=NAME, or the path of a TOML file, of which later ones win.

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
            )
        elif equals and re.fullmatch(r"[a-z]+", role):
            check_roles([role])
            if not name:
                raise ValueError(f"the name of a model must not be empty, got {value!r}")
            found = Models(model=found.model, roles={**found.roles, role: name}, options=found.options)
        else:
            found = Models(model=value, roles=found.roles, options=found.options)
    return found


def check_roles(roles: Sequence[str] | Mapping[str, str]) -> None:
    """Check that modules are such as ask a model.

    Raises:
        ValueError: for one that is not.
    """
    for role in roles:
        if role not in ROLES:
            raise ValueError(f"unknown role {role!r}: it must be one of {', '.join(ROLES)}{did_you_mean(role, ROLES)}")


def check_options(options: Mapping[str, Mapping[str, Any]]) -> None:
    """Check what is said about how addresses are asked.

    Raises:
        ValueError: for a model that is no address, an unknown option, or a value of the wrong type.
    """
    for name, chosen in options.items():
        if not name.startswith("openai:"):
            raise ValueError(f"options are for addresses, such as openai:http://127.0.0.1:8000/v1#qwen, got {name!r}")
        for option, value in chosen.items():
            if option not in _OPTIONS:
                hint = did_you_mean(option, _OPTIONS)
                raise ValueError(f"unknown option {option!r}: it must be one of {', '.join(_OPTIONS)}{hint}")
            kind = _OPTIONS[option]
            if isinstance(value, bool) or not isinstance(value, (int, float) if kind is float else kind):
                raise ValueError(f"the option {option} of {name} must be of type {kind.__name__}, got {value!r}")


def routed(model: str, roles: Mapping[str, str], build: Callable[[str], LanguageModel]) -> LanguageModel:
    """One model that answers every module by the model of its role.

    Args:
        model: Name of the model for all others.
        roles: Names by module.
        build: Gives the model of a name; asked once for each name.
    """
    built = {name: build(name) for name in dict.fromkeys([model, *roles.values()])}
    if len(built) == 1:
        return built[model]
    return Routed(built[model], {role: built[name] for role, name in roles.items()})


def _read_file(path: Path) -> Models:
    if not path.is_file():
        near = nearby(path)
        raise ValueError(f"there is no file {path}{f'; did you mean {near}?' if near is not None else ''}")
    try:
        data = tomllib.loads(path.read_text(encoding="utf-8"))
        unknown = set(data) - {"model", "roles", "options"}
        if unknown:
            raise ValueError(f"unknown key {min(unknown)!r}: it must be one of model, roles, options")
        roles, options = data.get("roles", {}), data.get("options", {})
        check_roles(roles)
        check_options(options)
        if not all(isinstance(name, str) for name in [data.get("model", ""), *roles.values()]):
            raise ValueError("the names of models must be text")
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, ValueError, AttributeError, TypeError) as error:
        raise ValueError(f"{path} does not say which models to use: {error}") from error
    return Models(model=data.get("model"), roles=roles, options=options)
