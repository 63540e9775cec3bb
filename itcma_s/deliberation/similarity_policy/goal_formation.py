"""Formation of goals from perception, memory and feelings.

Nobody has a preset identity (section 5.1); the paper does not say where a personal goal comes from. Here the perceived
and known things suggest goals (prompts/goals.toml), feelings weigh them, and so does what is on one's mind: what was
just said, or where and with whom one is. One is then drawn, so that people differ.
"""

from __future__ import annotations

import math
import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from itertools import chain
from types import MappingProxyType
from typing import Any

import numpy as np

from irollan_env.naming import kind, owner
from irollan_env.world.observation import Observation
from itcma_s.deliberation.similarity_policy.goals import OWN_WISH, WISH_PATIENCE, Goal
from itcma_s.memory.familiarity import ACQUAINTED, Familiarity, belongings
from itcma_s.memory.mentions import mentioned
from itcma_s.wording import is_gone, meant
from language_models.prefetching import prefetch
from language_models.protocol import Embedder

_SLOT = re.compile(r"\{(\w+)\}")


_GOING = re.compile(r"\b(?:go|going|come|coming|visit|meet)\b")


_NOT = re.compile(r"\bnot\b|n't\b|\bnever\b")


_FEW = 3


# Of one template: more than the valley gives. In a town there are hundreds of ways to meet somebody somewhere.
_MOST_FILLINGS = 40


# A goal that says just what is on one's mind is e^2 times as likely as one that has nothing to do with it.
_INFLUENCE = 2.0
# A goal about somebody who is loved is as much likelier, and one about somebody hated as much less likely.
_LIKING = 2.0
_WISH_WEIGHT = 3.0


@dataclass(frozen=True, kw_only=True, slots=True)
class Template:
    """One line of prompts/goals.toml."""

    text: str
    weight: float
    mood: float
    done: str
    patience: int


@cache
def templates() -> tuple[Template, ...]:
    """Return the templates of goals."""
    return tuple(Template(**entry) for entry in _prompts()["goal"])


@cache
def _prompts() -> Mapping[str, Any]:
    return tomllib.loads(
        files("itcma_s.deliberation.similarity_policy").joinpath("prompts/goals.toml").read_text(encoding="utf-8")
    )


def _is(name: str, done: str) -> bool:
    """Return whether a thing is of a kind that is washed, cooked or shared."""
    return kind(name) in _prompts()["kinds"][done]


async def form(
    observation: Observation,
    familiarity: Familiarity,
    past_goals: Sequence[str],
    driver: float,
    on_my_mind: str,
    embedder: Embedder,
    generator: np.random.Generator,
    said: str = "",
    out_of_place: bool = True,
    wishes: Sequence[str] = (),
    feelings: Mapping[str, float] = MappingProxyType({}),
) -> Goal:
    """Draw a new goal from those that perception and knowledge suggest.

    Args:
        observation: The current observation.
        familiarity: Known places, people and things.
        past_goals: Goals held before, latest last; the later one was held, the less it suggests itself again.
        driver: d; a high one favours people and places, a low one rest (section 3.3).
        on_my_mind: A sentence; goals close to it are likelier.
        embedder: Measures that closeness.
        generator: Source of the draw.
        said: The resident's own last words, as others understand them; who says that it is going somewhere may want to.
        out_of_place: Whether residents ask only about things that lie out of place.
        wishes: Goals that the resident brought along, from before the run.
        feelings: What it feels about people, from -1 to 1; goals about those it likes are likelier.
    """
    filled: dict[str, Template] = {}
    conditions: dict[str, str] = {}
    weights: list[float] = []
    fillings = _Fillings(observation, familiarity, said, out_of_place)
    ages = {text: len(past_goals) - place for place, text in enumerate(past_goals)}  # 1 for the goal held last
    own = (Template(text=wish, weight=_WISH_WEIGHT, mood=0.0, done=OWN_WISH, patience=WISH_PATIENCE) for wish in wishes)
    for template in (*templates(), *own):
        suggested = template.weight * math.exp(template.mood * math.tanh(driver))
        ways = [(template.text, OWN_WISH)] if template.done == OWN_WISH else _fill(template, fillings, generator)
        options = {text: done for text, done in ways if text not in filled}
        for text, done in options.items():
            filled[text], conditions[text] = template, done
            freshness = 1.0 - math.exp(-((ages[text] / 4) ** 2)) if text in ages else 1.0
            liking = sum(feelings[who] for who in mentioned(text, feelings, feelings)) if feelings else 0.0
            weights.append(suggested * freshness * math.exp(_LIKING * liking) / len(options))
    compared = [on_my_mind, *(f"I want to {text}." for text in filled)]
    await prefetch(embedder, compared)
    vectors = embedder.embed(compared).astype(np.float64)
    chances = np.array(weights) * np.exp(_INFLUENCE * (vectors[1:] @ vectors[0]))
    texts = list(filled)
    text = texts[int(generator.choice(len(texts), p=chances / chances.sum()))]
    return Goal(text=text, done=conditions[text], since=observation.time, patience=filled[text].patience)


