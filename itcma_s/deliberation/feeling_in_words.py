"""Emotion, driver and the quantities of LTRHA in words for prompts."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence

from irollan_env.actions import Action
from irollan_env.world.observation import Observation, mood
from itcma_s.actions import in_general
from itcma_s.deliberation.plain_words import plainly
from itcma_s.emotion.feelings import in_words

_EMOTION = ("pleasure", "arousal", "dominance")
_MOST_CAUSES = 2
_NOTICEABLE = 0.08
_STRONG = 0.3  # what changes in every step is told where it changes most
_TURN = 0.15  # of pleasure, from one step to the next
_URGES = ((1.5, "a strong urge to act"), (0.35, "an urge to act"), (-0.35, "no great urge to act"))
_NO_URGE = "a wish to rest"
_STANDINGS = (
    (5.0, "think much of you"),
    (2.0, "think well of you"),
    (-1.0, "think neither well nor ill of you"),
    (-5.0, "think little of you"),
)
_MOSTLY = 1.2  # times the share that each sort of deed would have if none were preferred

_CAUSES = (
    (re.compile(r"^filtered$"), "you were held back"),
    (re.compile(r"^refused$"), "what you tried did not work"),
    (re.compile(r"^gained resources$"), "the others think more of you"),
    (re.compile(r"^lost resources$"), "the others think less of you"),
    (re.compile(r"^came nearer to the goal$"), "you are getting nearer to what you want"),
    (re.compile(r"^reached the goal to .*$"), "you reached what you wanted"),
    (re.compile(r"^(.+) (spoke to|ignored) me$"), r"\1 \2 you"),
    (re.compile(r"^(.+) answered$"), r"\1 answered you"),
    (re.compile(r"^more (.*)$"), r"of growing \1"),
    (re.compile(r"^less (.*)$"), r"your \1 was eased"),
    (re.compile(r"^was given (.*)$"), r"you were given \1"),
    (re.compile(r"^came to (?:the )?outside (.*)$"), r"you came outside \1"),
    (re.compile(r"^(came|met|saw) (.*)$"), r"you \1 \2"),
)


def feeling(
    emotion: tuple[float, float, float],
    driver: float,
    causes: Mapping[str, float],
    before: tuple[float, float, float],
    *,
    me: str = "",
    lacks: Collection[str] = (),
) -> str:
    """Describe the emotion and its causes in the last step: "happy and curious, since AY answered you".

    Args:
        emotion: P, A, D, each in (-1, 1).
        driver: d.
        causes: The signed contributions to this step's pleasure, as ``Feelings.explanation``.
        before: P, A, D of the step before.
        me: The resident addressed as "you"; nobody by default.
        lacks: Terms to leave out, as ``Context.lacks``.

    Returns:
        A sentence; empty if both emotion and driver are left out.
    """
    change = emotion[0] - before[0]
    told = sorted(
        (
            (abs(value), cause)
            for term, value in causes.items()
            if (value < 0) == (change < -_TURN)
            and (cause := _cause(term, me))
            and abs(value) >= (_STRONG if "resources" in term else _NOTICEABLE)
        ),
        reverse=True,
    )
    why = " and ".join(cause for _, cause in told[:_MOST_CAUSES])
    turn = "better than before" if change > _TURN else "worse than before" if change < -_TURN and why else ""
    since = f", since {why}" if why else ""
    felt = felt_in_words(emotion, lacks)
    parts = [
        *([f"feel {felt}{f', {turn}' if turn else ''}{since}"] if felt else []),
        *([f"have {urge(driver)}"] if "driver" not in lacks else []),
    ]
    return f"You {', and '.join(parts)}." if parts else ""


def felt_in_words(emotion: tuple[float, float, float], lacks: Collection[str] = ()) -> str:
    """Describe P, A, D, such as "happy and curious"; a lacking term counts as 0; empty if all are lacking.

    Args:
        emotion: P, A, D, each in (-1, 1).
        lacks: As ``Context.lacks``.
    """
    if all(name in lacks for name in _EMOTION):
        return ""
    p, a, d = (0.0 if name in lacks else value for name, value in zip(_EMOTION, emotion, strict=True))
    return in_words((p, a, d))


def urge(driver: float) -> str:
    """Describe the driver d, such as "an urge to act"."""
    return next((words for least, words in _URGES if driver > least), _NO_URGE)


def _cause(term: str, me: str) -> str:
    for pattern, words in _CAUSES:
        if pattern.match(term):
            return plainly(pattern.sub(words, term), me)
    return ""


def standing(observation: Observation) -> str:
    """Describe topic, resources and habitus of LTRHA (section 4) in words; empty without LTRHA."""
    told = []
    if observation.topic is not None:
        told.append(f"the mood here is {mood(observation.topic)}")
    if observation.resources is not None:
        told.append(f"the others {_words(observation.resources, _STANDINGS, 'hardly notice you')}")
    if habit := _habit(observation.habitus or {}):
        told.append(f"in moments like this you are inclined to {habit}")
    text = "; ".join(told)
    return f"{text[:1].upper()}{text[1:]}." if told else ""


def _words(value: float, scale: Sequence[tuple[float, str]], lowest: str) -> str:
    return next((words for least, words in scale if value >= least), lowest)


def _habit(preferences: Mapping[str, float]) -> str:
    """Return the kind of action that the habitus prefers; empty if none stands out."""
    totals: dict[str, float] = {}
    for action, probability in preferences.items():
        sort = in_general(Action(action))
        totals[sort] = totals.get(sort, 0.0) + probability
    most = max(totals, key=totals.__getitem__, default="")
    return most if most and totals[most] >= _MOSTLY / len(totals) and len(totals) > 1 else ""
