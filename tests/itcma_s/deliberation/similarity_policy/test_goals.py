from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Sequence

import numpy as np
import pytest
from scenes import EMBEDDER, observe

from irollan_env.actions import Action
from irollan_env.world.observation import Observation
from itcma_s.deliberation.similarity_policy.goal_formation import form
from itcma_s.deliberation.similarity_policy.goals import Goal, fixed
from itcma_s.memory.familiarity import Familiarity
from language_models.embedders.hash_embedder import HashEmbedder
from language_models.protocol import FloatArray


def draw(
    observation: Observation,
    known: Familiarity,
    *,
    lately: tuple[str, ...] = (),
    driver: float = 0.0,
    mind: str = "",
    said: str = "",
    count: int = 150,
) -> Counter[str]:
    generator = np.random.default_rng(0)
    mind = mind or "I am in LL's house."
    drawn = [
        asyncio.run(form(observation, known, lately, driver, mind, EMBEDDER, generator, said)) for _ in range(count)
    ]
    return Counter(goal.text for goal in drawn)


def goal(done: str, since: int = 2, patience: int = 6) -> Goal:
    return Goal(text="live", done=done, since=since, patience=patience)


FULL = observe(
    "LL's Home",
    people=["SG", "WM"],
    doors=["outside"],
    furniture=["bed 2", "bed 3", "chair 2", "sinkbasin 1", "stoveburner 1"],
    items={"food 1": "table 2", "toy 1": "table 2", "AY's clothes 1": "table 2", "1 gold coin": "table 2"},
    status={"toy 1": ("clean", "damp")},
    heard=[("SG", "MD", "Have you been in the canteen?")],
)
KNOWN = Familiarity(
    places={"LL's Home": 3, "outside": 1, "Public Canteen": None, "SG's Home": 0},
    people={"SG": 0, "WM": 3, "AY": 1},
    seen={"sinkbasin 1": "LL's Home", "stoveburner 1": "LL's Home"},
)


def test_goals_are_about_what_is_seen_and_known() -> None:
    drawn = set(draw(FULL, KNOWN, count=500))
    assert drawn >= {
        "get to know SG",
        "talk with WM about food 1",
        "see what there is in Public Canteen",
        "look for AY",
        "give AY's clothes 1 back to AY",
        "go to Public Canteen, which was spoken of",
        "wash food 1",
        "cook food 1",
        "rest on bed 2 for a while",
        "meet the others",
    }
    assert not drawn & {
        "get to know WM",
        "look for SG",
        "wash toy 1",  # it is clean
        "wash AY's clothes 1",  # that is for AY to do
        "rest on bed 3 for a while",
        "see what there is in outside",
        "meet AY in LL's Home",
    }
    assert not [text for text in drawn if "{" in text or "MD" in text]


def test_who_is_in_a_crowd_weighs_some_of_the_ways_to_share_something_and_may_draw_any() -> None:
    people = [f"{a}{b}" for a in "ABCDE" for b in "FGHIJ"]
    crowd = observe("outside", people=people, items={f"food {number}": "table 2" for number in range(3)})
    known = Familiarity(people=dict.fromkeys(people, 3))
    weighed: list[int] = []

    class Counting(HashEmbedder):
        def embed(self, texts: Sequence[str]) -> FloatArray:
            weighed.append(sum(text.startswith("I want to share ") for text in texts))
            return super().embed(texts)

    generator = np.random.default_rng(0)
    drawn = {asyncio.run(form(crowd, known, (), 0.0, "", Counting(), generator)).text for _ in range(200)}
    assert max(weighed) <= 40 < len(people) * 3
    shared = [text.split() for text in drawn if text.startswith("share ")]
    assert len({words[-1] for words in shared}) > 12
    assert len({words[2] for words in shared}) == 3


def test_what_was_wanted_lately_is_wanted_less() -> None:
    now = observe(people=["SG"])
    before = draw(now, Familiarity())["get to know SG"]
    after = draw(now, Familiarity(), lately=("get to know SG",))["get to know SG"]
    long_ago = draw(now, Familiarity(), lately=("get to know SG", *["rest"] * 11))["get to know SG"]
    assert after < before / 2
    assert long_ago > after


def test_the_driver_and_what_is_on_ones_mind_weigh() -> None:
    now = observe(people=["SG"], furniture=["bed 2"], items={"book 1": "bed 2"})
    rest, meet = "rest on bed 2 for a while", "get to know SG"
    high, low = draw(now, KNOWN, driver=3.0, count=200), draw(now, KNOWN, driver=-3.0, count=200)
    assert high[meet] > low[meet]
    assert high[rest] < low[rest]
    told = draw(now, KNOWN, mind="I want to read book 1.", count=200)
    assert told["read book 1"] > draw(now, KNOWN, mind="zzz", count=200)["read book 1"]


