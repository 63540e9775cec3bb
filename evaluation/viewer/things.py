"""Where things lie in each time step, as far as the residents saw it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from evaluation.records.interactions import Record


def held(record: Record) -> list[str]:
    """What a resident has in its hands when it decides."""
    return [percept["name"] for percept in record["percepts"] if percept["held"]]


class ThingsSeen:
    """Where each thing lies: where somebody sees it now, or else where somebody saw it last.

    A thing in somebody's hands lies nowhere until it is seen again.
    """

    def __init__(self, first: Mapping[str, str]) -> None:
        """Begin.

        Args:
            first: Where things lie before anybody looks: thing -> furniture.
        """
        self._lying = dict(first)

    def step(self, records: Sequence[Record]) -> dict[str, str]:
        """Look with everybody's eyes.

        Args:
            records: Of the next time step.

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
