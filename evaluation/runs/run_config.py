"""What a run is asked to be."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields
from typing import Any

from evaluation.models.forecasters import check_forecaster
from evaluation.models.model_roles import PERSON, Models, check_options, check_roles
from evaluation.runs.ablate import checked_without
from evaluation.runs.architectures import get_architecture
from irollan_env.hints import did_you_mean
from language_models.model_names import ModelKind, kind_of
from language_models.registry import ModelSpec, describe_model
from minds.mind_specs import DEFAULT, ME

ELIMINATION = ("embedder", "model")
"""What may score the relevance of actions: sentence embeddings, which cost no tokens, or a language model."""

ON_FAILURE = ("wait", "stop")
"""What a failed model call does: its resident waits for one step, or the run stops."""

DELIBERATION = ("model", "likeness")
"""Who decides and what it wants: a large model, or a mind's own weights, with a model for words."""

TURNS = ("together", "one-by-one")
"""How residents act in a time step: all decide on what they saw at its beginning, or, within a place, one by one."""

TURNS_BY_DELIBERATION = {"model": "one-by-one", "likeness": "together"}
"""How residents take turns where a run does not say."""

FILTER = ("after", "before")
"""When LTRHA draws whose action is held back: after the resident has decided, or before it does."""

RATE = ("amount", "share")
"""What Eq. 18 takes for S_i: the amount, as it is printed, or the share of all, as the sentence under it says."""

CRITERION = ("goals", "company")
"""By what the matrix ranks: personal goals and topic, as the paper has it, or what brings people together."""

RANKING = ("society", "locale")
"""Whom the matrix ranks: everybody at once, or those in the same place among themselves."""

SERVING = ("fast", "exact")
"""How model files are asked on this machine: many requests at once, which share batches and what was read before; or
each by itself, so that the same seed gives the same bytes."""

DESCRIPTIONS = ("on", "off")
"""Whether a mind that a model leads brings descriptions of people up to date as its memory is compressed."""

DETAIL = ("deeds", "names", "positions")
"""How much a large model is told of what is and was before a mind: ``channel_in_words.Detail`` of ``itcma_s``."""

RATE_BY_DELIBERATION = {"model": "share", "likeness": "amount"}
"""How resources decide where a run does not say."""

_BEFORE_A_CHOICE: dict[str, Any] = {
    "elimination": "",
    "protention": "model",
    "on_failure": "wait",
    "deliberation": "likeness",
    "turns": "together",
    "filter": "after",
    "rate": "amount",
    "criterion": "company",
    "ranking": "society",
    "descriptions": "on",
    "detail": "deeds",
    "serving": "fast",
}
"""What runs lived by that say nothing of these keys, since there was no choice."""

MOST_STEPS = 1_000_000
LARGEST_SEED = 2**63 - 1


