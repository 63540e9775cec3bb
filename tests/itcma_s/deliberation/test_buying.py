"""What costs money takes two errands: residents fetch or earn the money first, and then buy."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest
from scenes import EMBEDDER, run

from irollan_env.map.loading import load_map
from irollan_env.world.mechanics.needs import common_knowledge
from irollan_env.world.mechanics.trade import known_trade
from irollan_env.world.world import World
from itcma_s import make_mind
from itcma_s.deliberation.buying import too_dear
from itcma_s.deliberation.similarity_policy.errands import steps_on
from itcma_s.fields.name_table import NameTable
from itcma_s.memory.familiarity import Familiarity
from itcma_s.resident import ItcmaResident
from language_models.scripted import ScriptedModel

MAP = """
name = "A street"
kinds = "irollan_valley"
[[grounds]]
name = "Street"
[[areas]]
name = "Ada's Home"
ground = "Street"
furniture = { table = 1, bed = 1 }
things = HOME
[[areas]]
name = "Ben's Home"
ground = "Street"
furniture = { table = 1 }
things = { table = { coin = 3 } }
[[areas]]
name = "Bakery"
ground = "Street"
furniture = { foodshelf = 1, cashbox = 1 }
things = { foodshelf = { food = 2 } }
[[areas]]
name = "Office"
ground = "Street"
furniture = { workdesk = 1, chest = 1 }
things = { chest = { coin = 6 } }
[[residents]]
name = "Ada"
home = "Ada's Home"
[[residents]]
name = "Ben"
home = "Ben's Home"
[furniture_kinds]
cashbox = { height = 0.9, receptacle = true }
chest = { height = 0.9, receptacle = true }
workdesk = { height = 0.9, receptacle = true, use = { remove = ["damp"] } }
[item_kinds]
coin = { }
[mechanics.needs.hunger]
rises = 0.01
start = 0.9
eased_by = { food = 0.6 }
[mechanics.used_up]
food = 1
[mechanics.trade]
money = "coin"
[mechanics.trade.shelves."foodshelf 1"]
prices = { food = 2 }
till = "cashbox 1"
"""
WAGES = '[mechanics.trade.wages."chest 1"]\npays = 1\nwork = "workdesk"\n'


def street(folder: Path, home: str, more: str = "") -> World:
    path = folder / "street.toml"
    path.write_text(MAP.replace("HOME", home) + more)
    return World(load_map(path), 0)


def deeds(world: World, steps: int, resumed_at: int = -1) -> list[str]:
    """What Ada does, without the numbers of things, from a mind that is saved and restored at a step."""
    table = NameTable(EMBEDDER)

    def made() -> ItcmaResident:
        return make_mind(
            "Ada",
            model=ScriptedModel(),
            embedder=EMBEDDER,
            generator=np.random.default_rng(0),
            writes=False,
            needs=common_knowledge(world.map),
            residents=world.residents,
            table=table,
        )

    mind, done = made(), []
    for step in range(steps):
        if step == resumed_at:
            state, mind = mind.get_state(), made()
            mind.set_state(state)
        action = str(run(mind.act(world.observe("Ada"))).action)
        world.step({"Ada": action})
        done.append(re.sub(r" \d+", "", action))
    return done


def test_the_purse_is_fetched_from_home_before_the_bakery(tmp_path: Path) -> None:
    world = street(tmp_path, "{ table = { coin = 3 } }")
    done = deeds(world, 6, resumed_at=3)
    assert done[:2] == ["take coin from table", "take coin from table"]
    assert done[-2:] == ["take food from foodshelf", "use food"]
    assert "go to Bakery" in done
    assert world.observe("Ada").needs["hunger"] < 0.5
    assert len(world.contents("cashbox 1")) == 2


def test_one_that_stands_in_the_bakery_without_money_goes_home_for_it(tmp_path: Path) -> None:
    world = street(tmp_path, "{ table = { coin = 3 } }")
    world.move_resident("Ada", "Bakery", cause="test")
    done = deeds(world, 9)
    assert [one for one in done if one.startswith(("take", "use"))] == [
        "take coin from table",
        "take coin from table",
        "take food from foodshelf",
        "use food",
    ]


def test_without_a_purse_the_money_is_earned(tmp_path: Path) -> None:
    world = street(tmp_path, "{ }", WAGES)
    done = deeds(world, 14)
    assert done.count("use workdesk") == 2
    assert [one for one in done if "coin" in one] == ["take coin from chest", "take coin from chest"]
    assert done.index("use food") > done.index("take food from foodshelf")


def test_an_errand_for_what_costs_money_begins_with_the_money(tmp_path: Path) -> None:
    world, errand = street(tmp_path, "{ table = { coin = 3 } }"), "get some food and bring it to Ben"
    trade = known_trade(world.map, "Ada")
    known = Familiarity(prices={"food": {"Bakery": 2.0}}, money=trade.money, residents=frozenset(world.residents))
    known.places["Bakery"] = None
    done: list[str] = []
    while len(done) < 6:
        seen = world.observe("Ada")
        known.learn(seen)
        steps = steps_on(errand, seen.admissible, seen, known)
        assert steps is not None
        done.append(str(seen.admissible[int(steps.argmax())]))
        world.step({"Ada": done[-1]})
    done = [one.replace("leave", "go to") for one in done]
    assert [one.partition(" ")[0] for one in done] == ["take", "take", "go", "go", "take", "go"]
    assert "from foodshelf 1" in done[4]


def test_a_place_is_too_dear_where_nothing_that_would_do_can_be_paid(tmp_path: Path) -> None:
    seen = street(tmp_path, "{ }").observe("Ada")
    known = Familiarity(prices={"food": {"Bakery": 2.0, "Inn": 3.0}, "bread": {"Bakery": 0.0}}, money="coin")
    assert too_dear(["food"], seen, known) == {"Bakery", "Inn"}
    assert too_dear(["bread", "food"], seen, known) == {"Inn"}


@pytest.mark.parametrize("trade", [True, False])
def test_only_worlds_with_trade_keep_prices_in_minds(tmp_path: Path, trade: bool) -> None:
    world = street(tmp_path, "{ }")
    known = common_knowledge(world.map if trade else load_map())
    mind = make_mind("Ada", model=ScriptedModel(), embedder=EMBEDDER, generator=np.random.default_rng(0), needs=known)
    assert ("prices" in mind.get_state()["familiarity"]) is trade
