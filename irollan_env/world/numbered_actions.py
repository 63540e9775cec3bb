"""The numbered actions of a map, those that its mechanics offer included."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import chain, islice
from types import MappingProxyType

from irollan_env.actions import Action
from irollan_env.map.catalogue import MOST_ACTIONS, Catalogue
from irollan_env.map.valley_map import ValleyMap
from irollan_env.world.mechanic import Mechanic
from irollan_env.world.mechanics.registry import make_mechanics
from irollan_env.world.rules import explained, forms_of
from irollan_env.world.world_classes import make_world_classes

NO_CLASSES: Mapping[str, type[Mechanic]] = MappingProxyType({})


def catalogue_of(valley_map: ValleyMap, classes: Mapping[str, type[Mechanic]] = NO_CLASSES) -> Catalogue:
    """Return all actions that could ever be admissible on a map, numbered; made once for each map.

    Args:
        valley_map: The map.
        classes: World classes by name, whose actions are numbered, too.

    Raises:
        ValueError: for a map with more actions than ``catalogue.MOST_ACTIONS``; number what is admissible instead.
        MechanicError: for a world class that fails.
    """
    catalogues, key = valley_map.tables.catalogues, tuple(classes.values())
    if key not in catalogues:
        further = _every_action(make_mechanics(valley_map), valley_map)
        catalogues[key] = Catalogue(valley_map.tables, [*further, *actions_of(classes, valley_map)])
    return catalogues[key]


def actions_of(classes: Mapping[str, type[Mechanic]], valley_map: ValleyMap) -> list[Action]:
    """Return the actions that world classes could ever offer on a map.

    Raises:
        MechanicError: for a world class that fails.
    """
    return _every_action(make_world_classes(classes), valley_map)


def _every_action(mechanics: Sequence[Mechanic], valley_map: ValleyMap) -> list[Action]:
    found: list[Action] = []
    for mechanic in mechanics:
        with explained(mechanic, "every_action"):
            found += mechanic.every_action(valley_map)
    forms = forms_of(mechanics, valley_map)
    found += islice(chain.from_iterable(form.every(valley_map) for form in forms.values()), MOST_ACTIONS + 1)
    if len(found) > MOST_ACTIONS:
        raise ValueError(
            f"the primitives {', '.join(forms)} have more than {MOST_ACTIONS:,} actions on this map; number those that "
            "are admissible instead, as parallel_env(slots=64) does, or give their slots kinds"
        )
    return found
