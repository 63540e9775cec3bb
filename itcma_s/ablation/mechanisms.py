"""The mechanisms of sections 3 and 4 that can influence a decision, and how to remove or replace each.

A replacement takes the mechanism's content from another moment of the same resident. It carries no information about
the present but is as large and as varied, so that its effect measures what the mechanism's mere presence does.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace

import numpy as np

from irollan_env.hints import did_you_mean
from irollan_env.world.observation import Observation
from itcma_s.ablation.decision_inputs import NO_CHANGE, DecisionInputs

_EMOTION = frozenset({"pleasure", "arousal", "dominance"})
Removed = Callable[[DecisionInputs], DecisionInputs]
Replaced = Callable[[DecisionInputs, DecisionInputs, np.random.Generator], DecisionInputs]


@dataclass(frozen=True, kw_only=True, slots=True)
class Mechanism:
    """A mechanism that can influence a decision, with the functions that remove or replace it.

    Attributes:
        name: Name in tables and configurations.
        section: Section of the paper; empty for this project's own.
        there: Returns whether the mechanism contributes anything to a decision.
        removed: Returns the decision inputs without it.
        replaced: Returns the decision inputs with its content from another moment; None where that is meaningless.
    """

    name: str
    section: str
    there: Callable[[DecisionInputs], bool]
    removed: Removed
    replaced: Replaced | None = None


def _imagination(given: DecisionInputs, other: DecisionInputs, generator: np.random.Generator) -> DecisionInputs:
    return replace(given, imagination=other.imagination)


def _activated(given: DecisionInputs, other: DecisionInputs, generator: np.random.Generator) -> DecisionInputs:
    return replace(given, activated=other.activated)


def _without_memory(given: DecisionInputs) -> DecisionInputs:
    return replace(given, memories=(), activated=(), imagination=given.present)


def _memory(given: DecisionInputs, other: DecisionInputs, generator: np.random.Generator) -> DecisionInputs:
    return replace(given, memories=other.memories, activated=other.activated, imagination=other.imagination)


def _retention(given: DecisionInputs, other: DecisionInputs, generator: np.random.Generator) -> DecisionInputs:
    """Replace retention by that of another moment, with its frame times shifted to end at the present."""
    begin = given.observation.time - len(other.retention)
    frames = tuple(replace(frame, time=begin + n) for n, frame in enumerate(other.retention) if begin + n >= 0)
    return replace(given, retention=frames)


def _emotion(given: DecisionInputs, other: DecisionInputs, generator: np.random.Generator) -> DecisionInputs:
    return replace(given, emotion=other.emotion, causes=other.causes)


def _as_itcma_felt(given: DecisionInputs) -> DecisionInputs:
    """Replace Eq. 10 and 12 by ITCMA's own pleasure and dominance, for the present and for each activated memory.

    ITCMA updates pleasure from the previous step, P = 2 tanh(2 (P + 1) + score) - 1, with the score of a task: without
    a task it is 0.93 after one step and 0.998 from the second on, whatever happens. Its dominance is Eq. 12 rescaled
    from [0, 1] to [-1, 1], and 0 where nothing was predicted. Its arousal is Eq. 11 rescaled likewise; the arousal
    predicted for an action would be rescaled too, so arousal is left unchanged.
    """
    activated = tuple(
        replace(one, pleasure=_itcma_pleasure(one.last_time), dominance=_itcma_dominance(one.dominance))
        for one in given.activated
    )
    _, a, d = given.emotion
    emotion = (_itcma_pleasure(given.observation.time), a, _itcma_dominance(d))
    return replace(given, emotion=emotion, activated=activated, causes={})


def _itcma_pleasure(time: int) -> float:
    p = 0.0
    for _ in range(min(time, 8)):  # converged by then
        p = 2.0 * math.tanh(2.0 * (p + 1.0)) - 1.0
    return p


def _itcma_dominance(dominance: float) -> float:
    return 2.0 * dominance - 1.0 if dominance else 0.0


def _driver(given: DecisionInputs, other: DecisionInputs, generator: np.random.Generator) -> DecisionInputs:
    return replace(given, driver=other.driver)


def _elimination(given: DecisionInputs, other: DecisionInputs, generator: np.random.Generator) -> DecisionInputs:
    return replace(given, eliminated_for=other.goal)


def _protention(given: DecisionInputs, other: DecisionInputs, generator: np.random.Generator) -> DecisionInputs:
    return replace(given, expects=int(generator.integers(2**31)))


def _under(given: DecisionInputs, observation: Observation) -> DecisionInputs:
    """Set an observation with another topic or other resources, and recompute the habitus where there is one."""
    if observation.habitus is not None:
        observation = replace(observation, habitus=given.habitus_of(observation))
    return replace(given, observation=observation)


def _topic(given: DecisionInputs, other: DecisionInputs, generator: np.random.Generator) -> DecisionInputs:
    return _under(given, replace(given.observation, topic=other.observation.topic))


def _resources(given: DecisionInputs, other: DecisionInputs, generator: np.random.Generator) -> DecisionInputs:
    return _under(given, replace(given.observation, resources=other.observation.resources))


def _without_habitus(given: DecisionInputs) -> DecisionInputs:
    return replace(given, observation=replace(given.observation, habitus=None))


def _habitus(given: DecisionInputs, other: DecisionInputs, generator: np.random.Generator) -> DecisionInputs:
    """Permute the tendencies among the actions of this moment, since another moment has other actions."""
    habitus: Mapping[str, float] = given.observation.habitus or {}
    dealt = dict(zip(habitus, generator.permutation(list(habitus.values())).tolist(), strict=True))
    return replace(given, observation=replace(given.observation, habitus=dealt))


def _without_needs(given: DecisionInputs) -> DecisionInputs:
    """Take from the observation the needs, and the sentences with which they end it."""
    seen, notices = given.observation, dict(given.observation.notices)
    sentence = seen.sentence
    for said in notices.pop("needs", ()):
        sentence = sentence.replace(f" {said}", "", 1)
    return replace(given, observation=replace(seen, needs={}, notices=notices, sentence=sentence))


def _needs(given: DecisionInputs, other: DecisionInputs, generator: np.random.Generator) -> DecisionInputs:
    bare = _without_needs(given).observation
    said = other.observation.notices.get("needs", ())
    notices = {**bare.notices, **({"needs": said} if said else {})}
    sentence = " ".join([bare.sentence, *said])
    return replace(given, observation=replace(bare, needs=other.observation.needs, notices=notices, sentence=sentence))


def _term(name: str, place: int) -> Mechanism:
    """Make the mechanism of pleasure, arousal or dominance alone, which is number `place` of the emotion."""

    def without(given: DecisionInputs) -> DecisionInputs:
        return replace(given, lacks=given.lacks | {name})

    def of_another(given: DecisionInputs, other: DecisionInputs, generator: np.random.Generator) -> DecisionInputs:
        p, a, d = (other.emotion[n] if n == place else value for n, value in enumerate(given.emotion))
        return replace(given, emotion=(p, a, d))

    return Mechanism(
        name=name,
        section="3.3",
        there=lambda given: given.emotion[place] != 0.0 and name not in given.lacks,
        removed=without,
        replaced=of_another,
    )


MECHANISMS: tuple[Mechanism, ...] = (
    Mechanism(
        name="imagination",
        section="3.2, Eq. 5",
        there=lambda given: given.imagination is not given.present,
        removed=lambda given: replace(given, imagination=given.present),
        replaced=_imagination,
    ),
    Mechanism(
        name="activated memory",
        section="3.2, M",
        there=lambda given: bool(given.activated),
        removed=lambda given: replace(given, activated=()),
        replaced=_activated,
    ),
    Mechanism(
        name="all of long-term memory",
        section="3.2",
        there=lambda given: bool(given.memories),
        removed=_without_memory,
        replaced=_memory,
    ),
    Mechanism(
        name="retention",
        section="3.1, Eq. 6",
        there=lambda given: bool(given.retention),
        removed=lambda given: replace(given, retention=()),
        replaced=_retention,
    ),
    Mechanism(
        name="protention",
        section="3.1, Eq. 7",
        there=lambda given: True,
        removed=lambda given: replace(given, expects=NO_CHANGE),
        replaced=_protention,
    ),
    Mechanism(
        name="emotion",
        section="3.3, Eq. 10-12",
        there=lambda given: any(given.emotion) and not given.lacks >= _EMOTION,
        removed=lambda given: replace(given, lacks=given.lacks | _EMOTION, causes={}),
        replaced=_emotion,
    ),
    _term("pleasure", 0),
    _term("arousal", 1),
    _term("dominance", 2),
    Mechanism(
        name="what it is felt about",
        section="3.3",
        there=lambda given: bool(given.causes),
        removed=lambda given: replace(given, causes={}),
        replaced=lambda given, other, generator: replace(given, causes=other.causes),
    ),
    Mechanism(
        name="driver",
        section="3.3, Eq. 13-15",
        there=lambda given: given.driver != 0.0,
        removed=lambda given: replace(given, driver=0.0, lacks=given.lacks | {"driver"}),
        replaced=_driver,
    ),
    Mechanism(
        name="elimination",
        section="3.4, Eq. 16",
        there=lambda given: given.eliminates and given.eliminated,
        removed=lambda given: replace(given, eliminates=False),
        replaced=_elimination,
    ),
    Mechanism(
        name="needs",
        section="",
        there=lambda given: any(given.observation.needs.values()),
        removed=_without_needs,
        replaced=_needs,
    ),
    Mechanism(
        name="topic",
        section="4.1, Eq. 17",
        there=lambda given: bool(given.observation.topic),
        removed=lambda given: _under(given, replace(given.observation, topic=None)),
        replaced=_topic,
    ),
    Mechanism(
        name="resources",
        section="4.2",
        there=lambda given: given.observation.resources is not None,
        removed=lambda given: _under(given, replace(given.observation, resources=None)),
        replaced=_resources,
    ),
    Mechanism(
        name="habitus",
        section="4.3",
        there=lambda given: len(set((given.observation.habitus or {}).values())) > 1,
        removed=_without_habitus,
        replaced=_habitus,
    ),
)
"""Every mechanism of sections 3 and 4 that reaches a decision, pleasure, arousal and dominance by themselves, and the
needs that a map's mechanics add."""

