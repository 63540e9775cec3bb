"""Protention (Eq. 7): the field and the sentence that are predicted to follow an action."""

from __future__ import annotations

import re
from collections.abc import Callable, Container, Iterable, Sequence
from functools import cache, lru_cache
from itertools import islice
from typing import Literal, NamedTuple, Protocol

from irollan_env.actions import Action, Primitive
from irollan_env.english import noun
from irollan_env.naming import kind
from irollan_env.world.observation import Observation
from itcma_s.fields.name_table import NameTable
from itcma_s.fields.phenomenal_field import Field
from itcma_s.memory.channel import Moment
from itcma_s.wording import what_it_is_like

Source = Literal["rule", "memory", "model", "learned"]
_MOST_NAMES = 4
_BETWEEN = re.compile(r",? and |, ")


class Protention(NamedTuple):
    """The predicted outcome of one action.

    Attributes:
        action: The action.
        sentence: The prediction in words, in the first person.
        foresee: Computes the predicted field.
        place: The place after the action.
        company: The people predicted to be there.
        source: The source of the prediction; for an action that stays in the place, the source of its sentence.
        imagine: Computes the field predicted from the imagination instead of the present; None if it is the same.
    """

    action: Action
    sentence: str
    foresee: Callable[[], Field]
    place: str
    company: tuple[str, ...]
    source: Source
    imagine: Callable[[], Field] | None = None

    @property
    def field(self) -> Field:
        """The predicted field, computed on access."""
        return self.foresee()


def names_of(observation: Observation) -> list[str]:
    """Return the names of what is seen, and of what protention may need for places never seen."""
    names, here = [percept.name for percept in observation.percepts], observation.place
    places, sight = {destination(action, here) for action in observation.admissible}, frozenset(names)
    ahead = sorted(place for place in places if place is not None)
    return [*names, *(way_back(way_to(place, sight), place, here) or place for place in ahead)]


def way_back(way: str | None, place: str, here: str) -> str:
    """Return the door or road that leads back from a place; empty if the way there is not in sight."""
    return "" if way is None else way.removesuffix(place) + here


def way_to(place: str, names: Container[str]) -> str | None:
    """Return the visible door or road that leads to a place; None if there is none."""
    for way in (f"door to {place}", f"road to {place}"):
        if way in names:
            return way
    return None


@cache
def being_in(place: str) -> str:
    """Return the words for being in another place."""
    like = what_it_is_like(place)
    return f"I am {'outside' if place == 'outside' else f'in {place}'}" + (f", {like}" if like else "")


def finding(begin: str, names: Iterable[str]) -> str:
    """Return the sentence for a place, with the first names that are informative."""
    told = (name for name in dict.fromkeys(names) if not is_fixture(name))
    found = ", ".join(map(noun, islice(told, _MOST_NAMES)))
    return f"{begin}; there I may find {found}." if found else f"{begin}."


def without(text: str, names: Iterable[str]) -> str:
    """Remove from a description of a place the parts that contain any of the names."""
    named = [re.compile(rf"(?<!\w){re.escape(name)}(?!\w|'s)") for name in names]
    if not any(name.search(text) for name in named):
        return text
    parts = _BETWEEN.split(text.rstrip("."))
    kept = [part.removeprefix("with ") for part in parts if not any(name.search(part) for name in named)]
    return f"{', '.join(kept)}." if kept else ""


@lru_cache(maxsize=2**16)
def destination(action: Action, here: str) -> str | None:
    """Return the place that an action leads to; None if it does not leave the place."""
    if action.primitive is Primitive.GO_TO:
        return action.target
    return "outside" if action.primitive is Primitive.LEAVE and action.target == here else None


@cache
def is_fixture(name: str) -> bool:
    """Return whether a name is a door or furniture, which tell no more about a place than its name."""
    return name.startswith("door to ") or kind(name) in (
        "table", "chair", "bed", "bookshelf", "countertop", "foodshelf", "sinkbasin", "storagebin", "stoveburner",
        "wardrobe", "nightstand",
    )  # fmt: skip


class Forecaster(Protocol):
    """Predicts fields where neither the geometric rule nor memory says anything, without asking the language model.

    Attributes:
        name: Name in configurations and tables.
    """

    name: str

    def forecast(self, moment: Moment, actions: Sequence[Action], table: NameTable) -> list[Field | None]:
        """Predict the field that follows each action.

        Args:
            moment: The present channel, imagination and driver.
            actions: Actions of the six primitives.
            table: The name table of the moment's fields; names of predicted objects are added.

        Returns:
            One field per action, the most probable object first; None without a prediction, to use the next source.

        Raises:
            ValueError: for a text that is none of the six primitives.
        """
        ...
