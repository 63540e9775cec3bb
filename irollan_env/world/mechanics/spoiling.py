"""Spoiling: things go bad, or vanish, after so many steps."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Any, Self

from pydantic import Field
from pydantic.dataclasses import dataclass

from irollan_env.hints import check_known
from irollan_env.map.valley_map import ValleyMap
from irollan_env.world.mechanic import Mechanic
from irollan_env.world.mechanics.settings import CLOSED, read_settings

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

    after: Annotated[int, Field(ge=1)]
    becomes: str = ""
    keeps_in: tuple[str, ...] = ()


class Spoiling(Mechanic):
    """Counts the steps of each thing that spoils."""

    name = "spoiling"

    def __init__(self, settings: Mapping[str, SpoilingSettings], valley_map: ValleyMap) -> None:
        """Hold how each kind spoils, on the map that it was checked against."""
        self.settings = dict(settings)
        self._kind_of = {piece.name: piece.kind for piece in valley_map.furniture}
        self._ages: dict[str, int] = {}

    @classmethod
    def from_settings(cls, settings: Mapping[str, Any], valley_map: ValleyMap) -> Self:
        """Make the mechanic from its table in a map.

        Raises:
            ValueError: for a wrong setting, or names that the map has not.
        """
        found: dict[str, SpoilingSettings] = read_settings(dict[str, SpoilingSettings], settings, "mechanics.spoiling")
        for kind, one in found.items():
            where = f"mechanics.spoiling.{kind}"
            check_known("kind", kind, [each.name for each in valley_map.item_kinds], "mechanics.spoiling: ")
            if one.becomes:
                check_known("status", one.becomes, valley_map.statuses, f"{where}.becomes: ")
            for furniture in one.keeps_in:
                known = [each.name for each in valley_map.furniture_kinds]
                check_known("kind of furniture", furniture, known, f"{where}.keeps_in: ")
        return cls(found, valley_map)

    def after_step(self, world: World) -> None:
        """Let things age, and spoil those whose time has come."""
        for change in world.changes:
            if change.what in ("added", "removed"):
                self._ages.pop(change.thing, None)
        fresh = {change.thing for change in world.changes if change.what == "added"}
        for kind, one in self.settings.items():
            for item in world.items_of(kind):
                if item in fresh or self._kind_of.get(world.where_is(item)) in one.keeps_in:
                    continue
                self._ages[item] = self._ages.get(item, 0) + 1
                if self._ages[item] == one.after:
                    if one.becomes:
                        world.set_status(item, [one.becomes], cause="spoiled")
                    else:
                        world.remove(item, cause="spoiled")

    def get_state(self) -> Any:
        """Return the age of each thing in steps."""
        return dict(self._ages)

    def set_state(self, state: Any) -> None:
        """Restore the ages."""
        self._ages = dict(state)
