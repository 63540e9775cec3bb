"""The parts of a run's configuration: models, minds, LTRHA, the world, what is recorded, and limits."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from pathlib import Path
from typing import Any

from evaluation.models.forecasters import check_forecaster
from evaluation.models.model_roles import Models, check_options, check_roles
from evaluation.runs.config_keys import check_range, made_by_keys, settle
from evaluation.runs.event_files import check_event_forms
from evaluation.runs.identities import check_forms
from evaluation.scenarios.scenario import map_named_by, read_once
from irollan_env.map.loading import MAP_FORMS, PAPER
from irollan_env.world.mechanics.events import ending, named, read_events
from itcma_s.ablation.mechanisms import find_mechanisms
from itcma_s.deliberation.channel_in_words import PromptDetail
from itcma_s.parameters import MindParameters
from language_models.model_names import ModelKind, kind_of
from language_models.prices import Price, price_of, read_prices
from language_models.registry import ModelSpec, describe_model
from ltrha import Draws, LTRHAParameters, RankBy, ResourceMode, StandingDecides
from minds.mind_specs import DEFAULT

MOST_STEPS = 1_000_000


class Serving(StrEnum):
    """Choose how a model file is called on this machine."""

    EXACT = "exact"
    """Each request by itself, so that the same seed gives the same bytes."""
    FAST = "fast"
    """Many requests at once, which share batches and what was read before."""


class OnFailure(StrEnum):
    """Choose what happens after a model call that returns nothing usable."""

    WAIT = "wait"
    """Its resident waits for one step."""
    STOP = "stop"
    """The run stops."""


class Deliberation(StrEnum):
    """Choose who decides what an ITCMA-S resident does; the objects that decide are ``itcma_s.Deliberation``."""

    LLM = "llm"
    """The model thinks, chooses and speaks in one answer, and has goals of its own."""
    SIMILARITY = "similarity"
    """The mind compares each action with its goal; the model writes the words."""


class Elimination(StrEnum):
    """Choose what scores the relevance of actions (section 3.4)."""

    EMBEDDER = "embedder"
    """Sentence embeddings, which cost no tokens."""
    MODEL = "model"
    """The language model of the role "elimination", as in the paper."""


class ExecutionDraw(StrEnum):
    """Choose when LTRHA draws whose action is executed (Eq. 18)."""

    AFTER = "after"
    """After all have decided, as in the paper."""
    BEFORE = "before"
    """Before they decide, which saves the model calls of those whose action would not be executed."""


class RankScope(StrEnum):
    """Choose which residents the matrix ranks against each other."""

    SOCIETY = "society"
    """Everybody."""
    LOCALE = "locale"
    """Those in the same place."""


class Scheduling(StrEnum):
    """Choose the order in which residents decide within a time step."""

    SEQUENTIAL = "sequential"
    """Within a place one after the other; each perceives what those before it did and said."""
    SIMULTANEOUS = "simultaneous"
    """All at once, on what they perceived at the beginning of the step."""


@made_by_keys
@dataclass(frozen=True, kw_only=True, slots=True)
class ModelConfig:
    """Configure the models of a run.

    Attributes:
        name: The model of every module without one of its own; ``irollan models`` lists names.
        embedder: What compares names and sentences; by default "hash" with the scripted model and "minilm" with others.
        roles: Module -> the name of its own model; the modules are elimination, protention, action, writing, matrix
            and person.
        options: Name of a model or embedder -> how it is asked or served.
        serving: How model files on this machine are asked.
        on_failure: What a failed model call does.

    Raises:
        ValueError: for an unknown role or option. Names of models are checked where they are loaded.
    """

    name: str = "smollm2"
    embedder: str = ""
    roles: Mapping[str, str] = field(default_factory=dict)
    options: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    serving: Serving = Serving.EXACT
    on_failure: OnFailure = OnFailure.WAIT

    def __post_init__(self) -> None:
        settle(self, "model.")
        if not self.name:
            raise ValueError("model.name must not be empty")
        check_roles(self.roles)
        for role, name in self.roles.items():
            if not isinstance(name, str) or not name:
                raise ValueError(f"model.roles must name a model for each role, got {name!r} for {role}")
        for name, options in self.options.items():
            if not isinstance(options, Mapping):
                raise ValueError(f"model.options must be a table for each model, got {options!r} for {name}")
        self._note_instructed_files()
        if not self.embedder:
            scripted = kind_of(self.name) is ModelKind.SCRIPTED
            object.__setattr__(self, "embedder", "hash" if scripted else "minilm")
        check_options(self.options, None if self.embedder in self.names else self.embedder)

    def _note_instructed_files(self) -> None:
        """Record as an option which model files are instructed, as a replay may not have the files."""
        for name in self.names:
            options = self.options.get(name, {})
            spec = describe_model(name, options)
            if spec.kind is ModelKind.EMBEDDED and spec.instructed and "instructed" not in options:
                object.__setattr__(self, "options", {**self.options, name: {**options, "instructed": True}})

    @property
    def names(self) -> list[str]:
        """Return the names of all models without repetition, the default model first."""
        return list(dict.fromkeys([self.name, *self.roles.values()]))

    @property
    def asked(self) -> list[str]:
        """Return the names of all models and of the embedder without repetition."""
        return list(dict.fromkeys([*self.names, self.embedder]))

    @property
    def chosen(self) -> Models:
        """Return which models and embedder to load, with their options."""
        return Models(model=self.name, roles=self.roles, options=self.options, embedder=self.embedder)

    def of(self, role: str) -> str:
        """Return the name of the model that a module calls."""
        return self.roles.get(role, self.name)

    def options_of(self, role: str) -> Mapping[str, Any]:
        """Return the options of the model that a module calls."""
        return self.options.get(self.of(role), {})

    def spec_of(self, role: str) -> ModelSpec:
        """Return what the model that a module calls is able to do."""
        return describe_model(self.of(role), self.options_of(role))

    def instructed(self, role: str) -> bool:
        """Return whether the model that a module calls follows instructions and can decide."""
        return self.spec_of(role).instructed

    @property
    def orders_matrix(self) -> bool:
        """Return whether the matrix asks a model for the whole order of residents, rather than comparing sentences."""
        choosing = self.options_of("matrix").get("choosing", "auto")
        return self.instructed("matrix") and choosing not in ("logprobs", "logprobs+structured")

    def trained_on_scenes(self, role: str) -> bool:
        """Return whether the model that a module calls is trained to continue pages of scenes."""
        return self.spec_of(role).trained_on_scenes


@made_by_keys
@dataclass(frozen=True, kw_only=True, slots=True)
class MindConfig:
    """Configure the minds of the residents.

    Attributes:
        name: The mind of every resident without one of its own; ``irollan minds`` lists names.
        by_resident: Resident -> the name of its own mind.
        in_process: Whether installed minds and those named module:Class live in the run's process, which is faster, and
            in which their faults can end the run.
        deliberation: Who decides; by default "llm" where the model of the role "action" is instructed, and "similarity"
            elsewhere.
        elimination: What scores the relevance of actions; by default "model" where a model has that role, and
            "embedder" elsewhere.
        protention: What predicts where neither a rule nor memory does: "model", or "learned:FILE", a network of
            examples/train_protention.py.
        prompt_detail: How much prompts say of what is and was before a resident.
        descriptions: Whether a resident that the model decides for describes others and itself as its memory is
            compressed.
        ablate: Mechanisms that are left out of every decision, beside those that the architecture lacks, as
            ``itcma_s.MECHANISM_NAMES`` has them: "imagination", "activated memory", "all of long-term memory",
            "retention", "protention", "emotion", "pleasure", "arousal", "dominance", "what it is felt about", "driver",
            "elimination", "needs", "topic", "resources" and "habitus". The three switches that architectures differ in
            are ``itcma_s.Mechanisms``.
        parameters: The numbers of sections 3.1 to 3.4.

    Raises:
        ValueError: for an unknown forecaster or mechanism. Names of minds are checked where they are made.
    """

    name: str = DEFAULT
    by_resident: Mapping[str, str] = field(default_factory=dict)
    in_process: bool = False
    deliberation: Deliberation | None = None
    elimination: Elimination | None = None
    protention: str = "model"
    prompt_detail: PromptDetail = PromptDetail.DEEDS
    descriptions: bool = True
    ablate: tuple[str, ...] = ()
    parameters: MindParameters = field(default_factory=MindParameters)

    def __post_init__(self) -> None:
        settle(self, "mind.")
        check_forecaster(self.protention)
        for name in (self.name, *self.by_resident.values()):
            if not isinstance(name, str) or not name:
                raise ValueError(f"mind.name and mind.by_resident must name minds, got {name!r}")
        object.__setattr__(self, "ablate", tuple(one.name for one in find_mechanisms(self.ablate)))

    def of(self, resident: str) -> str:
        """Return the name of a resident's mind."""
        return self.by_resident.get(resident, self.name)


