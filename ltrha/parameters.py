"""Numeric parameters of LTRHA (section 4)."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from irollan_env.hints import read_parameters


@dataclass(frozen=True, kw_only=True, slots=True)
class RankingWeights:
    """Weights of the terms in a ranking by similarity; the paper names the terms, and gives no numbers.

    Attributes:
        deed: Cosine of an agent's deed with the criterion, its own goal or company. At most 1, mostly 0.1 to 0.6.
        tone: Tone of what it said, in [-2, 2], mostly -0.25 to 0.3: how it changes the mood of its place.
        topic: The topic of its place, in [-1, 1], mostly 0 to 0.5.
        resources: Its share of all resources, in [-1, 1], which counts against it: section 4.2.2 asks for circulation.
            Its weight is small, so that it separates agents with similar deeds.
    """

    deed: float = 1.0
    tone: float = 1.0
    topic: float = 1.0
    resources: float = 0.1

    def __post_init__(self) -> None:
        for name, value in asdict(self).items():
            if not math.isfinite(value):
                raise ValueError(f"{name} must be a finite number, got {value!r}")


@dataclass(frozen=True, kw_only=True, slots=True)
class LTRHAParameters:
    """Numeric parameters of one society; values are the paper's where it gives any, else this project's choice.

    Attributes:
        s_min: s_min of Eq. 19, in [0, s_max]: the smallest gain for an even number of agents.
        s_max: s_max of Eq. 19, finite: the gain of the agent that is ranked first.
        consumption: The share of its resources that an executed action consumes, in [0, 1]. As much of the initial 1 is
            replenished to everybody in each step, so that resources return to 1 where the matrix moves nothing. The
            paper says that "consumed resources need to be replenished", and not how much is consumed; 0 is none.
        habitus_backing: How many observations a more general situation is worth to a more particular one, above 0
            (section 4.3).
        habitus_temperature: How sharply tendencies follow rewards, above 0; small is sharp (section 4.3).
        ranking: Weights of a ranking by sentence embeddings (section 4.2.2).

    Raises:
        ValueError: for a value outside its range; the message names the field.
    """

    s_min: float = 1.0
    s_max: float = 3.0
    consumption: float = 0.0
    habitus_backing: float = 2.0
    habitus_temperature: float = 0.5
    ranking: RankingWeights = field(default_factory=RankingWeights)

    def __post_init__(self) -> None:
        if not 0.0 <= self.s_min <= self.s_max < math.inf:
            raise ValueError(f"0 <= s_min <= s_max must hold, got s_min={self.s_min!r}, s_max={self.s_max!r}")
        if not 0.0 <= self.consumption <= 1.0:
            raise ValueError(f"consumption must lie in [0, 1], got {self.consumption!r}")
        for name in ("habitus_backing", "habitus_temperature"):
            if not 0.0 < getattr(self, name) < math.inf:
                raise ValueError(f"{name} must be positive and finite, got {getattr(self, name)!r}")
        if not isinstance(self.ranking, RankingWeights):
            raise ValueError(f"ranking must be RankingWeights, got {self.ranking!r}; use from_json for data")

    def to_json(self) -> dict[str, Any]:
        """Return the parameters as JSON-ready data, which ``from_json`` reads."""
        return asdict(self)

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> LTRHAParameters:
        """Read parameters from data; missing ones have their defaults.

        Args:
            data: Field names -> numbers; ``ranking`` is a mapping of its own.

        Raises:
            ValueError: for an unknown name or a value outside its range; the message names it.
        """
        ranking = {"ranking": read_parameters(RankingWeights, data["ranking"], "ranking.")} if "ranking" in data else {}
        return read_parameters(cls, {**data, **ranking})


DEFAULTS = LTRHAParameters()
"""Default parameters of a society."""
