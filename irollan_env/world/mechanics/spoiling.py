"""Spoiling: things go bad, or vanish, after so many steps."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pydantic.dataclasses import dataclass

from irollan_env.map.valley_map import ValleyMap
from irollan_env.world.mechanics.settings import CLOSED, Positive, SettledMechanic, check_name

if TYPE_CHECKING:
    from irollan_env.world.world import World


@dataclass(frozen=True, kw_only=True, config=CLOSED)
class SpoilingSettings:
    """How a kind of thing spoils: the table ``[mechanics.spoiling.KIND]``.

    Attributes:
        after: Steps after which one is spoiled, counted from its appearance or from the beginning.
        becomes: The status that it has then, which replaces the others; empty: it vanishes.
        keeps_in: Kinds of furniture in which it keeps: steps there do not count.
    """

    after: Positive
    becomes: str = ""
    keeps_in: tuple[str, ...] = ()


class Spoiling(SettledMechanic[dict[str, SpoilingSettings]]):
    """Counts the steps of each thing that spoils."""

    name = "spoiling"
    kind = dict[str, SpoilingSettings]

    def check(self, valley_map: ValleyMap) -> None:
        """Check the settings against a map; see ``SettledMechanic``."""
        for kind, one in self.settings.items():
            where = f"mechanics.spoiling.{kind}"
            check_name("mechanics.spoiling", "kind", kind, valley_map.tables.items_of)
            if one.becomes:
                check_name(f"{where}.becomes", "status", one.becomes, valley_map.statuses)
            for furniture in one.keeps_in:
                known = [each.name for each in valley_map.furniture_kinds]
                check_name(f"{where}.keeps_in", "kind of furniture", furniture, known)

    def after_step(self, world: World) -> None:
        """Let things age, and spoil those whose time has come."""
        ages = self.kept
        fresh = {change.thing for change in world.changes if change.what == "added"}
        for kind, one in self.settings.items():
            for item in world.items_of(kind):
                if item in fresh or self.kind_of(world.where_is(item)) in one.keeps_in:
                    continue
                ages[item] = ages.get(item, 0) + 1
                if ages[item] == one.after:
                    if one.becomes:
                        world.set_status(item, [one.becomes], cause="spoiled")
                    else:
                        world.remove(item, cause="spoiled")

    def forget(self, item: str) -> None:
        """Forget the age of a thing that leaves the world."""
        self.kept.pop(item, None)
