"""How one feels and why, in words: pleasure, arousal, dominance, the driver, and what LTRHA tells."""

from __future__ import annotations

import re
from collections.abc import Mapping

from irollan_env.world.observation import Observation
from irollan_env.world.primitives import Chat, GoTo, Leave, Put, Refusal, Take, Use, parse
from itcma_s.deliberation.plain_words import plainly
from itcma_s.emotion.feelings import in_words

_MOST_CAUSES = 2
_NOTICEABLE = 0.08
_STRONG = 0.3  # what changes in every step is told where it changes most
_TURN = 0.15  # of pleasure, from one step to the next
_URGE = 0.35
"""A driver beyond this, either way, is felt."""

_HABITS = {
    GoTo: "gone elsewhere",
    Leave: "left",
    Use: "used what was there",
    Take: "taken something",
    Put: "put down something or handed it over",
    Chat: "talked",
    Refusal: "",
}

_CAUSES = (
    (re.compile(r"^filtered$"), "you were held back"),
    (re.compile(r"^refused$"), "what you tried did not work"),
    (re.compile(r"^gained resources$"), "the others think more of you"),
    (re.compile(r"^lost resources$"), "the others think less of you"),
    (re.compile(r"^came nearer to the goal$"), "you are getting nearer to what you want"),
    (re.compile(r"^reached the goal to .*$"), "you reached what you wanted"),
    (re.compile(r"^(\w+) (spoke to|ignored) me$"), r"\1 \2 you"),
    (re.compile(r"^(\w+) answered$"), r"\1 answered you"),
    (re.compile(r"^was given (.*)$"), r"you were given \1"),
    (re.compile(r"^came to (?:the )?outside (.*)$"), r"you came outside \1"),
    (re.compile(r"^(came|met|saw) (.*)$"), r"you \1 \2"),
)


def feeling(
    emotion: tuple[float, float, float], driver: float, causes: Mapping[str, float], before: tuple[float, float, float]
) -> str:
    """How one feels, and what of the last step made it so, such as "happy and curious, since AY answered you".

    Args:
        emotion: P, A, D, each in (-1, 1).
        driver: d.
        causes: What made up this step's pleasure, signed, as ``Feelings.explanation``.
        before: P, A, D of the step before.
    """
    change = emotion[0] - before[0]
    told = sorted(
        (
            (abs(value), cause)
            for term, value in causes.items()
            if (value < 0) == (change < -_TURN)
            and (cause := _cause(term))
            and abs(value) >= (_STRONG if "resources" in term else _NOTICEABLE)
        ),
        reverse=True,
    )
    why = " and ".join(cause for _, cause in told[:_MOST_CAUSES])
    turn = "better than before" if change > _TURN else "worse than before" if change < -_TURN and why else ""
    parts = [f"You feel {in_words(emotion)}{f', {turn}' if turn else ''}{f', since {why}' if why else ''}."]
    if driver > _URGE:
        parts.append("You are restless.")
    elif driver < -_URGE:
        parts.append("You feel like taking your time.")
    return " ".join(parts)


def _cause(term: str) -> str:
    for pattern, words in _CAUSES:
        if pattern.match(term):
            return plainly(pattern.sub(words, term), "")
    return ""


def standing(observation: Observation) -> str:
    """The mood of the place, what one counts for, and what one is in the habit of; empty without the framework."""
    parts = []
    if observation.topic is not None and abs(observation.topic) >= 0.05 and observation.company:
        parts.append(f"The mood here is {_mood(observation.topic)}.")
    if observation.resources is not None:
        if observation.resources >= 5:
            parts.append("The others think much of you.")
        elif observation.resources <= -3:
            parts.append("The others take little notice of you.")
    habit = _habit(observation.habitus or {})
    return " ".join([*parts, *([f"In moments like this you have mostly {habit} before."] if habit else [])])


def _mood(topic: float) -> str:
    return "tense" if topic < -0.05 else "calm" if topic < 0.35 else "friendly" if topic < 0.65 else "lively"


def _habit(preferences: Mapping[str, float]) -> str:
    """What sort of thing one is disposed to do, where one stands out clearly; empty where none does."""
    totals: dict[str, float] = {}
    for action, probability in preferences.items():
        sort = _HABITS[type(parse(action))]
        totals[sort] = totals.get(sort, 0.0) + probability
    if len(totals) < 2:
        return ""
    best = max(totals, key=lambda sort: totals[sort])
    return best if totals[best] >= 2.0 / len(totals) else ""
