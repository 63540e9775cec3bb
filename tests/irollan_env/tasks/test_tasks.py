"""The tasks: every family is solved by the expert, each check says what counts, and bad tasks are refused."""

import json
from dataclasses import replace

import pytest
from staging import stage

from irollan_env import IrollanValleyEnv, ValleyMap, World, chat_with
from irollan_env.tasks import (
    ALONE,
    AssignedTask,
    Await,
    CleanAndPlace,
    Deliver,
    Eat,
    Errands,
    Fetch,
    Find,
    Gather,
    InOrder,
    InTime,
    ReturnLost,
    Tell,
    assign_tasks,
    make_task,
    task_from_json,
)
from irollan_env.tasks.task import executed

MAP = ValleyMap.default()


def make(family, seed, split="train", resident="AY"):
    return make_task(family, valley_map=MAP, resident=resident, split=split, seed=seed)


def rewards(env, seed):
    """The rewards of an episode in which the expert's plan is followed; it must solve the task."""
    _, info = env.reset(seed=seed, options={"instance": seed})
    terminated, truncated, seen = False, False, []
    while not (terminated or truncated):
        _, reward, terminated, truncated, info = env.step(info["expert_plan"][0])
        seen.append(reward)
    assert terminated, (seed, info["goal"])
    assert info["score"] == 1.0
    assert info["expert_plan"] == ()
    return seen


@pytest.mark.parametrize("family", ALONE)
def test_the_expert_solves_it_by_what_it_has_seen(family):
    for number, split in enumerate(("train", "test_unseen")):
        dense = IrollanValleyEnv(
            task=family,
            split=split,
            others="neighbour",
            max_steps=150,
            expert_plan=True,
            percepts=False,
            reward="dense",
        )
        assert sum(rewards(dense, number)) == pytest.approx(1.0)


@pytest.mark.parametrize("family", ALONE)
def test_a_seed_gives_one_task_that_json_keeps(family):
    task = make(family, 3)
    assert task == make(family, 3) == task_from_json(json.loads(json.dumps(task.to_json())))
    assert [make(family, seed) for seed in range(20)] != [make(family, seed, "test_seen") for seed in range(20)]


def test_the_wording():
    fetch = Fetch(kind="book", furniture="table", place="AY's Home")
    find = Find(kind="toy 1", furniture="table", place="AY's Home")
    tasks = {
        fetch: "Fetch a book and put it in/on a table in AY's Home.",
        find: "Find the toy 1 and put it in/on a table in AY's Home.",
        Deliver(kind="clothes", person="WM"): "Bring some clothes to WM.",
        Await(kind="book", person="WM", place="WM's Home"): "When WM comes to WM's Home, hand WM a book there.",
        ReturnLost(item="toy 2", person="WM", knower="LL"): "Give the toy 2 back to the one who lost it. Somebody here "
        "knows who that is; ask.",
        Tell(person="WM", item="toy 2"): "See where the toy 2 is, tell WM within 10 steps, and have WM acknowledge it.",
        Gather(people=("MD", "WL"), place="Public Canteen"): "Bring MD and WL together in Public Canteen, and be there "
        "with them.",
        InOrder(
            parts=(fetch, Eat(kind="food"))
        ): "Do all of this, in this order: Fetch a book and put it in/on a table "
        "in AY's Home. Wash and heat some food, and eat it hot; what is eaten otherwise is wasted.",
    }
    for task, goal in tasks.items():
        assert task.goal == goal
    assert Fetch(kind="book", furniture="table", place="AY's Home", wording="A book, please.").goal == "A book, please."


def test_words_that_are_held_out_are_nowhere_else():
    said = {split: {make(f, s, split).wording for f in ALONE for s in range(30)} for split in ("train", "test_unseen")}
    assert said["train"].isdisjoint(said["test_unseen"] - {""})


