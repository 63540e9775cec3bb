from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scenes import EMBEDDER, SIX, observe, run

from irollan_env import World
from irollan_env.naming import kind
from irollan_env.world.observation import Observation
from itcma_s import make_mind
from itcma_s.deliberation.similarity_policy.errands import Errand, errand, steps_on
from itcma_s.fields.name_table import NameTable
from itcma_s.memory.familiarity import Familiarity
from language_models.scripted import ScriptedModel

PLACES = ("outside", "LL's Home", "SG's Home", "Public Canteen")


def known(
    now: Observation, seen: dict[str, str] | None = None, visited: dict[str, int | None] | None = None
) -> Familiarity:
    """What somebody knows who has been everywhere just now, unless `visited` says otherwise, and sees `now`."""
    familiarity = Familiarity(places=dict.fromkeys(PLACES, now.time), seen=dict(seen or {}), residents=SIX)
    familiarity.people = {"SG": 2}
    familiarity.places.update(visited or {})
    familiarity.learn(now)
    return familiarity


def gains(goal: str, now: Observation, *actions: str, **knowledge) -> dict[str, float]:
    steps = steps_on(goal, actions, now, known(now, **knowledge))
    assert steps is not None
    return dict(zip(actions, steps.tolist(), strict=True))


@pytest.mark.parametrize(
    ("goal", "expected"),
    [
        ("Fetch a book and put it in/on a table in AY's Home.", Errand(thing="a book", to="a table in AY's Home")),
        ("Bring some food to WM.", Errand(thing="some food", to="WM")),
        ("give SG's clothes 1 back to SG", Errand(thing="SG's clothes 1", to="SG")),
        (
            "See where the toy 2 is, tell WM within 10 steps, and have WM acknowledge it.",
            Errand(thing="the toy 2", to="WM", news=True),
        ),
        ("put book 3 on the bookshelf", Errand(thing="book 3", to="the bookshelf")),
        (
            "Heat some food and put it in/on a bed in MD's Home.",
            Errand(thing="some food", to="a bed in MD's Home", status="hot", changer="stoveburner"),
        ),
        (
            "wash the toy and give it to LL",
            Errand(thing="the toy", to="LL", status="clean", changer="sinkbasin"),
        ),
        ("share a story with LL", Errand(thing="a story", to="LL", seen=True)),
        ("share food 1 with LL", Errand(thing="food 1", to="LL", seen=True)),
        ("wash toy 1", Errand(thing="toy 1", to="", status="clean", changer="sinkbasin", seen=True)),
        ("heat up the food", Errand(thing="the food", to="", status="hot", changer="stoveburner", seen=True)),
    ],
)
def test_goals_that_are_errands(goal, expected):
    assert errand(goal, SIX) == expected


@pytest.mark.parametrize(
    "goal",
    [
        "get to know LL",
        "talk with SG about the book",
        "take the book",
        "wash SG and LL",
        "bring SG to LL",
        "find WM",
        "Bring MD and WL together in Public Canteen, and be there with them.",
        "",
    ],
)
def test_goals_that_are_none(goal):
    assert errand(goal, SIX) is None


def test_a_goal_that_does_not_tell_where_to_is_left_to_likeness():
    now = observe(held=["toy 1"])
    assert steps_on("bring the toy to its owner", ["go to outside"], now, known(now)) is None
    assert steps_on("get to know SG", ["go to outside"], now, known(now)) is None
    assert steps_on("share a story with SG", ["go to outside"], now, known(now)) is None
    # A place that was never seen is looked for all the same.
    assert gains("Bring a toy to a table in WL's Home.", now, "go to outside")["go to outside"] > 0


def test_news_is_seen_before_it_is_told_and_told_while_it_is_fresh():
    goal = "See where the toy 2 is, tell SG within 10 steps, and have SG acknowledge it."
    unseen = observe("outside", people=["SG"])
    visited = {"Public Canteen": None}
    steps = gains(goal, unseen, "chat with SG: ...", "go to Public Canteen", visited=visited)
    assert steps["go to Public Canteen"] > 0 == steps["chat with SG: ..."]
    told = {"seen": {"toy 2": "Public Canteen"}, "visited": {"Public Canteen": 20}}
    fresh = gains(goal, observe("outside", people=["SG"], time=22), "chat with SG: ...", "go to Public Canteen", **told)
    assert fresh["chat with SG: ..."] > 0 > fresh["go to Public Canteen"]
    stale = gains(goal, observe("outside", people=["SG"], time=40), "chat with SG: ...", "go to Public Canteen", **told)
    assert stale["go to Public Canteen"] > 0 == stale["chat with SG: ..."]


@pytest.mark.parametrize(
    ("goal", "status", "furniture", "thing"),
    [
        ("wash WL's clothes 1", "clean", "sinkbasin", "WL's clothes 1"),
        ("cook the food", "hot", "stoveburner", "food 9"),
    ],
)
def test_what_is_washed_or_cooked_is_carried_to_where_that_can_be_done(
    goal: str, status: str, furniture: str, thing: str
) -> None:
    world = World(seed=3)
    mind = make_mind(
        "WL",
        model=ScriptedModel(),
        table=NameTable(EMBEDDER),
        embedder=EMBEDDER,
        generator=np.random.default_rng(0),
        writes=False,
    )
    assert not any(kind(percept.name) == furniture for percept in world.observe("WL").percepts)
    done: list[str] = []
    for _ in range(20):
        now = world.observe("WL")
        if made := [percept.name for percept in now.percepts if status in percept.status and percept.held]:
            break
        action = run(mind.act(replace(now, goal=goal))).action
        assert action is not None
        done.append(action)
        world.step({"WL": action})
    assert made == [thing]
    # It is taken up, laid down once, used for nothing else, and taken from there again.
    steps = [action.split()[0] for action in done if not action.startswith(("go ", "leave "))]
    assert steps == ["take", "put", "use", "take"]
