"""What the mechanics of a map name and what can never matter there is said by ``irollan map check``."""

from pathlib import Path
from typing import Any

import pytest

from evaluation.commands.cli import main
from irollan_env.map.loading import MAPS, TEMPLATE, load_map
from irollan_env.map.valley_map import ValleyMap
from irollan_env.world.mechanics.doubts import doubts_of

MAP = """
name = "Apart"
kinds = "irollan_valley"
[[grounds]]
name = "Near"
[[grounds]]
name = "Far"
[[areas]]
name = "Ada's Home"
ground = "Near"
furniture = { table = 1, bed = 1, foodshelf = 1 }
things = { foodshelf = { food = 2 }, table = { coin = 3 } }
[[areas]]
name = "Hall"
ground = "Far"
furniture = { table = 1, oven = 1, foodshelf = 1 }
[[residents]]
name = "Ada"
home = "Ada's Home"
[furniture_kinds]
oven = { height = 1, receptacle = true }
[item_kinds]
coin = { }
flour = { }
bread = { spare = 3 }
"""
FAR = "nobody can reach Hall"


@pytest.fixture(scope="module")
def apart(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("doubts") / "apart.toml"
    path.write_text(MAP)
    return path


def shop(**more: Any) -> dict[str, Any]:
    return {"foodshelf 1": {"prices": {"food": 1}, "till": "table 1", **more}}


@pytest.mark.parametrize(
    ("mechanic", "settings", "decisive"),
    [
        ("trade", {"money": "coin", "shelves": {"foodshelf 2": shop()["foodshelf 1"]}}, f"shelves.foodshelf 2: {FAR}"),
        ("trade", {"money": "coin", "shelves": shop(till="table 2")}, f"shelves.foodshelf 1.till: {FAR}"),
        ("trade", {"money": "coin", "shelves": shop(prices={"food": 4})}, "4 is more than the 3 coin"),
        ("trade", {"money": "coin", "shelves": shop(prices={"book": 1})}, "prices.book: there is no book"),
        ("trade", {"money": "flour", "shelves": shop()}, "money: there is no flour"),
        ("trade", {"money": "coin", "wages": {"bed 1": {"pays": 1, "every": 2}}}, "no coin lies there"),
        ("trade", {"money": "coin", "wages": {"table 1": {"pays": 1, "work": "oven"}}}, "work: there is no oven"),
        ("votes", {"boxes": {"table 2": {"question": "?", "options": ["a", "b"], "counted_at": 3}}}, FAR),
        ("votes", {"sheets": {"table 2": {}}}, FAR),
        ("notices", {"boards": {"table 2": {}}}, FAR),
        ("access", {"room": {"foodshelf 2": 2}}, FAR),
        ("access", {"room": {"table": 8}}, "8 is never reached"),
        ("access", {"places": {"Hall": 1}}, FAR),
        ("access", {"places": {"Ada's Home": 1}}, "1 is never exceeded"),
        ("access", {"hands": 8}, "hands: 8 is never exceeded"),
        ("access", {"one_user": ["oven"]}, "there is no oven"),
        ("recipes", {"bread": {"at": "oven", "takes": {"coin": 1}, "makes": {"bread": 1}}}, "at: there is no oven"),
        ("recipes", {"bread": {"at": "bed", "takes": {"coin": 4}, "makes": {"bread": 1}}}, "4 are never there at once"),
        ("growth", {"food": {"kind": "bread", "on": "oven", "most": 1}}, "on: there is no oven"),
        ("growth", {"food": {"kind": "bread", "on": "table 1", "most": 9}}, "most: 9 never lie there"),
        ("needs", {"hunger": {"rises": 0.1, "eased_by": {"book": 0.5}}}, "eased_by.book: there is no book"),
        ("needs", {"cold": {"rises": 0.1, "eased_in": {"Hall": 0.5}}}, FAR),
        ("calendar", {"hours": {"Hall": [[8, 18]]}}, FAR),
    ],
)
def test_what_can_never_matter_is_named(apart: Path, mechanic: str, settings: dict[str, Any], decisive: str) -> None:
    valley_map = load_map(apart)
    [*found] = doubts_of(valley_map.with_mechanics({mechanic: settings}))
    assert [one for one in found if one.startswith(f"mechanics.{mechanic}.") and decisive in one]


def test_maps_that_ship_give_no_cause_for_doubt(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert not list(doubts_of(ValleyMap.default()))
    assert not list(doubts_of(load_map(TEMPLATE)))
    assert not list(doubts_of(load_map(MAPS["hamlet"])))
    path = tmp_path / "far.toml"
    path.write_text(f'{MAP}[mechanics.notices.boards."table 2"]\n')
    assert main(["map", "check", str(path)]) == 0
    assert f"warning: mechanics.notices.boards.table 2: {FAR}" in capsys.readouterr().err
