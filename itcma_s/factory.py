"""Creation of ITCMA-S residents from a language model and an embedder."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Literal, TypeAlias

import numpy as np

from irollan_env.map.valley_map import ValleyMap
from irollan_env.random_streams import stream
from irollan_env.sync_resident import SyncResident
from irollan_env.world.mechanics.needs import common_knowledge
from itcma_s.deliberation.llm_policy.llm_policy import LLMPolicy
from itcma_s.deliberation.protocol import Deliberation
from itcma_s.deliberation.similarity_policy.decision_weights import DecisionWeights
from itcma_s.deliberation.similarity_policy.similarity_policy import SimilarityPolicy
from itcma_s.elimination.elimination import EmbeddingScorer, Scorer
from itcma_s.fields.name_table import NameTable
from itcma_s.memory.memory import formative_memories
from itcma_s.parameters import DEFAULTS, Mechanisms, MindParameters
from itcma_s.protention.place_imagination import PlaceImagination
from itcma_s.protention.protention import Forecaster
from itcma_s.protention.protention_model import ProtentionModel
from itcma_s.resident import ItcmaResident
from itcma_s.vocabulary import vocabulary
from itcma_s.wording import Style
from language_models.model_names import ModelKind
from language_models.protocol import Embedder, LanguageModel, check_parts
from language_models.registry import describe_model

Policy: TypeAlias = Literal["llm", "similarity"]


def make_resident(
    name: str,
    *,
    model: LanguageModel,
    embedder: Embedder,
    seed: int = 0,
    mechanisms: Mechanisms | None = None,
    parameters: MindParameters = DEFAULTS,
    deliberation: Policy | Deliberation | None = None,
    valley_map: ValleyMap | None = None,
    memories: Sequence[str] = (),
    in_turn: bool = False,
) -> SyncResident[ItcmaResident]:
    """Create an ITCMA-S resident of the valley that decides when ``act`` is called.

    With the same seed, model and embedder it decides as the resident of this name in a society of ``evaluation`` does.

    A resident is for one episode and decides each step once. Make a new one after ``env.reset()``, or keep
    ``start = agent.get_state()`` and restart by ``agent.set_state(start)``.

    Args:
        name: The resident's designation, as on the map: "LL".
        model: The language model, from ``language_models.load_model(name)``.
        embedder: Embeds names and sentences, from ``language_models.load_embedder(name)``.
        seed: Seed of all its random draws.
        mechanisms: The paper's improvements to use; all of them when None.
        parameters: The numbers of sections 3.2 to 3.4.
        deliberation: The policy: "llm", the language model decides; "similarity", formulas over sentence embeddings
            decide and the model writes the words; or a custom ``Deliberation``. By default "llm" for a model that
            follows instructions, and "similarity" for a smaller one.
        valley_map: The map; the paper's valley when None.
        memories: Memories from before the run, one sentence each, oldest first.
        in_turn: Whether residents in a place act one after the other within a step (sequential scheduling).

    Raises:
        TypeError: for a name instead of a loaded model or embedder, or mechanisms that are no ``Mechanisms``.
        ValueError: for an unknown deliberation, or a name that is not on the map.

    Examples:
        >>> import irollan_env, itcma_s, language_models
        >>> model, embedder = language_models.load_model("scripted"), language_models.load_embedder("hash")
        >>> agent = itcma_s.make_resident("LL", model=model, embedder=embedder)
        >>> world = irollan_env.World(seed=0)
        >>> act = agent.act(world.observe("LL"))
        >>> world.step({"LL": act.action})["LL"].kind
        'executed'
    """
    check_parts(model, embedder)
    if not isinstance(mechanisms, Mechanisms | None):
        raise TypeError(f"mechanisms must be a Mechanisms, such as Mechanisms(driver=False), got {mechanisms!r}")
    style = style_of(model)
    valley = valley_map if valley_map is not None else ValleyMap.default()
    if name not in (known := [resident.name for resident in valley.residents]):
        raise ValueError(f"{name!r} is not among the residents {known} of the map; for another one give valley_map")
    table = NameTable(embedder)
    if deliberation is None:
        deliberation = "llm" if style == "instruct" else "similarity"
    mind = make_mind(
        name,
        model=model,
        embedder=embedder,
        generator=stream(seed, f"resident {name}"),
        table=table,
        style=style,
        vocabulary=vocabulary(valley.names),
        deliberation=deliberation,
        mechanisms=mechanisms,
        parameters=parameters,
        in_turn=in_turn,
        memories=formative_memories(memories, valley.names, table, known),
        residents=known,
        needs=common_knowledge(valley),
    )
    return SyncResident(mind)


def style_of(model: LanguageModel) -> Style:
    """Return the prompt style of a model: instructions if it can follow them, else a text to continue.

    This is read from the model's attribute ``instructed``, or from a name that ``language_models`` knows. A custom
    model with neither is assumed to follow instructions.
    """
    spec = describe_model(model.name)
    instructed = getattr(model, "instructed", spec.instructed or spec.kind is ModelKind.UNKNOWN)
    if instructed:
        return "instruct"
    return "scene" if spec.trained_on_scenes else "page"


def make_mind(
    name: str,
    *,
    model: LanguageModel,
    embedder: Embedder,
    generator: np.random.Generator,
    table: NameTable | None = None,
    style: Style = "page",
    vocabulary: frozenset[str] | None = None,
    deliberation: Policy | Deliberation = "similarity",
    weights: DecisionWeights | None = None,
    imagination: PlaceImagination | None = None,
    scorer: Scorer | None = None,
    forecaster: Forecaster | None = None,
    writes: bool = True,
    residents: Iterable[str] | None = None,
    **parts: Any,
) -> ItcmaResident:
    """Create a resident whose parts may be shared with others, for societies and experiments.

    Args:
        name: The resident's designation.
        model: The language model.
        embedder: Embeds names and sentences.
        generator: Source of all its random draws.
        table: The embeddings of names, shared by a society; a new one when None.
        style: The prompt style; see ``itcma_s.wording.Style``.
        vocabulary: The words that a model in style "page" may write; None for any.
        deliberation: "llm", "similarity", or a custom ``Deliberation``.
        weights: The weights of the similarity policy; the defaults of ``SimilarityPolicy`` when None.
        imagination: Imagines places never seen, shared by a society; a new one when None.
        scorer: Elim of Eq. 16; an ``EmbeddingScorer`` when None.
        forecaster: The third source of Eq. 7; None for none.
        writes: False skips the thoughts and words that the similarity policy writes after a decision.
        residents: Names of all who live here; those of the paper's valley when None.
        parts: The other arguments of ``ItcmaResident``: mechanisms, parameters, in_turn, memories, acquainted, needs.

    Raises:
        ValueError: for an empty name or an unknown deliberation.
    """
    table = table if table is not None else NameTable(embedder)
    words = vocabulary if style == "page" else None
    if deliberation == "llm":
        deliberation = LLMPolicy(model=model, form="json" if describe_model(model.name).json_schema else "plain")
    elif deliberation == "similarity":
        deliberation = SimilarityPolicy(
            model=model, embedder=embedder, style=style, vocabulary=words, weights=weights, writes=writes
        )
    elif isinstance(deliberation, str):
        raise ValueError(f"deliberation must be 'llm', 'similarity' or an object, got {deliberation!r}")
    imagination = imagination if imagination is not None else PlaceImagination(model, words, style)
    return ItcmaResident(
        name,
        deliberation=deliberation,
        protention_model=ProtentionModel(table, imagination, forecaster),
        scorer=scorer if scorer is not None else EmbeddingScorer(embedder),
        table=table,
        generator=generator,
        residents=residents if residents is not None else [one.name for one in ValleyMap.default().residents],
        **parts,
    )
