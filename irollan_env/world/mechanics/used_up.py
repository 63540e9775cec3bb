"""Things that are used up: what was used often enough leaves the world."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Any, Self

from pydantic import Field

from irollan_env.actions import Action, Primitive
from irollan_env.hints import check_known
from irollan_env.map.valley_map import ValleyMap
from irollan_env.world.mechanic import Mechanic
from irollan_env.world.mechanics.settings import read_settings

if TYPE_CHECKING:
    from irollan_env.world.world import World

UsedUpSettings = dict[str, Annotated[int, Field(ge=1)]]
"""The table ``[mechanics.used_up]``: kind of thing -> how often one can be used: ``food = 1``, ``candle = 5``."""


class UsedUp(Mechanic):
    """Takes things out of the world when they are used up; they are spare ones of their kind then."""

    name = "used_up"

    def __init__(self, uses: Mapping[str, int]) -> None:
        """Hold how often a thing of each kind can be used."""
        self.uses = dict(uses)
        self._used: dict[str, int] = {}

    @classmethod
    def from_settings(cls, settings: Mapping[str, Any], valley_map: ValleyMap) -> Self:
        """Make the mechanic from its table in a map.

        Raises:
            ValueError: for a kind that the map has not or that cannot be used, or a wrong number.
        """
        uses = read_settings(UsedUpSettings, settings, "mechanics.used_up")
        usable = {kind.name: kind for kind in valley_map.item_kinds if kind.usable}
        for name, often in uses.items():
            if usable[check_known("kind of usable thing", name, usable, "mechanics.used_up: ")].once and often > 1:
                raise ValueError(f"mechanics.used_up.{name}: {name!r} can be used once; say 1, or take 'once' off it")
        return cls(uses)

    def after_action(self, world: World, resident: str, action: Action) -> str:
        """Count the use of a thing, and take it out of the world after the last one."""
        item = action.target
        if action.primitive is not Primitive.USE or item not in world.holding(resident):
            return ""
        if (uses := self.uses.get(world.kind_of(item))) is None:
            return ""
        self._used[item] = self._used.get(item, 0) + 1
        if self._used[item] < uses:
            return ""
        del self._used[item]
        world.remove(item, cause="used up")
        return f"The {item} is used up."

    def after_step(self, world: World) -> None:
        """Forget the uses of things that left the world otherwise."""
        for change in world.changes:
            if change.what == "removed":
                self._used.pop(change.thing, None)

    def get_state(self) -> Any:
        """Return how often each thing was used."""
        return dict(self._used)

    def set_state(self, state: Any) -> None:
        """Restore how often each thing was used."""
        self._used = dict(state)
