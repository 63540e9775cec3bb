"""First sentences of replies to a question, from what the resident knows of people, places and things."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files

from irollan_env.english import noun, the, to, within
from irollan_env.naming import owner
from irollan_env.world.observation import Observation
from itcma_s.memory.familiarity import Familiarity, belongings


@dataclass(frozen=True, kw_only=True, slots=True)
class Answer:
    """One table of prompts/answers.toml: what it answers, and beginnings by what is known of the name in question."""

    heard: str
    known: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


@cache
def _answers() -> tuple[Answer, ...]:
    tables = tomllib.loads(
        files("itcma_s.deliberation.similarity_policy").joinpath("prompts/answers.toml").read_text(encoding="utf-8")
    )["answer"]
    return tuple(
        Answer(heard=table.pop("heard"), known={sort: tuple(begun) for sort, begun in table.items()})
        for table in tables
    )


def answers(heard: str, observation: Observation, familiarity: Familiarity, whom: str) -> tuple[str, ...]:
    """Return possible openings of a reply to a line.

    What they say about where somebody or something is, or where one has been, is so as far as the resident knows. What
    they say one likes, needs or will do is made up, as all talk is.

    Args:
        heard: What was said to it, as it is meant (``itcma_s.wording.meant``).
        observation: The current observation.
        familiarity: What is known: the places visited, and where people and things were seen last.
        whom: Who said it, whose house is "your house" in an answer.

    Returns:
        Openings, each a whole sentence; none if the line asks nothing that the resident could know.
    """
    me, own = observation.resident, belongings(observation)
    found: list[str] = []
    for answer in _answers():
        if not re.search(answer.heard, heard):
            continue
        for name in familiarity.spoken_of(heard):
            sort, where = _known(name, observation, familiarity)
            words = {
                "it": the(name, me, whom),
                "bare": noun(name),
                "to": to(name, me, whom),
                "there": within(where or name, me, whom),
            }
            begun = answer.known.get("own" if name in own else sort, answer.known.get(sort, ()))
            found += [text.format(**words) for text in begun if not (owner(name) and "whose {bare}" in text)]
    return tuple(dict.fromkeys(found))


def _known(name: str, observation: Observation, familiarity: Familiarity) -> tuple[str, str | None]:
    """Return the category of a name in prompts/answers.toml, and where it is."""
    if name == observation.resident:
        return "self", None
    if name in familiarity.places:
        if name == observation.place:
            return "this_place", name
        return ("place_unvisited" if familiarity.places[name] is None else "place_visited"), name
    if name in observation.holding:
        return "held", observation.place
    where = familiarity.seen.get(name)
    if name in observation.company:
        return "company", where
    if where == observation.place:
        return ("unseen" if familiarity.is_person(name) else "in_sight"), where
    return ("unseen" if where is None else "seen"), where
