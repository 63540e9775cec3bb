"""Valleys drawn from a seed."""

import numpy as np
import pytest

from irollan_env.map.drawn import draw_valley


def draw(seed: int, **asked: object) -> object:
    return draw_valley(np.random.default_rng(seed), **asked)  # type: ignore[arg-type]


def test_a_seed_gives_one_valley() -> None:
    assert draw(1) == draw(1)
    assert draw(1) != draw(2)


@pytest.mark.parametrize(("level", "places"), [(1, 9), (2, 11), (3, 14)])
def test_levels_are_larger_and_all_have_what_tasks_need(level: int, places: int) -> None:
    for seed in range(10):
        valley = draw_valley(np.random.default_rng(seed), level=level, unseen=seed % 2 == 0)
        tables = valley.tables
        assert (len(tables.places), len(valley.grounds)) == (places, level)
        kinds = {piece.kind for piece in valley.furniture}
        assert {"sinkbasin", "stoveburner", "table"} <= kinds
        assert len(tables.growing) == 1
        assert sum(tables.heavy) == 1
        assert len(tables.items) == 35
        assert [resident.name for resident in valley.residents] == ["AY", "SG", "MD", "WL", "LL", "WM"]


def test_no_home_bears_a_name_and_homes_change_hands() -> None:
    homes = set()
    for seed in range(10):
        for resident in draw_valley(np.random.default_rng(seed)).residents:
            assert resident.name not in resident.home
            homes.add((resident.name, resident.home))
    assert len(homes) > 50


def test_what_is_held_out_is_in_no_other_valley() -> None:
    def names(*, unseen: bool) -> set[str]:
        valleys = [draw_valley(np.random.default_rng(n), level=3, unseen=unseen) for n in range(40)]
        things = {item.kind for valley in valleys for item in valley.items}
        rooms = {word for valley in valleys for area in valley.areas for word in area.name.split(" ")}
        closing = {v.tables.furniture[f].rsplit(" ", 1)[0] for v in valleys for f, c in enumerate(v.tables.closes) if c}
        return things | rooms | closing

    assert names(unseen=True).isdisjoint(names(unseen=False))


def test_another_level_is_refused() -> None:
    with pytest.raises(ValueError, match=r"level must be one of \(1, 2, 3\), got 4"):
        draw(0, level=4)
