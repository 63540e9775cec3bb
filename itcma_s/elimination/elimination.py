"""Reduction of the action space (section 3.4, Eq. 16): actions irrelevant to the goal are eliminated."""

from __future__ import annotations

import math
import re
from collections.abc import Container, Mapping, Sequence
from functools import lru_cache
from itertools import chain
from typing import Any, Literal, Protocol

import numpy as np

from irollan_env.actions import Action, Primitive
from irollan_env.naming import is_numbered
from itcma_s.actions import meanings
from itcma_s.elimination.goal_similarity import likeness, sentences
from itcma_s.memory.mentions import mentioned, speaks_of
from itcma_s.model_calls import ModelCalls
from itcma_s.parameters import DEFAULTS
from language_models.prefetching import prefetch
from language_models.protocol import Embedder, GenerateRequest, LanguageModel, ModelError
from language_models.resting import rests

Way = Literal["probability", "digits"]
LOWEST, HIGHEST = 1.0, 5.0
THRESHOLD = DEFAULTS.elimination_threshold
# Cosines of a goal with an unrelated action, and with one that says the same.
_UNRELATED, _THE_SAME = 0.05, 0.40
_MEANS = 3.2

GOALS_KEPT = 4
"""Number of goals whose scores a scorer keeps; in use are the resident's goal and what was just said to it."""


class Scorer(Protocol):
    """Elim of Eq. 16: scores the relevance of actions for a goal, from nothing but these."""

    async def score(self, goal: str, actions: Sequence[Action], calls: ModelCalls) -> dict[Action, float] | None:
        """Score each action in [1, 5]; return None where there is no score, and nothing is eliminated.

        Args:
            goal: The resident's goal.
            actions: The action space.
            calls: The model calls of this step; all are added, also those that fail.
        """
        ...

    def get_state(self) -> dict[str, Any] | None:
        """Return the cached scores as JSON-ready data; None if the scorer has no state."""
        ...

    def set_state(self, state: Mapping[str, Any] | None) -> None:
        """Restore a state from ``get_state``, of this scorer or of another kind."""
        ...


def description(goal: str, actions: Sequence[str]) -> str:
    """Return the part of section 3.4's Desc that all actions share."""
    return f"Your task is to: {goal}. The actions you can take are: {', '.join(actions)}."


def question(action: str) -> str:
    """Return the end of section 3.4's Desc, the question that Elim answers for one action."""
    return f"The {action} will be relevant?"


def eliminate(relevance: Mapping[Action, float], threshold: float = THRESHOLD) -> tuple[Action, ...]:
    """Return the actions that remain (Eq. 16): all whose score reaches the threshold.

    Args:
        relevance: mu in [1, 5] for each action of the space, at least one.
        threshold: The threshold, in [1, 5].

    Returns:
        The actions, in the order given; at least one.

    Raises:
        ValueError: for an empty action space, a score or a threshold outside [1, 5].

    Departs from the paper: the best-scored action always stays, and so does the best-scored chat, so that a resident
    can always answer.
    """
    if not relevance:
        raise ValueError("the action space is empty; elimination needs at least one action")
    for what, value in (("threshold", threshold), *relevance.items()):
        if not LOWEST <= value <= HIGHEST:
            raise ValueError(f"{what!r} must lie in [{LOWEST:g}, {HIGHEST:g}], got {value!r}")
    chats = [one for one in relevance if one.primitive is Primitive.CHAT and one.partner is not None]
    kept = {max(relevance, key=relevance.__getitem__)}
    if chats:
        kept.add(max(chats, key=relevance.__getitem__))
    return tuple(action for action, score in relevance.items() if score >= threshold or action in kept)


class EmbeddingScorer:
    """Scores actions by sentence embeddings, without model calls.

    Departs from the paper: section 3.4 asks a language model (``ModelScorer`` does). This is the default because a
    small one answers such questions by chance (docs/models.md).

    The cosine between the goal and what the action says and makes possible is mapped to [1, 5]. An action that names a
    person, a place or a thing of the goal scores at least 4. The way out always passes, since the goal may require
    another place and the score must not depend on the current one.
    """

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        # By goal and topics of a chat, the latest last.
        self._known: dict[tuple[str, tuple[str, ...]], dict[str, float]] = {}

    async def score(self, goal: str, actions: Sequence[Action], calls: ModelCalls) -> dict[Action, float]:
        """Score the actions by embeddings, as ``Scorer.score``; no model is called and `calls` is not used."""
        people = {one.partner for one in actions if one.partner is not None and not is_numbered(one.partner)}
        names = dict.fromkeys(chain.from_iterable(map(_names, actions)))
        topics = mentioned(goal, [name for name in names if name not in people])[:2]
        known = self._known.pop((goal, topics), {})
        self._known[goal, topics] = known
        if fresh := [action for action in actions if action not in known]:
            said = [meanings(action, topics=topics, people=people) for action in fresh]
            await prefetch(self._embedder, (*sentences(goal), *chain.from_iterable(said)))
            cosines = likeness(goal, said, self._embedder)
            span = (cosines - _UNRELATED) / (_THE_SAME - _UNRELATED)
            scores = (LOWEST + (HIGHEST - LOWEST) * np.minimum(np.maximum(span, 0.0), 1.0)).tolist()
            for action, score in zip(fresh, scores, strict=True):
                known[action] = max(score, _least(goal, action, people))
        _let_go(self._known)
        return {action: known[action] for action in actions}

    def get_state(self) -> None:
        """Return None: scores can be computed again."""

    def set_state(self, state: Mapping[str, Any] | None) -> None:
        """Ignore the state: scores can be computed again."""


