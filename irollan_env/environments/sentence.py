"""A text space that vector environments in other processes can share."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, overload

import numpy as np
from gymnasium.spaces import Text
from gymnasium.vector.utils import read_from_shared_memory


class Sentence(Text):
    """``Text`` that reads from shared memory on access.

    ``gymnasium.vector.AsyncVectorEnv`` reads its shared memory once, before the first reset, and counts on getting
    arrays that change with it. For ``Text`` it gets strings, which do not: all observations would stay blank.
    """


class SharedSentences(Sequence[str]):
    """The sentences of several environments in shared memory, as they are now; a deep copy is a tuple that stays."""

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
