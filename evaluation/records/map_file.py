"""The map in a run's directory: a copy that its readers build the world from."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path

from evaluation.records.checksums import MISSING, DamageError
from irollan_env.map.json_form import map_from_json, map_to_json
from irollan_env.map.valley_map import ValleyMap

MAP = "map.json"
"""Name of the file in a run's directory."""

MAP_REMEDY = "from a copy, or from another run on this map"


def map_bytes(valley_map: ValleyMap) -> bytes:
    """Return the content of a map's file, from which ``irollan_env.load_map`` makes an equal map."""
    return json.dumps(map_to_json(valley_map), ensure_ascii=False, separators=(",", ":")).encode() + b"\n"


def describe_map(valley_map: ValleyMap) -> dict[str, str]:
    """Return a map's name and the sha256 of its file, as the manifest has them."""
    return {"name": valley_map.name, "sha256": hashlib.sha256(map_bytes(valley_map)).hexdigest()}


def map_fault(path: Path, known: Mapping[str, str]) -> str:
    """Describe what is wrong with the file of a run's map; empty where nothing is.

    Args:
        path: The file.
        known: What the manifest says of it.
    """
    if not path.is_file():
        return MISSING
    stated = hashlib.sha256(path.read_bytes()).hexdigest() == known["sha256"]
    return "" if stated else "is damaged: it does not have the sha256 that the manifest states"


def read_map(path: Path, known: Mapping[str, str]) -> ValleyMap:
    """Read and verify the file of a run's map.

    Args:
        path: The file.
        known: What the manifest says of it.

    Raises:
        DamageError: if it is missing or damaged.
    """
    if fault := map_fault(path, known):
        raise DamageError(f"{path} {fault}; put it back {MAP_REMEDY}")
    try:
        return _parse(path.read_bytes())
    except (ValueError, RecursionError) as error:
        raise DamageError(f"{path} is no map that this version reads: {error}") from error


@lru_cache(maxsize=4)
def _parse(data: bytes) -> ValleyMap:
    return map_from_json(json.loads(data))
