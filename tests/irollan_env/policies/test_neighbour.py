"""Neighbours: near home, answering, and harmless."""

from irollan_env import World, chat_with
from irollan_env.policies.neighbour import Neighbour
from irollan_env.random_streams import stream
from irollan_env.tasks import instance_map

VALLEY = instance_map("train", 1)


def live(world: World, steps: int) -> list[str]:
    residents = {name: Neighbour(name, stream(0, name)) for name in world.residents}
    done = []
    for _ in range(steps):
        actions = {name: resident.decide(world.observe(name)) for name, resident in residents.items()}
        done += [action for action in actions.values() if action]
        world.step(actions)
    return done


def test_they_go_about_and_spoil_nothing() -> None:
    world = World(VALLEY, seed=0)
    done = live(world, 150)
    assert {action.split(" ")[0] for action in done} >= {"go", "use"}
    assert not [action for action in done if action.startswith("use ") and not action.startswith("use chair")]
    homes = {resident.name: resident.home for resident in VALLEY.residents}
    ground = {area.name: area.ground for area in VALLEY.areas}
    for name, home in homes.items():
        assert ground.get(world.place_of(name), world.place_of(name)) == ground[home]


def test_who_knows_whose_a_thing_is_says_so_when_asked() -> None:
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
