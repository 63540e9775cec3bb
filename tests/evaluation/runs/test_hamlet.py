"""The shipped world hamlet: who lives there, that nobody starves in plenty, and that its runs resume."""

from __future__ import annotations

import asyncio
import json
from dataclasses import replace
from typing import Any

import pytest

from evaluation.measures import measure
from evaluation.runs.build_society import build_society
from evaluation.runs.run_config import RunConfig
from irollan_env.map.loading import MAPS, load_map
from irollan_env.map.valley_map import ValleyMap
from language_models.embedders.hash_embedder import HashEmbedder
from language_models.scripted import ScriptedModel

PLENTY = {"growth": {"food": {"every": 1, "most": 20}}, "needs": {"hunger": {"rises": 0.06}}}


def society(valley_map: ValleyMap, seed: int = 1) -> Any:
    """Make a society in which nobody is held back."""
    configuration = RunConfig(seed=seed, architecture="itcma")
    return build_society(configuration, ScriptedModel(), HashEmbedder(), valley_map)


def test_there_are_homes_and_beds_for_thirty() -> None:
    whole = ValleyMap.from_toml(MAPS["hamlet"])
    assert (len(load_map("hamlet").residents), len(load_map("hamlet", 30).residents)) == (12, 30)
    beds = [piece.place for piece in whole.furniture if piece.kind == "bed"]
    homes = [one.home for one in whole.residents]
    assert all(homes.count(home) <= beds.count(home) for home in homes)


def test_food_is_scarce_by_default() -> None:
    valley = load_map("hamlet")
    hunger, food = valley.mechanics["needs"]["hunger"], valley.mechanics["growth"]["food"]
    for residents in (12, 30):
        wanted = residents * hunger["rises"] / hunger["eased_by"]["food"]
        grown = -(-residents // food["for_each"]) / food["every"]
        assert grown / wanted == pytest.approx(0.83, abs=0.05)


@pytest.fixture(scope="module")
def lived() -> list[dict[str, Any]]:
    """Records of eight who have plenty, for as long as hunger takes to put somebody out who does not eat."""

    async def live() -> list[dict[str, Any]]:
        world = society(load_map("hamlet", 8).with_mechanics(PLENTY))
        return [record for _ in range(18) for record in (await world.step()).records]

    return asyncio.run(live())


def test_nobody_starves_where_there_is_plenty(lived: list[dict[str, Any]]) -> None:
    table = measure(lived).set_index(["level", "measure"])["value"]
    assert table["society", "went_out"] == 0
    assert 0 <= table["society", "gini_food"] <= 1
    eaten = [record for record in lived if "It eases your hunger." in record["result"]]
    assert {record["resident"] for record in eaten} == {record["resident"] for record in lived}


def test_without_needs_nobody_cares(lived: list[dict[str, Any]]) -> None:
    bare = load_map("hamlet", 8)
    bare = replace(bare, mechanics={name: one for name, one in bare.mechanics.items() if name != "needs"})

    async def live() -> list[str | None]:
        world = society(bare)
        return [record["action"] for _ in range(8) for record in (await world.step()).records]

    actions = [record["action"] for record in lived if record["time"] < 8]
    other = sum(one != another for one, another in zip(actions, asyncio.run(live()), strict=True))
    assert other > len(actions) / 4


def test_a_run_resumes_to_the_same_records(lived: list[dict[str, Any]]) -> None:
    async def live() -> list[dict[str, Any]]:
        before = society(load_map("hamlet", 8).with_mechanics(PLENTY))
        for _ in range(6):
            await before.step()
        state = json.loads(json.dumps(before.get_state()))
        after = society(load_map("hamlet", 8).with_mechanics(PLENTY), seed=1)
        after.set_state(state)
        return [record for _ in range(4) for record in (await after.step()).records]

    assert json.dumps(asyncio.run(live())) == json.dumps([one for one in lived if 6 <= one["time"] < 10])
