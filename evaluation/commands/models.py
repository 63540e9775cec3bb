"""``irollan models``: list models and embedders, or try one."""

from __future__ import annotations

import json
import sys
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

import typer

from evaluation.commands.arguments import AsJson
from evaluation.commands.errors import print_error, why_idle
from evaluation.runs.config_parts import ModelConfig
from evaluation.runs.run_config import RunConfig
from irollan_env.hints import did_you_mean

if TYPE_CHECKING:
    from evaluation.models.try_model import Trial


def models(
    what: Annotated[str | None, typer.Argument(metavar="test", help="Try a model out.", show_default=False)] = None,
    name: Annotated[
        str | None, typer.Argument(metavar="NAME", help="The model, as --model takes it.", show_default=False)
    ] = None,
    embedder: Annotated[bool, typer.Option("--embedder", help="NAME is an embedder, as --embedder takes it.")] = False,
    as_json: AsJson = False,
) -> int:
    """List what --model and --embedder take, and whether the weights are here; or try one model out.

    irollan models test NAME asks a model a few things: does it answer, does it keep to a form, does it choose, does it
    give log-probabilities, how fast is it. NAME may be a TOML file that says how an address is asked. The exit status
    is 1 if a run could not do with it. With --embedder, it is asked of an embedder whether it embeds, whether it tells
    meanings apart, and how fast it is.
    """
    if what is None:
        if reason := why_idle(("--embedder", embedder, "all models and embedders are listed")):
            return print_error(reason, 2)
        return _list(as_json)
    if what != "test":
        hint = did_you_mean(what, ["test"])
        return print_error(f"irollan models takes nothing, or test NAME; got {what!r}{hint}", 2)
    if name is None:
        return print_error("irollan models test needs the NAME of a model; irollan models lists them", 2)
    return _test(name, embedder, as_json)


def _list(as_json: bool) -> int:
    from evaluation.models.model_list import embedder_rows, model_rows

    listed = {"model": model_rows(), "embedder": embedder_rows()}
    if as_json:
        print(json.dumps({option: [asdict(row) for row in rows] for option, rows in listed.items()}, indent=2))
        return 0
    for option, rows in listed.items():
        print(f"--{option} NAME")
        width = max(len(row.name) for row in rows)
        for row in rows:
            print(f"  {row.name:{width}}  {row.description}")
            print(f"  {'':{width}}  {row.state}")
    return 0


def _test(name: str, embedder: bool, as_json: bool) -> int:
    from evaluation.html_theme.printable import printable
    from evaluation.models.errors import RunError
    from language_models.registry import EMBEDDERS

    try:
        trials = _try_embedder(name) if embedder else _try_model(name)
    except RunError as error:
        return print_error(str(error), 1)
    except (ValueError, OSError) as error:
        hint = f"; as an embedder: irollan models test {name} --embedder" if name in EMBEDDERS and not embedder else ""
        return print_error(f"{error}{hint}", 2)
    failed = [trial for trial in trials if trial.needed and not trial.works]
    kind = "embedder" if embedder else "model"
    if as_json:
        print(json.dumps({kind: name, "works": not failed, "trials": [asdict(trial) for trial in trials]}))
    else:
        for trial in trials:
            mark = "yes" if trial.works else "no"
            print(printable(f"{trial.what:24} {mark:4} {trial.seconds:6.2f} s  {trial.result}"))
    sys.stdout.flush()
    if failed:
        return print_error(f"a run needs a{'n' * embedder} {kind} that {failed[0].what}: {failed[0].result}", 1)
    return 0


def _try_model(name: str) -> list[Trial]:
    from evaluation.models.model_roles import read_models
    from evaluation.models.try_model import try_model
    from evaluation.runs import event_loop
    from evaluation.runs.build_society import find_backends
    from evaluation.runs.progress import progress_on

    models = read_models([name])
    if models.model is None:
        raise ValueError(f"{name} names no model for all modules; try those that it names one by one")
    # An embedded model chooses with an embedder, and is tested with the one of a run.
    instructed = ModelConfig(name=models.model, options=models.options).instructed("action")
    chosen = ModelConfig(name=models.model, embedder="hash" if instructed else "", options=models.options)
    backends = find_backends(RunConfig(model=chosen))
    say = progress_on().say
    with backends.open_embedder(say) as embedder, backends.open_models(embedder, say) as loaded:
        return event_loop.run(try_model(loaded[models.model]))


def _try_embedder(name: str) -> list[Trial]:
    from evaluation.models.backends import load_embedder
    from evaluation.models.model_roles import Models, read_models
    from evaluation.models.try_embedder import try_embedder
    from evaluation.runs.build_society import find_backends
    from evaluation.runs.progress import progress_on

    asked = read_models([name]) if name.lower().endswith(".toml") else Models(embedder=name)
    if asked.embedder is None:
        raise ValueError(f"{name} names no embedder")
    backends = find_backends(
        RunConfig(model=ModelConfig(name="scripted", embedder=asked.embedder, options=asked.options))
    )
    return try_embedder(load_embedder(backends, progress_on().say))
