"""The matrix (section 4.2.2): a language model that ranks the agents, and so moves resources between them."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from importlib import resources as package_data
from string import Template
from typing import Literal, get_args

import numpy as np

from language_models.at_an_address.responses import total_usage
from language_models.protocol import Attempt, Caller, LanguageModel, ModelError, Usage
from ltrha import order, order_page
from ltrha.resources import allocations, tied_allocations
from ltrha.standing import Standing

PROMPT = Template((package_data.files("ltrha") / "prompts" / "matrix.txt").read_text(encoding="utf-8").rstrip("\n"))
QUERY = "friendly people who talk with each other, share things and do something together"
ASKS = 2
"""How often an order is asked for: again, with what was wrong, where an answer is none."""

Way = Literal["choice", "order", "page"]


@dataclass(frozen=True, kw_only=True, slots=True)
class Ranking:
    """The agents from best to last, and why.

    Attributes:
        groups: Names, best first; those in one group are tied.
        usage: What it cost to ask the model.
        probabilities: The model's probability of each name, in the same order; empty where it was asked for an order.
    """

    groups: tuple[tuple[str, ...], ...]
    usage: Usage
    probabilities: tuple[float, ...] = ()

    @property
    def order(self) -> tuple[str, ...]:
        """Names, best first."""
        return tuple(name for group in self.groups for name in group)


@dataclass(frozen=True, kw_only=True, slots=True)
class Allocation:
    """What one step of the matrix does.

    Attributes:
        changes: Change of each agent's resources, in the order the agents were given; they sum to 0.
        rankings: The ranking by locale; the key is None for a ranking over the whole society. A group of fewer than
            three is not ranked and not in it.
    """

    changes: Mapping[str, float]
    rankings: Mapping[str | None, Ranking]


class Matrix:
    """Ranks agents by their goals and the topic of the locale each is in, and turns ranks into resources (Eq. 19).

    Args:
        model: Ranks the agents.
        minimum: s_min of Eq. 19, in [0, maximum].
        maximum: s_max of Eq. 19.
        per_locale: Rank those in the same locale among themselves, instead of the whole society at once.
        query: What the collective values, in a few words, for a choice.
        way: "choice" asks who does the most good, and the probability of each agent ranks them. "order" asks a model
            that follows instructions for the whole order, ties allowed, by the deeds of the last steps. "page" ranks by
            how likely a model that was trained on scenes finds each name where a page of these deeds goes on.

    Raises:
        ValueError: if 0 <= minimum <= maximum does not hold, or the way is none of these.

    Departs from the paper: a small model, which writes a ranking badly, is asked for one choice. Equal probabilities
    are ranked by resources, those who have less first, then by the order in which the agents are given. In an order,
    agents may be tied; they share the mean of what Eq. 19 gives their ranks (``tied_allocations``), so that the
    changes still sum to 0. It is not told what resources each has: a number is an anchor, and the paper has agents
    ranked by their goals and the topic.
    """

    def __init__(
        self,
        model: LanguageModel,
        *,
        minimum: float = 1.0,
        maximum: float = 3.0,
        per_locale: bool = False,
        query: str = QUERY,
        way: Way = "choice",
    ) -> None:
        allocations(3, minimum=minimum, maximum=maximum)  # Rejects limits that Eq. 19 does not allow.
        if way not in get_args(Way):
            raise ValueError(f"the way to rank must be one of {', '.join(get_args(Way))}, got {way!r}")
        self.model = model
        self.minimum = minimum
        self.maximum = maximum
        self.per_locale = per_locale
        self.query = query
        self.way = way

    async def rank(self, standings: Sequence[Standing], *, time: int = 0) -> Ranking:
        """Order agents by what they do for the others.

        Args:
            standings: At least one agent, no two of the same name.
            time: The time step, for the transcript.

        Raises:
            ValueError: for no agent, or two of the same name.
            ModelError: if the model gave no valid answer.
        """
        names = [standing.name for standing in standings]
        if not names or len(set(names)) < len(names):
            raise ValueError(f"the matrix ranks at least one agent, and no name twice, got {names}")
        caller = Caller(module="matrix", time=time)
        ranks = {"choice": self._choose, "order": self._put_in_order, "page": self._by_likelihood}[self.way]
        return await ranks(standings, names, caller)

    async def _by_likelihood(self, standings: Sequence[Standing], names: Sequence[str], caller: Caller) -> Ranking:
        scores = await self.model.score(order_page.page(standings), names, caller=caller)
        weights = np.exp(np.array(scores.values) - max(scores.values))
        return _ranked(standings, (weights / weights.sum()).tolist(), scores.usage)

    async def _choose(self, standings: Sequence[Standing], names: Sequence[str], caller: Caller) -> Ranking:
        choice = await self.model.choose(
            self.prompt(standings),
            options=names,
            caller=caller,
            query=self.query,
            descriptions=[standing.description() for standing in standings],
        )
        if len(choice.probabilities) != len(names) or not all(0.0 <= p <= 1.0 for p in choice.probabilities):
            raise ModelError(
                f"the model {self.model.name!r} must give a probability in [0, 1] for each of {len(names)} agents, "
                f"got {choice.probabilities!r}"
            )
        return _ranked(standings, choice.probabilities, choice.usage)

    async def _put_in_order(self, standings: Sequence[Standing], names: Sequence[str], caller: Caller) -> Ranking:
        """Ask for an order, and once more, with what was wrong, where the answer is none.

        Raises:
            ModelError: if that is none either.
        """
        prompt = asked = order.prompt(standings)
        spent, reason = Usage(), ""
        for attempt in range(ASKS):
            answer = await self.model.generate(
                asked,
                caller=caller,
                max_tokens=order.most_tokens(names),
                temperature=0.0,
                seed=attempt,
                schema=order.schema(names),
            )
            try:
                groups = order.read(answer.text, names)
            except ValueError as error:
                reason = str(error)
                useless = Attempt(kind="unusable", reason=f"is no order: {reason}", text=answer.text)
                used = replace(answer.usage, attempts=(*answer.usage.attempts, useless))
                spent = replace(total_usage([spent, used]), call=answer.usage.call)
                asked = order.ask_again(prompt, reason)
            else:
                return Ranking(groups=groups, usage=total_usage([spent, answer.usage], asked_again=attempt))
        raise ModelError(f"the model {self.model.name!r} gave no order of everybody: {reason}", usage=spent)

    async def allocate(self, standings: Sequence[Standing], *, time: int = 0) -> Allocation:
        """Change of every agent's resources in this step (Eq. 19).

        A group of fewer than three agents is not ranked, at no model call; its changes are 0.

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
            *(self.rank(group, time=time) for group in ranked.values()), return_exceptions=True
        )
        rankings: dict[str | None, Ranking] = {}
        for place, answer in zip(ranked, answers, strict=True):
            if isinstance(answer, BaseException):
                raise answer
            rankings[place] = answer
            sizes = [len(group) for group in answer.groups]
            given = tied_allocations(sizes, minimum=self.minimum, maximum=self.maximum)
            for group, change in zip(answer.groups, given, strict=True):
                changes.update(dict.fromkeys(group, float(change)))
        return Allocation(changes=changes, rankings=rankings)

    def prompt(self, standings: Sequence[Standing]) -> str:
        """The prompt of one choice: what stays the same first, then one line per agent."""
        return PROMPT.substitute(people="\n".join(standing.line() for standing in standings))


def _ranked(standings: Sequence[Standing], probabilities: Sequence[float], usage: Usage) -> Ranking:
    """Agents by their probability, of equal ones those who have less first."""
    ranked = sorted(range(len(standings)), key=lambda i: (-probabilities[i], standings[i].resources, i))
    return Ranking(
        groups=tuple((standings[i].name,) for i in ranked),
        probabilities=tuple(probabilities[i] for i in ranked),
        usage=usage,
    )
