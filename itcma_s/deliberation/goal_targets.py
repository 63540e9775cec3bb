"""The people and places that a goal names, and how near they are."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from irollan_env.world.observation import Observation
from itcma_s.checks import added
from itcma_s.memory.familiarity import Familiarity

_MEETING = re.compile(r"\bmeet\b.+\b(?:in|at)\b")


def nearness(goal: str, observation: Observation, familiarity: Familiarity) -> float:
    """Return the summed nearness to the people and places that a goal names, each up to 1."""
    named = targets(goal, familiarity.spoken_of(goal), observation, familiarity)
    company = observation.company
    return added(familiarity.nearness(name, observation.place, company) for name in named)


def is_meeting(goal: str, mentioned: Iterable[str], familiarity: Familiarity) -> bool:
    """Return whether a goal is to meet somebody in a named place, to go to and wait in."""
    return _MEETING.search(goal) is not None and any(name in familiarity.places for name in mentioned)


def targets(goal: str, mentioned: Sequence[str], observation: Observation, familiarity: Familiarity) -> list[str]:
    """Return the people and places that a goal names; for a meeting in a place, not the absent people."""
    people = observation.company if is_meeting(goal, mentioned, familiarity) else None
    return [
        name
        for name in mentioned
        if name in familiarity.places or (familiarity.is_person(name) and (people is None or name in people))
    ]
