"""The benchmark's instances: fixed valleys and tasks, by split and number."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache, lru_cache
from pathlib import Path

from irollan_env.hints import check_integer, check_known
from irollan_env.map.drawn import LEVELS, draw_valley
from irollan_env.map.valley_map import ValleyMap
from irollan_env.random_streams import stream
from irollan_env.tasks.families import SPLITS, check_family, make_tasks
from irollan_env.tasks.task import Task

VERSION = 1
"""Version of the benchmark; a change that affects scores needs a new version, with new instances and names."""

PER_SPLIT = 500
"""Instances of each family and split."""

LISTING = Path(__file__).parent / "data" / f"instances-v{VERSION}.json"
"""The hashes of all instances."""

_DIGITS = 10


def level_of(number: int) -> int:
    """Return an instance's difficulty: 1 to 3, in turn."""
    return LEVELS[number % len(LEVELS)]


def check_number(number: int) -> int:
    """Check an instance's number and return it as a Python integer.

    Raises:
        ValueError: for anything but an integer in [0, PER_SPLIT), NumPy's included.
    """
    return check_integer("the number of an instance", number, 0, PER_SPLIT - 1)


def instance_name(family: str, split: str, number: int) -> str:
    """Return an instance's name, such as ``"fetch-v1/test_unseen/17"``.

    Args:
        family: The task's family.
        split: One of ``SPLITS``.
        number: In [0, 499].
    """
    return f"{family}-v{VERSION}/{split}/{number}"


@lru_cache(maxsize=512)
def instance_map(split: str, number: int) -> ValleyMap:
    """Return the valley of an instance, shared by all families with the same number.

    Args:
        split: One of ``SPLITS``.
        number: In [0, 499].

    Raises:
        ValueError: for an unknown split or number.
    """
    check_known("split", split, SPLITS)
    number = check_number(number)
    generator = stream(number, f"v{VERSION} {split} valley")
    drawn = draw_valley(generator, level=level_of(number), unseen=split == "test_unseen")
    return replace(drawn, name=f"drawn valley v{VERSION}/{split}/{number}")


def instance_tasks(
    family: str, split: str, number: int, residents: Sequence[str], valley_map: ValleyMap | None = None
) -> dict[str, Task]:
    """Draw the tasks of an instance.

    Args:
        family: One of ``FAMILIES`` or of ``ANY_OF``.
        split: One of ``SPLITS``.
        number: The instance's number.
        residents: The residents that get a task.
        valley_map: The instance's valley, possibly with fewer residents; None to draw it.

    Raises:
        ValueError: for an unknown family, split or number.
    """
    check_family(family)
    return make_tasks(
        family,
        valley_map=valley_map or instance_map(split, number),
        residents=residents,
        split=split,
        seed=number,
        difficulty=level_of(number),
    )


def instance_hash(valley_map: ValleyMap, tasks: Mapping[str, Task]) -> str:
    """Hash what defines an instance: its places, furniture, items, homes and tasks.

    Args:
        valley_map: The instance's valley.
        tasks: The instance's tasks, by resident.
    """
    content = {
        "grounds": [ground.name for ground in valley_map.grounds],
        "areas": [(area.name, area.ground) for area in valley_map.areas],
        "furniture": [(piece.name, piece.place) for piece in valley_map.furniture],
        "items": [(item.name, item.on) for item in valley_map.items],
        "residents": [(resident.name, resident.home) for resident in valley_map.residents],
        "tasks": {name: task.to_json() for name, task in tasks.items()},
    }
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()[:_DIGITS]


def listed_hashes(family: str, split: str) -> list[str]:
    """Return the published hashes of all instances of a family and split.

    Args:
        family: The tasks' family.
        split: One of ``SPLITS``.
    """
    return _listing()[family][split].split()


@cache
def _listing() -> Mapping[str, Mapping[str, str]]:
    found: Mapping[str, Mapping[str, str]] = json.loads(LISTING.read_text(encoding="utf-8"))
    return found
