"""Reduction of the action space (section 3.4, Eq. 16): what has nothing to do with the goal is not thought through."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import lru_cache
from itertools import chain
from typing import Any, Literal, Protocol

import numpy as np

from irollan_env.actions import Action, Primitive
from irollan_env.naming import is_person
from itcma_s.elimination.meanings import likeness, meanings, sentences
from itcma_s.memory.mentions import mentioned, speaks_of
from itcma_s.model_calls import ModelCalls
from itcma_s.parameters import DEFAULTS
from language_models.prefetching import prefetch
from language_models.protocol import Embedder, GenerateRequest, LanguageModel

Way = Literal["probability", "digits"]
LOWEST, HIGHEST = 1.0, 5.0
THRESHOLD = DEFAULTS.elimination_threshold
# Cosines of a goal with an action that has nothing to do with it, and with one that says the same.
_UNRELATED, _THE_SAME = 0.05, 0.40
_MEANS = 3.2

GOALS_KEPT = 4
"""For how many goals a scorer keeps its scores: that of the resident, and what was just said to it, are in use."""


class Scorer(Protocol):
    """Elim of Eq. 16: how relevant actions are for a goal, which is all it may depend on."""

    async def score(self, goal: str, actions: Sequence[Action], calls: ModelCalls) -> dict[Action, float]:
        """A score in [1, 5] for each action.

        Args:
            goal: What the resident wants.
            actions: The action space.
            calls: The model calls of this step; also where a later one fails, those before are added.

        Raises:
            ModelError: if a call fails.
        """
        ...

    def get_state(self) -> dict[str, Any] | None:
        """What was asked already, as JSON-ready data; None where nothing is kept."""
        ...

    def set_state(self, state: Mapping[str, Any] | None) -> None:
        """Go on from what ``get_state`` gave, of this scorer or of another kind."""
        ...


def description(goal: str, actions: Sequence[str]) -> str:
    """The part of section 3.4's Desc that all actions share."""
    return f"Your task is to: {goal}. The actions you can take are: {', '.join(actions)}."


def question(action: str) -> str:
    """The end of section 3.4's Desc, the question that Elim answers for one action."""
    return f"The {action} will be relevant?"


def eliminate(relevance: Mapping[Action, float], threshold: float = THRESHOLD) -> tuple[Action, ...]:
    """The actions that are left (Eq. 16): all whose score reaches the threshold.

    Args:
        relevance: mu in [1, 5] for each action of the space, at least one.
        threshold: In [1, 5].

    Returns:
        The actions, in the order given; never none of them.

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
    chats = [action for action in relevance if action.primitive is Primitive.CHAT]
    kept = {max(relevance, key=relevance.__getitem__)}
    if chats:
        kept.add(max(chats, key=relevance.__getitem__))
    return tuple(action for action, score in relevance.items() if score >= threshold or action in kept)


class EmbeddingScorer:
    """Scores by sentence embeddings: no tokens.

    Departs from the paper: section 3.4 asks a language model (``ModelScorer`` does). This is the default because a
    small one answers such questions by chance (docs/models.md).

    The cosine between the goal and what the action says and makes possible is mapped to [1, 5]. An action that names a
    person, a place or a thing of the goal scores at least 4. The way out always passes: what the goal needs may have to
    be reached, and the score may not depend on where one is.
    """

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        # By goal and what a talk may be about, the latest last.
        self._known: dict[tuple[str, tuple[str, ...]], dict[str, float]] = {}

    async def score(self, goal: str, actions: Sequence[Action], calls: ModelCalls) -> dict[Action, float]:
        """See ``Scorer.score``; no model is called, so that `calls` is not used."""
        topics = mentioned(goal, dict.fromkeys(chain.from_iterable(map(_things, actions))))[:2]
        known = self._known.pop((goal, topics), {})
        self._known[goal, topics] = known
        if fresh := [action for action in actions if action not in known]:
            said = [meanings(action, topics=topics) for action in fresh]
            await prefetch(self._embedder, (*sentences(goal), *chain.from_iterable(said)))
            cosines = likeness(goal, said, self._embedder)
            span = (cosines - _UNRELATED) / (_THE_SAME - _UNRELATED)
            scores = (LOWEST + (HIGHEST - LOWEST) * np.minimum(np.maximum(span, 0.0), 1.0)).tolist()
            for action, score in zip(fresh, scores, strict=True):
                known[action] = max(score, _least(goal, action))
        _let_go(self._known)
        return {action: known[action] for action in actions}

    def get_state(self) -> None:
        """Nothing is saved: scores can be computed again."""

    def set_state(self, state: Mapping[str, Any] | None) -> None:
        """Nothing is saved: scores can be computed again."""


class ModelScorer:
    """Scores by a language model with the prompt of section 3.4, each action once for a goal.

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

    async def score(self, goal: str, actions: Sequence[Action], calls: ModelCalls) -> dict[Action, float]:
        """See ``Scorer.score``; those that have a score already are not asked about."""
        known = self._known.pop(goal, {})
        self._known[goal] = known
        if fresh := [action for action in actions if action not in known]:
            if self._way == "digits":
                known.update(zip(fresh, await self._by_digits(goal, actions, fresh, calls), strict=True))
            else:
                # One after another: the slot of a local model that has read what the prompts share goes on with it.
                for action in fresh:
                    known[action] = await self._by_probability(goal, actions, action, calls)
        _let_go(self._known)
        return {action: known[action] for action in actions}

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
        return [float(line[-1]) for line in answer.text.strip().splitlines()]

    def get_state(self) -> dict[str, Any]:
        """The scores of the goals that hold."""
        return {"known": {goal: dict(scores) for goal, scores in self._known.items()}}

    def set_state(self, state: Mapping[str, Any] | None) -> None:
        """Go on with the scores of the goals that hold; None begins without any.

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
        self._known = known


def _let_go(known: dict[Any, dict[str, float]]) -> None:
    """Keep the scores for the latest goals only."""
    for old in list(known)[:-GOALS_KEPT]:
        del known[old]


def _least(goal: str, action: Action) -> float:
    """The score that an action has at least: more for what the goal names, and for the way out."""
    names = _names(action)
    if speaks_of(goal, names) and not action.startswith("leave "):
        return 4.0
    leaves = action == "go to outside" or (action.startswith("leave ") and not is_person(names[0]))
    return _MEANS if leaves else LOWEST


@lru_cache(maxsize=2**16)
def _names(action: Action) -> tuple[str, ...]:
    """The names in an action: of a person, a place, an item and where it is taken from or put."""
    return (action.target,) if action.item is None else (action.item, action.target)


@lru_cache(maxsize=2**16)
def _things(action: Action) -> tuple[str, ...]:
    """The names in an action that are not people's."""
    return tuple(name for name in _names(action) if not is_person(name))
