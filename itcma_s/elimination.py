"""Reduction of the action space (section 3.4, Eq. 16): what has nothing to do with the goal is not thought through."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, Protocol

import numpy as np

from irollan_env.primitives import Chat, GoTo, Leave, Put, Refusal, Take, Use, is_chat, parse
from itcma_s.familiarity import Familiarity
from itcma_s.meanings import likeness, meanings
from itcma_s.wording import is_person
from language_models.protocol import Caller, Embedder, LanguageModel

LOWEST, HIGHEST = 1.0, 5.0
THRESHOLD = 3.0
# Cosines of a goal with an action that has nothing to do with it, and with one that says the same.
_UNRELATED, _THE_SAME = 0.05, 0.40
_MEANS = 3.2


class Scorer(Protocol):
    """Elim of Eq. 16: how relevant actions are for a goal, which is all it may depend on."""

    async def score(self, goal: str, actions: Sequence[str], *, caller: Caller) -> dict[str, float]:
        """A score in [1, 5] for each action."""
        ...

    def get_state(self) -> dict[str, Any] | None:
        """What was asked already, as JSON-ready data; None where nothing is kept."""
        ...

    def set_state(self, state: Mapping[str, Any] | None) -> None:
        """Go on from what ``get_state`` gave, of this scorer or of another kind."""
        ...


def description(goal: str, actions: Sequence[str], action: str) -> str:
    """Desc of section 3.4: the question that Elim answers for one action."""
    listed = ", ".join(actions)
    return f"Your task is to: {goal}. The actions you can take are: {listed}. The {action} will be relevant?"


def remaining(relevance: Mapping[str, float], threshold: float = THRESHOLD) -> tuple[str, ...]:
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
    chats = [action for action in relevance if is_chat(action)]
    kept = {max(relevance, key=lambda action: relevance[action])}
    if chats:
        kept.add(max(chats, key=lambda action: relevance[action]))
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

    async def score(self, goal: str, actions: Sequence[str], *, caller: Caller) -> dict[str, float]:
        """A score in [1, 5] for each action; `caller` is not used."""
        things = [name for action in actions for name in _names(action) if not is_person(name)]
        topics = Familiarity().mentioned(goal, dict.fromkeys(things))[:2]
        cosines = likeness(goal, [meanings(action, topics=topics) for action in actions], self._embedder)
        span = (cosines - _UNRELATED) / (_THE_SAME - _UNRELATED)
        scores = LOWEST + (HIGHEST - LOWEST) * np.clip(span, 0.0, 1.0)
        return {action: _named(goal, action, float(score)) for action, score in zip(actions, scores, strict=True)}

    def get_state(self) -> None:
        """Nothing is kept."""

    def set_state(self, state: Mapping[str, Any] | None) -> None:
        """Nothing is kept."""


class ModelScorer:
    """Scores by a language model with the prompt of section 3.4, every action once for as long as the goal holds.

    The model scores "yes" and "no" after the description; the probability of "yes" is mapped to [1, 5].
    """

    def __init__(self, model: LanguageModel) -> None:
        self._model = model
        self._goal = ""
        self._known: dict[str, float] = {}

    async def score(self, goal: str, actions: Sequence[str], *, caller: Caller) -> dict[str, float]:
        """A score in [1, 5] for each action.

        Raises:
            ModelError: if a call fails.
        """
        if goal != self._goal:
            self._goal, self._known = goal, {}
        for action in actions:
            if action not in self._known:
                asked = description(goal, actions, action)
                scores = await self._model.score(asked, (" Yes", " No"), caller=caller)
                yes, no = scores.values
                # The logistic function of their difference, in a form that cannot overflow.
                self._known[action] = LOWEST + (HIGHEST - LOWEST) * 0.5 * (1.0 + math.tanh((yes - no) / 2))
        return {action: self._known[action] for action in actions}

    def get_state(self) -> dict[str, Any]:
        """The scores of the goal that holds."""
        return {"goal": self._goal, "known": dict(self._known)}

    def set_state(self, state: Mapping[str, Any] | None) -> None:
        """Go on with the scores of the goal that holds; None begins without any."""
        self._goal, self._known = ("", {}) if state is None else (str(state["goal"]), dict(state["known"]))


def _named(goal: str, action: str, score: float) -> float:
    """Raise the score of what the goal names, and of the way out."""
    names = _names(action)
    if Familiarity().mentioned(goal, names) and not action.startswith("leave "):
        return max(score, 4.0)
    leaves = action == "go to outside" or (action.startswith("leave ") and not is_person(names[0]))
    if leaves:
        return max(score, _MEANS)
    return score


def _names(action: str) -> list[str]:
    """The names in an action: of a person, a place, an item and where it is taken from or put."""
    match parse(action):
        case Chat(person, _):
            return [person]
        case Put(item, target) | Take(item, target):
            return [item, target]
        case GoTo(name) | Use(name) | Leave(name):
            return [name]
        case Refusal(reason):
            raise ValueError(reason)
