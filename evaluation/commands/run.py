"""``irollan run``: a society from its configuration to its report."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import nullcontext
from pathlib import Path
from typing import Annotated

import typer

from evaluation.commands.arguments import (
    MODEL_HELP,
    AsJson,
    Force,
    MaxCost,
    MaxTokens,
    Prices,
    filled,
    filled_path,
    given,
    whole_number,
)
from evaluation.commands.errors import print_error
from evaluation.commands.estimate import print_estimate
from evaluation.commands.minds import read_minds
from evaluation.commands.run_result import print_failure, print_result
from evaluation.commands.view import watched
from evaluation.models.model_roles import read_models
from evaluation.runs.architectures import ARCHITECTURES
from evaluation.runs.budget import Limits
from evaluation.runs.configuration import RATE_BY_DELIBERATION, TURNS_BY_DELIBERATION, Configuration
from language_models.prices import read_prices

_DEFAULTS = Configuration()
HELP = "Let a society live for some time steps, and report on it.\n\nArchitectures:\n\n\b\n" + "\n".join(
    f"{name:17}  {one.description}" for name, one in ARCHITECTURES.items()
)


def _by_deliberation(defaults: Mapping[str, str]) -> str:
    """A default that differs by who decides, for a help text."""
    return ", ".join(f"{value} with --deliberation {name}" for name, value in defaults.items())


_Steps = Annotated[int, typer.Option(metavar="N", parser=whole_number, help="How many time steps.")]
_Seed = Annotated[int, typer.Option(metavar="N", parser=whole_number, help="All chance follows from it; at least 0.")]
_Architecture = Annotated[str, typer.Option(metavar="NAME", help=f"One of {', '.join(ARCHITECTURES)}.")]
_Model = Annotated[
    list[str] | None,
    typer.Option(metavar="NAME", parser=filled, help=f"{MODEL_HELP} [default: smollm2]", show_default=False),
]
_Embedder = Annotated[
    str | None,
    typer.Option(
        metavar="NAME",
        parser=filled,
        help="What compares names and sentences; see irollan models. [default: minilm; hash with scripted]",
        show_default=False,
    ),
]
_Protention = Annotated[
    str,
    typer.Option(
        metavar="NAME",
        parser=filled,
        help="Who says what follows where neither rule nor memory does: model, fracast, or learned:FILE for a "
        "network that examples/train_protention.py trained.",
    ),
]
_Elimination = Annotated[
    str | None,
    typer.Option(
        metavar="NAME",
        parser=filled,
        help="What scores the relevance of actions: embedder, without tokens, or model. [default: embedder; model "
        "with --model elimination=NAME]",
        show_default=False,
    ),
]
_Out = Annotated[
    Path | None,
    typer.Option(
        metavar="DIR",
        parser=filled_path,
        help="Where to leave the run. [default: runs/ARCHITECTURE-MODEL-seedSEED-TIME]",
        show_default=False,
    ),
]
_CheckpointEvery = Annotated[
    int,
    typer.Option(
        metavar="N",
        parser=whole_number,
        help="Write a checkpoint every N steps, to go on from with irollan resume.",
    ),
]
_OnFailure = Annotated[
    str,
    typer.Option(
        metavar="WHAT",
        help="What a model call that fails (returns nothing of use, or refuses) does: wait, and its resident waits "
        "for one step; or stop, and the run ends, to be gone on with by irollan resume.",
    ),
]
_Deliberation = Annotated[
    str | None,
    typer.Option(
        metavar="WHO",
        parser=filled,
        help="Who decides what a resident does: model, which thinks, chooses and speaks in one answer and has goals of "
        "its own; or likeness, where the mind compares each action with its goal and the model gives words. "
        "[default: model for models asked by instruction (openai:, transformers:), likeness for others]",
        show_default=False,
    ),
]
_Turns = Annotated[
    str | None,
    typer.Option(
        metavar="HOW",
        parser=filled,
        help="Who sees what within a time step: together, where all decide at once on what they saw at its beginning; "
        "or one-by-one, where those in the same place act in turn and each sees and hears what those before it just "
        f"did. [default: {_by_deliberation(TURNS_BY_DELIBERATION)}]",
        show_default=False,
    ),
]
_Filter = Annotated[
    str,
    typer.Option(
        metavar="WHEN",
        parser=filled,
        help="When LTRHA draws whose action is held back: after the resident has decided, as the paper shows it, or "
        "before, which saves asking the model for what will not be done.",
    ),
]
_Rate = Annotated[
    str | None,
    typer.Option(
        metavar="WHAT",
        parser=filled,
        help="What decides how often LTRHA lets a resident act: the amount of its resources, as Eq. 18 is printed; or "
        "its share of all of them, as the sentence under it says, by which nobody falls far behind. "
        f"[default: {_by_deliberation(RATE_BY_DELIBERATION)}]",
        show_default=False,
    ),
]
_Criterion = Annotated[
    str,
    typer.Option(
        metavar="WHAT",
        parser=filled,
        help="By what the matrix of LTRHA ranks residents: goals, their own goals and the mood of their places, as in "
        "the paper; or company, what brings people together.",
    ),
]
_Ranking = Annotated[
    str,
    typer.Option(
        metavar="WHOM",
        parser=filled,
        help="Whom the matrix of LTRHA ranks: society, everybody at once; or locale, those in the same place among "
        "themselves.",
    ),
]
_Descriptions = Annotated[
    str,
    typer.Option(
        metavar="ON|OFF",
        parser=filled,
        help="Whether residents that a model leads describe others and themselves, in the same answer, when a segment "
        "of their memory is compressed.",
    ),
]
_Mind = Annotated[
    list[str] | None,
    typer.Option(
        metavar="NAME",
        parser=filled,
        help="The mind of the residents; see irollan minds. Again with RESIDENT=NAME for one alone. [default: itcma-s]",
        show_default=False,
    ),
]
_Detail = Annotated[
    str,
    typer.Option(
        metavar="HOW",
        parser=filled,
        help="How much a large model is told of what is and was before a resident: deeds (with whom it was, what was "
        "done and said), names (the things there, too), or positions (everything there with its distance and "
        "direction, and what each action changes of it).",
    ),
]
_View = Annotated[
    bool,
    typer.Option("--view", help="Print a link that shows the run in a browser while it goes on; see irollan view."),
]
_Serving = Annotated[
    str | None,
    typer.Option(
        metavar="HOW",
        parser=filled,
        help="How a model file on this machine is asked: exact, each request by itself, so that the same seed gives "
        "the same bytes; or fast, many at once, where answers hang on what else is asked. [default: exact; fast for "
        "files of models asked by instruction]",
        show_default=False,
    ),
]
_Estimate = Annotated[bool, typer.Option("--estimate", help="Say what the run would cost, and do not begin it.")]


def run(
    context: typer.Context,
    steps: _Steps = _DEFAULTS.steps,
    seed: _Seed = _DEFAULTS.seed,
    architecture: _Architecture = _DEFAULTS.architecture,
    model: _Model = None,
    embedder: _Embedder = None,
    protention: _Protention = _DEFAULTS.protention,
    elimination: _Elimination = None,
    deliberation: _Deliberation = None,
    turns: _Turns = None,
    filter: _Filter = _DEFAULTS.filter,
    rate: _Rate = None,
    criterion: _Criterion = _DEFAULTS.criterion,
    ranking: _Ranking = _DEFAULTS.ranking,
    descriptions: _Descriptions = _DEFAULTS.descriptions,
    mind: _Mind = None,
    detail: _Detail = _DEFAULTS.detail,
    serving: _Serving = None,
    out: _Out = None,
    force: Force = False,
    checkpoint_every: _CheckpointEvery = _DEFAULTS.checkpoint_every,
    on_failure: _OnFailure = _DEFAULTS.on_failure,
    max_tokens: MaxTokens = None,
    max_cost: MaxCost = None,
    prices: Prices = None,
    estimate: _Estimate = False,
    view: _View = False,
    as_json: AsJson = False,
) -> int:
    """Let a society live."""
    try:
        asked = read_models(model or [])
        configuration = Configuration(
            architecture=architecture,
            model=asked.model or _DEFAULTS.model,
            roles=asked.roles,
            options=asked.options,
            embedder=embedder or asked.embedder or "",
            elimination=elimination or "",
            steps=steps,
            seed=seed,
            checkpoint_every=checkpoint_every,
            protention=protention,
            on_failure=on_failure,
            deliberation=deliberation or "",
            turns=turns or "",
            filter=filter,
            rate=rate or "",
            criterion=criterion,
            ranking=ranking,
            descriptions=descriptions,
            **read_minds(mind or []),
            detail=detail,
            serving=serving or "",
        )
        limits, known = Limits(max_tokens=max_tokens, max_cost=max_cost), read_prices(prices)
    except (ValueError, OSError) as error:
        return print_error(str(error), 2)
    if estimate:
        return print_estimate(configuration, known, as_json)
    from evaluation.models.errors import RunError
    from evaluation.report.run_report import write_report
    from evaluation.runs.directory_names import default_directory
    from evaluation.runs.progress import progress_on
    from evaluation.runs.start import start
    from evaluation.viewer.seat import PageSeat

    # Whether somebody looks on is no part of the run.
    asked_for = {name: value for name, value in given(context).items() if name != "view"}
    directory = out or default_directory(configuration)
    seat = PageSeat() if view else None
    try:
        with nullcontext(progress_on()) if seat is None else watched(directory, progress_on(), seat) as progress:
            result = start(
                configuration,
                progress,
                out=directory,
                force=force,
                given=asked_for,
                limits=limits,
                prices=known,
                seat=seat,
                write_report=write_report,
            )
    except (OSError, ValueError, RunError) as error:
        return print_failure(error, out or Path.cwd())
    return print_result(result, configuration.steps, as_json)