@made_by_keys
@dataclass(frozen=True, kw_only=True, slots=True)
class LTRHAConfig:
    """Configure the social framework (section 4); without effect in an architecture that lacks it.

    Attributes:
        execution_draw: When it is drawn whose action is executed.
        resource_mode: What stands for S_i in Eq. 18; by default "share" with deliberation by the model, and "amount"
            elsewhere.
        standing_decides: What more resources are good for.
        draws: How the draws of Eq. 18 of one resident hang together.
        rank_by: By what the matrix ranks residents.
        rank_scope: Whom the matrix ranks against each other.
        parameters: The numbers of section 4.
    """

    execution_draw: ExecutionDraw = ExecutionDraw.AFTER
    resource_mode: ResourceMode | None = None
    standing_decides: StandingDecides = StandingDecides.EXECUTION
    draws: Draws = Draws.INDEPENDENT
    rank_by: RankBy = RankBy.GOALS
    rank_scope: RankScope = RankScope.SOCIETY
    parameters: LTRHAParameters = field(default_factory=LTRHAParameters)

    def __post_init__(self) -> None:
        settle(self, "ltrha.")


@made_by_keys
@dataclass(frozen=True, kw_only=True, slots=True)
class WorldConfig:
    """Configure the initial world and the order of decisions.

    Attributes:
        map: What ``irollan_env.load_map`` takes: a map's name, ``towns:N``, ``drawn:SEED`` or a map file; by default
            the one that the scenario names, or the paper's valley.
        residents: How many live there, from 1: the first ones of the map; all of them when None.
        scenario: The name of a scenario, or of the file of one, in whose place its content stands once it is read, so
            that a run keeps it; empty for the valley as the map has it.
        identities: Resident -> who it was before it came to the valley, as ``read_identities`` gives it.
        events: What happens from outside, as ``read_event_file`` gives it.
        until: A condition, as events have it, under which the run ends before its last step.
        scheduling: In which order residents decide; by default "sequential" with deliberation by the model, and
            "simultaneous" elsewhere.
        rules: World classes, each ``module:Class`` or the name of an installed one, whose hooks are called in this
            order.
        rules_deadline: Seconds that one hook of a world class may take.

    Raises:
        ValueError: for a class that is named twice, or a deadline that is not above 0. Names of classes are checked
            where they are loaded.
    """

    map: str | None = None
    residents: int | None = None
    scenario: str | Mapping[str, Any] = ""
    identities: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    events: Mapping[str, Any] = field(default_factory=dict)
    until: Mapping[str, Any] = field(default_factory=dict)
    scheduling: Scheduling | None = None
    rules: tuple[str, ...] = ()
    rules_deadline: float = 60.0

    def __post_init__(self) -> None:
        settle(self, "world.")
        object.__setattr__(self, "scenario", read_once(self.scenario))
        if self.map is None:
            object.__setattr__(self, "map", map_named_by(self.scenario) or PAPER)
        if not self.map:
            raise ValueError(f"world.map must not be empty; give {MAP_FORMS}")
        if self.residents is not None and self.residents < 1:
            raise ValueError(f"world.residents must be a whole number from 1, got {self.residents}")
        if twice := [name for name in self.rules if self.rules.count(name) > 1]:
            raise ValueError(f"world.rules names {twice[0]!r} twice; name it once")
        if not 0 < self.rules_deadline < math.inf:
            raise ValueError(f"world.rules_deadline must be seconds above 0, got {self.rules_deadline:g}")
        object.__setattr__(self, "events", named(self.events, "world.events"))
        check_event_forms(self.events)
        read_events({"events": ending(self.until)})
        try:
            check_forms(self.identities)
        except ValueError as error:
            raise ValueError(f"world.identities: {error}") from error


