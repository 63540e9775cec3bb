"""The observation's JSON form."""

import json
import math

import pytest
from staging import stage

from irollan_env import Observation, Percept, World


def test_json_round_trip():
    world = stage(people={"AY": "LL's Home"}, holding={"LL": ["toy 1"]}, status={"toy 1": ["clean", "damp"]})
    world.step({"AY": "chat with LL: “hello” \n\t🙂"})
    for name in world.residents:
        seen = world.observe(name)
        assert Observation.from_json(json.loads(json.dumps(seen.to_json()))) == seen
    assert world.observe("LL").messages[0].text == "“hello” \n\t🙂"


def test_without_percepts_the_rest_is_the_same():
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
def test_broken_json(changes, message):
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
def test_broken_percepts(changes, message):
    with pytest.raises(ValueError, match=message):
        Percept(**{"name": "x", "kind": "item", "theta": 1.0, "phi": 0.0, "gamma": 1.0, **changes})
