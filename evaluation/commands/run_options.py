"""Options of ``irollan run`` and ``irollan config``, combined with a file and a preset."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, get_type_hints

import typer

from evaluation.commands.arguments import MODEL_HELP, MaxCost, MaxTokens, Prices, filled, filled_path, whole_number
from evaluation.commands.minds import read_minds
from evaluation.models.model_roles import Models, read_models
from evaluation.records.files import has_ending, nearby, read_toml
from evaluation.runs.architectures import ARCHITECTURES
from evaluation.runs.build_society import map_of_keys
from evaluation.runs.config_keys import Keys, flatten, read_setting
from evaluation.runs.config_parts import MindConfig
from evaluation.runs.event_files import read_event_file
from evaluation.runs.identities import find_identities
from evaluation.runs.run_config import KEYS, RESOURCE_MODE, SCHEDULING, RunConfig
from irollan_env.map.loading import MAP_FORMS
from itcma_s.ablation.mechanisms import MECHANISMS

_DEFAULTS = RunConfig()


def _by_deliberation(defaults: Mapping[Any, Any]) -> str:
    """Describe a default that depends on the mode of deliberation, for a help text."""
    return ", ".join(f"{value} with --deliberation {name}" for name, value in defaults.items())


def _option(*names: str, metavar: str, help: str, parser: Callable[[str], Any] = filled) -> Any:
    return typer.Option(*names, metavar=metavar, parser=parser, help=help, show_default=False)


_TEXT = str | None
_OPTIONS: dict[str, Any] = {
    "config": Annotated[
        Path | None,
        _option(
            metavar="FILE",
            parser=filled_path,
            help="A TOML file that says a whole run, as irollan config prints it; options given here override it.",
        ),
    ],
    "preset": Annotated[
        _TEXT,
        _option(
            metavar="NAME",
            help="Values for what is not said elsewhere: default; or paper, with the paper's models by module, "
            "elimination by a language model, protentions described in full, and Eq. 18 and 19 as printed.",
        ),
    ],
    "steps": Annotated[
        int | None,
        _option(metavar="N", parser=whole_number, help=f"How many time steps. [default: {_DEFAULTS.steps}]"),
    ],
    "seed": Annotated[
        int | None,
        _option(metavar="N", parser=whole_number, help="All chance follows from it; at least 0. [default: 0]"),
    ],
    "architecture": Annotated[
        _TEXT, _option(metavar="NAME", help=f"One of {', '.join(ARCHITECTURES)}. [default: {_DEFAULTS.architecture}]")
    ],
    "model": Annotated[
        list[str] | None, _option(metavar="NAME", help=f"{MODEL_HELP} [default: {_DEFAULTS.model.name}]")
    ],
    "embedder": Annotated[
        _TEXT,
        _option(
            metavar="NAME",
            help="What compares names and sentences; see irollan models. [default: minilm; hash with scripted]",
        ),
    ],
    "mind": Annotated[
        list[str] | None,
        _option(
            metavar="NAME",
            help="The mind of the residents; see irollan minds. Again with RESIDENT=NAME for one alone. "
            f"[default: {MindConfig().name}]",
        ),
    ],
    "in_process": Annotated[
        bool | None,
        typer.Option(
            "--in-process",
            help="Have installed minds and those named module:Class live in this process: faster, at your own risk, "
            "since their faults can then end the run.",
            show_default=False,
        ),
    ],
    "deliberation": Annotated[
        _TEXT,
        _option(
            metavar="WHO",
            help="Who decides what a resident does: llm, where the model thinks, chooses and speaks in one answer and "
            "has goals of its own; or similarity, where the mind compares each action with its goal and the model "
            "writes the words. [default: llm for models asked by instruction (openai:, transformers:), similarity for "
            "others]",
        ),
    ],
    "ablate": Annotated[
        list[str] | None,
        _option(
            metavar="NAME",
            help="Leave this mechanism out of every decision; again for several. One of "
            f"{', '.join(mechanism.name for mechanism in MECHANISMS)}.",
        ),
    ],
    "prompt_detail": Annotated[
        _TEXT,
        _option(
            metavar="HOW",
            help="How much of the present and the past a large model's prompt contains: deeds (with whom it was, what "
            "was done and said), names (the things there, too), or positions (everything there with its distance and "
            "direction, and what each action changes of it). [default: deeds]",
        ),
    ],
    "execution_draw": Annotated[
        _TEXT,
        _option(
            metavar="WHEN",
            help="When LTRHA draws whose action is executed: after all have decided, as in the paper; or before, which "
            "saves asking the model for what will not be done. [default: after]",
        ),
    ],
    "resource_mode": Annotated[
        _TEXT,
        _option(
            metavar="WHAT",
            help="What decides how often LTRHA lets a resident act: the amount of its resources, as Eq. 18 is printed; "
            "its share of all resources, as the sentence below the equation says, by which nobody falls far behind; or "
            "no-debt, the amount, which never falls below 0. "
            f"[default: {_by_deliberation(RESOURCE_MODE)}]",
        ),
    ],
    "rank_by": Annotated[
        _TEXT,
        _option(
            metavar="WHAT",
            help="By what the matrix of LTRHA ranks residents: goals, their own goals and the topics of their places, "
            "as in the paper; or company, what brings people together. [default: goals]",
        ),
    ],
    "rank_scope": Annotated[
        _TEXT,
        _option(
            metavar="WHOM",
            help="Whom the matrix of LTRHA ranks: society, everybody against each other; or locale, those in the same "
            "place. [default: society]",
        ),
    ],
    "scheduling": Annotated[
        _TEXT,
        _option(
            metavar="HOW",
            help="In which order residents decide within a time step: simultaneous, all at once on what they perceived "
            "at its beginning; or sequential, within a place one after the other, each perceiving what those before "
            f"it did and said. [default: {_by_deliberation(SCHEDULING)}]",
        ),
    ],
    "map": Annotated[
        _TEXT, _option(metavar="MAP", help=f"Where they live: {MAP_FORMS}. [default: {_DEFAULTS.world.map}]")
    ],
    "residents": Annotated[
        int | None,
        _option(
            metavar="N",
            parser=whole_number,
            help="How many live there: the first of the map. [default: all of them]",
        ),
    ],
    "scenario": Annotated[
        _TEXT,
        _option(
            metavar="NAME",
            help="A scenario of docs/arena.md, or the path of one: how things stand at the beginning, goals, and "
            "company.",
        ),
    ],
    "identities": Annotated[
        _TEXT,
        _option(
            metavar="WHO",
            help="Who residents were before: nobody, as in the paper; valley or hamlet, with tempers for these maps; "
            "or a TOML or CSV file of names, traits, memories and relations, see docs/minds.md. [default: nobody]",
        ),
    ],
    "world": Annotated[
        list[str] | None,
        _option(
            metavar="NAME",
            help="A world class of your own, as module:Class or by the name of an installed one; again for several. "
            "See docs/worlds.md.",
        ),
    ],
    "events": Annotated[
        Path | None,
        _option(
            metavar="FILE",
            parser=filled_path,
            help="What happens from outside, and when, as TOML; see docs/events.md.",
        ),
    ],
    "on_failure": Annotated[
        _TEXT,
        _option(
            metavar="WHAT",
            help="What a model call that fails (returns nothing of use, or refuses) does: wait, and its resident waits "
            "for one step; or stop, and the run ends, which irollan resume continues. [default: wait]",
        ),
    ],
    "max_tokens": MaxTokens,
    "max_cost": MaxCost,
    "prices": Prices,
    "settings": Annotated[
        list[str] | None,
        _option(
            "--set",
            metavar="KEY=VALUE",
            help="The value of any key of the configuration, such as recording.checkpoint_every=5 or "
            "mind.elimination=model; may be given several times. irollan config lists all keys.",
        ),
    ],
}
"""Options by the name of their parameter."""

PATHS = {
    "preset": "preset",
    "steps": "steps",
    "seed": "seed",
    "architecture": "architecture",
    "embedder": "model.embedder",
    "in_process": "mind.in_process",
    "deliberation": "mind.deliberation",
    "ablate": "mind.ablate",
    "prompt_detail": "mind.prompt_detail",
    "execution_draw": "ltrha.execution_draw",
    "resource_mode": "ltrha.resource_mode",
    "rank_by": "ltrha.rank_by",
    "rank_scope": "ltrha.rank_scope",
    "scheduling": "world.scheduling",
    "map": "world.map",
    "residents": "world.residents",
    "scenario": "world.scenario",
    "world": "world.rules",
    "on_failure": "model.on_failure",
    "max_tokens": "limits.max_tokens",
    "max_cost": "limits.max_cost",
    "prices": "limits.prices",
}
"""Configuration key that each option sets."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Asked:
    """The configuration requested by the options of a command.

    Attributes:
        configuration: Configuration of the run.
        given: Values given explicitly, by key.
    """

    configuration: RunConfig
    given: Keys


