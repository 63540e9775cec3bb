"""Mechanics by name, made from a map's settings."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import Any

from irollan_env.hints import check_known
from irollan_env.map.valley_map import ValleyMap
from irollan_env.world.mechanic import Mechanic

MECHANICS: Mapping[str, str] = {
    "calendar": "calendar:Calendar",
    "access": "access:Access",
    "trade": "trade:Trade",
    "recipes": "recipes:Recipes",
    "notices": "notices:Notices",
    "votes": "votes:Votes",
    "needs": "needs:Needs",
    "growth": "growth:Growth",
    "spoiling": "spoiling:Spoiling",
    "used_up": "used_up:UsedUp",
    # The last, so that conditions read what the others leave.
    "events": "events:Events",
}
"""Name -> module and class; a module is imported where a map names its mechanic, as most maps name none."""


def find_mechanic(name: str) -> Any:
    """Return the class of a shipped mechanic.

    Raises:
        ValueError: for a name that there is not.
    """
    module, _, kind = MECHANICS[check_known("mechanic", name, MECHANICS)].partition(":")
    return getattr(import_module(f"{__package__}.{module}"), kind)


def make_mechanics(valley_map: ValleyMap) -> list[Mechanic]:
    """Make the mechanics that a map names, in the order of ``MECHANICS``.

    Raises:
        ValueError: for an unknown mechanic or setting, or one that does not fit the map; it names the key.
    """
    for name in valley_map.mechanics:
        check_known("mechanic", name, MECHANICS, "mechanics: ")
    return [
        find_mechanic(name)(valley_map.mechanics[name], valley_map)
        for name in MECHANICS
        if name in valley_map.mechanics
    ]
