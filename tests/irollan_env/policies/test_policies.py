"""Residents that act by a policy: what they do, and what scripted ones and neighbours answer."""

import numpy as np
import pytest
from staging import stage

from irollan_env import POLICIES, ScriptedResident, World, chat_with, get_policy
from irollan_env.policies.neighbour import Neighbour
from irollan_env.policies.simple import by_primitive
from irollan_env.random_streams import stream
from irollan_env.tasks import instance_map
from irollan_env.world.requests import INVITATION_STEPS


def test_the_scripted_residents_meet_and_talk():
    world, policy, generator = World(seed=0), get_policy("scripted"), np.random.default_rng(0)
    places, words = set(), set()
    for _ in range(150):
        seen = {name: world.observe(name, with_percepts=False) for name in world.residents}
        actions = {name: policy(observation, generator) for name, observation in seen.items()}
        places |= {observation.place for observation in seen.values()}
        words |= {
            action.split(": ")[1].split(" ")[0]
            for action in actions.values()
            if action and action.startswith("chat with")
        }
        world.step(actions)
    assert len(places) == 9
    assert '"Hello' in words
    assert any(word.endswith(",") for word in words)  # an answer


def test_actions_are_found_by_primitive():
    world, generator = World(seed=0), np.random.default_rng(0)
    for _ in range(30):
        actions = {}
        for name in world.residents:
            admissible = world.admissible(name)
            groups = {}
            for action in admissible:
                groups[action.primitive] = (*groups.get(action.primitive, ()), action)
            assert list(by_primitive(admissible).items()) == list(groups.items())
            actions[name] = admissible[int(generator.integers(len(admissible)))]
        world.step(actions)
    assert by_primitive(()) == {}


def scripted(world, name, seed=0):
    assert name in world.residents
    return ScriptedResident(name, np.random.default_rng(seed))


def test_what_is_told_is_acknowledged_and_that_is_the_end_of_it():
    world = stage(people={"WL": "LL's Home"})
    resident, other = scripted(world, "LL"), scripted(world, "WL")
    world.step({"WL": chat_with("LL", "The beefsteak is mine.")})
    answer = resident.decide(world.observe("LL"))
    assert answer == 'chat with WL: "WL, I hear you: The beefsteak is mine."'
    world.step({"LL": answer})
    assert "I hear you:" not in str(other.decide(world.observe("WL")))


def test_what_is_asked_for_is_handed_over():
    world = stage(people={"WL": "LL's Home"}, holding={"LL": ["book 1"]})
    world.step({"WL": chat_with("LL", "Could you give me the book 1?")})
    assert scripted(world, "LL").decide(world.observe("LL")) == "put book 1 in/on WL"
    world.step({"WL": chat_with("LL", "Give me the book 2!")})
    assert "I hear you: Give me the book 2!" in str(scripted(world, "LL").decide(world.observe("LL")))


def test_who_is_invited_comes_and_stays_for_a_while():
    world = stage(people={"WL": "LL's Home"})
    resident = scripted(world, "LL")
    world.step({"WL": chat_with("LL", "Will you come to the Public Canteen?")})
    places = []
    for _ in range(INVITATION_STEPS + 12):
        world.step({"LL": resident.decide(world.observe("LL"))})
        places.append(world.place_of("LL"))
    assert places[:3] == ["LL's Home", "outside", "Public Canteen"]
    assert set(places[2 : INVITATION_STEPS - 1]) == {"Public Canteen"}
    assert set(places[INVITATION_STEPS:]) != {"Public Canteen"}


def test_scripted_residents_among_themselves_are_the_scripted_policy():
    worlds = World(seed=1), World(seed=1)
    residents = {name: scripted(worlds[0], name, number) for number, name in enumerate(worlds[0].residents)}
    plain = {name: np.random.default_rng(number) for number, name in enumerate(worlds[1].residents)}
    for _ in range(80):
        seen = {name: worlds[1].observe(name) for name in plain}
        worlds[1].step({name: get_policy("scripted")(seen[name], plain[name]) for name in plain})
        worlds[0].step({name: resident.decide(worlds[0].observe(name)) for name, resident in residents.items()})
    assert worlds[0].get_state() == worlds[1].get_state()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"until": -1}, "'until' of 'LL' must be an integer >= 0, got -1"),
        ({"invited_to": 3}, "'invited_to' of 'LL' must be null or a place, got 3"),
        ({"generator": {}}, "state.generator lacks 'state'"),
        ({"more": 1}, "unknown key 'more'"),
    ],
)
def test_a_bad_state(change, message):
    resident = ScriptedResident("LL", np.random.default_rng(0))
    with pytest.raises(ValueError, match=message):
        resident.set_state({**resident.get_state(), **change})


VALLEY = instance_map("train", 1)


def live(world, steps):
    residents = {name: Neighbour(name, stream(0, name)) for name in world.residents}
    done = []
    for _ in range(steps):
        actions = {name: resident.decide(world.observe(name)) for name, resident in residents.items()}
        done += [action for action in actions.values() if action]
        world.step(actions)
    return done


def test_they_go_about_and_spoil_nothing():
    world = World(VALLEY, seed=0)
    done = live(world, 150)
    assert {action.split(" ")[0] for action in done} >= {"go", "use"}
    assert not [action for action in done if action.startswith("use ") and not action.startswith("use chair")]
    homes = {resident.name: resident.home for resident in VALLEY.residents}
    ground = {area.name: area.ground for area in VALLEY.areas}
    for name, home in homes.items():
        assert ground.get(world.place_of(name), world.place_of(name)) == ground[home]


def test_who_knows_whose_a_thing_is_says_so_when_asked():
    world = World(VALLEY, seed=0)
    home = world.place_of("SG")
    state = world.get_state()
    state["people"][world.place_of("AY")].remove("AY")
    state["people"][home].append("AY")
    state["residents"]["AY"]["position"] = state["residents"]["SG"]["position"]
    world.set_state(state)
    world.step({"AY": chat_with("SG", "Who lost the lens 2?")})
    seen = world.observe("SG")
    knows = Neighbour("SG", stream(0, "SG"))
    told = type(seen).from_json({**seen.to_json(), "goal": "You know this: MD lost the lens 2."})
    assert knows.decide(told) == 'chat with AY: "MD lost the lens 2."'
    assert "I hear you" in str(knows.decide(seen))


@pytest.mark.parametrize("name", POLICIES)
def test_a_lone_resident_always_succeeds(name):
    world, policy, generator = World(seed=0), get_policy(name), np.random.default_rng(0)
    for step in range(200):
        resident = world.residents[step % 6]
        action = policy(world.observe(resident, with_percepts=False), generator)
        assert world.step({resident: action})[resident].kind == "executed", action


def test_a_place_that_is_not_there_is_given_up():
    world = stage(people={"WL": "outside", "LL": "outside"})
    resident = scripted(world, "LL")
    world.step({"WL": chat_with("LL", "Come to Atlantis.")})
    world.step({"LL": resident.decide(world.observe("LL"))})
    resident.decide(world.observe("LL"))
    assert resident.get_state()["invited_to"] is None
