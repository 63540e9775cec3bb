"""Concordia's memory bank, saved as what it remembers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from concordia.associative_memory.basic_associative_memory import AssociativeMemoryBank


class Memories(AssociativeMemoryBank):  # type: ignore[misc]
    """The same bank, whose state is its texts.

    Concordia saves Python's hashes, which differ from process to process, so that what was remembered would be
    remembered twice; and vectors as text, which are not the same when they are read. Both follow from the texts.
    """

    def get_state(self) -> dict[str, Any]:
        """The texts, in order."""
        return {"texts": list(self.get_all_memories_as_text())}

    def set_state(self, state: Mapping[str, Any]) -> None:
        """Remember these texts, in an empty bank.

        Raises:
            ValueError: if there is something in it.
        """
        if len(self):
            raise ValueError(f"memories are restored into an empty bank, and this one has {len(self)}")
        self.extend(state["texts"])
