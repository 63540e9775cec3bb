"""The Gymnasium spaces of a valley's sentences and actions."""

from __future__ import annotations

import string

import numpy as np
from gymnasium import spaces

from irollan_env.environments.sentence import Sentence
from irollan_env.map.tables import Tables
from irollan_env.world.primitives import LONGEST_CHAT

_KEYBOARD = frozenset(string.ascii_letters + string.digits + string.punctuation + " ")


def sentence_space(tables: Tables) -> Sentence:
    """All sentences: the keyboard's characters and those of the map's names, as long as a sentence can get."""
    return Sentence(min_length=1, max_length=_longest_sentence(tables), charset=_characters(tables))


class AgentSpaces:
    """The spaces of a society, made when they are asked for: each agent has its own, and samples by itself."""

    def __init__(self, tables: Tables, numbers: int | None, *, text_only: bool) -> None:
        """Spaces of a map.

        Args:
            tables: The map.
            numbers: How many numbers actions have; None where they are text alone.
            text_only: Whether agents observe sentences alone, without a mask of so many numbers.
        """
        self._tables, self._numbers, self._text_only = tables, numbers, text_only
        self._sentences = sentence_space(tables)
        self._observations: dict[str, spaces.Dict | spaces.Text] = {}
        self._actions: dict[str, spaces.Discrete | spaces.Text] = {}

    def observation(self, agent: str) -> spaces.Dict | spaces.Text:
        """What an agent observes."""
        if agent not in self._observations:
            self._observations[agent] = self._sentences if self._text_only else self._with_mask()
        return self._observations[agent]

    def _with_mask(self) -> spaces.Dict:
        mask = spaces.Box(0, 1, (self._numbers or 0,), np.int8)
        return spaces.Dict({"sentence": self._sentences, "action_mask": mask})

    def action(self, agent: str) -> spaces.Discrete | spaces.Text:
        """What an agent can answer."""
        if agent not in self._actions:
            numbers = self._numbers
            self._actions[agent] = action_space(self._tables) if numbers is None else spaces.Discrete(numbers)
        return self._actions[agent]

    def copy(self) -> AgentSpaces:
        """The same spaces with generators of their own."""
        twin = AgentSpaces.__new__(AgentSpaces)
        twin.__dict__.update(self.__dict__)
        twin._observations, twin._actions = {}, {}
        return twin


def action_space(tables: Tables) -> spaces.Text:
    """Actions as text, chats included.

    The world takes every string; the space names the characters that a keyboard has and those of the map's names.
    What it samples is noise, which the world refuses: choose among the admissible actions instead.
    """
    longest_name = max(len(name) for name in tables.residents)
    return spaces.Text(
        min_length=1, max_length=len('chat with : ""') + longest_name + LONGEST_CHAT, charset=_characters(tables)
    )


def _characters(tables: Tables) -> frozenset[str]:
    names = (*tables.residents, *tables.places, *tables.furniture, *tables.items, *tables.status_bit)
    return _KEYBOARD.union(*names)


def _longest_sentence(tables: Tables) -> int:
    """An upper bound: everyone and everything in one place, all of it in every status and described at length."""
    names = (*tables.residents, *tables.furniture, *tables.items)
    doing = len("talking with the ") + max(len(name) for name in names)
    status = max(len(phrase) for phrase in tables.status_phrase)
    furniture = max((len(name) for name in tables.furniture), default=0)
    frame = len("You are in . Looking around you, you see and . You are holding . You are .") + doing
    people = sum(len("a person named  who is , ") + len(name) + doing for name in tables.residents)
    items = sum(len("the  placed on the , ") + len(name) + furniture + status for name in tables.items)
    places = zip(tables.places, tables.bare, strict=True)
    return frame + people + items + max(len(place) + len(scene) + 2 for place, scene in places)
