"""The ranker of the matrix (section 4.2.2): a large model, or sentence embeddings."""

from __future__ import annotations

from evaluation.runs.run_config import RunConfig
from language_models.model_names import ModelKind, kind_of
from language_models.protocol import Embedder, LanguageModel
from ltrha import LikenessRanker, OrderRanker, Ranker


def ranker_of(configuration: RunConfig, model: LanguageModel, embedder: Embedder, setting: str) -> Ranker:
    """Make the ranker of the matrix: a large model that does not choose by letters, else sentence embeddings.

    Args:
        configuration: Of the run.
        model: Answers the module "matrix".
        embedder: Compares texts where no model ranks.
        setting: What the residents live in, as the map says.
    """
    rank_by = configuration.ltrha.rank_by
    if configuration.model.orders_matrix:
        return OrderRanker(model, rank_by=rank_by, setting=setting)
    return LikenessRanker(embedder, rank_by=rank_by, weights=configuration.ltrha.parameters.ranking)


def check_matrix_model(configuration: RunConfig) -> None:
    """Check that a model named for the matrix is called; the scripted one stands for similarity.

    Raises:
        ValueError: for one that would not.
    """
    name = configuration.model.roles.get("matrix", "scripted")
    if kind_of(name) is ModelKind.SCRIPTED or configuration.model.orders_matrix:
        return
    if configuration.model.trained_on_scenes("matrix"):
        why = "its adapter was trained to write scenes, and not to rank"
    elif configuration.model.instructed("matrix"):
        choosing = configuration.model.options_of("matrix")["choosing"]
        why = f"it chooses by letters, which rank nobody: choosing = {choosing!r}"
    else:
        why = "a small model does not follow the instruction to rank"
    raise ValueError(
        f"the matrix would not ask {name!r}, since {why}; name a large model, or matrix=scripted to rank by similarity"
    )
