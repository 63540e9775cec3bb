"""Trades: two hand each other what each owns, and have to find out by asking that it is they who have to."""

import pytest

import irollan_env
from irollan_env import ValleyMap
from irollan_env.tasks import FAMILIES, SPLITS, Trade, instance_map, instance_tasks, make_tasks

ITEMS = {"AY": "food 1", "LL": "toy 3", "MD": "book 1", "WL": "toy 2"}


def make(*people):
    """An environment of the paper's valley in which these people have a trade to make, out of doors, goods in hand."""
    items = tuple(ITEMS[name] for name in people)
    valley = ValleyMap.default()
    place_of = {piece.name: piece.place for piece in valley.furniture}
    lies = {item.name: place_of[item.on] for item in valley.items}
    tasks = {name: Trade(people=people, items=items, place=lies[ITEMS[name]], told=name) for name in people}
    env = irollan_env.parallel_env(task=tasks, map=valley, expert_plan=True, slots=None)
    env.reset(seed=0)
    state = env.world.get_state()
    for name in people:
        state["items"][ITEMS[name]]["on"] = None
        state["residents"][name]["holding"] = [ITEMS[name]]
    env.world.set_state(state)
    env.step(dict.fromkeys(people, "go to outside"))
    return env


def marks(env, name):
    return set(env.episodes.tasks.by_resident[name].progress)


def test_who_asks_for_ones_own_is_whom_one_trades_with():
    env = make("AY", "LL", "MD", "WL")
    *_, infos = env.step({"AY": "chat with MD: ..."})
    assert "match AY" not in marks(env, "MD")
    assert [message.text for message in infos["MD"]["messages"]] == ["Please give me the toy 3."]
    *_, infos = env.step({"AY": "chat with LL: LL, do give me the TOY 3."})
    assert "match AY" in marks(env, "LL")
    assert not any(mark.startswith("match") for mark in marks(env, "AY"))
    env.step({"LL": infos["LL"]["expert_plan"][0]})  # an answer
    *_, infos = env.step({})
    assert infos["LL"]["expert_plan"] == ("put toy 3 in/on AY",)
    *_, infos = env.step({"LL": "put toy 3 in/on AY"})
    assert infos["AY"]["expert_plan"] == ("put food 1 in/on LL",)


def test_a_trade_is_made_when_all_have_handed_over_their_own():
    env = make("AY", "LL", "MD", "WL")
    env.step({"AY": "put food 1 in/on LL", "LL": "put toy 3 in/on AY", "MD": "put book 1 in/on WL"})
    assert env.agents
    _, rewards, *_ = env.step({"WL": "put toy 2 in/on MD"})
    assert rewards == {"AY": 1.0, "LL": 1.0, "MD": 1.0, "WL": 1.0, "SG": 0.0, "WM": 0.0}
    assert env.agents == []


def test_ones_own_in_the_wrong_hands_is_lost_for_all():
    env = make("AY", "LL", "MD", "WL")
    *_, terminations, _, infos = env.step({"AY": "put food 1 in/on MD"})
    assert all(terminations.values())
    assert max(info["score"] for info in infos.values()) < 1.0


@pytest.mark.parametrize("split", SPLITS)
def test_wares_alone_change_hands(split):
    valley = instance_map(split, 1)
    tasks = instance_tasks("trade", split, 1, valley.tables.residents)
    items = {item for task in tasks.values() for item in task.to_json()["items"]}
    kinds = {kind.name: kind for kind in valley.item_kinds}
    owned = {item.kind: kinds[item.kind] for item in valley.items if item.name in items}
    assert len(items) == len(owned) == 6
    assert not any(kind.adds or kind.heavy for kind in owned.values())


def test_pairs_are_needed():
    assert "trade" in FAMILIES
    with pytest.raises(ValueError, match="must have pairs of people with a thing each"):
        make("AY", "LL", "MD")
    two = {"people": ("AY", "LL"), "items": ("food 1", "toy 3"), "place": "AY's Home"}
    with pytest.raises(ValueError, match="of whom the one that has it is told"):
        irollan_env.parallel_env(map=ValleyMap.default(), task={"LL": Trade(**two, told="AY")})
    valley = ValleyMap.default()
    with pytest.raises(ValueError, match=r"is a task that \[.*\] have in common"):
        make_tasks("trade", valley_map=valley, residents=("AY", "LL"), split="train", seed=0)


def test_each_is_told_its_own_thing_and_its_need_and_not_who_has_that():
    env = make("AY", "LL", "MD", "WL")
    goal = env.episodes.tasks.goals["AY"]
    assert goal.startswith("The food 1 in AY's Home is yours, and you need the toy 3. Somebody owns that")
    assert not any(hidden in goal for hidden in ("LL", "MD", "WL", "book 1", "toy 2"))


def test_what_somebody_else_hands_over_is_no_trade():
    env = make("AY", "LL")
    state = env.world.get_state()
    state["residents"]["LL"]["holding"], state["residents"]["AY"]["holding"] = [], ["food 1", "toy 3"]
    env.world.set_state(state)
    env.step({"AY": "put food 1 in/on LL"})
    env.step({"AY": "put toy 3 in/on LL"})
    assert "gave LL" not in marks(env, "AY")
    env.step({"LL": "put toy 3 in/on AY"})
    assert env.agents == []
