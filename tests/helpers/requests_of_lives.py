"""The requests of societies whose residents are led by a model, with none at hand."""

from __future__ import annotations

import asyncio
from typing import Any

from configs import run_config
from leading import LeadingModel

from evaluation.runs.build_society import build_society
from evaluation.runs.society import Society
from language_models.embedders.hash_embedder import HashEmbedder


def led_society(model: LeadingModel, **settings: Any) -> Society:
    return build_society(run_config(model="scripted", deliberation="llm", **settings), model, HashEmbedder())


def lived(steps: int, *planned: Any, **settings: Any) -> tuple[LeadingModel, list[dict[str, Any]]]:
    """A model that led six residents for some steps, and the records of these."""
    model = LeadingModel(*planned)
    society = led_society(model, **settings)

    async def live() -> list[dict[str, Any]]:
        return [record for _ in range(steps) for record in (await society.step()).records]

    return model, asyncio.run(live())
