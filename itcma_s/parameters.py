"""Configuration of an ITCMA-S mind: its mechanisms, and the parameters of sections 3.2 to 3.4."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from irollan_env.hints import read_parameters
from itcma_s.checks import check_range
from itcma_s.emotion.appraisal import AppraisalWeights
from itcma_s.emotion.driver import DriverWeights
from itcma_s.fields.blending import PROBABILITY, THRESHOLD
from itcma_s.fields.similarity import FieldWeights


@dataclass(frozen=True, kw_only=True, slots=True)
class Mechanisms:
    """Switches of the individual mind; LTRHA is not among them, as it belongs to the society.

    These three make the architectures that the paper compares. Finer parts of a decision, such as "imagination", are
    left out of a run by ``evaluation.MindConfig(ablate=...)``, which takes the names in ``itcma_s.MECHANISM_NAMES``.

    Attributes:
        compressed_memory: Section 3.2: memories are blended into the present, compressed, and weighted by emotion.
            Without it, ITCMA's way: nothing is compressed, and a plain Levenshtein scan finds the memory that is set
            beside the present.
        driver: Section 3.3: the driver of equations 13-15. Without it, ITCMA's: the weighted sum of P, A and D is
            added to the driver before it.
        elimination: Section 3.4: irrelevant actions are removed before anything is expected of them.
    """

    compressed_memory: bool = True
    driver: bool = True
    elimination: bool = True


@dataclass(frozen=True, kw_only=True, slots=True)
class MindParameters:
    """Numeric parameters of one mind: the paper's values, or this project's choice where it gives none.

    Attributes:
        retention: k of section 3.1, the number of retained frames, at least 0; more of them calm arousal (Eq. 11).
        blend_threshold: T of Algorithm 1, in [0, 1]: the similarity from which two objects match.
        keep_probability: r of Algorithm 1, in [0, 1]: the probability that an object without a match is kept.
        segment_length: n of Eq. 8, at least 1: the most frames that one compressed memory stands for.
        said_limit: The most characters of conversation that one compressed memory keeps, at least 0.
        witnessed_limit: The most characters of others' deeds that one compressed memory keeps, at least 0.
        emotion_weight: How much emotional intensity |PAD| adds to the activation of a memory (section 3.2.2), finite
            and at least 0.
        activation_shortlist: How many memories are compared exactly with the present, at least 1; a sketch of every
            memory picks them.
        elimination_threshold: The relevance of Eq. 16, in [1, 5], from which an action stays in the action space.
        field_weights: omega_N and omega_pos of Eq. 4, and omega_gamma, omega_theta and omega_phi of Eq. 3.
        driver_weights: omega_P, omega_A and omega_D of Eq. 13; they sum to 1.
        appraisal: What each event adds to desire or pain in Eq. 10, and how fast both decay.

    Raises:
        ValueError: for a value outside its range; the message names the field.

    Examples:
        >>> MindParameters(retention=8).retention
        8
        >>> MindParameters.from_json({"driver_weights": {"pleasure": 0.5, "arousal": 0.25, "dominance": 0.25}})  \
# doctest: +ELLIPSIS
        MindParameters(retention=4, ...
    """

    retention: int = 4
    blend_threshold: float = THRESHOLD
    keep_probability: float = PROBABILITY
    segment_length: int = 6
    said_limit: int = 400
    witnessed_limit: int = 240
    emotion_weight: float = 0.2
    activation_shortlist: int = 32
    elimination_threshold: float = 3.0
    field_weights: FieldWeights = field(default_factory=FieldWeights)
    driver_weights: DriverWeights = field(default_factory=DriverWeights)
    appraisal: AppraisalWeights = field(default_factory=AppraisalWeights)

    def __post_init__(self) -> None:
        for name, least in _LEAST.items():
            value = getattr(self, name)
            if not isinstance(value, int) or isinstance(value, bool) or value < least:
                raise ValueError(f"{name} must be a whole number, at least {least}, got {value!r}")
        for name, (low, high) in _RANGES.items():
            check_range(name, getattr(self, name), low, high, "see MindParameters for what it is")
        for name, kind in _PARTS.items():
            if not isinstance(getattr(self, name), kind):
                raise ValueError(f"{name} must be {kind.__name__}, got {getattr(self, name)!r}; use from_json for data")

    def to_json(self) -> dict[str, Any]:
        """Return the parameters as JSON-ready data for ``from_json``."""
        return asdict(self)

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> MindParameters:
        """Make parameters from JSON data; missing fields have their defaults.

        Args:
            data: Names of fields -> numbers, or for the three weights a mapping of theirs.

        Raises:
            ValueError: for an unknown name or a value outside its range; the message names it.
        """
        parts = {name: read_parameters(kind, data[name], f"{name}.") for name, kind in _PARTS.items() if name in data}
        return read_parameters(cls, {**data, **parts})


_LEAST = {"retention": 0, "segment_length": 1, "said_limit": 0, "witnessed_limit": 0, "activation_shortlist": 1}
_RANGES = {
    "blend_threshold": (0.0, 1.0),
    "keep_probability": (0.0, 1.0),
    "emotion_weight": (0.0, 1e9),
    "elimination_threshold": (1.0, 5.0),
}
_PARTS: dict[str, type[Any]] = {
    "field_weights": FieldWeights,
    "driver_weights": DriverWeights,
    "appraisal": AppraisalWeights,
}

DEFAULTS = MindParameters()
"""The default parameters of a mind."""
