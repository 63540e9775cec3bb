"""Load a map: by its name, drawn by rule, or from a file."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import lru_cache
from pathlib import Path

from irollan_env.hints import check_integer, did_you_mean, quote
from irollan_env.map.drawn import draw_valley
from irollan_env.map.generate import MOST_RESIDENTS, generate_towns
from irollan_env.map.valley_map import DEFAULT_MAP, ValleyMap
from irollan_env.random_streams import make_generator

PAPER = DEFAULT_MAP.stem
"""Name of the paper's valley."""

MAPS: Mapping[str, Path] = {PAPER: DEFAULT_MAP, "hamlet": DEFAULT_MAP.with_name("hamlet.toml")}
"""The maps of this package, by name."""

_LIVED_IN_BY: Mapping[str, int] = {"hamlet": 12}
"""How many live on a map with homes for more, unless a number is given."""

TEMPLATE = DEFAULT_MAP.with_name("template.toml")
"""A small map with a comment for each key, to begin one's own with."""

_MOST_SEEDS = 2**63 - 1
_BY_RULE: Mapping[str, tuple[str, int, int, Callable[[int], ValleyMap]]] = {
    "towns": ("towns:N", 1, MOST_RESIDENTS, generate_towns),
    "drawn": ("drawn:SEED", 0, _MOST_SEEDS, lambda seed: draw_valley(make_generator(seed))),
}
"""For each rule, the form of its names, the range of its number, and what makes the map."""

MAP_FORMS = f"{', '.join(MAPS)}, towns:N (N residents), drawn:SEED (a random valley of six), or a map file"
"""What ``load_map`` takes, for help texts and messages."""


def load_map(name: ValleyMap | str | Path | None = None, residents: int | None = None) -> ValleyMap:
    """Load a map by its name, by rule or from a file.

    Args:
        name: A name of ``MAPS``; ``"towns:N"``, the towns of ``generate_towns(N)``; ``"drawn:SEED"``, a random valley
            of six residents; the path of a map file, in TOML, or in JSON as a run's directory has it; a map; or None
            for the paper's valley.
        residents: How many live there: the first ones of the map, each in its home; all of them when None, but for
            ``hamlet``, where 12 of 30 do.

    Raises:
        ValueError: for an unknown name, a file that is missing or no map, or more residents than the map has.
        TypeError: for anything else, such as a map in an ``EnvSpec`` that went through JSON.

    Examples:
        >>> load_map("towns:40").name
        '2 towns of 40'
        >>> [one.name for one in load_map(residents=3).residents]
        ['AY', 'SG', 'MD']
    """
    if isinstance(name, ValleyMap):
        return _with_residents(name, residents)
    if name is not None and not isinstance(name, (str, Path)):
        raise TypeError(
            f"map must be a ValleyMap, the name of one, the path of a map file or None, got {type(name).__name__}; a "
            "spec that is to go through JSON needs the name or the path"
        )
    asked = PAPER if name is None else str(name)
    if asked in MAPS or asked.partition(":")[0] in _BY_RULE:
        return _load(asked, residents, None)
    path = Path(asked).expanduser()
    if not path.is_file():
        raise ValueError(_why_none(asked, path))
    stat = path.stat()
    return _load(str(path), residents, (stat.st_ino, stat.st_mtime_ns, stat.st_size))


@lru_cache(maxsize=8)
def _load(name: str, residents: int | None, stamp: tuple[int, ...] | None) -> ValleyMap:
    """Load a map once for all who ask for it; the stamp of a file changes with its content."""
    if stamp is None:
        whole = ValleyMap.default() if name == PAPER else _named(name)
        return _with_residents(whole, _LIVED_IN_BY.get(name) if residents is None else residents)
    path = Path(name)
    return _with_residents(_from_json(path) if path.suffix == ".json" else ValleyMap.from_toml(path), residents)


def _named(name: str) -> ValleyMap:
    if name in MAPS:
        return ValleyMap.from_toml(MAPS[name])
    rule, _, text = name.partition(":")
    form, least, most, make = _BY_RULE[rule]
    if not re.fullmatch(r"[0-9]{1,20}", text) or not least <= int(text) <= most:
        raise ValueError(f"the map {form} needs a whole number from {least} to {most:,}, got {quote(text)}")
    return make(int(text))


def _from_json(path: Path) -> ValleyMap:
    from irollan_env.map.json_form import map_from_json  # it needs pydantic, which takes time to import

    try:
        return map_from_json(json.loads(path.read_bytes()))
    except (ValueError, RecursionError) as error:
        raise ValueError(f"{path}: {error}") from error


def _why_none(asked: str, path: Path) -> str:
    """Return why a name stands for no map."""
    if path.is_dir():
        return f"the map {path} is a directory; give one of its files"
    if path.suffix in (".toml", ".json") or path.name != asked:
        hint = did_you_mean(path.name, [one.name for one in path.parent.glob("*.*")])
        return f"there is no map file {path}{hint or f'; give {MAP_FORMS}'}"
    hint = did_you_mean(asked, [*MAPS, *(form for form, *_ in _BY_RULE.values())])
    return f"unknown map {quote(asked)}{hint or f'; give {MAP_FORMS}'}"


def _with_residents(valley_map: ValleyMap, residents: int | None) -> ValleyMap:
    """Return a map with its first residents alone; what lies in it stays, the homes of the others too."""
    if residents is None:
        return valley_map
    check_integer("residents", residents, 1)
    if residents > (homes := len(valley_map.residents)):
        raise ValueError(
            f"residents must be at most {homes}, which is what the map {valley_map.name!r} has, got {residents}; for "
            f"more, take the map towns:N, with N up to {MOST_RESIDENTS:,}"
        )
    stay, gone = valley_map.residents[:residents], {one.name for one in valley_map.residents[residents:]}
    return replace(valley_map, residents=stay, items=tuple(item for item in valley_map.items if item.on not in gone))
