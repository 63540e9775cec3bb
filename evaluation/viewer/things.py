"""Positions of things in each time step, as far as residents have seen them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from evaluation.records.interactions import Record


def held(record: Record) -> list[str]:
    """Return the things in a resident's hands when it decides."""
    return [percept["name"] for percept in record["percepts"] if percept["held"]]


class ThingsSeen:
    """Tracks where each thing was last seen by any resident.

    A thing in a resident's hands has no position until it is seen lying again.
    """

    def __init__(self, first: Mapping[str, str]) -> None:
        """Create the tracker.

        Args:
            first: Initial positions: thing -> furniture.
        """
        self._lying = dict(first)

    def step(self, records: Sequence[Record]) -> dict[str, str]:
        """Update the positions from the percepts of all residents.

        Args:
            records: Records of the next time step.

        Returns:
            Thing -> furniture.
        """
        self._lying.update(_seen(records))
        for record in records:
            for thing in held(record):
                self._lying.pop(thing, None)
        return dict(self._lying)


def _seen(records: Iterable[Mapping[str, Any]]) -> Iterable[tuple[str, str]]:
    for record in records:
        for percept in record["percepts"]:
            if percept["kind"] == "item" and percept["on"] is not None:
                yield percept["name"], percept["on"]
