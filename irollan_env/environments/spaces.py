"""Gymnasium spaces for a valley's sentences and actions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, overload

import numpy as np
from gymnasium import spaces
from gymnasium.vector.utils import read_from_shared_memory

from irollan_env.actions import LONGEST_CHAT
from irollan_env.environments.shown_text import LONGEST_GOAL, LONGEST_RESULT, UNKNOWN, VISIBLE
from irollan_env.map.tables import Tables


class Sentence(spaces.Text):
    """A ``Text`` space whose shared memory is read on access.

    ``gymnasium.vector.AsyncVectorEnv`` reads its shared memory once, before the first reset, and counts on getting
    arrays that change with it. For ``Text`` it gets strings, which do not: all observations would stay blank.
    """


class SharedSentences(Sequence[str]):
    """Live view of the sentences of several environments in shared memory; a deep copy is a fixed tuple."""

    def __init__(self, space: Sentence, memory: Any, count: int) -> None:
        self._characters = np.array(space.character_list)
        self._rows = np.frombuffer(memory.get_obj(), dtype=np.int32).reshape(count, space.max_length)

    def __len__(self) -> int:
        return len(self._rows)

    @overload
    def __getitem__(self, index: int) -> str: ...

    @overload
    def __getitem__(self, index: slice) -> tuple[str, ...]: ...

    def __getitem__(self, index: int | slice) -> str | tuple[str, ...]:
        if isinstance(index, slice):
            return tuple(self[number] for number in range(*index.indices(len(self))))
        row = self._rows[index]
        return "".join(self._characters[row[row < len(self._characters)]])

    def __deepcopy__(self, memo: dict[int, Any]) -> tuple[str, ...]:
        return tuple(self)


@read_from_shared_memory.register(Sentence)
def _read_sentences(space: Sentence, shared_memory: Any, n: int = 1) -> SharedSentences:
    return SharedSentences(space, shared_memory, n)


def sentence_space(tables: Tables) -> Sentence:
    """Return the space of sentences: keyboard and map-name characters, up to the longest possible sentence."""
    return Sentence(min_length=1, max_length=_longest_sentence(tables), charset=_characters(tables))


def full_space(tables: Tables) -> Sentence:
    """Return the space of full observations: goal, result, one message of each other resident, and the sentence."""
    name = max(len(name) for name in tables.residents)
    messages = len(tables.residents) * (len(' to : ""\n') + 2 * name + LONGEST_CHAT)
    longest = LONGEST_GOAL + LONGEST_RESULT + messages + _longest_sentence(tables)
    return Sentence(min_length=1, max_length=longest, charset=_characters(tables) | {"\n", UNKNOWN})


class AgentSpaces:
    """Observation and action spaces of all agents, created on first use; each agent has its own.

    Attributes:
        characters: The characters that observations can contain.
    """

    def __init__(self, tables: Tables, numbers: int | None, *, full: bool) -> None:
        """Set up the spaces of a map.

        Args:
            tables: The map.
            numbers: The number of action numbers; None where actions are text alone, and there is no mask.
            full: Whether agents observe goal, result and messages beside the sentence.
        """
        self._tables, self._numbers = tables, numbers
        self._texts = full_space(tables) if full else sentence_space(tables)
        self.characters = self._texts.character_set
        self._observations: dict[str, spaces.Dict | spaces.Text] = {}
        self._actions: dict[str, spaces.Discrete | spaces.Text] = {}

    def observation(self, agent: str) -> spaces.Dict | spaces.Text:
        """Return an agent's observation space."""
        if agent not in self._observations:
            self._observations[agent] = self._texts if self._numbers is None else self._with_mask(self._numbers)
        return self._observations[agent]

    def _with_mask(self, numbers: int) -> spaces.Dict:
        return spaces.Dict({"observation": self._texts, "action_mask": spaces.Box(0, 1, (numbers,), np.int8)})

    def action(self, agent: str) -> spaces.Discrete | spaces.Text:
        """Return an agent's action space."""
        if agent not in self._actions:
            numbers = self._numbers
            self._actions[agent] = action_space(self._tables) if numbers is None else spaces.Discrete(numbers)
        return self._actions[agent]

    def copy(self) -> AgentSpaces:
        """Return the same spaces with separate random generators."""
        twin = AgentSpaces.__new__(AgentSpaces)
        twin.__dict__.update(self.__dict__)
        twin._observations, twin._actions = {}, {}
        return twin


def action_space(tables: Tables) -> spaces.Text:
    """Return the space of action texts, chats included.

    The world accepts every string; the space has the characters of a keyboard and of the map's names.
    Its samples are random text, which the world rejects; choose among the admissible actions instead.
    """
    longest_name = max(len(name) for name in tables.residents)
    return spaces.Text(
        min_length=1, max_length=len('chat with : ""') + longest_name + LONGEST_CHAT, charset=_characters(tables)
    )


def _characters(tables: Tables) -> frozenset[str]:
    names = (*tables.residents, *tables.places, *tables.furniture, *tables.items, *tables.status_bit)
    return VISIBLE.union(*names)


def _longest_sentence(tables: Tables) -> int:
    """Return an upper bound on sentence length: everyone and everything in one place, in every status."""
    names = (*tables.residents, *tables.furniture, *tables.items)
    doing = len("talking with the ") + max(len(name) for name in names)
    status = max(len(phrase) for phrase in tables.status_phrase)
    furniture = max((len(name) for name in tables.furniture), default=0)
    frame = len("You are in . Looking around you, you see and . You are holding . You are .") + doing
    people = sum(len("a person named  who is , ") + len(name) + doing for name in tables.residents)
    items = sum(len("the  placed on the , ") + len(name) + furniture + status for name in tables.items)
    places = zip(tables.places, tables.bare, strict=True)
    return frame + people + items + max(len(place) + len(scene) + 2 for place, scene in places)
