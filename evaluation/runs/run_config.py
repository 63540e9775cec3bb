"""The configuration of a run: everything that decides what happens in it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from evaluation.models.model_roles import PERSON
from evaluation.runs.architectures import get_architecture
from evaluation.runs.config_keys import (
    Keys,
    as_data,
    build,
    check_range,
    check_value,
    flatten,
    made_by_keys,
    nest,
    paths_of,
    to_toml,
)
from evaluation.runs.config_parts import (
    MOST_STEPS,
    Deliberation,
    Elimination,
    LimitsConfig,
    LTRHAConfig,
    MindConfig,
    ModelConfig,
    RecordingConfig,
    Scheduling,
    WorldConfig,
)
from evaluation.runs.event_files import read_event_file
from evaluation.runs.identities import NOBODY, find_identities
from evaluation.runs.presets import Preset, with_preset
from irollan_env.map.loading import PAPER
from language_models.model_names import ModelKind, kind_of
from ltrha import ResourceMode, StandingDecides
from minds.mind_specs import DEFAULT, ME, asks_no_model, is_foreign

LARGEST_SEED = 2**63 - 1

SCHEDULING = {Deliberation.LLM: Scheduling.SEQUENTIAL, Deliberation.SIMILARITY: Scheduling.SIMULTANEOUS}
"""The default of ``world.scheduling``, by who decides."""

RESOURCE_MODE = {Deliberation.LLM: ResourceMode.SHARE, Deliberation.SIMILARITY: ResourceMode.AMOUNT}
"""The default of ``ltrha.resource_mode``, by who decides."""


@made_by_keys
@dataclass(frozen=True, kw_only=True, slots=True)
class RunConfig:
    """Configure a run: everything that decides what happens in it.

    Values that are left out follow from the others when the configuration is made.

    Attributes:
        architecture: itcma, ltrha, compressed-memory, driver or itcma-s, as the paper compares them.
        steps: How many time steps, from 1 to 1,000,000.
        seed: Everything that is drawn follows from it; from 0 to 2**63 - 1.
        preset: Under which name its defaults were chosen; see ``from_keys``.
        model: The models.
        mind: The minds.
        ltrha: The social framework.
        world: The world at the beginning, and how time passes in it.
        recording: What the run directory holds.
        limits: The most that the run may take.

    Raises:
        ValueError: for a value that is out of range or contradicts another; the message names the key. Names of models,
            embedders, minds and scenarios are checked where they are loaded.

    Examples:
        >>> config = RunConfig(steps=3, model=ModelConfig(name="scripted"), mind=MindConfig(ablate=("emotion",)))
        >>> config.world.scheduling, config.model.embedder
        (<Scheduling.SIMULTANEOUS: 'simultaneous'>, 'hash')
        >>> RunConfig.from_keys({"ltrha.rank_by": "company"}).ltrha.rank_by
        <RankBy.COMPANY: 'company'>
    """

    architecture: str = "itcma-s"
    steps: int = 20
    seed: int = 0
    preset: Preset = Preset.DEFAULT
    model: ModelConfig = field(default_factory=ModelConfig)
    mind: MindConfig = field(default_factory=MindConfig)
    ltrha: LTRHAConfig = field(default_factory=LTRHAConfig)
    world: WorldConfig = field(default_factory=WorldConfig)
    recording: RecordingConfig = field(default_factory=RecordingConfig)
    limits: LimitsConfig = field(default_factory=LimitsConfig)

    def __post_init__(self) -> None:
        kinds: dict[str, type] = {"architecture": str, "steps": int, "seed": int, "preset": Preset}
        for path, kind in kinds.items():
            object.__setattr__(self, path, check_value(path, getattr(self, path), kind))
        for name, part_type in _PARTS.items():
            if not isinstance(part := getattr(self, name), part_type):
                raise ValueError(f"{name} must be a {part_type.__name__}, got {part!r}; from_keys takes keys by path")
        architecture = get_architecture(self.architecture)
        check_range("steps", self.steps, 1, MOST_STEPS)
        check_range("seed", self.seed, 0, LARGEST_SEED)
        self._seat_person()
        self._choose_defaults()
        if lacking := [name for name in self.mind.ablate if architecture.lacks(name)]:
            raise ValueError(
                f"mind.ablate names {lacking[0]!r}, which the architecture {self.architecture} lacks; leave it out"
            )
        if self.mind.elimination == Elimination.EMBEDDER and "elimination" in self.model.roles:
            raise ValueError(
                "mind.elimination = 'embedder' asks no model, but model.roles names "
                f"{self.model.roles['elimination']!r} for elimination; leave one of the two out"
            )

    def _seat_person(self) -> None:
        """Have a person answer for residents with the mind "me", unless a model is named for that role."""
        if ME in (self.mind.name, *self.mind.by_resident.values()) and PERSON not in self.model.roles:
            object.__setattr__(self, "model", replace(self.model, roles={**self.model.roles, PERSON: PERSON}))
        if PERSON in (self.model.name, *(name for role, name in self.model.roles.items() if role != PERSON)):
            raise ValueError(f"a {PERSON} answers for residents with --mind RESIDENT={ME}, and for no other module")

    def _choose_defaults(self) -> None:
        """Fill in missing values, by who decides and which models have a role of their own."""
        mind, ltrha, world = self.mind, self.ltrha, self.world
        deliberation = mind.deliberation or (
            Deliberation.LLM if self.model.instructed("action") else Deliberation.SIMILARITY
        )
        elimination = mind.elimination or (
            Elimination.MODEL if "elimination" in self.model.roles else Elimination.EMBEDDER
        )
        mind = replace(mind, deliberation=deliberation, elimination=elimination)
        ltrha = replace(ltrha, resource_mode=ltrha.resource_mode or RESOURCE_MODE[deliberation])
        world = replace(world, scheduling=world.scheduling or SCHEDULING[deliberation])
        for name, part in (("mind", mind), ("ltrha", ltrha), ("world", world)):
            object.__setattr__(self, name, part)

    @classmethod
    def from_keys(cls, keys: Mapping[str, Any]) -> RunConfig:
        """Make a configuration from values by path; missing keys get the value of the preset, or their default.

        Args:
            keys: Such as ``{"preset": "paper", "steps": 75, "ltrha.rank_by": "company"}``; ``world.events`` may be the
                name of an events file, and ``world.identities`` what ``find_identities`` takes.

        Raises:
            ValueError: for an unknown key, or a value that is none.
        """
        flat = flatten(keys, KEYS)
        if isinstance(file := flat.get("world.events"), str):
            flat["world.events"] = read_event_file(Path(file).expanduser()) if file else {}
        if isinstance(who := flat.get("world.identities"), str):
            flat["world.identities"] = find_identities(who or NOBODY)
        preset = check_value("preset", flat.get("preset", Preset.DEFAULT), Preset)
        made: RunConfig = build(cls, nest(with_preset(preset, flat)))
        return made

    def with_keys(self, keys: Mapping[str, Any]) -> RunConfig:
        """Return a copy with other values for some keys; derived values stay as they are.

        Args:
            keys: Values by path.

        Raises:
            ValueError: for an unknown key, or a value that is none.
        """
        changed: RunConfig = build(type(self), nest({**self.keys(), **flatten(keys, KEYS)}))
        return changed

    def keys(self) -> Keys:
        """Return all values by path, as JSON-ready data."""
        return flatten(self.to_json(), KEYS)

    def get(self, path: str) -> Any:
        """Return the value of a key, as JSON-ready data."""
        return self.keys()[path]

    def to_json(self) -> dict[str, Any]:
        """Convert to JSON-ready tables, one for each part; ``from_json`` restores an equal configuration."""
        found: dict[str, Any] = as_data(self)
        return found

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> RunConfig:
        """Build a configuration from what ``to_json`` wrote.

        Raises:
            ValueError: if a value is missing, of the wrong type or out of range, or the configuration is of before it
                had parts.
        """
        if isinstance(data.get("model"), str):
            raise ValueError("this run was made before configurations had parts; read it with the release that made it")
        flat = {**_ADDED, **flatten(data, KEYS)}
        if missing := [path for path in KEYS if path not in flat]:
            raise ValueError(f"not the configuration of a run: it lacks {missing[0]!r}")
        made: RunConfig = build(cls, data)
        return made

    def to_toml(self) -> str:
        """Write TOML that ``irollan run --config`` takes; keys without effect are left out."""
        idle = self.without_effect()
        keys = {path: value for path, value in self.keys().items() if path not in idle}
        keys["model.roles"] = {role: one for role, one in self.model.roles.items() if f"model.roles.{role}" not in idle}
        keys["model.options"] = {name: one for name, one in self.model.options.items() if name in self.model.asked}
        return to_toml(keys, KEYS)

    def without_effect(self) -> dict[str, str]:
        """Return the keys that have no effect in this run, each with the reason as a clause.

        Beside the paths of keys there is ``model.roles.ROLE`` for each module that is not asked.
        """
        architecture = get_architecture(self.architecture)
        idle = self._roles_without_effect()
        if not architecture.ltrha:
            idle |= _each("ltrha.", f"the architecture {self.architecture} is without LTRHA")
            reason = f"there are no resources, since the architecture {self.architecture} is without LTRHA"
            idle |= _each("mind.parameters.appraisal.resource", reason)
        elif self.model.orders_matrix:
            reason = f"{self.model.of('matrix')} ranks for the matrix, and no sentence embeddings do"
            idle |= _each("ltrha.parameters.ranking", reason)
        if self.ltrha.standing_decides is StandingDecides.TURNS:
            for path in ("ltrha.draws", "ltrha.execution_draw"):
                idle |= _each(path, "standing decides nothing but turns, and no action is held back")
        if all(kind_of(name) is not ModelKind.EMBEDDED for name in self.model.names):
            idle |= _each("model.serving", "no model of the run is a GGUF file on this machine")
        if not architecture.mechanisms.elimination:
            for path in ("mind.elimination", "mind.parameters.elimination_threshold"):
                idle |= _each(path, f"the architecture {self.architecture} eliminates no actions")
        if not architecture.mechanisms.compressed_memory:
            for name in ("blend_threshold", "keep_probability", "segment_length", "said_limit", "witnessed_limit"):
                idle |= _each(f"mind.parameters.{name}", f"the architecture {self.architecture} compresses no memories")
            idle |= _each("mind.descriptions", f"the architecture {self.architecture} compresses no memories")
        if self.mind.deliberation == Deliberation.SIMILARITY:
            idle |= _each("mind.descriptions", "residents decide by similarity, and describe nobody")
            if not self.model.instructed("writing"):
                idle |= _each("mind.prompt_detail", "residents decide by similarity, and no large model writes")
        if not self.world.rules:
            idle["world.rules_deadline"] = "the run has no world class"
        if DEFAULT not in (self.mind.name, *self.mind.by_resident.values()):
            own = ("mind.name", "mind.by_resident", "mind.in_process", "mind.ablate")
            idle |= _each("mind.", f"no resident has the mind {DEFAULT}", but=own)
        if not any(is_foreign(name) for name in (self.mind.name, *self.mind.by_resident.values())):
            idle["mind.in_process"] = "no resident has an installed mind or one named module:Class"
        return idle

    def _roles_without_effect(self) -> dict[str, str]:
        """Return ``model.roles.ROLE`` for each module that no part of this run asks, with the reason."""
        architecture, minds = get_architecture(self.architecture), {self.mind.name, *self.mind.by_resident.values()}
        idle = {}
        if ME not in minds:
            idle["person"] = f"no resident has the mind {ME}"
        if not architecture.ltrha:
            idle["matrix"] = f"the architecture {self.architecture} is without LTRHA"
        # Minds that are not the paper's may name their requests as they like.
        if all(one == DEFAULT or asks_no_model(one) for one in minds):
            own = DEFAULT in minds
            by_similarity = self.mind.deliberation == Deliberation.SIMILARITY
            if not own or not by_similarity:
                idle["writing"] = "the model of the role 'action' writes, too" if own else "no mind of the run writes"
            if not own:
                idle |= dict.fromkeys(("action", "protention"), "no mind of the run asks a model")
            if not own or not architecture.mechanisms.elimination:
                idle["elimination"] = "no mind of the run eliminates actions"
        return {f"model.roles.{role}": reason for role, reason in idle.items()}

    def refuse_without_effect(self, given: Iterable[str]) -> None:
        """Refuse keys that were given explicitly and have no effect in this run.

        Args:
            given: The paths of all keys that were asked for.

        Raises:
            ValueError: for the first of them that changes nothing.
        """
        idle, asked = self.without_effect(), set(given)
        if "model.roles" in asked:
            asked |= {f"model.roles.{role}" for role in self.model.roles}
        if found := next((path for path in sorted(asked) if path in idle), None):
            raise ValueError(f"{found} has no effect: {idle[found]}; leave it out")
        unasked = [name for name in self.model.options if name not in self.model.asked]
        if "model.options" in asked and unasked:
            raise ValueError(
                f"model.options has no effect for {unasked[0]!r}: the run asks {', '.join(self.model.asked)}; leave it "
                "out"
            )


def refuse_without_effect(configurations: Sequence[RunConfig], given: Iterable[str]) -> None:
    """Refuse keys that have no effect in any of several runs.

    Args:
        configurations: Of the runs.
        given: The paths of all keys that were asked for.

    Raises:
        ValueError: for the first of them that changes nothing.
    """
    for path in given:
        reasons = []
        for one in configurations:
            try:
                one.refuse_without_effect([path])
            except ValueError as error:
                reasons.append(error)
        if reasons and len(reasons) == len(configurations):
            raise reasons[0]


_PARTS: dict[str, type] = {
    "model": ModelConfig,
    "mind": MindConfig,
    "ltrha": LTRHAConfig,
    "world": WorldConfig,
    "recording": RecordingConfig,
    "limits": LimitsConfig,
}

KEYS: Mapping[str, type] = paths_of(RunConfig)
"""Every key of a configuration by its path, with the type of its value."""

_ADDED: Keys = {
    "ltrha.standing_decides": "execution",
    "ltrha.draws": "independent",
    "ltrha.parameters.consumption": 0.0,
    "mind.in_process": False,
    "mind.parameters.appraisal.need": 0.3,
    "mind.parameters.appraisal.eased": 1.0,
    "world.map": PAPER,
    "world.residents": None,
    "world.events": {},
    "world.until": {},
    "world.rules": (),
    "world.rules_deadline": 60.0,
}
"""Keys that runs of version 0.1.0 lack, with the values that they are read with."""


def _each(beginning: str, reason: str, but: tuple[str, ...] = ()) -> dict[str, str]:
    return {path: reason for path in KEYS if path.startswith(beginning) and path not in but}
