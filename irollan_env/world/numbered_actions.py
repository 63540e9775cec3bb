"""The numbered actions of a map, those that its mechanics offer included."""

from __future__ import annotations

from itertools import chain, islice

from irollan_env.map.catalogue import MOST_ACTIONS, Catalogue
from irollan_env.map.valley_map import ValleyMap
from irollan_env.world.mechanics.registry import make_mechanics
from irollan_env.world.own_primitives import forms_of


def catalogue_of(valley_map: ValleyMap) -> Catalogue:
    """Return all actions that could ever be admissible on a map, numbered; made once for each map.

    Raises:
        ValueError: for a map with more actions than ``catalogue.MOST_ACTIONS``; number what is admissible instead.
    """
    tables = valley_map.tables
    if tables.catalogue is None:
        mechanics = make_mechanics(valley_map)
        further = [action for one in mechanics for action in one.every_action(valley_map)]
        forms = forms_of([(one.name, one.primitives) for one in mechanics], valley_map)
        own = list(islice(chain.from_iterable(form.every(valley_map) for form in forms.values()), MOST_ACTIONS + 1))
        if len(own) > MOST_ACTIONS:
            raise ValueError(
                f"the primitives {', '.join(forms)} have more than {MOST_ACTIONS:,} actions on this map; number those "
                "that are admissible instead, as parallel_env(slots=64) does, or give their slots kinds"
            )
        tables.catalogue = Catalogue(tables, [*further, *own])
    return tables.catalogue
