"""A ranking of agents, and whoever makes one: the model that the paper calls the matrix (section 4.2.2)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, Protocol, get_args

from irollan_env.hints import did_you_mean
from language_models.protocol import Usage
from ltrha.standing import Standing

Criterion = Literal["goals", "company"]
"""By what agents are ranked: "goals", by their personal goals and the topic, as the paper has it; or "company", by what
brings people together."""

_DECIMALS = 9


@dataclass(frozen=True, kw_only=True, slots=True)
class Ranking:
    """The agents from best to last, and why.

    Attributes:
        groups: Names, best first; those in one group are tied.
        usage: What it cost to ask a model.
        scores: What each name was ranked by, in the same order, the more the better; empty where a model gave the
            order itself.
    """

    groups: tuple[tuple[str, ...], ...]
    usage: Usage
    scores: tuple[float, ...] = ()

    @property
    def order(self) -> tuple[str, ...]:
        """Names, best first."""
        return tuple(name for group in self.groups for name in group)


class Ranker(Protocol):
    """Ranks agents by their actions a, the resource structure S and the topic tpc."""

    @property
    def draws_order(self) -> bool:
        """Whether agents are to be given in an order that is drawn, since who is given first may be liked better."""
        ...

    async def rank(self, standings: Sequence[Standing], *, time: int) -> Ranking:
        """Rank agents.

        Args:
            standings: At least one agent, no two of the same name.
            time: The time step, for the transcript.

        Raises:
            ModelError: if a model gave no valid answer.
        """
        ...


def by_score(standings: Sequence[Standing], scores: Sequence[float], usage: Usage) -> Ranking:
    """Agents by what they are scored, the highest first; those of equal scores are tied, in the order given."""
    values = [round(score, _DECIMALS) for score in scores]
    groups = [
        tuple(one.name for one, own in zip(standings, values, strict=True) if own == value)
        for value in sorted(set(values), reverse=True)
    ]
    return Ranking(groups=tuple(groups), scores=tuple(sorted(values, reverse=True)), usage=usage)


def check_criterion(criterion: Criterion) -> Criterion:
    """The criterion, if it is one.

    Raises:
        ValueError: if it is none.
    """
    if criterion not in (known := get_args(Criterion)):
        hint = did_you_mean(str(criterion), known)
        raise ValueError(f"the criterion of a ranking must be one of {', '.join(known)}, got {criterion!r}{hint}")
    return criterion
