"""Fixed numbering of all actions of a valley, for learners with discrete actions and masks."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from irollan_env.map.tables import NOWHERE, Tables

WAIT = "wait"
"""The text of action 0, waiting, which is always possible."""


MOST_ACTIONS = 1_000_000
"""Largest size of a catalogue; items times furniture makes it grow with the square of the map's size."""


def at_least(tables: Tables) -> int:
    """Return a lower bound on a map's number of actions: item-receptacle pairs, taken and put, and handing over."""
    return len(tables.items) * (2 * sum(tables.receptacle) + len(tables.residents))


class Catalogue:
    """Numbering of all actions that could ever be admissible in one valley; fixed across steps.

    Attributes:
        actions: The texts by number; number 0 is ``"wait"``, and a chat is ``"chat with LL: ..."``.
        numbers: The numbers by text.

    Raises:
        ValueError: for a map with more than ``MOST_ACTIONS`` of them.
    """

    def __init__(self, tables: Tables, further: Iterable[str] = ()) -> None:
        """Number the actions of a map, and after them further ones, such as those that mechanics offer."""
        if (count := at_least(tables)) > MOST_ACTIONS:
            raise ValueError(
                f"map {tables.map_name!r} has more than {count:,} actions; at most {MOST_ACTIONS:,} can be numbered. "
                "Number those that are admissible instead, as parallel_env(slots=64) does"
            )
        self.actions = tuple(dict.fromkeys((WAIT, *_every_action(tables), *further)))
        self.numbers = {action: number for number, action in enumerate(self.actions)}

    def __len__(self) -> int:
        return len(self.actions)

    def action(self, number: int) -> str | None:
        """Return the action with a number, as ``World.step`` takes it: None for waiting.

        Raises:
            ValueError: for a number outside [0, len(catalogue)).
        """
        if not 0 <= number < len(self.actions):
            raise ValueError(f"an action's number must lie in [0, {len(self.actions) - 1}], got {number}")
        return self.actions[number] if number else None

    def mask(self, admissible: Iterable[str]) -> NDArray[np.int8]:
        """Return a mask of shape ``(len(catalogue),)``: 1 for waiting and the given actions, 0 otherwise.

        Raises:
            KeyError: for a text that is no action of this valley.
        """
        mask = bytearray(len(self.actions))  # filled one by one, faster than numpy takes a list of numbers
        mask[0] = 1
        try:
            for number in map(self.numbers.__getitem__, admissible):
                mask[number] = 1
        except KeyError as error:
            raise KeyError(
                f"{error.args[0]!r} has no number; the mechanic that offers it must name it in every_action"
            ) from None
        return np.frombuffer(mask, dtype=np.int8)


def _every_action(tables: Tables) -> Iterable[str]:
    pieces = range(len(tables.furniture))
    receptacles = [tables.furniture[f] for f in pieces if tables.receptacle[f]]
    yield from (f"go to {place}" for place in tables.places)
    yield from (f"leave {place}" for place, out in zip(tables.places, tables.way_out, strict=True) if out != NOWHERE)
    yield from tables.leave_person
    yield from (tables.leave_furniture[f] for f in pieces if tables.usable[f])
    yield from tables.chat_with
    yield from (f"take {item} from {source}" for item in tables.items for source in receptacles)
    targets = (*tables.residents, *receptacles)
    yield from (f"put {item} in/on {target}" for item in tables.items for target in targets)
    yield from (tables.use_furniture[f] for f in pieces if tables.usable[f])
    useful = (usable or heavy for usable, heavy in zip(tables.item_usable, tables.heavy, strict=True))
    yield from (text for text, of_use in zip(tables.use_item, useful, strict=True) if of_use)
