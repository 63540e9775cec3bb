"""A society that lives in memory alone: for a quick look from Python or a notebook. Nothing is written."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path

from evaluation import event_loop
from evaluation.architectures import get_architecture
from evaluation.assembly import build_society
from evaluation.backends import closing, hang_up, let_go
from evaluation.configuration import Configuration
from evaluation.measures.frames import RecordedRun
from evaluation.records import Record
from language_models.protocol import Embedder, LanguageModel
from language_models.registry import resolve_embedder, resolve_model


def live(
    configuration: Configuration, *, model: LanguageModel | None = None, embedder: Embedder | None = None
) -> RecordedRun:
    """Live all steps of a run, and give its records back.

    The same configuration gives the same records as ``irollan run``, with a model that answers the same.

    Args:
        configuration: What to run. Roles are for ``irollan run``.
        model: A loaded model, which stays loaded; its connections are closed. That of the configuration when None.
        embedder: A loaded embedder, which stays loaded; that of the configuration when None.

    Raises:
        ValueError: if a name of the configuration stands for nothing, or it gives models to roles.
        FileNotFoundError: if the weights of a name are not on this machine.
    """
    if configuration.roles:
        raise ValueError(f"one model for all modules is wanted here, got roles {dict(configuration.roles)}")
    records: list[Record] = []
    with ExitStack() as stack:
        if model is None:
            model = resolve_model(configuration.model).build()
            stack.callback(let_go, [model])
        if embedder is None:
            embedder = resolve_embedder(configuration.embedder).build()
            stack.enter_context(closing(embedder))
        event_loop.run(_take_steps(configuration, model, embedder, records))
    architecture = get_architecture(configuration.architecture)
    return RecordedRun(
        path=Path(f"{configuration.architecture}-seed{configuration.seed}"),
        manifest={
            "status": "finished",
            "steps_done": configuration.steps,
            "configuration": {"effective": {**configuration.to_json(), "ltrha": architecture.ltrha}},
        },
        records=records,
    )


async def _take_steps(
    configuration: Configuration, model: LanguageModel, embedder: Embedder, records: list[Record]
) -> None:
    """Live all steps; the records are added to those that are there."""
    society = build_society(configuration, model, embedder)
    try:
        for _ in range(configuration.steps):
            records.extend((await society.step()).records)
    finally:
        await hang_up([model])
