"""The benchmark's instances are those that the listing names, and no two are the same."""

import itertools

import pytest

from irollan_env.tasks import ALONE, FAMILIES, PER_SPLIT, SPLITS, instance_hash, instance_map, instance_tasks
from irollan_env.tasks.instances import check_number, listed_hashes


@pytest.mark.parametrize("family", FAMILIES)
def test_instances_are_those_listed(family: str) -> None:
    for split, number in itertools.product(SPLITS, (0, PER_SPLIT - 1)):
        valley = instance_map(split, number)
        residents = valley.tables.residents[:1] if family in ALONE else valley.tables.residents
        found = instance_hash(valley, instance_tasks(family, split, number, residents))
        assert found == listed_hashes(family, split)[number]


def test_all_are_distinct_over_all_splits() -> None:
    every = [one for family in FAMILIES for split in SPLITS for one in listed_hashes(family, split)]
    assert len(every) == len(FAMILIES) * len(SPLITS) * PER_SPLIT
    assert len(set(every)) == len(every)


def test_what_one_has_does_not_depend_on_who_else_has_a_task() -> None:
    together = instance_tasks("fetch", "train", 3, ("AY", "LL", "WM"))
    assert together["LL"] == instance_tasks("fetch", "train", 3, ("LL",))["LL"]
    kinds = [getattr(task, "kind", "") for task in together.values()]
    assert len(set(kinds)) == 3


@pytest.mark.parametrize("number", [-1, 500, 1.0, True])
def test_numbers_that_are_none(number: object) -> None:
    with pytest.raises(ValueError, match="the number of an instance must be an integer in"):
        check_number(number)  # type: ignore[arg-type]
