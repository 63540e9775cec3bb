"""A run in memory alone, for a quick look from Python or a notebook: nothing is written."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import ExitStack
from pathlib import Path

from evaluation.models.backends import load_embedder
from evaluation.models.closing import close_connections, closing_embedder
from evaluation.models.model_roles import routed
from evaluation.records.recorded_run import RecordedRun
from evaluation.records.records import Record
from evaluation.runs import event_loop
from evaluation.runs.architectures import get_architecture
from evaluation.runs.build_society import build_society, find_backends
from evaluation.runs.run_config import RunConfig
from language_models.protocol import Embedder, LanguageModel


def run_in_memory(
    configuration: RunConfig, *, model: LanguageModel | None = None, embedder: Embedder | None = None
) -> RecordedRun:
    """Take all steps of a run, and give its records back.

    The same configuration gives the same records as ``irollan run``, with a model that answers the same.

    Args:
        configuration: What to run.
        model: A loaded model for all modules, which stays loaded; its connections are closed. Those of the
            configuration when None.
        embedder: A loaded embedder, which stays loaded; that of the configuration when None.

    Raises:
        ValueError: if a name of the configuration stands for nothing, or it gives models to roles beside `model`.
        RunError: if the weights of a name are not on this machine, or cannot be loaded.
    """
    if model is not None and configuration.model.roles:
        raise ValueError(f"the model {model.name} is for all modules, got roles {dict(configuration.model.roles)}")
    records: list[Record] = []
    with ExitStack() as stack:
        used = [] if model is None else [model]
        if model is None or embedder is None:
            backends = find_backends(configuration)
            if embedder is None:
                embedder = load_embedder(backends, _say_nothing)
                stack.enter_context(closing_embedder(embedder))
            if model is None:
                models = stack.enter_context(backends.open_models(embedder, _say_nothing))
                model, used = (
                    routed(configuration.model.name, configuration.model.roles, models.__getitem__),
                    [*models.values()],
                )
        event_loop.run(_take_steps(configuration, model, used, embedder, records))
    architecture = get_architecture(configuration.architecture)
    return RecordedRun(
        path=Path(f"{configuration.architecture}-seed{configuration.seed}"),
        manifest={
            "status": "finished",
            "steps_done": configuration.steps,
            "configuration": {"effective": configuration.to_json()},
            "mechanisms": {"ltrha": architecture.ltrha},
        },
        records=records,
    )


async def _take_steps(
    configuration: RunConfig,
    model: LanguageModel,
    used: Iterable[LanguageModel],
    embedder: Embedder,
    records: list[Record],
) -> None:
    """Take all steps; the records are added to those that are there."""
    society = build_society(configuration, model, embedder)
    try:
        for _ in range(configuration.steps):
            records.extend((await society.step()).records)
    finally:
        await close_connections(used)


def _say_nothing(text: str) -> None:
    """Show no progress."""
