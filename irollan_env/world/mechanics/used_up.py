"""Things that are used up: what was used often enough leaves the world."""

from __future__ import annotations

from typing import TYPE_CHECKING

from irollan_env.actions import Action, Primitive
from irollan_env.map.valley_map import ValleyMap
from irollan_env.world.mechanics.settings import Positive, SettledMechanic, check_name

if TYPE_CHECKING:
    from irollan_env.world.world import World

UsedUpSettings = dict[str, Positive]
"""The table ``[mechanics.used_up]``: kind of thing -> how often one can be used: ``food = 1``, ``candle = 5``."""


class UsedUp(SettledMechanic[UsedUpSettings]):
    """Takes things out of the world when they are used up; they are spare ones of their kind then."""

    name = "used_up"
    kind = UsedUpSettings

    def check(self, valley_map: ValleyMap) -> None:
        """Check the settings against a map; see ``SettledMechanic``."""
        usable = {kind.name: kind for kind in valley_map.item_kinds if kind.usable}
        for name, often in self.settings.items():
            check_name("mechanics.used_up", "kind of usable thing", name, usable)
            if usable[name].once and often > 1:
                raise ValueError(f"mechanics.used_up.{name}: {name!r} can be used once; say 1, or take 'once' off it")

    def after_action(self, world: World, resident: str, action: Action) -> str:
        """Count the use of a thing, and take it out of the world after the last one."""
        item = action.target
        if action.primitive is not Primitive.USE or item not in world.holding(resident):
            return ""
        if (uses := self.settings.get(world.kind_of(item))) is None:
            return ""
        self.kept[item] = self.kept.get(item, 0) + 1
        if self.kept[item] < uses:
            return ""
        world.remove(item, cause="used up")
        return f"The {item} is used up."

    def forget(self, item: str) -> None:
        """Forget the uses of a thing that leaves the world."""
        self.kept.pop(item, None)
