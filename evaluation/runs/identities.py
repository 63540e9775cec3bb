"""Initial identities of residents from a file: who they are, what they remember, their relationships."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from evaluation.records.files import read_toml
from irollan_env.hints import did_you_mean

KEYS = ("name", "traits", "memories", "relations")
_COLUMNS = ("resident", *KEYS)


def read_identities(path: Path) -> dict[str, dict[str, Any]]:
    """Read the initial identity of each resident from a TOML file or a CSV table.

    In TOML, a table a resident, with any of the keys name, traits, memories (a list) and relations (a table by
    resident). In CSV, the columns resident, name, traits, memories (separated by ``|``) and relations
    (``SG: my sister | MD: a stranger``), of which only the first has to be there.

    Raises:
        ValueError: for a file that cannot be read or has another form, an unknown key, or two of one resident or name.
    """
    try:
        is_table = path.suffix.lower() == ".csv"
        found = _from_csv(path.read_text(encoding="utf-8")) if is_table else read_toml(path)
        for resident, data in found.items():
            _check(resident, data)
        names = [data["name"] for data in found.values() if data.get("name")]
        if twice := next((name for name in names if names.count(name) > 1), None):
            raise ValueError(f"two residents are called {twice!r}")
    except OSError as error:
        raise ValueError(f"{path} cannot be read: {error.strerror}; give a TOML or CSV file of identities") from error
    except (ValueError, csv.Error, RecursionError) as error:
        raise ValueError(f"{path} has no identities: {' '.join(str(error).split())}") from error
    return found


def check_identities(identities: Mapping[str, Mapping[str, Any]], residents: Sequence[str]) -> None:
    """Check that identities belong to residents and refer to residents.

    Args:
        identities: By resident.
        residents: Names of all residents.

    Raises:
        ValueError: for others.
    """
    for name, data in identities.items():
        for one in (name, *data.get("relations", {})):
            if one not in residents:
                raise ValueError(f"an identity names {one!r}, and the residents are {', '.join(residents)}")


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
        data: dict[str, Any] = {key: row[key].strip() for key in ("name", "traits") if row.get(key, "").strip()}
        if memories := _parts(row.get("memories", "")):
            data["memories"] = memories
        relations = [one.partition(":") for one in _parts(row.get("relations", ""))]
        if wrong := next((head for head, colon, _ in relations if not colon), None):
            raise ValueError(f"relations are written RESIDENT: WHAT, got {wrong!r}")
        if relations:
            data["relations"] = {head.strip(): what.strip() for head, _, what in relations}
        found[resident] = data
    return found


def _parts(text: str) -> list[str]:
    return [part.strip() for part in text.split("|") if part.strip()]


def _check(resident: str, data: Any) -> None:
    """Check the form of one identity.

    Raises:
        ValueError: for an unknown key, or a value of another type.
    """
    if not isinstance(data, Mapping):
        raise ValueError(f"{resident!r} must be a table, got {data!r}")
    for key, value in data.items():
        if key not in KEYS:
            raise ValueError(f"unknown key {key!r} of {resident!r}{did_you_mean(key, KEYS)}")
        texts: Any = [value]
        if key == "memories":
            texts = value if isinstance(value, list) else [None]
        elif key == "relations":
            texts = list(value.values()) if isinstance(value, Mapping) else [None]
        if not all(isinstance(one, str) and one.strip() and "\n" not in one for one in texts):
            form = {"memories": "a list of lines", "relations": "a table of lines by resident"}.get(
                key, "a line of text"
            )
            raise ValueError(f"{key} of {resident!r} must be {form}, got {value!r}")