@dataclass(frozen=True, kw_only=True, slots=True)
class RunConfig:
    """Everything that decides what happens in a run.

    Attributes:
        architecture: One of ``ARCHITECTURES``.
        model: A language model's name, as ``irollan models`` lists them.
        roles: Names of other models by the module that asks them, of ``evaluation.models.model_roles.ROLES``.
        options: How addresses are asked and files are served, by the name of the model or embedder; of a GGUF file
            that is instructed (``language_models.ModelSpec``), this, too.
        elimination: What scores the relevance of actions (section 3.4), one of ``ELIMINATION``; the empty string
            stands for "model" where a model is named for that role, and for "embedder" elsewhere.
        embedder: An embedder's name; the empty string stands for "hash" beside the scripted model, which needs no
            weights either, and for "minilm" beside any other.
        steps: How many time steps.
        seed: Everything that is drawn follows from it.
        checkpoint_every: How many steps from one checkpoint to the next.
        protention: Who says what follows where neither rule nor memory does: "model"; "fracast", which knows where
            things in sight will be, and asks the model of places never seen; or "learned:FILE" for a network that
            examples/train_protention.py trained.
        on_failure: What happens when a model call fails (returns nothing, nothing of use, or refuses), one of
            ``ON_FAILURE``.
        deliberation: Who decides, one of ``DELIBERATION``; the empty string stands for "model" where the model of the
            role "action" is instructed, and for "likeness" elsewhere.
        turns: How residents act in a time step, one of ``TURNS``; the empty string stands for what
            ``TURNS_BY_DELIBERATION`` says.
        filter: When LTRHA draws whose action is held back, one of ``FILTER``; without LTRHA nobody's is.
        rate: How resources decide how often a resident acts (Eq. 18), one of ``RATE``; the empty string stands for what
            ``RATE_BY_DELIBERATION`` says.
        criterion: By what the matrix ranks (section 4.2.2), one of ``CRITERION``.
        ranking: Whom the matrix ranks, one of ``RANKING``.
        descriptions: Whether minds that a model leads describe people and themselves, one of ``DESCRIPTIONS``.
        mind: The mind of the residents, as ``irollan minds`` lists them.
        minds: Names of other minds by resident.
        detail: How much a large model is told of what is and was before a mind, one of ``DETAIL``.
        serving: How model files are asked on this machine, one of ``SERVING``.
        without: Mechanisms that no decision has, beside those that the architecture lacks: names of
            ``itcma_s.ablation.mechanisms``, joined by " + ".
        scenario: How things stand at the beginning and what is to come of it, by the name or the file of a scenario;
            the empty string for the valley as the map has it, and no goal.
        identities: By resident, who it was before it came to the valley, as ``read_identities`` gives it.

    Raises:
        ValueError: for an unknown architecture or a number out of range. Names of models, embedders and minds are
            checked where they are resolved.
    """

    architecture: str = "itcma-s"
    model: str = "smollm2"
    embedder: str = ""
    steps: int = 20
    seed: int = 0
    checkpoint_every: int = 1
    roles: Mapping[str, str] = field(default_factory=dict)
    options: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    elimination: str = ""
    protention: str = "model"
    on_failure: str = "wait"
    deliberation: str = ""
    turns: str = ""
    filter: str = "after"
    rate: str = ""
    criterion: str = "goals"
    ranking: str = "society"
    descriptions: str = "on"
    mind: str = DEFAULT
    minds: Mapping[str, str] = field(default_factory=dict)
    detail: str = "deeds"
    serving: str = "exact"
    without: str = ""
    scenario: str = ""
    identities: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for label in ("architecture", "model", "embedder", "mind", "scenario", "without", *_BEFORE_A_CHOICE):
            if not isinstance(value := getattr(self, label), str):
                raise ValueError(f"{label} must be a name, got {value!r}")
        get_architecture(self.architecture)
        check_forecaster(self.protention)
        check_roles(self.roles)
        for name in (self.mind, *self.minds.values()):
            if not isinstance(name, str) or not name:
                raise ValueError(f"the name of a mind must be a text that is not empty, got {name!r}")
        for label, value, least, most in (
            ("steps", self.steps, 1, MOST_STEPS),
            ("seed", self.seed, 0, LARGEST_SEED),
            ("checkpoint-every", self.checkpoint_every, 1, MOST_STEPS),
        ):
            if not isinstance(value, int) or isinstance(value, bool) or not least <= value <= most:
                raise ValueError(f"{label} must be a whole number from {least} to {most}, got {value!r}")
        self._seat_person()
        self._note_instructed_files()
        self._choose("on_failure", ON_FAILURE)
        self._choose("elimination", ELIMINATION, "model" if "elimination" in self.roles else "embedder")
        self._choose("deliberation", DELIBERATION, "model" if self.instructed("action") else "likeness")
        self._choose("turns", TURNS, TURNS_BY_DELIBERATION[self.deliberation])
        self._choose("filter", FILTER)
        self._choose("descriptions", DESCRIPTIONS)
        self._choose("criterion", CRITERION)
        self._choose("ranking", RANKING)
        self._choose("detail", DETAIL)
        self._choose("serving", SERVING)
        self._choose("rate", RATE, RATE_BY_DELIBERATION[self.deliberation])
        if self.elimination == "embedder" and "elimination" in self.roles:
            raise ValueError(
                f"elimination by the embedder asks no model, but {self.roles['elimination']!r} is named for it; "
                "leave one of the two out"
            )
        object.__setattr__(self, "without", checked_without(self.without, self.architecture))
        if not self.embedder:
            scripted = kind_of(self.model) is ModelKind.SCRIPTED
            object.__setattr__(self, "embedder", "hash" if scripted else "minilm")
        check_options(self.options, None if self.embedder in self.model_names else self.embedder)

    def _seat_person(self) -> None:
        """Have a person answer for residents with the mind "me", unless a model is named for that role."""
        if ME in (self.mind, *self.minds.values()) and PERSON not in self.roles:
            object.__setattr__(self, "roles", {**self.roles, PERSON: PERSON})
        if PERSON in (self.model, *(name for role, name in self.roles.items() if role != PERSON)):
            raise ValueError(f"a {PERSON} answers for residents with --mind RESIDENT={ME}, and for no other module")

    def _note_instructed_files(self) -> None:
        """Put down as their option which model files are instructed: whoever replays a run may not have them."""
        for name in self.model_names:
            options = self.options.get(name, {})
            spec = describe_model(name, options)
            if spec.kind is ModelKind.EMBEDDED and spec.instructed and "instructed" not in options:
                object.__setattr__(self, "options", {**self.options, name: {**options, "instructed": True}})

    def _choose(self, key: str, known: Sequence[str], default: str = "") -> None:
        """Put the default in the place of an empty string, and check that the value is one of those that there are."""
        if (value := getattr(self, key) or default) not in known:
            expected = f"{key.replace('_', '-')} must be one of {', '.join(known)}"
            raise ValueError(f"{expected}, got {value!r}{did_you_mean(value, known)}")
        object.__setattr__(self, key, value)

    def model_of(self, role: str) -> str:
        """Name of the model that a module asks."""
        return self.roles.get(role, self.model)

    def spec_of(self, role: str) -> ModelSpec:
        """What the model that a module asks can do."""
        name = self.model_of(role)
        return describe_model(name, self.options.get(name))

    def instructed(self, role: str) -> bool:
        """Whether the model that a module asks is a large one, asked by instruction and for decisions."""
        return self.spec_of(role).instructed

    def trained_on_scenes(self, role: str) -> bool:
        """Whether the model that a module asks goes on with pages, as valley_scenes/ trains it to."""
        return self.spec_of(role).trained_on_scenes

    def mind_of(self, resident: str) -> str:
        """Name of the mind of a resident."""
        return self.minds.get(resident, self.mind)

    @property
    def model_names(self) -> list[str]:
        """Names of all models, each once, that of most modules first."""
        return list(dict.fromkeys([self.model, *self.roles.values()]))

    @property
    def chosen_models(self) -> Models:
        """The models, the embedder and how they are asked, and nothing else."""
        return Models(model=self.model, roles=self.roles, options=self.options, embedder=self.embedder)

    def to_json(self) -> dict[str, Any]:
        """A JSON-ready dictionary; ``from_json`` gives an equal configuration back."""
        return asdict(self)

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> RunConfig:
        """Build a configuration from what ``to_json`` wrote; keys that say other things are passed over.

        Raises:
            ValueError: if a value is missing, of the wrong type or out of range.
        """
        try:
            later = {"mind": DEFAULT, "minds": {}, "scenario": "", "identities": {}, "without": ""}
            known = {**later, **_BEFORE_A_CHOICE, **data}
            if "deliberation" not in data:
                known["options"] = {**known["options"], **_asked_to_go_on(known)}
            return cls(**{one.name: known[one.name] for one in fields(cls)})
        except KeyError as error:
            raise ValueError(f"not the configuration of a run: it lacks {error}") from error
        except (TypeError, AttributeError) as error:
            raise ValueError(f"not the configuration of a run: {error}") from error


def _asked_to_go_on(data: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """The options of the model files of a run of before they were looked at: none was asked by instruction."""
    files = [name for name in (data["model"], *data["roles"].values()) if kind_of(str(name)) is ModelKind.EMBEDDED]
    return {name: {"instructed": False, **data["options"].get(name, {})} for name in files}