class Follow:
    """A task, and the acts of those in the world by hand."""

    def __init__(self, task, world, resident="AY", reward="sparse"):
        self.world, self.resident = world, resident
        self.assigned = AssignedTask(task, resident, world, reward=reward)

    def step(self, action=None, **others):
        action = self.assigned.with_words(self.world, action)
        actions = {**others, self.resident: action}
        outcomes = self.world.step(actions)
        assert outcomes[self.resident].kind == "executed", outcomes
        acts = {name: act for name, text in actions.items() if (act := executed(outcomes[name].kind, text)) is not None}
        return self.assigned.advance(self.world, self.world.observe(self.resident).messages, acts)


def test_what_others_do_does_not_solve_a_fetch():
    world = stage(people={"LL": "AY's Home"}, holding={"LL": ["book 1"], "AY": ["book 2", "toy 1"]})
    follow = Follow(Fetch(kind="book", furniture="table", place="AY's Home"), world)
    assert follow.step(None, LL="put book 1 in/on table 1") == 0.0
    assert follow.step("put book 2 in/on bed 1") == 0.0  # not a table
    assert follow.step("put toy 1 in/on table 1") == 0.0  # not a book
    follow.step("take book 2 from bed 1")
    assert not follow.assigned.solved
    assert follow.step("put book 2 in/on table 1") == 1.0
    assert follow.assigned.solved
    assert follow.assigned.score == 1.0
    assert follow.step("take book 2 from table 1") == 0.0  # what is done is done


def test_a_thing_must_be_clean_when_it_is_put_there():
    world = stage(people={"AY": "LL's Home"}, holding={"AY": ["toy 1"]})
    follow = Follow(CleanAndPlace(kind="toy", furniture="table", place="LL's Home"), world)
    for action in ("put toy 1 in/on table 2", "take toy 1 from table 2", "put toy 1 in/on sinkbasin 1"):
        assert follow.step(action) == 0.0
    for action in ("use sinkbasin 1", "take toy 1 from sinkbasin 1"):
        assert follow.step(action) == 0.0
    assert follow.step("put toy 1 in/on table 3") == 1.0


def test_a_dense_reward_goes_down_as_well():
    follow = Follow(Fetch(kind="book", furniture="table", place="AY's Home"), stage(), reward="dense")
    length = follow.assigned.oracle_steps
    assert follow.step("go to outside") == pytest.approx(1 / length)
    assert follow.step("go to AY's Home") == pytest.approx(-1 / length)
    assert follow.assigned.score == 0.0


def test_the_wrong_owner_loses_the_task_and_the_right_one_wins_it():
    for person, solved in (("LL", True), ("WM", False)):
        world = stage(people={"LL": "AY's Home", "WM": "AY's Home"}, holding={"AY": ["toy 1"]})
        follow = Follow(ReturnLost(item="toy 1", person="LL", knower="MD"), world)
        assert follow.step(f"put toy 1 in/on {person}") == float(solved)
        assert follow.assigned.over
        assert follow.assigned.solved == solved


def test_parts_count_in_their_order_and_in_time():
    parts = (Deliver(kind="toy", person="LL"), Fetch(kind="book", furniture="table", place="AY's Home"))
    for kind, solved in ((Errands, True), (InOrder, False)):
        world = stage(people={"LL": "AY's Home"}, holding={"AY": ["toy 1", "book 1"]})
        follow = Follow(kind(parts=parts), world)
        follow.step("put book 1 in/on table 1")
        follow.step("put toy 1 in/on LL")
        assert follow.assigned.solved == solved
    follow = Follow(InTime(parts=parts, within=2), stage())
    follow.step(None)
    assert not follow.assigned.over
    follow.step(None)
    assert follow.assigned.over


def test_news_are_told_when_seen_and_acknowledged():
    world = stage(people={"LL": "outside"})
    follow = Follow(Tell(person="LL", item="toy 2"), world)
    follow.step("go to outside")
    follow.step(chat_with("LL", "I saw the toy 2 in WL's Home."))  # hearsay
    follow.step(None, LL=chat_with("AY", "The toy 2? Thanks."))
    assert not follow.assigned.solved
    follow.step("chat with LL: ...")  # nothing to say yet: a silence
    assert follow.world.observe("LL").messages[0].text == "..."
    follow.step("go to WL's Home")
    follow.step("go to outside")
    follow.step("chat with LL: ...")
    assert follow.world.observe("LL").messages[0].text == "I saw the toy 2 in WL's Home."
    follow.step(None, LL=chat_with("AY", "Thank you."))  # no word of what was told
    follow.step(None, WL="go to outside")
    follow.step(None, WL=chat_with("AY", "I know of the toy 2."))  # another person
    assert not follow.assigned.solved
    assert follow.step(None, LL=chat_with("AY", "The Toy 2! Good to know.")) == 1.0


