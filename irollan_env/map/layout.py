"""Fills in what a map file may leave out: positions, doors, numbers of furniture, and kinds of the paper's valley."""

from __future__ import annotations

import math
import tomllib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from irollan_env.hints import check_known

HOME, HALL = (8.0, 10.0), (16.0, 10.0)
"""Width and depth of a home and of a public house, metres."""

GAP, LANE, STREET = 2.0, 6.0, 14.0
"""Widths between houses, at the end of a row, and between the two rows, metres."""

COUNTRY = 40.0
"""Distance between two grounds, metres."""

_BASE = Path(__file__).parent / "data" / "irollan_valley.toml"
_FROM_BASE = ("eye_height", "door_height")


def lay_out(data: Mapping[str, Any]) -> dict[str, Any]:
    """Complete the data of a map file.

    Grounds without a rectangle stand side by side, their areas without one in two rows along a street, furniture
    that areas list by kind in rows inside, and what their ``things`` list on that furniture. Furniture is numbered by
    kind through the whole map, in the order of the areas. Data that leaves nothing out comes back as it is.

    Raises:
        ValueError: for a part that cannot be completed, naming it.
    """
    found = _with_kinds(dict(data))
    areas = found.get("areas")
    if not isinstance(areas, list) or not all(isinstance(area, Mapping) and "name" in area for area in areas):
        return found
    for number, area in enumerate(areas, start=1):
        if not isinstance(area["name"], str):
            raise ValueError(f"'name' of entry {number} of 'areas' must be str, got {area['name']!r}")
    found.setdefault("grounds", [{"name": "outside"}])
    grounds = found["grounds"]
    if isinstance(grounds, list) and any(
        isinstance(ground, Mapping) and "rectangle" not in ground for ground in grounds
    ):
        residents = _listed(found, "residents")
        homes = {home for one in residents if isinstance(one, Mapping) and isinstance(home := one.get("home"), str)}
        found["grounds"], found["areas"] = _placed(grounds, areas, homes)
        found["roads"] = [_with_gates(road, found["grounds"]) for road in _listed(found, "roads")]
    if any("furniture" in area or "things" in area for area in found["areas"]) or _holding(found):
        _furnish(found)
    found.setdefault("contents", {"furniture": [], "items": []})
    return found


@cache
def _base() -> Mapping[str, Any]:
    return tomllib.loads(_BASE.read_text(encoding="utf-8"))


def _with_kinds(found: dict[str, Any]) -> dict[str, Any]:
    """Add the kinds of the valley that ``kinds`` names; those of the file stand after them, and replace its own."""
    if "kinds" not in found:
        return found
    name = found.pop("kinds")
    check_known("map", name, [_BASE.stem], "'kinds' of the map: ")
    base = _base()
    for key in _FROM_BASE:
        found.setdefault(key, base[key])
    for key in ("furniture_kinds", "item_kinds"):
        own = found.get(key, {})
        found[key] = {**base[key], **own} if isinstance(own, Mapping) else own
    for key in ("statuses", "exclusive"):
        own = found.get(key, [])
        found[key] = [*base[key], *(one for one in own if one not in base[key])] if isinstance(own, list) else own
    return found


