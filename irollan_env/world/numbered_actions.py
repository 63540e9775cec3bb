"""The numbered actions of a map, those that its mechanics offer included."""

from __future__ import annotations

from irollan_env.map.catalogue import Catalogue
from irollan_env.map.valley_map import ValleyMap
from irollan_env.world.mechanics.registry import make_mechanics


def catalogue_of(valley_map: ValleyMap) -> Catalogue:
    """Return all actions that could ever be admissible on a map, numbered; made once for each map.

    Raises:
        ValueError: for a map with more actions than ``catalogue.MOST_ACTIONS``; number what is admissible instead.
    """
    tables = valley_map.tables
    if tables.catalogue is None:
        further = [action for one in make_mechanics(valley_map) for action in one.every_action(valley_map)]
        tables.catalogue = Catalogue(tables, further)
    return tables.catalogue