def read_options(options: Mapping[str, Any]) -> Asked:
    """Make one configuration from options, a file and a preset, which win in this order.

    Args:
        options: Values by the name of their parameter; None if not given.

    Raises:
        ValueError: for an invalid value, an unknown key, or a key without effect in this run.
        OSError: if a file cannot be read.
    """
    keys: Keys = {} if options["config"] is None else read_config_file(options["config"])
    keys |= dict(read_setting(text, KEYS) for text in options["settings"] or ())
    keys |= {
        path: str(value) if isinstance(value, Path) else value
        for name, path in PATHS.items()
        if (value := options[name]) is not None
    }
    if options["identities"] is not None:
        keys["world.identities"] = find_identities(options["identities"])
    if options["events"] is not None:
        keys["world.events"] = read_event_file(options["events"])
    keys |= _models(options["model"] or (), keys)
    keys |= _minds(options["mind"] or (), keys)
    configuration = RunConfig.from_keys(keys)
    configuration.refuse_without_effect(keys)
    return Asked(configuration=configuration, given=keys)


def read_config_file(path: Path) -> Keys:
    """Read values by path from a TOML file.

    Raises:
        ValueError: for a missing file, invalid TOML, or an unknown key.
    """
    try:
        return flatten(read_toml(path), KEYS)
    except OSError as error:
        near = nearby(path, has_ending(".toml"))
        hint = f"; did you mean {near}?" if near is not None else "; irollan config prints one"
        raise ValueError(f"cannot read the configuration {path}: {error.strerror}{hint}") from error
    except ValueError as error:
        raise ValueError(f"{path} is no configuration, such as irollan config prints: {error}") from error


