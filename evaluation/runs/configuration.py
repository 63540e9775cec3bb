"""What a run is asked to be."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields
from typing import Any

from evaluation.models.forecasters import check_forecaster
from evaluation.models.model_roles import Models, check_options, check_roles
from evaluation.runs.architectures import get_architecture
from irollan_env.hints import did_you_mean

ELIMINATION = ("embedder", "model")
"""What may score the relevance of actions: sentence embeddings, which cost no tokens, or a language model."""

ON_FAILURE = ("wait", "stop")
"""What a failed model call does: its resident waits for one step, or the run stops."""

MOST_STEPS = 1_000_000
LARGEST_SEED = 2**63 - 1


@dataclass(frozen=True, kw_only=True, slots=True)
class Configuration:
    """Everything that decides what happens in a run.

    Attributes:
        architecture: One of ``ARCHITECTURES``.
        model: A language model's name, as ``irollan models`` lists them.
        roles: Names of other models by the module that asks them, of ``evaluation.models.model_roles.ROLES``.
        options: How addresses are asked and files are served, by the name of the model or embedder.
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

    Raises:
        ValueError: for an unknown architecture or a number out of range. Names of models and embedders are checked
            where they are resolved.
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

    def __post_init__(self) -> None:
        for label in ("architecture", "model", "embedder", "elimination", "protention", "on_failure"):
            if not isinstance(value := getattr(self, label), str):
                raise ValueError(f"{label} must be a name, got {value!r}")
        get_architecture(self.architecture)
        check_forecaster(self.protention)
        check_roles(self.roles)
        for label, value, least, most in (
            ("steps", self.steps, 1, MOST_STEPS),
            ("seed", self.seed, 0, LARGEST_SEED),
            ("checkpoint-every", self.checkpoint_every, 1, MOST_STEPS),
        ):
            if not isinstance(value, int) or isinstance(value, bool) or not least <= value <= most:
                raise ValueError(f"{label} must be a whole number from {least} to {most}, got {value!r}")
        if self.on_failure not in ON_FAILURE:
            hint = did_you_mean(self.on_failure, ON_FAILURE)
            raise ValueError(f"on-failure must be one of {', '.join(ON_FAILURE)}, got {self.on_failure!r}{hint}")
        if not self.elimination:
            object.__setattr__(self, "elimination", "model" if "elimination" in self.roles else "embedder")
        if self.elimination not in ELIMINATION:
            hint = did_you_mean(self.elimination, ELIMINATION)
            raise ValueError(f"elimination must be one of {', '.join(ELIMINATION)}, got {self.elimination!r}{hint}")
        if self.elimination == "embedder" and "elimination" in self.roles:
            raise ValueError(
                f"elimination by the embedder asks no model, but {self.roles['elimination']!r} is named for it; "
                "leave one of the two out"
            )
        if not self.embedder:
            object.__setattr__(self, "embedder", "hash" if self.model == "scripted" else "minilm")
        check_options(self.options, None if self.embedder in self.model_names else self.embedder)

    def model_of(self, role: str) -> str:
        """Name of the model that a module asks."""
        return self.roles.get(role, self.model)

    def instructed(self, role: str) -> bool:
        """Whether the model that a module asks is a large one, asked by instruction and for decisions."""
        return self.model_of(role).startswith(("openai:", "transformers:"))

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
    def from_json(cls, data: Mapping[str, Any]) -> Configuration:
        """Build a configuration from what ``to_json`` wrote; keys that say other things are passed over.

        Raises:
            ValueError: if a value is missing, of the wrong type or out of range.
        """
        try:
            # Runs of before there was a choice say nothing of these.
            known = {"elimination": "", "protention": "model", "on_failure": "wait", **data}
            return cls(**{one.name: known[one.name] for one in fields(cls)})
        except KeyError as error:
            raise ValueError(f"not the configuration of a run: it lacks {error}") from error
        except TypeError as error:
            raise ValueError(f"not the configuration of a run: {error}") from error
