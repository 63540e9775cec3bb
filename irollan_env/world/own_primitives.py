"""Primitives of one's own: their forms, and the actions that a form allows."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import product
from typing import TYPE_CHECKING

from irollan_env.actions import HERE, RESERVED, Action
from irollan_env.hints import did_you_mean

if TYPE_CHECKING:
    from irollan_env.map.valley_map import ValleyMap
    from irollan_env.world.world import World

SLOTS: Mapping[str, Callable[[World, str], Sequence[str]]] = {
    "person": lambda world, name: [one for one in world.people_in(world.place_of(name)) if one != name],
    "item": lambda world, name: (*world.lying_in(world.place_of(name)), *world.holding(name)),
    "held": lambda world, name: world.holding(name),
    "furniture": lambda world, name: world.furniture_in(world.place_of(name)),
    HERE: lambda world, name: (HERE,),
}
"""What a slot stands for -> what fills it now, where the resident is; any other slot is a kind of thing of the map."""

_SLOT = re.compile(r"\{([^{}]*)\}")


class Form:
    """The form of a primitive of one's own, such as ``"show {item} to {person}"``.

    Attributes:
        text: The form.
        slots: What each slot stands for: one of ``SLOTS``, or a kind of thing.
        primitive: What ``Action.primitive`` is of its actions: ``"show to"``.
    """

    def __init__(self, text: object) -> None:
        """Read a form.

        Raises:
            ValueError: if it is none; the message says what was expected.
        """
        self.text = str(text)
        self.slots = tuple(_SLOT.findall(self.text))
        example = Action.parse(_SLOT.sub("[thing 1]", self.text))
        if self.text.partition(" ")[0] in RESERVED:
            raise ValueError(f"the form {self.text!r} begins like a primitive that there is; begin with another verb")
        if not isinstance(text, str) or not isinstance(example, Action):
            raise ValueError(
                f"the form of a primitive is a verb in small letters and one or two slots, as in 'show {{item}} to "
                f"{{person}}' or 'dance {{here}}', got {text!r}"
            )
        self.primitive = str(example.primitive)

    def check(self, valley_map: ValleyMap) -> None:
        """Check that the slots are known, and that names of the map can fill them.

        Raises:
            ValueError: for a slot that is neither one of ``SLOTS`` nor a kind of the map, or a name with brackets.
        """
        tables = valley_map.tables
        kinds = dict.fromkeys(tables.kind_of.values())
        for slot in self.slots:
            if slot not in SLOTS and slot not in kinds:
                hint = did_you_mean(slot, (*SLOTS, *kinds)) or f"; give {', '.join(SLOTS)}, or a kind of the map"
                raise ValueError(f"unknown slot {{{slot}}} in the form {self.text!r}{hint}")
        for name in (*tables.residents, *tables.items, *tables.furniture):
            if "[" in name or "]" in name:
                raise ValueError(f"the name {name!r} has brackets, which primitives of one's own need; rename it")

    def offers(self, world: World, resident: str) -> Iterator[Action]:
        """Yield the actions that a resident has something for in reach."""
        return self._filled([self._fillers(slot, world, resident) for slot in self.slots])

    def every(self, valley_map: ValleyMap) -> Iterator[Action]:
        """Yield all actions of this form that could ever be offered on a map."""
        return self._filled([_named(slot, valley_map) for slot in self.slots])

    def _fillers(self, slot: str, world: World, resident: str) -> Sequence[str]:
        if slot in SLOTS:
            return SLOTS[slot](world, resident)
        near = (*SLOTS["item"](world, resident), *SLOTS["furniture"](world, resident))
        return [name for name in near if world.kind_of(name) == slot]

    def _filled(self, fillers: Sequence[Sequence[str]]) -> Iterator[Action]:
        for names in product(*fillers):
            if len(set(names)) == len(names):
                rest = iter(names)
                yield Action(_SLOT.sub(lambda _, rest=rest: f"[{next(rest)}]", self.text))  # type: ignore[misc]


def _named(slot: str, valley_map: ValleyMap) -> Sequence[str]:
    """Return all that a slot could ever name on a map."""
    tables = valley_map.tables
    found: Mapping[str, Sequence[str]] = {
        "person": tables.residents,
        "item": tables.items,
        "held": tables.items,
        "furniture": tables.furniture,
        HERE: (HERE,),
    }
    return found.get(slot) or [name for name, kind in tables.kind_of.items() if kind == slot]
