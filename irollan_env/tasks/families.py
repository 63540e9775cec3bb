"""The families of tasks, the splits, and drawing a task from a seed."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

import numpy as np

from irollan_env.hints import did_you_mean
from irollan_env.map.tables import Tables
from irollan_env.map.valley_map import ValleyMap
from irollan_env.random_streams import stream
from irollan_env.tasks.deliver import Deliver
from irollan_env.tasks.fetch import CleanAndPlace, Fetch, HeatAndPlace
from irollan_env.tasks.find import Find
from irollan_env.tasks.gather import Gather
from irollan_env.tasks.neighbourhood import Neighbourhood, neighbourhood_of
from irollan_env.tasks.task import Combination, Task
from irollan_env.tasks.tell import Tell

FAMILIES: Mapping[str, type[Task]] = {
    kind.family: kind for kind in (Fetch, CleanAndPlace, HeatAndPlace, Find, Deliver, Tell, Gather)
}
"""Families by name."""

SPLITS = ("train", "eval_seen", "eval_unseen")
"""As in ALFWorld: to learn from, to be tested on what was learned, and to be tested on what ``train`` never has.

``train`` and ``eval_seen`` have the same combinations (such as of item kind and place), drawn by different seeds;
``eval_unseen`` has all others. Kinds, places and people are the same in all three: it is how they are combined that is
new.
"""

_UNSEEN = 5
"""Every fifth combination, in the order of the map, is for ``eval_unseen``."""


def make_task(
    family: str, *, valley_map: ValleyMap, resident: str, split: str = "train", seed: int | np.random.Generator
) -> Task:
    """Draw a task: first one of the combinations of the split, each as likely as the others, and then what is left.

    Args:
        family: One of ``FAMILIES``, or ``"random"`` for any of them.
        valley_map: Where it is set.
        resident: Who gets it. Its tasks are about the places, people and things within two doors of its home.
        split: One of ``SPLITS``.
        seed: An integer >= 0, or the generator to draw from. The same seed gives another task in another split.

    Raises:
        ValueError: for an unknown family, resident or split, or when the valley has no such task.
    """
    check_family(family)
    check_split(split)
    if resident not in valley_map.tables.resident_number:
        raise ValueError(f"unknown resident {resident!r}{did_you_mean(resident, valley_map.tables.residents)}")
    generator = seed if isinstance(seed, np.random.Generator) else stream(seed, f"{split} task")
    kinds = tuple(FAMILIES.values()) if family == "random" else (FAMILIES[family],)
    while kinds:
        chosen = kinds[int(generator.integers(len(kinds)))]
        task = _draw(chosen, valley_map.tables, resident, split, generator)
        if task is not None:
            return task
        kinds = tuple(kind for kind in kinds if kind is not chosen)
    raise ValueError(
        f"map {valley_map.name!r} has no {family!r} task for {resident!r} in split {split!r}: it lacks the things, "
        "furniture or people for it; choose another family or split"
    )


def _draw(chosen: type[Task], tables: Tables, resident: str, split: str, generator: np.random.Generator) -> Task | None:
    near = neighbourhood_of(tables, resident)
    combinations = split_combinations(chosen, near, split)
    for number in generator.permutation(len(combinations)):
        if (task := chosen.draw(near, resident, combinations[number], generator)) is not None:
            return task
    return None


@lru_cache(maxsize=1024)
def split_combinations(chosen: type[Task], near: Neighbourhood, split: str) -> tuple[Combination, ...]:
    """The combinations of a family that a split has."""
    unseen = split == "eval_unseen"
    return tuple(c for n, c in enumerate(chosen.combinations(near)) if (n % _UNSEEN == _UNSEEN - 1) == unseen)


def task_from_json(data: Mapping[str, Any]) -> Task:
    """Build a task from what ``Task.to_json`` gave, after any JSON round trip.

    Raises:
        ValueError: for data that is no task.
    """
    if not isinstance(data, Mapping) or not isinstance(data.get("family"), str):
        raise ValueError(f"a task must be a mapping with the key 'family', got {data!r}")
    check_family(data["family"], any_of_them=False)
    return FAMILIES[data["family"]].from_fields({key: value for key, value in data.items() if key != "family"})


def check_family(family: str, *, any_of_them: bool = True) -> None:
    """Refuse a name that is no family's.

    Raises:
        ValueError: for such a name.
    """
    known = (*FAMILIES, "random") if any_of_them else tuple(FAMILIES)
    if not isinstance(family, str) or family not in known:
        raise ValueError(f"unknown task family {family!r}{did_you_mean(str(family), known) or f'; known are {known}'}")


def check_split(split: str) -> str:
    """Refuse a name that is no split's.

    Raises:
        ValueError: for such a name.
    """
    if not isinstance(split, str) or split not in SPLITS:
        raise ValueError(f"unknown split {split!r}{did_you_mean(str(split), SPLITS) or f'; known are {SPLITS}'}")
    return split