class ModelScorer:
    """Scores actions by a language model with the prompt of section 3.4, each action once per goal.

    By probability, the model scores "Yes" and "No" after the prompt of each action, and the probability of "Yes" is
    mapped to [1, 5]: one request for each action; what the prompts of a step share comes first and is read once. By
    digits, for servers that give no such probabilities, it writes one digit for each action, all in one request.

    Departs from the paper: by digits, one answer is about all actions, not one about each.
    """

    def __init__(self, model: LanguageModel, *, way: Way = "probability") -> None:
        self._model = model
        self._way = way
        # By goal, the latest last: that of the resident, and what was just said to it.
        self._known: dict[str, dict[str, float]] = {}
        self._failed: list[int] = []

    async def score(self, goal: str, actions: Sequence[Action], calls: ModelCalls) -> dict[Action, float] | None:
        """Score the actions by the model, as ``Scorer.score``; cached scores are not asked for again.

        After a call without a usable answer there are no scores, and it rests for 2, 4, 8, then 16 steps.
        """
        known = self._known.pop(goal, {})
        self._known[goal] = known
        fresh = [action for action in actions if action not in known]
        _let_go(self._known)
        if fresh and not await self._asked(goal, actions, fresh, known, calls):
            return None
        return {action: known[action] for action in actions}

    async def _asked(
        self, goal: str, actions: Sequence[str], fresh: Sequence[Action], known: dict[str, float], calls: ModelCalls
    ) -> bool:
        """Ask for the missing scores; return whether all are known now."""
        if rests(self._failed, calls.time):
            return False
        try:
            if self._way == "digits":
                known.update(zip(fresh, await self._by_digits(goal, actions, fresh, calls), strict=True))
            else:
                # One after another, so that a local model reuses the prefix that the prompts share.
                for action in fresh:
                    known[action] = await self._by_probability(goal, actions, action, calls)
        except ModelError as error:
            calls.add(error.call)
            self._failed = [*self._failed, calls.time]
            return False
        self._failed = []
        return True

    async def _by_probability(self, goal: str, actions: Sequence[str], action: str, calls: ModelCalls) -> float:
        prompt = f"{description(goal, actions)} {question(action)}"
        answer = await self._model.score(prompt, (" Yes", " No"), caller=calls.caller("elimination"))
        calls.add(answer.usage.call)
        yes, no = answer.values
        # The logistic function of their difference, in a form that cannot overflow.
        return LOWEST + (HIGHEST - LOWEST) * 0.5 * (1.0 + math.tanh((yes - no) / 2))

    async def _by_digits(
        self, goal: str, actions: Sequence[str], fresh: Sequence[str], calls: ModelCalls
    ) -> list[float]:
        numbered = [f"{number}. {action}" for number, action in enumerate(fresh, 1)]
        lines = ' "\\n" '.join(f'"{number}: " [1-5]' for number in range(1, len(fresh) + 1))
        answer = await self._model.generate(
            GenerateRequest(
                prompt=f"{description(goal, numbered)}\nHow relevant will each be, from 1, not at all, to 5, very?\n",
                caller=calls.caller("elimination"),
                max_tokens=8 * len(fresh),
                temperature=0.0,
                pattern=f'root ::= {lines} "\\n"?',
            )
        )
        calls.add(answer.usage.call)
        digits = re.findall(r"^\d+: ([1-5])$", answer.text.strip(), re.MULTILINE)
        if len(digits) != len(fresh):
            why = f"gave {len(digits)} scores of {len(fresh)} actions; the answer was {answer.text[:200]!r}"
            raise ModelError(f"{self._model.name} {why}", usage=answer.usage)
        return [float(digit) for digit in digits]

    def get_state(self) -> dict[str, Any]:
        """Return the cached scores of the latest goals, and the steps of failures in a row, where there are any."""
        known = {goal: dict(scores) for goal, scores in self._known.items()}
        return {"known": known, **({"failed": list(self._failed)} if self._failed else {})}

    def set_state(self, state: Mapping[str, Any] | None) -> None:
        """Restore cached scores from ``get_state``; None clears them.

        Raises:
            ValueError: for a score that is no number in [1, 5]; nothing is changed then.
        """
        known = {} if state is None else {str(goal): dict(scores) for goal, scores in state["known"].items()}
        for goal, scores in known.items():
            for action, score in scores.items():
                if not isinstance(score, int | float) or not LOWEST <= score <= HIGHEST:
                    raise ValueError(
                        f"the score of {action!r} for {goal!r} must be a number in [{LOWEST:g}, {HIGHEST:g}], got "
                        f"{score!r}; the state is damaged"
                    )
        self._failed = [] if state is None else [int(time) for time in state.get("failed", ())]
        self._known = known


def _let_go(known: dict[Any, dict[str, float]]) -> None:
    """Keep the scores for the latest goals only."""
    for old in list(known)[:-GOALS_KEPT]:
        del known[old]


def _least(goal: str, action: Action, people: Container[str]) -> float:
    """Return the minimum score of an action: higher for what the goal names, and for the way out."""
    names = _names(action)
    if speaks_of(goal, names, people) and not action.startswith("leave "):
        return 4.0
    leaves = action == "go to outside" or (action.startswith("leave ") and names[0] not in people)
    return _MEANS if leaves else LOWEST


@lru_cache(maxsize=2**16)
def _names(action: Action) -> tuple[str, ...]:
    """Return the names in an action: of a person, a place, an item and where it is taken from or put."""
    return (action.target,) if action.item is None else (action.item, action.target)
