"""The file of identities that is written for a map."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from evaluation.runs.config_keys import written, written_key


def to_toml(identities: Mapping[str, Mapping[str, Any]], heading: str, notes: Mapping[str, str]) -> str:
    """Write identities as TOML, one table a resident, with its relations in a table of their own.

    Args:
        identities: By resident.
        heading: What is said first, in a comment of one line.
        notes: A comment before a resident's table, in one line, by resident.
    """
    lines = [f"# {heading}"]
    for resident, identity in identities.items():
        plain = {key: value for key, value in identity.items() if key != "relations"}
        note = [f"# {notes[resident]}"] if resident in notes else []
        lines += ["", *note, f"[{written_key(resident)}]", *_entries(plain)]
        if identity.get("relations"):
            lines += ["", f"[{written_key(resident)}.relations]", *_entries(identity["relations"])]
    return "\n".join(lines) + "\n"


def _entries(table: Mapping[str, Any]) -> list[str]:
    return [f"{written_key(key)} = {written(value)}" for key, value in table.items()]