class _Fillings(dict[str, list[str]]):
    """Possible fillings of each template slot in the present situation, computed on first access."""

    def __init__(self, observation: Observation, familiarity: Familiarity, said: str, out_of_place: bool) -> None:
        super().__init__()
        self._observation, self._familiarity, self._said = observation, familiarity, said
        self._out_of_place = out_of_place
        self._company = observation.company
        self._items = [percept for percept in observation.percepts if percept.kind == "item" and not is_gone(percept)]
        self._things = [percept.name for percept in self._items]
        self._furniture = [percept.name for percept in observation.percepts if percept.kind == "furniture"]

    def __missing__(self, slot: str) -> list[str]:
        values = self[slot] = self._find(slot)
        return values

    def _find(self, slot: str) -> list[str]:
        observation, familiarity = self._observation, self._familiarity
        me, place, company = observation.resident, observation.place, self._company
        things, furniture = self._things, self._furniture
        match slot:
            case "stranger":
                return [name for name in company if familiarity.people.get(name, 0) < ACQUAINTED]
            case "friend":
                return [name for name in company if familiarity.people.get(name, 0) >= ACQUAINTED]
            case "person":
                return list(company)
            case "absent":
                return [name for name in familiarity.people if name not in company]
            case "expected":
                # Each is met where it said that it goes, or was seen last.
                where = {name: familiarity.seen.get(name) for name in self["absent"]}
                return [f"{name} in {there}" for name, there in where.items() if there not in (None, "outside", place)]
            case "unvisited":
                return [name for name, visit in familiarity.places.items() if visit is None and name != "outside"]
            case "home":
                return [name for name in familiarity.places if owner(name) == me and name != place]
            case "place":
                return [name for name in familiarity.places if name not in (place, "outside")]
            case "spoken_place":
                return self._spoken_of(self["place"])
            case "promised":
                going = _GOING.search(self._said) and not _NOT.search(self._said)
                return list(mentioned(self._said, self["place"])) if going else []
            case "find":
                at_hand = belongings(observation)
                nobodys = [name for name in things if owner(name) is None and name not in at_hand]
                return [name for name in nobodys if not self._out_of_place or familiarity.out_of_place(name)]
            case "lost":
                return [
                    name
                    for name in things
                    if (whose := owner(name)) not in (None, me, owner(place)) and familiarity.is_person(str(whose))
                ]
            case "thing":
                return self._spoken_of(things) or things[:_FEW]
            case "shareable":
                # What lies in somebody's house is not one's own to share.
                own = observation.holding if owner(place) not in (None, me) else things
                return [name for name in own if _is(name, "shared") and name in things][:_FEW]
            case "cookable":
                able = familiarity.knows("stoveburner")
                return [n for n in self._not_yet("hot") if able and _is(n, "cooked")][:_FEW]
            case "washable":
                able = familiarity.knows("sinkbasin")
                mine = [name for name in self._not_yet("clean") if owner(name) in (None, me)]
                return [name for name in mine if able and _is(name, "washed")][:_FEW]
            case "bed" | "chair":
                return [name for name in furniture if kind(name) == slot][:1]
            case _:
                return [name for name in things if kind(name) == slot][:_FEW]

    def _spoken_of(self, names: list[str]) -> list[str]:
        """Return the names that heard messages mention."""
        # Line by line: "LL's clothes" and "the house" in two of them are not LL's house.
        spoken = (mentioned(meant(message), names) for message in self._observation.messages)
        return list(dict.fromkeys(chain.from_iterable(spoken)))

    def _not_yet(self, status: str) -> list[str]:
        """Return the things here without this status."""
        return [percept.name for percept in self._items if status not in percept.status]


def _fill(
    template: Template, fillings: Mapping[str, list[str]], generator: np.random.Generator
) -> Iterator[tuple[str, str]]:
    """Yield fillings of a template as (text, done), no thing twice in one goal: all, or a random sample."""
    slots = _slots(template.text)
    names = [slot for slot in slots if slot != "owner"]
    choices = [fillings[slot] for slot in names]
    ways = math.prod(map(len, choices))
    if not ways:
        return
    some = generator.choice(ways, _MOST_FILLINGS, replace=False).tolist() if ways > _MOST_FILLINGS else range(ways)
    for way in sorted(some):
        values = []
        for choice in reversed(choices):  # the last slot changes quickest
            way, place = divmod(way, len(choice))
            values.append(choice[place])
        if len(set(values)) < len(values):
            continue
        filling = dict(zip(reversed(names), values, strict=True))
        if "owner" in slots:
            filling["owner"] = owner(filling["lost"]) or ""
        yield template.text.format(**filling), template.done.format(**filling)


@cache
def _slots(text: str) -> tuple[str, ...]:
    """Return the distinct slots of a template."""
    return tuple(dict.fromkeys(_SLOT.findall(text)))
