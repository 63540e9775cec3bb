"""Ledger of a run: its records, and the initial and final states of the world."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from evaluation.records.records import Record
from irollan_env.actions import Action, Primitive
from irollan_env.map.valley_map import ValleyMap
from irollan_env.naming import owner

State = Mapping[str, Any]


@dataclass(frozen=True, kw_only=True, slots=True)
class Ledger:
    """A run's records and world states, from which outcomes are computed.

    Attributes:
        records: One per resident and step, in order.
        before: Initial state of the world.
        after: Final state of the world.
        focal: Residents whose minds are evaluated.
        valley_map: The map.
    """

    records: Sequence[Record]
    before: State
    after: State
    focal: Sequence[str]
    valley_map: ValleyMap

    @property
    def residents(self) -> Sequence[str]:
        """All residents."""
        return self.valley_map.tables.residents

    def of(self, resident: str) -> list[Record]:
        """Return the records of a resident, in order."""
        return [record for record in self.records if record["resident"] == resident]

    def place_of_item(self, state: State, item: str) -> str:
        """Return the place of an item, held or lying.

        Args:
            state: State of the world, ``before`` or ``after``.
            item: Its name.

        Returns:
            The place of its holder, or of the furniture that it lies on.
        """
        holder = self.holder(state, item)
        if holder is not None:
            return next(str(place) for place, people in state["people"].items() if holder in people)
        tables = self.valley_map.tables
        return str(tables.places[tables.place_of_furniture[tables.furniture_number[state["items"][item]["on"]]]])

    def holder(self, state: State, item: str) -> str | None:
        """Return the holder of an item.

        Args:
            state: State of the world, ``before`` or ``after``.
            item: Its name.

        Returns:
            The resident; None if nobody holds it.
        """
        return next((str(name) for name, one in state["residents"].items() if item in one["holding"]), None)

    def is_with(self, state: State, item: str, resident: str) -> bool:
        """Check whether a resident holds an item or has it at home.

        Args:
            state: State of the world, ``before`` or ``after``.
            item: Its name.
            resident: Its name.
        """
        holder = self.holder(state, item)
        return holder == resident or (holder is None and owner(self.place_of_item(state, item)) == resident)

    def eaten(self, resident: str) -> int:
        """Count the pieces of food that a resident ate."""
        done = [Action(record["action"]) for record in self._executed(resident)]
        return sum(action.primitive is Primitive.USE and action.target.startswith("food ") for action in done)

    def handed_to(self, resident: str) -> list[Record]:
        """Find the records of an item being handed to a resident."""
        return [
            record
            for name in self.residents
            for record in self._executed(name)
            if (action := Action(record["action"])).primitive is Primitive.PUT and action.target == resident
        ]

    def _executed(self, resident: str) -> list[Record]:
        return [one for one in self.of(resident) if one["outcome"] == "executed" and one["action"] is not None]
