"""The requests of societies whose residents are led by a model, with none at hand."""

import asyncio

from configs import run_config
from leading import LeadingModel

from evaluation.runs.build_society import build_society
from language_models.embedders.hash_embedder import HashEmbedder


def led_society(model, **settings):
    return build_society(run_config(model="scripted", deliberation="llm", **settings), model, HashEmbedder())


def lived(steps, *planned, **settings):
    """A model that led six residents for some steps, and the records of these."""
    model = LeadingModel(*planned)
    society = led_society(model, **settings)

    async def live():
        return [record for _ in range(steps) for record in (await society.step()).records]

    return model, asyncio.run(live())