def test_news_get_old():
    follow = Follow(Tell(person="LL", item="toy 2"), stage(people={"LL": "outside", "AY": "WL's Home"}))
    follow.step(None)
    follow.step("go to outside")
    for _ in range(10):
        follow.step(None)
    follow.step("chat with LL: ...")
    assert follow.world.observe("LL").messages[0].text == "..."
    assert follow.assigned.expert_plan[0] == "go to WL's Home"


@pytest.mark.parametrize(
    ("task", "message"),
    [
        (Fetch(kind="bok", furniture="table", place="AY's Home"), "unknown kind of item 'bok'; did you mean 'book'"),
        (Fetch(kind="book", furniture="table", place="AY's House"), 'unknown place "AY\'s House"; did you mean'),
        (Fetch(kind="book", furniture="sinkbasin", place="AY's Home"), 'unknown furniture in "AY\'s Home"'),
        (Find(kind="toy 9", furniture="bed", place="AY's Home"), "unknown kind of item 'toy 9'"),
        (Eat(kind="book"), "needs a kind that can be eaten, got 'book'"),
        (Errands(parts=()), "needs at least one part"),
        (Deliver(kind="book", person="AY"), "names 'AY', which is the resident that has it"),
        (Tell(person="XX", item="toy 1"), "unknown resident 'XX'"),
        (Gather(people=("LL", "LL"), place="AY's Home"), "must be two different residents"),
        (Gather(people=("LL", "MD"), place="Canteen"), "unknown place 'Canteen'"),
    ],
)
def test_impossible_tasks(task, message):
    with pytest.raises(ValueError, match=message):
        assign_tasks({"AY": task}, World())
    with pytest.raises(ValueError, match=message):
        IrollanValleyEnv(task=task)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (3, "must be a mapping with the key 'family'"),
        ({"family": "fech"}, "unknown task family 'fech'; did you mean 'fetch'"),
        ({"family": "deliver", "kind": "book"}, "lacks 'person'"),
        ({"family": "deliver", "kind": "book", "person": "WM", "plce": ""}, "has no 'plce'"),
        ({"family": "errands", "parts": [{"family": "tell"}]}, "a part of a 'errands' task must be a task of one of"),
        ({"family": "rush", "parts": [], "within": -1}, "'within' of a 'rush' task must be a whole number"),
        ({"family": "deliver", "kind": "book", "person": 3}, "'person' of a 'deliver' task must be a string"),
        ({"family": "gather", "people": "MD", "place": "WM's Home"}, "must be a list of strings"),
    ],
)
def test_data_that_is_no_task(data, message):
    with pytest.raises(ValueError, match=message):
        task_from_json(data)


def test_a_valley_without_people_has_no_social_tasks():
    alone = replace(MAP, residents=MAP.residents[:1])
    for family in ("deliver", "tell", "gather"):
        with pytest.raises(ValueError, match=f"has no '{family}' task for 'AY'"):
            make_task(family, valley_map=alone, resident="AY", seed=0)
    assert make_task("random", valley_map=alone, resident="AY", seed=0).family not in ("deliver", "tell", "gather")


def test_who_is_not_invited_does_not_count():
    world = stage(people={"AY": "Public Canteen", "MD": "Public Canteen", "WL": "Public Canteen"})
    follow = Follow(Gather(people=("MD", "WL"), place="Public Canteen"), world)
    assert follow.step("chat with MD: ...") == 0.0
    assert follow.world.observe("MD").messages[0].text == "Come to Public Canteen."
    assert follow.step(chat_with("WL", "Shall we eat?")) == 0.0
    assert follow.step(chat_with("WL", "Will you come to the Public Canteen?")) == 1.0
