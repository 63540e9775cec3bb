"""The observation's JSON form."""

import json
import math
from typing import Any

import pytest
from staging import stage

from irollan_env import Observation, Percept, World


def test_json_round_trip() -> None:
    world = stage(people={"AY": "LL's Home"}, holding={"LL": ["toy 1"]}, status={"toy 1": ["clean", "damp"]})
    world.step({"AY": "chat with LL: “hello” \n\t🙂"})
    for name in world.residents:
        seen = world.observe(name)
        assert Observation.from_json(json.loads(json.dumps(seen.to_json()))) == seen
    assert world.observe("LL").messages[0].text == "“hello” \n\t🙂"


def test_without_percepts_the_rest_is_the_same() -> None:
    world = stage(people={"AY": "LL's Home"})
    world.step({"AY": "go to outside"})
    full, brief = world.observe("LL").to_json(), world.observe("LL", with_percepts=False).to_json()
    assert brief.pop("percepts") == ()
    assert full.pop("percepts")
    assert brief.pop("events") == ()
    assert full.pop("events")
    assert full == brief


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"extra": 1}, "unknown key 'extra'"),
        ({"percepts": [{"name": "x"}]}, "not an observation"),
        ({"events": [{"time": 0, "actor": "LL", "deed": "flew"}]}, "deed of an event must be one of"),
    ],
)
def test_broken_json(changes: dict[str, Any], message: str) -> None:
    data = {**World(seed=0).observe("LL").to_json(), **changes}
    with pytest.raises(ValueError, match=message):
        Observation.from_json(data)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"name": ""}, "a percept needs a name"),
        ({"kind": "ghost"}, "kind of 'x' must be one of"),
        ({"theta": 4.0}, "theta of 'x' must lie in"),
        ({"phi": -0.1}, "phi of 'x' must lie in"),
        ({"gamma": math.inf}, "gamma of 'x' must lie in"),
    ],
)
def test_broken_percepts(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Percept(**{"name": "x", "kind": "item", "theta": 1.0, "phi": 0.0, "gamma": 1.0, **changes})


def test_the_quick_way_to_an_observation_gives_the_same() -> None:
    seen = World(seed=0).observe_tuple("AY", with_percepts=True)._replace(goal="Rest.")
    assert seen.of("AY") == Observation(resident="AY", **seen._asdict())
    assert seen.of("AY").to_json() == Observation(resident="AY", **seen._asdict()).to_json()