@pytest.mark.parametrize(
    ("said", "wanted"),
    [
        ("I am going to the canteen.", {"Public Canteen"}),
        ("Shall we go to SG's house?", {"SG's Home"}),
        ("I am not going to the canteen.", set()),
        ("I have been looking for SG in SG's house.", set()),
        ("I am going outside.", set()),
        ("", set()),
    ],
)
def test_who_says_that_it_is_going_somewhere_may_want_to(said: str, wanted: set[str]) -> None:
    drawn = draw(observe("LL's Home"), KNOWN, said=said, count=60)
    assert {text for text in drawn if text.endswith("as I said")} == {f"go to {place}, as I said" for place in wanted}


@pytest.mark.parametrize(
    ("done", "actions", "reached"),
    [
        ("talked SG 2", ['chat with SG: "Hi."'], False),
        ("talked SG 2", ['chat with SG: "Hi."', 'chat with WM: "Hi."'], False),
        ("talked SG 2", ['chat with SG: "Hi."', 'chat with SG: "Hi."'], True),
        ("talked anyone 2", ['chat with SG: "Hi."', 'chat with WM: "Hi."'], False),
        ("talked anyone 1", [], False),
        ("talked anyone 1", ['chat with WM: "Hi."'], True),
        ("used food 3 1", ["use food 3"], True),
        ("used food 1 1", ["use food 3"], False),
        ("used food 3 1", ["use bed 3", "take food 3 from table 2"], False),
        ("used bed 3 2", ["use bed 3"], False),
        ("used bed 3 2", ["use bed 3", "use bed 3"], True),
        ("busy LL's Home 2", ["use bed 2", "take food 3 from table 2"], True),
        ("busy LL's Home 2", ["use bed 2"], False),
        ("busy LL's Home 1", ["leave bed 2"], False),
        ("busy SG's Home 1", ["use bed 2"], False),
        ("gave book 3 to SG", ["put book 31 in/on SG"], False),
        ("gave book 3 to SG", ["put book 3 in/on SG"], True),
        ("gave book 3 to SG", ["put book 3 in/on WM"], False),
        ("gave book 3 to LL", ["put book 3 in/on table 2"], True),  # in LL's house
        ("gave book 3 to SG", ["put book 3 in/on table 2"], False),
        ("made clean toy 1", [], True),
        ("made hot toy 1", [], False),
        ("made clean food 1", ["use sinkbasin 1"], False),
        ("together WM", [], True),
        ("together WM in LL's Home", [], True),
        ("together WM in Public Canteen", [], False),
        ("together AY in LL's Home", [], False),
        ("together AY", [], False),
    ],
)
def test_when_a_goal_is_reached(done: str, actions: list[str], reached: bool) -> None:
    wanted = goal(done)
    for action in actions:
        wanted.note(Action(action), "LL's Home")
    assert wanted.reached(FULL) is reached


@pytest.mark.parametrize("done", ["talked SG", "used food", "busy LL's Home", "talked SG x"])
def test_what_has_to_be_counted_says_how_often(done: str) -> None:
    with pytest.raises(ValueError, match="ends with how often"):
        goal(done)


def test_what_is_washed_is_done_with_when_it_was_taken_out_of_the_sink() -> None:
    wanted, clean = goal("made clean toy 1"), {"toy 1": ("clean", "damp")}
    assert not wanted.reached(observe(items={"toy 1": "sinkbasin 1"}, status=clean))
    assert wanted.reached(observe(held=["toy 1"], status=clean))
    assert not wanted.reached(observe(held=["toy 1"]))


def test_patience_runs_out() -> None:
    assert not goal("used food 3 1").dropped(7, {"food 3"})
    assert goal("used food 3 1").dropped(8, {"food 3"})
    # The one thing that it needs is gone: another is another goal.
    for done in ("used food 3 1", "made hot food 3", "gave food 3 to LL"):
        assert goal(done).dropped(1, {"food 1", "food 31"})
        assert not goal(done).dropped(1, {"food 3"})
    assert not goal("talked LL 2").dropped(1, ())


def test_a_goal_from_outside_stays() -> None:
    wanted = fixed("put a clean book in/on table 2", 3)
    wanted.note(Action("use food 3"), "outside")
    assert not wanted.reached(FULL)
    assert not wanted.dropped(10**6, ())
