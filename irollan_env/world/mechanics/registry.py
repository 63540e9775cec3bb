"""Mechanics by name, made from a map's settings."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module, metadata
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


ENTRY_POINTS = ("irollan.worlds", "irollan.primitives")
"""Groups of entry points by which other packages install classes of worlds and of primitives; both are mechanics."""

DEADLINE = 60.0
"""Seconds that a hook of an installed class may take where the map names it."""


def installed() -> dict[str, str]:
    """Return the classes that other packages install: name -> ``module:Class``."""
    return {one.name: one.value for group in ENTRY_POINTS for one in metadata.entry_points(group=group)}


def find_installed(name: str, source: str) -> type[Mechanic]:
    """Import a class that another package installs, and check it.

    Args:
        name: Its name.
        source: ``module:Class``.

    Raises:
        ValueError: if the import fails in any way, or it is no class of a mechanic.
    """
    from irollan_env.world.mechanic_check import check_mechanic_class

    module, _, attribute = source.partition(":")
    try:
        found: Any = getattr(import_module(module), attribute)
    except Exception as error:
        reason = " ".join(f"{type(error).__name__}: {error}".split())
        raise ValueError(f"mechanics: {name!r} ({source}) cannot be imported: {reason}") from error
    return check_mechanic_class(found, f"mechanics: {source}")


def _make(name: str, settings: Mapping[str, Any], valley_map: ValleyMap, source: str | None) -> Mechanic:
    if source is None:
        made: Mechanic = find_mechanic(name)(settings, valley_map)
        return made
    if settings:
        raise ValueError(f"mechanics: {name!r} is an installed class and has no settings, got {next(iter(settings))!r}")
    made = find_installed(name, source)()
    made.source, made.deadline = name, DEADLINE
    return made


def make_mechanics(valley_map: ValleyMap) -> list[Mechanic]:
    """Make the mechanics that a map names: those that ship in the order of ``MECHANICS``, then installed ones.

    Raises:
        ValueError: for an unknown mechanic or setting, or one that does not fit the map; it names the key.
    """
    own = installed() if valley_map.mechanics.keys() - MECHANICS else {}
    for name in valley_map.mechanics:
        check_known("mechanic", name, [*MECHANICS, *own], "mechanics: ")
    return [
        _make(name, valley_map.mechanics[name], valley_map, None if name in MECHANICS else own[name])
        for name in dict.fromkeys([*MECHANICS, *own])
        if name in valley_map.mechanics
    ]