def _models(values: tuple[str, ...] | list[str], keys: Keys) -> Keys:
    """Return the keys that --model sets."""
    if not values:
        return {}
    before = Models(
        model=keys.get("model.name"), roles=keys.get("model.roles", {}), options=keys.get("model.options", {})
    )
    asked = read_models(values, before)
    found: Keys = {"model.name": asked.model} if asked.model is not None else {}
    if asked.embedder is not None:
        found["model.embedder"] = keys.get("model.embedder", asked.embedder)
    return found | {f"model.{name}": value for name in ("roles", "options") if (value := getattr(asked, name))}


def _minds(values: tuple[str, ...] | list[str], keys: Keys) -> Keys:
    """Return the keys that --mind sets, and the company of a scenario."""
    scenario = keys.get("world.scenario")
    if not values and not scenario:
        return {}
    found = read_minds(values, scenario, map_of_keys(keys))
    if "mind.by_resident" in found:
        found["mind.by_resident"] = {**found["mind.by_resident"], **keys.get("mind.by_resident", {})}
    return found


def with_run_options(command: Callable[..., int]) -> Callable[..., int]:
    """Add all run options to a command, which receives them as one dictionary.

    Typer sees all options as parameters of the command; they arrive as a dictionary.
    """
    hints = get_type_hints(command, include_extras=True)
    own = list(inspect.signature(command).parameters.values())

    @functools.wraps(command)
    def run_it(context: typer.Context, **values: Any) -> int:
        options = {name: values.pop(name) for name in _OPTIONS}
        return command(context, options, **values)

    keyword = inspect.Parameter.KEYWORD_ONLY
    shown = [own[0].replace(annotation=typer.Context)]
    shown += [inspect.Parameter(name, keyword, default=None, annotation=hint) for name, hint in _OPTIONS.items()]
    shown += [one.replace(kind=keyword, annotation=hints[one.name]) for one in own[2:]]
    run_it.__signature__ = inspect.Signature(shown, return_annotation=int)  # type: ignore[attr-defined]
    run_it.__annotations__ = {one.name: one.annotation for one in shown} | {"return": int}
    del run_it.__wrapped__
    return run_it


View = Annotated[
    bool,
    typer.Option("--view", help="Print a link that shows the run in a browser while it runs; see irollan view."),
]
Out = Annotated[
    Path | None,
    _option(
        metavar="DIR",
        parser=filled_path,
        help="Where to leave the run. [default: runs/ARCHITECTURE-MODEL-seedSEED-TIME]",
    ),
]
Estimate = Annotated[
    bool,
    typer.Option("--estimate", help="Say how long the run would take and what it would cost; do not begin it."),
]
