"""Minds that deliberate by likeness, put together in one call."""

from __future__ import annotations

from typing import Any

import numpy as np

from itcma_s.deliberation.similarity_policy.decision_weights import DecisionWeights
from itcma_s.deliberation.similarity_policy.similarity_policy import SimilarityPolicy
from itcma_s.elimination.elimination import EmbeddingScorer, Scorer
from itcma_s.fields.name_table import NameTable
from itcma_s.protention.forecasting import Forecaster
from itcma_s.protention.place_imagination import PlaceImagination
from itcma_s.protention.protention_model import ProtentionModel
from itcma_s.resident import ItcmaResident
from itcma_s.wording import Style
from language_models.protocol import Embedder, LanguageModel


def make_mind(
    name: str,
    *,
    model: LanguageModel,
    table: NameTable,
    embedder: Embedder,
    generator: np.random.Generator,
    style: Style = "page",
    vocabulary: frozenset[str] | None = None,
    weights: DecisionWeights | None = None,
    writes: bool = True,
    scorer: Scorer | None = None,
    forecaster: Forecaster | None = None,
    **more: Any,
) -> ItcmaResident:
    """A resident; `more` goes to its constructor."""
    return ItcmaResident(
        name,
        deliberation=SimilarityPolicy(
            model=model, embedder=embedder, style=style, vocabulary=vocabulary, weights=weights, writes=writes
        ),
        protention_model=ProtentionModel(table, PlaceImagination(model, None, style), forecaster),
        scorer=scorer if scorer is not None else EmbeddingScorer(embedder),
        table=table,
        generator=generator,
        **more,
    )
