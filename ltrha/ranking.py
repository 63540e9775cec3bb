"""Input and result of a ranking of agents, and the interface of rankers (section 4.2.2)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

from irollan_env.english import without_numbers
from irollan_env.world.observation import mood
from language_models.protocol import Usage
from ltrha.deeds import Deed, describe_deeds
from ltrha.plain_text import quoted


class RankBy(StrEnum):
    """Choose by what the matrix ranks agents (section 4.2.2)."""

    GOALS = "goals"
    """Their goals and the topics of their places, as in the paper."""
    COMPANY = "company"
    """What brings people together."""


_DECIMALS = 9


@dataclass(frozen=True, kw_only=True, slots=True)
class Standing:
    """Input of a ranking for one agent.

    Attributes:
        name: The agent's name.
        place: The locale it is in.
        topic: The topic of that locale, in [-1, 1].
        goal: Its goal; untrusted text.
        share: Its share of all resources before this step's changes, in [-1, 1]; see ``resources.resource_shares``.
        deeds: Its deeds of the last steps, filtered ones and this step included, the oldest first.

    Raises:
        ValueError: for an empty name, or a topic or share outside its range.
    """

    name: str
    place: str
    topic: float
    goal: str = ""
    share: float = 0.0
    deeds: tuple[Deed, ...] = ()

    def __post_init__(self) -> None:
        if not self.name:
            raise ValueError("an agent needs a name, got an empty string")
        if not -1.0 <= self.topic <= 1.0:
            raise ValueError(f"topic must lie in [-1, 1], got {self.topic!r} for agent {self.name!r}")
        if not -1.0 <= self.share <= 1.0:
            raise ValueError(f"share must lie in [-1, 1], got {self.share!r} for agent {self.name!r}")

    def describe(self, *, goal_words: int, newest_words: int, older_words: int, wealth: str = "") -> str:
        """Format the agent's line in the prompt: place, mood, goal and the last deeds, without amounts.

        Args:
            goal_words: Most words of the goal, at least 1.
            newest_words: Most words quoted from the last step's chat; 0 only mentions the chat.
            older_words: Most words quoted from earlier chats.
            wealth: Its resources, in words; omitted when empty.
        """
        goal = f"wants {quoted(self.goal, goal_words)}" if self.goal.strip() else "wants nothing in particular"
        deeds = without_numbers(describe_deeds(self.deeds, newest_words, older_words)) or "has done nothing yet"
        where = f"{without_numbers(self.place)}, {mood(self.topic)} mood{f', {wealth}' if wealth else ''}"
        return f"- {self.name} ({where}) {goal}; {deeds}"


@dataclass(frozen=True, kw_only=True, slots=True)
class Ranking:
    """The agents from best to last, with scores and usage.

    Attributes:
        groups: Names, best first; names in one group are tied.
        usage: Cost of the model calls.
        scores: Score of each name, in the same order, higher is better; empty where a model gave the
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
    """Interface of rankers, by agents' actions a, the resource structure S and the topic tpc."""

    @property
    def draws_order(self) -> bool:
        """Whether agents are listed in a random order, since a model may favour the first."""
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
    """Rank by score, highest first; equal scores are tied, in the order given.

    Args:
        standings: The agents.
        scores: Their scores, one each.
        usage: What the model calls for the scores cost.
    """
    values = [round(score, _DECIMALS) for score in scores]
    groups = [
        tuple(one.name for one, own in zip(standings, values, strict=True) if own == value)
        for value in sorted(set(values), reverse=True)
    ]
    return Ranking(groups=tuple(groups), scores=tuple(sorted(values, reverse=True)), usage=usage)
