"""The matrix (section 4.2.2), which ranks the agents and moves resources between them accordingly."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ltrha.parameters import DEFAULTS
from ltrha.ranking import Ranker, Ranking, Standing
from ltrha.resources import allocations, tied_allocations


@dataclass(frozen=True, kw_only=True, slots=True)
class Allocation:
    """Result of one step of the matrix.

    Attributes:
        changes: Change of each agent's resources, in the order the agents were given; they sum to 0.
        rankings: The ranking by locale; the key is None for a ranking over the whole society. A group of fewer than
            three is not ranked and not in it.
    """

    changes: Mapping[str, float]
    rankings: Mapping[str | None, Ranking]


class Matrix:
    """Ranks agents by their actions, resources and topics, and changes their resources by rank (Eq. 19).

    Args:
        ranker: Ranks the agents.
        s_min: The smallest gain of Eq. 19, in [0, s_max].
        s_max: The largest gain of Eq. 19.
        per_locale: Rank those in the same locale among themselves, instead of the whole society at once.

    Raises:
        ValueError: if 0 <= s_min <= s_max does not hold.

    Departs from the paper: agents may be tied. They share the mean of what Eq. 19 gives their ranks
    (``tied_allocations``), so that the changes still sum to 0.
    """

    def __init__(
        self, ranker: Ranker, *, s_min: float = DEFAULTS.s_min, s_max: float = DEFAULTS.s_max, per_locale: bool = False
    ) -> None:
        allocations(3, s_min=s_min, s_max=s_max)  # Rejects limits that Eq. 19 does not allow.
        self.ranker = ranker
        self.s_min = s_min
        self.s_max = s_max
        self.per_locale = per_locale

    async def allocate(self, standings: Sequence[Standing], *, time: int = 0) -> Allocation:
        """Return the change of every agent's resources in this step (Eq. 19).

        A group of fewer than three agents is not ranked, which takes no model call; its changes are 0.

        Args:
            standings: All agents, no two of the same name.
            time: The time step, for the transcript.

        Raises:
            ValueError: for two agents of the same name.
            ModelError: if the model gave no valid answer for one of the groups; then nothing is allocated at all.
        """
        groups: dict[str | None, list[Standing]] = {}
        for standing in standings:
            groups.setdefault(standing.place if self.per_locale else None, []).append(standing)
        changes = {standing.name: 0.0 for standing in standings}
        if len(changes) < len(standings):
            raise ValueError(f"no name may be given twice, got {[standing.name for standing in standings]}")
        ranked = {place: group for place, group in groups.items() if len(group) > 2}
        answers = await asyncio.gather(
            *(self.ranker.rank(group, time=time) for group in ranked.values()), return_exceptions=True
        )
        rankings: dict[str | None, Ranking] = {}
        for place, answer in zip(ranked, answers, strict=True):
            if isinstance(answer, BaseException):
                raise answer
            rankings[place] = answer
            sizes = [len(group) for group in answer.groups]
            given = tied_allocations(sizes, s_min=self.s_min, s_max=self.s_max)
            for group, change in zip(answer.groups, given, strict=True):
                changes.update(dict.fromkeys(group, float(change)))
        return Allocation(changes=changes, rankings=rankings)
