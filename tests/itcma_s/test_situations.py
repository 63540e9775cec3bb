"""Whether residents with the default model choose sensibly, on situations that nothing was tuned on."""

import asyncio

import pytest
from project import DATA
from situations import choose, load

from itcma_s.actions import without_words
from language_models.embedders.sentence_embedder import MiniLM
from language_models.local.embedded import EmbeddedModel

REQUIRED = 0.80
"""Share of the situations in which the sensible action is chosen, whatever the order of the actions."""


@pytest.mark.slow
@pytest.mark.needs_torch
def test_residents_choose_sensibly():
    data = DATA
    cases = [*load(data / "situations.json"), *load(data / "situations_second.json")]
    embedder = MiniLM()
    model = EmbeddedModel.smollm2(embedder=embedder, threads=1)

    async def sensible(one):
        orders = (one.actions, one.actions[::-1])
        return all([await choose(one, order, model, embedder) == without_words(one.sensible) for order in orders])

    async def count():
        return sum([await sensible(one) for one in cases])

    try:
        share = asyncio.run(count()) / len(cases)
    finally:
        model.close()
    assert share >= REQUIRED, f"{share:.2f} of {len(cases)} situations"
