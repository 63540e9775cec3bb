"""The matrix (section 4.2.2): a language model that ranks the agents, and so moves resources between them."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib import resources as package_data
from string import Template

from language_models.protocol import Caller, LanguageModel, ModelError, Usage
from ltrha.resources import allocations
from ltrha.situation import read_action

PROMPT = Template((package_data.files("ltrha") / "prompts" / "matrix.txt").read_text(encoding="utf-8").rstrip("\n"))
QUERY = "friendly people who talk with each other, share things and do something together"
_LONGEST = 200


@dataclass(frozen=True, kw_only=True, slots=True)
class Standing:
    """What the matrix is told about one agent.

    Attributes:
        name: Who it is.
        place: The locale it is in.
        topic: The topic of that locale, in [-1, 1].
        goal: What it is after; untrusted text.
        action: What it did in this step; None when nothing was carried out. Untrusted text.
        resources: S_i before this step's changes.

    Raises:
        ValueError: for an empty name, a topic outside its range, or resources that are not finite.
    """

    name: str
    place: str
    topic: float
    goal: str = ""
    action: str | None = None
    resources: float = 1.0

    def __post_init__(self) -> None:
        if not self.name:
            raise ValueError("an agent needs a name, got an empty string")
        if not -1.0 <= self.topic <= 1.0:
            raise ValueError(f"topic must lie in [-1, 1], got {self.topic!r} for agent {self.name!r}")
        if not math.isfinite(self.resources):
            raise ValueError(f"resources must be finite, got {self.resources!r} for agent {self.name!r}")

    def line(self) -> str:
        """One line of the prompt; text of the agent cannot begin a line of its own."""
        goal, action = _one_line(self.goal) or "nothing in particular", _one_line(self.action or "") or "nothing"
        return (
            f"{self.name} is in {self.place} (mood {self.topic:+.2f}), has {self.resources:g} resources, "
            f"wants: {goal}, and did: {action}"
        )

    def description(self) -> str:
        """Goal, action and atmosphere in one short sentence, for backends that choose by similarity."""
        goal = _one_line(self.goal).rstrip(".")
        wish = f"wants to {goal[0].lower()}{goal[1:]}" if goal else "wants nothing"
        return f"{mood(self.topic).capitalize()} mood: somebody {wish} and {_doing(self.action)}."


@dataclass(frozen=True, kw_only=True, slots=True)
class Ranking:
    """The agents from best to last, and why.

    Attributes:
        order: Names, best first.
        probabilities: The model's probability of each name, in the same order.
        usage: What the model call cost.
    """

    order: tuple[str, ...]
    probabilities: tuple[float, ...]
    usage: Usage


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
        model: Chooses the agent who does the most good; its probabilities are the ranking.
        minimum: s_min of Eq. 19, in [0, maximum].
        maximum: s_max of Eq. 19.
        per_locale: Rank those in the same locale among themselves, instead of the whole society at once.
        query: What the collective values, in a few words.

    Raises:
        ValueError: if 0 <= minimum <= maximum does not hold.

    Departs from the paper: the model is not asked to write a ranking, which a small model does badly and which would
    have to be read out of prose. It is asked for one choice, and the probability of each agent ranks them. Equal
    probabilities are ranked by resources, those who have less first, then by the order in which the agents are given.
    """

    def __init__(
        self,
        model: LanguageModel,
        *,
        minimum: float = 1.0,
        maximum: float = 3.0,
        per_locale: bool = False,
        query: str = QUERY,
    ) -> None:
        allocations(3, minimum=minimum, maximum=maximum)  # Rejects limits that Eq. 19 does not allow.
        self.model = model
        self.minimum = minimum
        self.maximum = maximum
        self.per_locale = per_locale
        self.query = query

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
        choice = await self.model.choose(
            self.prompt(standings),
            options=names,
            caller=Caller(module="matrix", time=time),
            query=self.query,
            descriptions=[standing.description() for standing in standings],
        )
        if len(choice.probabilities) != len(names) or not all(0.0 <= p <= 1.0 for p in choice.probabilities):
            raise ModelError(
                f"the model {self.model.name!r} must give a probability in [0, 1] for each of {len(names)} agents, "
                f"got {choice.probabilities!r}"
            )
        order = sorted(range(len(names)), key=lambda i: (-choice.probabilities[i], standings[i].resources, i))
        return Ranking(
            order=tuple(names[i] for i in order),
            probabilities=tuple(choice.probabilities[i] for i in order),
            usage=choice.usage,
        )

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
            given = allocations(len(answer.order), minimum=self.minimum, maximum=self.maximum)
            changes.update(zip(answer.order, map(float, given), strict=True))
        return Allocation(changes=changes, rankings=rankings)

    def prompt(self, standings: Sequence[Standing]) -> str:
        """The prompt of one ranking: what stays the same first, then one line per agent."""
        return PROMPT.substitute(people="\n".join(standing.line() for standing in standings))


def _doing(action: str | None) -> str:
    """What somebody does, in a word or two: what counts for the others is the kind of deed."""
    primitive, partner = read_action(action) if action else ("", None)
    if partner is not None:
        return "talks with others" if primitive == "chat with" else "gives something away"
    return {
        "go to": "walks",
        "leave": "leaves",
        "use": "uses a thing",
        "take": "takes a thing",
        "put": "puts a thing",
    }.get(primitive, "does nothing")


def mood(topic: float) -> str:
    """A topic in one word: tense, flat, calm, friendly or lively."""
    for limit, word in ((-0.05, "tense"), (0.05, "flat"), (0.35, "calm"), (0.65, "friendly")):
        if topic < limit:
            return word
    return "lively"


def _one_line(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _LONGEST else line[: _LONGEST - 1].rstrip() + "…"