def _placed(
    grounds: Sequence[Any], areas: Sequence[Mapping[str, Any]], homes: set[Any]
) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Give all grounds and areas their rectangles and doors; on one ground all areas have them, or none."""
    placed: dict[str, dict[str, Any]] = {}
    new_grounds: list[dict[str, Any]] = []
    west = 0.0
    for ground in grounds:
        name = ground.get("name") if isinstance(ground, Mapping) else None
        if not isinstance(name, str):
            raise ValueError(f"a ground must be a table with a name, got {ground!r}")
        if "rectangle" in ground:
            raise ValueError(f"ground {name!r} has a rectangle and others have none; give each one, or none")
        own = [area for area in areas if area.get("ground", "outside") == name]
        ends = [west + LANE, west + LANE]
        depth = 2 * max((_size(area, homes)[1] for area in own), default=HOME[1]) + STREET
        for area in own:
            if "rectangle" in area or "door" in area:
                raise ValueError(f"area {area['name']!r} has a rectangle or a door, and its ground {name!r} has none")
            width, deep = _size(area, homes)
            row = 0 if ends[0] <= ends[1] else 1
            left, low = ends[row], row * (depth - deep)
            ends[row] = left + width + GAP
            door = [left + width / 2, low if row else low + deep]
            rest = {key: value for key, value in area.items() if key != "size"}
            placed[area["name"]] = {**rest, "rectangle": [left, low, left + width, low + deep], "door": door}
        east = max(ends) - GAP + LANE
        new_grounds.append({**ground, "rectangle": [west, 0.0, east, depth]})
        west = east + COUNTRY
    for area in areas:
        check_known(
            "ground", area.get("ground", "outside"), [one["name"] for one in grounds], f"area {area['name']!r}: "
        )
    return new_grounds, [placed[area["name"]] for area in areas]


def _size(area: Mapping[str, Any], homes: set[Any]) -> tuple[float, float]:
    size = area.get("size", HOME if area["name"] in homes else HALL)
    numbers = isinstance(size, list | tuple) and len(size) == 2 and all(type(one) in (int, float) for one in size)
    if not numbers or not all(1 <= one <= 1000 for one in size):
        raise ValueError(f"'size' of area {area['name']!r} must be width and depth in metres, 1 to 1000, got {size!r}")
    return float(size[0]), float(size[1])


def _with_gates(road: Any, grounds: Sequence[Mapping[str, Any]]) -> Any:
    """Let a road without gates lead between the facing edges of its two grounds."""
    if not isinstance(road, Mapping) or "gates" in road or not isinstance(road.get("ends"), list):
        return road
    boxes = {ground["name"]: ground["rectangle"] for ground in grounds}
    ends = [boxes[check_known("ground", end, boxes, f"the road between {road['ends']}: ")] for end in road["ends"]]
    if len(ends) != 2:
        return road
    first_is_west = ends[0][0] <= ends[1][0]
    middles = [(box[1] + box[3]) / 2 for box in ends]
    edges = [ends[0][2 if first_is_west else 0], ends[1][0 if first_is_west else 2]]
    return {**road, "gates": [edges[0], middles[0], edges[1], middles[1]]}


def _furnish(found: dict[str, Any]) -> None:
    """Put the furniture and things that areas list into the contents, and number them."""
    given = found.get("contents", {})
    contents = {key: list(given.get(key, [])) for key in ("furniture", "items")} if isinstance(given, Mapping) else {}
    if not contents:
        return
    numbers: Counter[str] = Counter()
    for piece in contents["furniture"]:
        if isinstance(piece, Mapping) and isinstance(piece.get("number"), int):
            numbers[piece["kind"]] = max(numbers[piece["kind"]], piece["number"])
    laid: Counter[Any] = Counter(item.get("kind") for item in contents["items"] if isinstance(item, Mapping))
    areas = []
    for area in found["areas"]:
        rest = {key: value for key, value in area.items() if key not in ("furniture", "things")}
        areas.append(rest)
        where = f"area {area['name']!r}"
        pieces = [
            kind
            for kind, number in _counts(f"'furniture' of {where}", area.get("furniture", {}))
            for _ in range(number)
        ]
        here: dict[str, list[str]] = {}
        for kind, position in zip(pieces, _positions(area.get("rectangle"), len(pieces), where), strict=True):
            numbers[kind] += 1
            here.setdefault(kind, []).append(f"{kind} {numbers[kind]}")
            contents["furniture"].append(
                {"kind": kind, "number": numbers[kind], "place": area["name"], "position": position}
            )
        things = area.get("things", {})
        if not isinstance(things, Mapping):
            raise ValueError(f"'things' of {where} must be a table by kind of furniture, got {things!r}")
        for on, kinds in things.items():
            check_known("kind of furniture", on, here, f"'things' of {where}: ")
            lying = [kind for kind, number in _counts(f"{on!r} in 'things' of {where}", kinds) for _ in range(number)]
            for number, kind in enumerate(lying):
                laid[kind] += 1
                name = f"{kind} {laid[kind]}"
                contents["items"].append({"name": name, "kind": kind, "on": here[on][number % len(here[on])]})
    for resident in _holding(found):
        where = f"'holds' of resident {resident.get('name')!r}"
        for kind, number in _counts(where, resident["holds"]):
            for _ in range(number):
                laid[kind] += 1
                contents["items"].append({"name": f"{kind} {laid[kind]}", "kind": kind, "on": resident.get("name")})
    found["residents"] = [
        {key: value for key, value in one.items() if key != "holds"} if isinstance(one, Mapping) else one
        for one in _listed(found, "residents")
    ]
    found["areas"], found["contents"] = areas, contents


def _holding(found: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """Return the tables of the residents who hold things at the start."""
    return [one for one in _listed(found, "residents") if isinstance(one, Mapping) and "holds" in one]


def _listed(found: Mapping[str, Any], key: str) -> list[Any]:
    """Return the entries of a list in the data; none where it is left out.

    Raises:
        ValueError: if it is no list.
    """
    entries = found.get(key, [])
    if not isinstance(entries, list):
        raise ValueError(f"{key!r} of the map must be a list, got {entries!r}")
    return entries


def _counts(where: str, table: Any) -> Iterator[tuple[str, int]]:
    """Yield the kinds of a table with their numbers: ``{ chair = 4 }``."""
    if not isinstance(table, Mapping):
        raise ValueError(f"{where} must be a table of numbers by kind, such as {{ chair = 4 }}, got {table!r}")
    for kind, number in table.items():
        if not isinstance(number, int) or isinstance(number, bool) or not 0 <= number <= 10_000:
            raise ValueError(f"{kind!r} in {where} must be a whole number from 0 to 10,000, got {number!r}")
        yield kind, number


def _positions(rectangle: Any, count: int, where: str) -> list[list[float]]:
    """Return positions in rows inside a rectangle."""
    if count == 0:
        return []
    if not (
        isinstance(rectangle, list) and len(rectangle) == 4 and all(type(one) in (int, float) for one in rectangle)
    ):
        raise ValueError(f"{where} needs a rectangle [west, south, east, north] for its furniture, got {rectangle!r}")
    west, south, east, north = rectangle
    columns = math.ceil(math.sqrt(count))
    rows = math.ceil(count / columns)
    return [
        [
            round(west + (east - west) * (number % columns + 0.5) / columns, 2),
            round(south + (north - south) * (number // columns + 0.5) / rows, 2),
        ]
        for number in range(count)
    ]
