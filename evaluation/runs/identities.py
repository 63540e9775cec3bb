"""Identities of residents from a file: who they are, what they remember, want and hold, and whom they know."""

from __future__ import annotations

import csv
import io
import re
import tomllib
from collections import Counter
from collections.abc import Callable, Mapping
from importlib.resources import files
from pathlib import Path
from typing import Any

from evaluation.records.files import read_toml
from irollan_env.hints import check_known, did_you_mean
from irollan_env.map.loading import PAPER
from irollan_env.map.valley_map import ValleyMap
from irollan_env.naming import kind, owner
from minds.history import days_before

OLDEST = 120


def _is_line(value: Any) -> bool:
    return isinstance(value, str) and bool(value.strip()) and "\n" not in value


def _are_lines(value: Any) -> bool:
    return isinstance(value, list) and all(map(_is_line, value))


def _is_age(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= OLDEST


def _is_memory(value: Any) -> bool:
    if isinstance(value, Mapping) and value.keys() == {"at", "text"} and _is_line(value["text"]):
        days_before(value["at"])
        return True
    return _is_line(value)


def _is_relation(value: Any) -> bool:
    if isinstance(value, Mapping) and {"about"} <= value.keys() <= {"about", "feeling"}:
        feeling = value.get("feeling", 0)
        is_number = isinstance(feeling, int | float) and not isinstance(feeling, bool)
        return _is_line(value["about"]) and is_number and -1 <= feeling <= 1
    return _is_line(value)


_LINE = (_is_line, "a line of text")
_LINES = (_are_lines, "a list of lines")
_FORMS: Mapping[str, tuple[Callable[[Any], bool], str]] = {
    "name": _LINE,
    "age": (_is_age, f"a whole number of years from 0 to {OLDEST}"),
    "pronouns": _LINE,
    "language": _LINE,
    "occupation": _LINE,
    "traits": _LINE,
    "skills": _LINES,
    "goals": _LINES,
    "place": _LINE,
    "things": _LINES,
    "memories": (
        lambda value: isinstance(value, list) and all(map(_is_memory, value)),
        'a list of lines, or of { at = "two years ago", text = "..." }',
    ),
    "relations": (
        lambda value: isinstance(value, Mapping) and all(map(_is_relation, value.values())),
        'a table by resident of lines, or of { about = "my sister", feeling = 0.8 } with a feeling from -1 to 1',
    ),
}
KEYS = tuple(_FORMS)
"""Keys of an identity; all of them may be missing."""
_COLUMNS = ("resident", *KEYS)
NOBODY = "nobody"
"""Name of the identities of the paper, whose residents are nobody in particular."""
_MAP_OF = {"valley": PAPER, "hamlet": "hamlet"}
SHIPPED = tuple(_MAP_OF)
"""Names of the identities that the project ships, in ``evaluation/people``."""


def find_identities(name: str) -> dict[str, dict[str, Any]]:
    """Return the identities with a name, or those of a file.

    Args:
        name: "nobody", one of ``SHIPPED``, or the path of a file that ``read_identities`` reads.

    Raises:
        ValueError: for a name that is none and no file, or a file that has no identities.
    """
    if name == NOBODY:
        return {}
    if name in SHIPPED:
        return tomllib.loads((files("evaluation.people") / f"{name}.toml").read_text(encoding="utf-8"))
    path = Path(name).expanduser()
    if path.suffix or path.exists():
        return read_identities(path)
    names = (NOBODY, *SHIPPED)
    hint = did_you_mean(name, names) or f"; give {', '.join(names)}, or a TOML or CSV file"
    raise ValueError(f"there are no identities {name!r}{hint}")


def name_of_identities(identities: Mapping[str, Any]) -> str | None:
    """Return the name of identities as ``find_identities`` takes it; None for those of a file."""
    if not identities:
        return NOBODY
    return next((name for name in SHIPPED if find_identities(name) == identities), None)


def read_identities(path: Path) -> dict[str, dict[str, Any]]:
    """Read the initial identity of each resident from a TOML file or a CSV table.

    In TOML, a table a resident, with any of the ``KEYS``. In CSV, the column resident and any of the ``KEYS``, with
    lists separated by ``|``, relations as ``SG: my sister (0.8) | MD: a stranger``, and memories as
    ``[two years ago] I came here.``.

    Raises:
        ValueError: for a file that cannot be read or has another form, an unknown key, or two of one resident or name.
    """
    try:
        is_table = path.suffix.lower() == ".csv"
        found = _from_csv(path.read_text(encoding="utf-8")) if is_table else read_toml(path)
        check_forms(found)
    except OSError as error:
        raise ValueError(f"{path} cannot be read: {error.strerror}; give a TOML or CSV file of identities") from error
    except (ValueError, csv.Error, RecursionError) as error:
        raise ValueError(f"{path} has no identities: {' '.join(str(error).split())}") from error
    return found


def check_forms(identities: Mapping[str, Any]) -> None:
    """Check the form of identities, whatever the map.

    Raises:
        ValueError: for an unknown key, a value of another form, or two residents of one name.
    """
    for resident, data in identities.items():
        if not isinstance(data, Mapping):
            raise ValueError(f"{resident!r} must be a table, got {data!r}")
        for key, value in data.items():
            if key not in KEYS:
                hint = did_you_mean(key, KEYS) or f"; the keys are {', '.join(KEYS)}"
                raise ValueError(f"unknown key {key!r} of {resident!r}{hint}")
            fits, form = _FORMS[key]
            try:
                is_right = fits(value)
            except ValueError as error:
                raise ValueError(f"{key} of {resident!r}: {error}") from error
            if not is_right:
                raise ValueError(f"{key} of {resident!r} must be {form}, got {value!r}")
    names = Counter(data["name"] for data in identities.values() if data.get("name"))
    if twice := next((name for name, count in names.items() if count > 1), None):
        raise ValueError(f"two residents are called {twice!r}")


def check_identities(identities: Mapping[str, Mapping[str, Any]], valley_map: ValleyMap) -> None:
    """Check that everybody, every place and every thing that identities name is on the map.

    Raises:
        ValueError: for others, a thing that two hold, or a place of somebody who is not there at the beginning.
    """
    residents = {resident.name: None for resident in valley_map.residents}
    absent = {resident.name for resident in valley_map.residents if resident.absent}
    for name, data in identities.items():
        for one in (name, *data.get("relations", {})):
            if one not in residents:
                told = ", ".join([*residents][:12]) + (
                    f" and {len(residents) - 12} more" if len(residents) > 12 else ""
                )
                of = name_of_identities(identities)
                hint = (
                    f"; the identities {of!r} are those of all residents of the map {_MAP_OF[of]}"
                    if of in _MAP_OF
                    else did_you_mean(one, residents) or "; let more residents live there, or leave this one out"
                )
                raise ValueError(f"an identity names {one!r}, and the residents are {told}{hint}")
        if name in data.get("relations", {}):
            raise ValueError(f"{name!r} has a relation to itself; relations are to others")
        if early := next((key for key in ("place", "things") if name in absent and key in data), None):
            raise ValueError(
                f"{early} of {name!r}: it is not there at the beginning; the event that brings it says where"
            )
        if "place" in data:
            check_known("place", data["place"], valley_map.places, f"place of {name!r}: ")
    things_held(identities, valley_map)


def things_held(identities: Mapping[str, Mapping[str, Any]], valley_map: ValleyMap) -> dict[str, str]:
    """Choose which thing each resident holds at the start, where it names a kind.

    Of a kind, a resident gets one that is its own by name, else one that lies in its home or where it starts, else the
    first that is nobody's; a thing that somebody asks for by name is left to it.

    Returns:
        Resident by thing.

    Raises:
        ValueError: for a thing or kind that is not on the map, is held already, or of which none is left.
    """
    wishes = [(who, thing) for who, data in identities.items() for thing in data.get("things", ())]
    if not wishes:
        return {}
    lies_in = {piece.name: piece.place for piece in valley_map.furniture}
    place_of = {item.name: lies_in[item.on] for item in valley_map.items if item.on in lies_in}
    held: dict[str, str] = {}
    for who, thing in wishes:
        if thing in held:
            raise ValueError(f"things of {who!r}: {held[thing]!r} holds {thing!r} already; name another")
        if thing in place_of:
            held[thing] = who
    homes = {resident.name: resident.home for resident in valley_map.residents}
    kinds = {kind(item) for item in place_of}
    for who, thing in wishes:
        if thing in place_of:
            continue
        check_known("thing", thing, {*place_of, *kinds}, f"things of {who!r}: ")
        near = (homes[who], identities[who].get("place"))

        def rank(item: str, who: str = who, near: tuple[str, str | None] = near) -> int:
            return 0 if owner(item) == who else 1 if place_of[item] in near else 2

        free = [item for item in place_of if kind(item) == thing and item not in held and owner(item) in (None, who)]
        if not free:
            raise ValueError(f"things of {who!r}: no {thing!r} is left; give the map another, or take it out here")
        held[min(free, key=rank)] = who
    return held


def _from_csv(text: str) -> dict[str, dict[str, Any]]:
    rows = csv.DictReader(io.StringIO(text), strict=True)
    header = rows.fieldnames or []
    for column in header:
        if column not in _COLUMNS:
            raise ValueError(f"unknown column {column!r}{did_you_mean(column, _COLUMNS)}")
    if "resident" not in header:
        raise ValueError("it lacks the column 'resident'")
    found: dict[str, dict[str, Any]] = {}
    for row in rows:
        if None in row or None in row.values():
            raise ValueError(f"line {rows.line_num} has another number of columns than the first")
        resident = row["resident"].strip()
        if resident in found:
            raise ValueError(f"there are two of {resident!r}")
        cells = {key: text for key in KEYS if (text := row.get(key, "").strip())}
        found[resident] = {key: _CELLS.get(key, str)(text) for key, text in cells.items()}
    return found


def _parts(text: str) -> list[str]:
    return [part.strip() for part in text.split("|") if part.strip()]


def _memories(text: str) -> list[Any]:
    read = ((part, re.fullmatch(r"\[([^\]]+)\] *(.+)", part)) for part in _parts(text))
    return [part if found is None else {"at": _number(found[1]), "text": found[2]} for part, found in read]


def _relations(text: str) -> dict[str, Any]:
    relations: dict[str, Any] = {}
    for part in _parts(text):
        who, colon, what = part.partition(":")
        if not colon:
            raise ValueError(f"relations are written RESIDENT: WHAT, got {part!r}")
        found = re.fullmatch(r" *(.+?) *\((-?[\d.]+)\)", what)
        relations[who.strip()] = what.strip() if found is None else {"about": found[1], "feeling": _number(found[2])}
    return relations


def _number(text: str) -> Any:
    """Return a number that a cell has as text; other texts as they are, for the check of forms to refuse."""
    try:
        value = float(text)
    except ValueError:
        return text
    return int(value) if value == int(value) else value


_CELLS: Mapping[str, Callable[[str], Any]] = {
    "age": _number,
    "skills": _parts,
    "goals": _parts,
    "things": _parts,
    "memories": _memories,
    "relations": _relations,
}
