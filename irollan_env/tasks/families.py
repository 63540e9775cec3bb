"""Task families, and drawing tasks from a seed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from irollan_env.hints import check_known
from irollan_env.map.valley_map import ValleyMap
from irollan_env.random_streams import stream
from irollan_env.tasks.deliver import Await, Deliver, ReturnLost
from irollan_env.tasks.errands import Errands, InOrder, InTime
from irollan_env.tasks.fetch import CleanAndPlace, CookAndPlace, Fetch, Find, HeatAndPlace
from irollan_env.tasks.gather import Gather
from irollan_env.tasks.meal import Eat
from irollan_env.tasks.neighbourhood import neighbourhood_of
from irollan_env.tasks.rewording import reworded
from irollan_env.tasks.shared_things import CarryTogether, ShareStore
from irollan_env.tasks.task import Drawing, NothingToDraw, Own, Task
from irollan_env.tasks.tell import Tell
from irollan_env.tasks.together import PassOn, Shared, SitTogether
from irollan_env.tasks.trade import Trade

ALONE: Mapping[str, type[Own]] = {
    kind.family: kind
    for kind in (Fetch, Find, CleanAndPlace, HeatAndPlace, CookAndPlace, Eat, Deliver, Await, ReturnLost, Tell, Gather)
} | {kind.family: kind for kind in (Errands, InOrder, InTime)}
"""Families of single-resident tasks."""

TOGETHER: Mapping[str, type[Shared]] = {
    kind.family: kind for kind in (SitTogether, PassOn, CarryTogether, ShareStore, Trade)
}
"""Families of shared tasks, which no resident can solve alone."""

FAMILIES: Mapping[str, type[Task]] = {**ALONE, **TOGETHER}
"""Families by name."""

HELD_OUT = ("await", "return", "order", "trade")
"""Families held out to test generalisation to new kinds of goals."""

ANY_OF: Mapping[str, tuple[str, ...]] = {
    "random": tuple(ALONE),
    "random_seen": tuple(family for family in ALONE if family not in HELD_OUT),
}
"""Names that stand for any of several single-resident families."""

SPLITS = ("train", "validation", "test_seen", "test_unseen")
"""To learn from, to choose settings by, and to be tested on: with the kinds of things, rooms, names and wordings of
``train``, and with others that only ``test_unseen`` has."""

_TRIES = 50


def make_task(
    family: str,
    *,
    valley_map: ValleyMap,
    resident: str,
    split: str = "train",
    seed: int | np.random.Generator,
    difficulty: int = 2,
    taken: frozenset[str] = frozenset(),
) -> Task:
    """Draw a resident's task in a given valley; ``instances`` draws valleys too.

    Args:
        family: One of ``ALONE``; ``"random"`` for any of them, ``"random_seen"`` for any that is not ``HELD_OUT``.
        valley_map: The valley of the task.
        resident: The resident that gets it; its tasks are about places, people and things within two doors of its home.
        split: One of ``SPLITS``. The same seed gives another task in another split; in ``test_unseen``, wordings are
            those that are held out.
        seed: An integer >= 0, or the generator to draw from.
        difficulty: 1 to 3: how many parts errands have.
        taken: Kinds of things that the task must not be about.

    Raises:
        ValueError: for an unknown family, resident or split, a family of tasks that several have in common, or when
            the valley has no such task.
    """
    check_family(family)
    check_known("split", split, SPLITS)
    check_known("resident", resident, valley_map.tables.residents)
    if family in TOGETHER:
        raise ValueError(f"{family!r} is for several; make_tasks draws what each of them has")
    generator = seed if isinstance(seed, np.random.Generator) else stream(seed, f"{split} task")
    drawing = Drawing(neighbourhood_of(valley_map.tables, resident), resident, generator, difficulty, taken)
    kinds = list(ANY_OF.get(family, (family,)))
    while kinds:
        chosen = kinds[int(generator.integers(len(kinds)))]
        for _ in range(_TRIES):
            try:
                task = ALONE[chosen].draw(drawing)
            except NothingToDraw:
                continue
            return reworded(task, drawing, unseen=split == "test_unseen")
        kinds.remove(chosen)
    raise ValueError(
        f"map {valley_map.name!r} has no {family!r} task for {resident!r}: it lacks the things, furniture or people "
        "for it; choose another family"
    )


def make_tasks(
    family: str,
    *,
    valley_map: ValleyMap,
    residents: Sequence[str],
    split: str,
    seed: int,
    difficulty: int = 2,
) -> dict[str, Task]:
    """Draw one family's tasks for several residents: one each, or one that they share.

    Args:
        family: One of ``FAMILIES`` or of ``ANY_OF``.
        valley_map: The valley of the tasks.
        residents: The residents that get a task; a shared task must go to all who live near the first.
        split: As for ``make_task``.
        seed: An integer >= 0.
        difficulty: As for ``make_task``.

    Raises:
        ValueError: as ``make_task``; and for a task in common where not everybody has one.
    """
    if family not in TOGETHER:
        return _each_its_own(family, valley_map, residents, split, seed, difficulty)
    near = neighbourhood_of(valley_map.tables, residents[0])
    if set(near.people) != set(residents):
        raise ValueError(f"{family!r} is a task that {list(near.people)} have in common; give it to all of them")
    drawing = Drawing(near, residents[0], stream(seed, f"{split} {family}"), difficulty)
    try:
        return TOGETHER[family].draw_all(drawing)
    except NothingToDraw:
        raise ValueError(f"map {valley_map.name!r} lacks what a {family!r} task needs; choose another") from None


def _each_its_own(
    family: str, valley_map: ValleyMap, residents: Sequence[str], split: str, seed: int, difficulty: int
) -> dict[str, Task]:
    """Draw separate tasks; a resident's own does not depend on who else has one, and avoids earlier kinds of things."""
    tables, taken, tasks = valley_map.tables, set[str](), dict[str, Task]()
    last = max(tables.resident_number[name] for name in residents)
    alone = len(tables.residents) > _SOCIETY
    for name in residents if alone else tables.residents[: last + 1]:
        task = make_task(
            family,
            valley_map=valley_map,
            resident=name,
            split=split,
            seed=stream(seed, f"{split} {family} {name}"),
            difficulty=difficulty,
            taken=frozenset() if alone else frozenset(taken),
        )
        tasks[name] = task
        taken |= kinds_of(task, neighbourhood_of(tables, name).kind_of)
    return {name: tasks[name] for name in residents}


_SOCIETY = 12
"""Largest number of residents for whom separate tasks avoid one another's kinds of things."""


def kinds_of(task: Task, kind_of: Mapping[str, str]) -> set[str]:
    """Return the kinds of things that a single-part task is about; empty for longer tasks, which may compete."""
    names = [str(getattr(task, field)) for field in ("kind", "item") if hasattr(task, field)]
    return {kind_of.get(name, name) for name in names}


def task_from_json(data: Mapping[str, Any]) -> Task:
    """Build a task from what ``Task.to_json`` gave, after any JSON round trip.

    Raises:
        ValueError: for data that is not a task.
    """
    if not isinstance(data, Mapping) or not isinstance(data.get("family"), str):
        raise ValueError(f"a task must be a mapping with the key 'family', got {data!r}")
    check_known("task family", data["family"], FAMILIES)
    return FAMILIES[data["family"]].from_fields({key: value for key, value in data.items() if key != "family"})


def check_family(family: str) -> None:
    """Check that a name is a family's, or stands for any of several families.

    Raises:
        ValueError: for such a name.
    """
    check_known("task family", family, (*FAMILIES, *ANY_OF))
