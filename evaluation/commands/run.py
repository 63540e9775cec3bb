"""``irollan run``: a society from its configuration to its report."""

from __future__ import annotations

from pathlib import Path

import typer

from evaluation.commands import run_options as options
from evaluation.commands.arguments import (
    AsJson,
    Force,
    MaxCost,
    MaxTokens,
    Prices,
    given,
)
from evaluation.commands.errors import print_error
from evaluation.commands.estimate import print_estimate
from evaluation.commands.minds import read_minds
from evaluation.commands.run_result import print_failure, print_result
from evaluation.commands.view import looked_at
from evaluation.models.model_roles import read_models
from evaluation.runs.ablate import joined
from evaluation.runs.architectures import ARCHITECTURES
from evaluation.runs.budget import Limits
from evaluation.runs.identities import read_identities
from evaluation.runs.run_config import RunConfig
from language_models.prices import read_prices

_DEFAULTS = RunConfig()
HELP = "Let a society live for some time steps, and report on it.\n\nArchitectures:\n\n\b\n" + "\n".join(
    f"{name:17}  {one.description}" for name, one in ARCHITECTURES.items()
)


def run(
    context: typer.Context,
    steps: options.Steps = _DEFAULTS.steps,
    seed: options.Seed = _DEFAULTS.seed,
    architecture: options.Architecture = _DEFAULTS.architecture,
    model: options.Model = None,
    embedder: options.Embedder = None,
    protention: options.Protention = _DEFAULTS.protention,
    elimination: options.Elimination = None,
    deliberation: options.Deliberation = None,
    turns: options.Turns = None,
    filter: options.Filter = _DEFAULTS.filter,
    rate: options.Rate = None,
    criterion: options.Criterion = _DEFAULTS.criterion,
    ranking: options.Ranking = _DEFAULTS.ranking,
    descriptions: options.Descriptions = _DEFAULTS.descriptions,
    mind: options.Mind = None,
    detail: options.Detail = _DEFAULTS.detail,
    serving: options.Serving = _DEFAULTS.serving,
    without: options.Without = None,
    scenario: options.Scenario = None,
    identities: options.Identities = None,
    out: options.Out = None,
    force: Force = False,
    checkpoint_every: options.CheckpointEvery = _DEFAULTS.checkpoint_every,
    on_failure: options.OnFailure = _DEFAULTS.on_failure,
    max_tokens: MaxTokens = None,
    max_cost: MaxCost = None,
    prices: Prices = None,
    estimate: options.Estimate = False,
    view: options.View = False,
    as_json: AsJson = False,
) -> int:
    """Let a society live."""
    try:
        asked = read_models(model or [])
        configuration = RunConfig(
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
            **read_minds(mind or [], scenario),
            identities={} if identities is None else read_identities(identities),
            detail=detail,
            serving=serving,
            without=joined(without or ()),
        )
        limits, known = Limits(max_tokens=max_tokens, max_cost=max_cost), read_prices(prices)
    except (ValueError, OSError) as error:
        return print_error(str(error), 2)
    if estimate:
        return print_estimate(configuration, known, as_json)
    from evaluation.models.errors import RunError
    from evaluation.runs.directory_names import default_directory
    from evaluation.runs.progress import progress_on
    from evaluation.runs.start import start
    from evaluation.viewer.run_pages import write_pages

    # Whether somebody looks on is no part of the run.
    asked_for = {name: value for name, value in given(context).items() if name != "view"}
    directory = out or default_directory(configuration)
    try:
        with looked_at(directory, progress_on(), view) as (progress, seat):
            result = start(
                configuration,
                progress,
                out=directory,
                force=force,
                given=asked_for,
                limits=limits,
                prices=known,
                seat=seat,
                write_report=write_pages,
            )
    except (OSError, ValueError, RunError) as error:
        return print_failure(error, out or Path.cwd())
    return print_result(result, configuration.steps, as_json)