MECHANISM_NAMES = tuple(mechanism.name for mechanism in MECHANISMS)
"""Names that ``mind.ablate`` of a run's configuration accepts; each is removed from every decision."""

DRAWN_ANEW = Mechanism(
    name="nothing: drawn anew",
    section="",
    there=lambda given: True,
    removed=lambda given: replace(given, draws=given.observation.time),
)
"""The baseline for chance: the same decision with another random generator."""


AS_ITCMA_FELT = Mechanism(
    name="Eq. 10-12 for ITCMA's own",
    section="3.3, Eq. 10-12",
    there=lambda given: any(given.emotion),
    removed=_as_itcma_felt,
)
"""The effect of Eq. 10-12: the same decision with the emotion that ITCMA's own code computes instead."""


def find_mechanisms(names: Iterable[str]) -> tuple[Mechanism, ...]:
    """Return the named mechanisms, each once, in the order of ``MECHANISMS``.

    Raises:
        ValueError: for an unknown name.
    """
    known = {mechanism.name: mechanism for mechanism in MECHANISMS}
    asked = set(names)
    if unknown := sorted(asked - set(known)):
        hint = did_you_mean(unknown[0], known)
        raise ValueError(f"unknown mechanism {unknown[0]!r}: it must be one of {', '.join(known)}{hint}")
    return tuple(mechanism for mechanism in MECHANISMS if mechanism.name in asked)
