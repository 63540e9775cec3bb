"""Who ranks residents for the matrix (section 4.2.2): the model that is named for it, or sentence embeddings."""

from __future__ import annotations

from evaluation.runs.config_parts import RankBy
from evaluation.runs.run_config import RunConfig
from language_models.model_names import ModelKind, kind_of
from language_models.protocol import Embedder, LanguageModel
from ltrha import LikenessRanker, OrderRanker, Ranker
from ltrha.ranking import Criterion


def ranker_of(configuration: RunConfig, model: LanguageModel, embedder: Embedder) -> Ranker:
    """Make the ranker of the matrix: a large model, unless it chooses by letters; else sentence embeddings."""
    criterion: Criterion = "company" if configuration.ltrha.rank_by == RankBy.COMPANY else "goals"
    if asked_for_an_order(configuration):
        return OrderRanker(model, criterion=criterion)
    return LikenessRanker(embedder, criterion=criterion, weights=configuration.ltrha.parameters.ranking)


def asked_for_an_order(configuration: RunConfig) -> bool:
    """Whether the matrix asks a model for the whole order."""
    return configuration.model.instructed("matrix") and _choosing(configuration) not in (
        "logprobs",
        "logprobs+structured",
    )


def check_matrix_model(configuration: RunConfig) -> None:
    """Check that a model that is named for the matrix would be asked; the scripted one stands for likeness.

    Raises:
        ValueError: for one that would not.
    """
    name = configuration.model.roles.get("matrix", "scripted")
    if kind_of(name) is ModelKind.SCRIPTED or asked_for_an_order(configuration):
        return
    if configuration.model.trained_on_scenes("matrix"):
        why = "its adapter was trained to write scenes, and not to rank"
    elif configuration.model.instructed("matrix"):
        why = f"it is told to choose by letters, which rank nobody: choosing = {_choosing(configuration)!r}"
    else:
        why = "a small model does not rank by what it is told"
    raise ValueError(
        f"the matrix would not ask {name!r}, since {why}; name a large model, or matrix=scripted to rank by similarity"
    )


def _choosing(configuration: RunConfig) -> str:
    return str(configuration.model.options_of("matrix").get("choosing", "auto"))
