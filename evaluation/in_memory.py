"""A society that lives in memory alone: for a quick look from Python or a notebook. Nothing is written."""

from __future__ import annotations

from pathlib import Path

from evaluation import event_loop
from evaluation.architectures import get_architecture
from evaluation.assembly import build_society
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
        model: A loaded model; that of the configuration when None.
        embedder: A loaded embedder; that of the configuration when None.

    Raises:
        ValueError: if a name of the configuration stands for nothing, or it gives models to roles.
        FileNotFoundError: if the weights of a name are not on this machine.
    """
    if configuration.roles:
        raise ValueError(f"one model for all modules is wanted here, got roles {dict(configuration.roles)}")
    model = resolve_model(configuration.model).build() if model is None else model
    embedder = resolve_embedder(configuration.embedder).build() if embedder is None else embedder
    society = build_society(configuration, model, embedder)
    records: list[Record] = []

    async def take_steps() -> None:
        for _ in range(configuration.steps):
            records.extend((await society.step()).records)

    event_loop.run(take_steps())
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