@made_by_keys
@dataclass(frozen=True, kw_only=True, slots=True)
class RecordingConfig:
    """Configure what a run directory holds.

    Attributes:
        checkpoint_every: How many steps lie between two checkpoints.
    """

    checkpoint_every: int = 1

    def __post_init__(self) -> None:
        settle(self, "recording.")
        check_range("recording.checkpoint_every", self.checkpoint_every, 1, MOST_STEPS)


@made_by_keys
@dataclass(frozen=True, kw_only=True, slots=True)
class LimitsConfig:
    """Limit what a run may cost.

    Attributes:
        max_tokens: Tokens, prompt and generated; None for no limit.
        max_cost: US dollars; None for no limit.
        prices: A TOML file with prices of tokens by model; empty for ``language_models/prices.toml``.

    Raises:
        ValueError: if a limit is no finite number above 0.
    """

    max_tokens: int | None = None
    max_cost: float | None = None
    prices: str = ""

    def __post_init__(self) -> None:
        settle(self, "limits.")
        for label, value in (("max_tokens", self.max_tokens), ("max_cost", self.max_cost)):
            if value is not None and not (math.isfinite(value) and value > 0):
                raise ValueError(f"limits.{label} must be a finite number above 0, got {value:g}")

    @property
    def any(self) -> bool:
        """Return whether there is a limit."""
        return self.max_tokens is not None or self.max_cost is not None

    def over(self, others: LimitsConfig) -> LimitsConfig:
        """Return these limits, with those of another where these have none."""
        return replace(
            self,
            max_tokens=others.max_tokens if self.max_tokens is None else self.max_tokens,
            max_cost=others.max_cost if self.max_cost is None else self.max_cost,
            prices=self.prices or others.prices,
        )

    def read_prices(self) -> dict[str, Price]:
        """Read the prices by model.

        Raises:
            ValueError: for a file that is not there, or has no prices.
        """
        return read_prices(Path(self.prices).expanduser() if self.prices else None)

    def check_prices(self, models: Iterable[str], prices: Mapping[str, Price]) -> None:
        """Check that a limited cost can be computed for these models.

        Args:
            models: Their names.
            prices: By model.

        Raises:
            ValueError: for one whose price is not known.
        """
        for model in models if self.max_cost is not None else ():
            if price_of(model, prices) is None:
                raise ValueError(
                    f"limits.max_cost needs the price of {model!r}, which is not known; give it with --prices FILE"
                )
