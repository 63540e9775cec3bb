"""The checked map of a valley: areas, furniture, items and residents (section 5.1, figure 5, appendix A)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from functools import cache, cached_property
from pathlib import Path
from typing import Any

from irollan_env.map.catalogue import MOST_ACTIONS, at_least
from irollan_env.map.checks import check_map
from irollan_env.map.records import MapRecords
from irollan_env.map.renaming import renamed
from irollan_env.map.tables import Tables
from irollan_env.map.toml_file import read_map

DEFAULT_MAP = Path(__file__).parent / "data" / "irollan_valley.toml"


@dataclass(frozen=True, kw_only=True)
class ValleyMap(MapRecords):
    """The consistent records of a valley, with compiled tables for the world.

    ``MapRecords`` says what each attribute is.

    Raises:
        ValueError: when the map contradicts itself; the message names what is wrong and how to mend it.
    """

    @classmethod
    def from_toml(cls, path: str | Path) -> ValleyMap:
        """Read a map file; ``map/data/irollan_valley.toml`` shows the format.

        Raises:
            FileNotFoundError: when there is no such file.
            ValueError: for anything in it that is missing, unknown or contradictory, naming the file and the entry.
        """
        try:
            records = read_map(Path(path))
            return cls(**{entry.name: getattr(records, entry.name) for entry in fields(records)})
        except ValueError as error:
            raise ValueError(f"{path}: {error}") from error

    @staticmethod
    @cache
    def default() -> ValleyMap:
        """Return the paper's valley, read once and shared, since maps are immutable."""
        return ValleyMap.from_toml(DEFAULT_MAP)

    def with_mechanics(self, mechanics: Mapping[str, Mapping[str, Any]]) -> ValleyMap:
        """Return this map with further mechanics; a setting given here, at any depth, replaces the map's own.

        Args:
            mechanics: Settings by name of the mechanic.
        """
        names = dict.fromkeys([*self.mechanics, *mechanics])
        merged = {name: _merged(self.mechanics.get(name, {}), mechanics.get(name, {})) for name in names}
        return replace(self, mechanics=merged) if mechanics else self

    def with_names(self, names: Sequence[str]) -> ValleyMap:
        """Return this map with other names for its residents, in its order; the rest keep their own.

        Raises:
            ValueError: for more names than residents, or a name that is none for a resident here.
        """
        return replace(self, **renamed(self, names)) if names else self

    @property
    def outside(self) -> str:
        """Name of the first open place: ``"outside"`` in the paper's valley, a town in a map of several."""
        return self.grounds[0].name

    @property
    def places(self) -> list[str]:
        """Names of all places: the areas, then the outside, or the towns."""
        return [*(area.name for area in self.areas), *(ground.name for ground in self.grounds)]

    @property
    def names(self) -> list[str]:
        """Names of everyone and everything: residents, places, furniture, items."""
        return [
            *(resident.name for resident in self.residents),
            *self.places,
            *(furniture.name for furniture in self.furniture),
            *self.tables.items,
        ]

    @cached_property
    def has_catalogue(self) -> bool:
        """Whether the map has few enough actions to be numbered."""
        return at_least(self.tables) <= MOST_ACTIONS

    @cached_property
    def tables(self) -> Tables:
        """The map compiled to integers and precomputed text, on which the world runs."""
        return Tables(self)

    def __post_init__(self) -> None:
        check_map(self)


def _merged(own: Mapping[str, Any], given: Mapping[str, Any]) -> dict[str, Any]:
    tables = {
        key: _merged(own[key], value)
        for key, value in given.items()
        if isinstance(value, Mapping) and isinstance(own.get(key), Mapping)
    }
    return {**own, **given, **tables}
