"""What can be done is told once for all that makes no difference, and stands for the first in the world's order."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from leading import LeadingModel
from led import Scores, context_of
from scenes import observe
from staging import stage

from irollan_env.world.observation import Message, Observation
from itcma_s.deliberation.llm_policy.acquaintance import Acquaintance
from itcma_s.deliberation.llm_policy.llm_policy import LLMPolicy
from itcma_s.deliberation.llm_policy.options import STAY, Option, listed, options
from itcma_s.memory.familiarity import Familiarity
from itcma_s.parameters import Mechanisms

WHOLE = Mechanisms(elimination=False)


def found(observation: Observation, known: Acquaintance | None = None, **more: Any) -> dict[str, Option]:
    context = context_of(observation, LeadingModel(), **more)
    return {option.text: option for option in options(context, "deeds", known)}


def in_canteen(**more: Any) -> Observation:
    return stage(people={"MD": "Public Canteen", "AY": "Public Canteen"}, **more).observe("MD")


def at(place: str, *people: str, **more: Any) -> Observation:
    return stage(people=dict.fromkeys(("MD", *people), place), **more).observe("MD")


def test_equal_things_are_one_option_that_stands_for_the_first() -> None:
    texts = found(in_canteen(holding={"MD": [], "AY": ["food 7", "food 9"]}))
    one = texts["take one of food 4 to 6, 8 and 10 to 12 from the food shelf"]
    assert one.actions[0] == "take food 4 from foodshelf 3"
    assert len(one.actions) == 7
    assert not any(text.startswith("take food") for text in texts)


def test_things_in_another_state_or_elsewhere_are_told_apart() -> None:
    texts = found(in_canteen(status={"food 5": ("hot",)}, lying={"food 4": "table 9", "food 10": "table 11"}))
    assert texts["take food 5 from the food shelf"].actions == ("take food 5 from foodshelf 3",)
    assert texts["take one of food 4 and 10 from the table"].actions[0] == "take food 4 from table 9"


def test_things_in_ones_hands_are_never_merged() -> None:
    texts = found(in_canteen(holding={"MD": ["food 7", "food 8"]}))
    for thing in ("food 7", "food 8"):
        assert texts[f"hand {thing} to AY"].actions == (f"put {thing} in/on AY",)
        assert texts[f"eat {thing}"].actions == (f"use {thing}",)
        assert f"put {thing} on the food shelf" in texts


def test_whose_a_thing_is_that_lies_in_a_house() -> None:
    texts = found(at("LL's Home"))
    assert "take one of book 1 to 3 from the bookshelf, which is LL's" in texts
    assert "take the beefsteak from the table, which is LL's" in texts
    assert "take one of LL's clothes 1 and 2 from the wardrobe" in texts
    mine = found(stage(people={"LL": "LL's Home"}).observe("LL"))
    assert "take one of book 1 to 3 from the bookshelf" in mine
    assert "take one of your clothes 1 and 2 from the wardrobe" in mine
    assert not any("which is" in text for text in found(in_canteen()))


def test_what_somebody_else_put_in_a_house_is_told_as_that() -> None:
    known = Acquaintance(laid={"beefsteak": "WL"})
    assert "take the beefsteak from the table, which WL put there" in found(at("LL's Home"), known)
    assert "take one of book 1 to 3 from the bookshelf, which is LL's" in found(at("LL's Home"), known)
    known = Acquaintance(laid={"beefsteak": "MD", "book 1": "LL"})
    assert "take the beefsteak from the table, which you put there" in found(at("LL's Home"), known)
    assert "take one of book 1 to 3 from the bookshelf, which is LL's" in found(at("LL's Home"), known)


def test_whom_one_may_meet_is_told_with_when_one_saw_it_there() -> None:
    outside = at("outside")
    context = context_of(outside, LeadingModel())
    canteen = next(one for one in context.protended if one.action == "go to Public Canteen")
    told = canteen._replace(company=("AY", "WL", "SG"))
    context = replace(context, protended=[told])
    known = Acquaintance(sighted={"AY": ("Public Canteen", 4), "WL": ("outside", 5), "SG": ("Public Canteen", 4)})
    (went,) = (one for one in options(context, "deeds", known) if one.actions)
    assert went.expected.startswith("AY and SG were there in step 4; WL may be there")
    (went,) = (one for one in options(context, "deeds") if one.actions)
    assert went.expected.startswith("AY, WL and SG may be there")


def test_what_is_eaten_is_not_expected_elsewhere() -> None:
    context = context_of(at("outside"), LeadingModel())
    canteen = next(one for one in context.protended if one.action == "go to Public Canteen")
    sentence = f"{canteen.sentence.rstrip('.')}; there I may find food 4, food 5."
    context = replace(context, protended=[canteen._replace(sentence=sentence)])
    (went,) = (one for one in options(context, "deeds", Acquaintance(spent=["food 4"])) if one.actions)
    assert went.expected.endswith("you expect food 5")


def test_furniture_is_merged_by_what_a_thing_is_put_there_for() -> None:
    texts = found(in_canteen(holding={"MD": ["food 7"]}))
    put = {text: option.actions for text, option in texts.items() if text.startswith("put ")}
    assert sorted(put) == [f"put food 7 on the {where}" for where in ("food shelf", "sink", "stove", "table")]
    assert put["put food 7 on the stove"] == tuple(f"put food 7 in/on stoveburner {n}" for n in (2, 3))
    assert put["put food 7 on the sink"] == tuple(f"put food 7 in/on sinkbasin {n}" for n in (2, 3))
    assert put["put food 7 on the food shelf"][0] == "put food 7 in/on foodshelf 3"
    # Out of one's hands, tables and counters come before chairs.
    aside = put["put food 7 on the table"]
    assert aside[0] == "put food 7 in/on table 9"
    assert {action.split()[-2] for action in aside} == {"table", "chair", "countertop"}
    assert texts["sit down on a chair"].actions[0] == "use chair 14"


def test_a_book_belongs_on_the_bookshelf_and_lies_aside_elsewhere() -> None:
    texts = found(at("LL's Home", holding={"MD": ["book 1"]}))
    assert "put book 1 on the bookshelf" in texts
    aside = next(option for option in texts.values() if "put book 1 in/on table 2" in option.actions)
    assert "put book 1 in/on foodshelf 2" in aside.actions


def test_a_stove_is_offered_where_it_would_change_something() -> None:
    assert not any(text.startswith(("cook", "wash")) for text in found(in_canteen()))
    texts = found(in_canteen(lying={"food 5": "stoveburner 3", "food 6": "sinkbasin 2"}))
    cook = next(option for text, option in texts.items() if text.startswith("cook"))
    assert cook.actions == ("use stoveburner 3",)
    assert cook.expected == "food 5 will be hot"
    wash = next(option for text, option in texts.items() if text.startswith("wash"))
    assert (wash.actions, wash.expected) == (("use sinkbasin 2",), "food 6 will be clean")
    done = in_canteen(lying={"food 5": "stoveburner 3"}, status={"food 5": ("hot",)})
    assert not any(text.startswith("cook") for text in found(done))


def test_turning_away_from_somebody_is_not_offered() -> None:
    talking = in_canteen(doing={"MD": "talking with AY", "AY": "talking with MD"})
    assert "leave AY" in talking.admissible
    assert not any(text.startswith("turn away") for text in found(talking))
    assert "turn away from AY" in found(talking, mechanisms=WHOLE)


def test_leaving_a_place_and_going_outside_are_one() -> None:
    texts = found(in_canteen())
    assert texts["go outside"].actions == ("go to outside", "leave Public Canteen")


def test_with_positions_every_action_is_told_with_its_expectation_in_full() -> None:
    observation = in_canteen(holding={"MD": ["food 7"]})
    context = context_of(observation, LeadingModel(), mechanisms=WHOLE)
    told = options(context, "positions")
    assert sorted(action for option in told for action in option.actions) == sorted(observation.admissible)
    assert all(len(option.actions) == 1 and option.expected for option in told if option.text != STAY)
    by_action = {option.actions[0]: option for option in told if option.actions}
    stove = by_action["use stoveburner 2"]
    assert "thing is cooked" in stove.expected.lower()
    shelf = by_action["put food 7 in/on foodshelf 3"]
    assert "lies on the food shelf where food belongs" in shelf.expected
    assert "you are outside" in by_action["go to outside"].expected


def test_the_same_action_has_the_same_words_whether_others_were_eliminated_or_not() -> None:
    observation = in_canteen(holding={"MD": ["food 7"]})
    left, whole = found(observation), found(observation, mechanisms=WHOLE)
    assert left.items() <= whole.items()
    assert "cook with a stove" not in left
    assert sorted(action for option in whole.values() for action in option.actions) == sorted(observation.admissible)


def test_options_that_begin_alike_share_a_line_and_keep_their_numbers() -> None:
    told = [
        Option(head="talk to", tail="AY", actions=("chat with AY: ...",), talks=True),
        Option(head="talk to", tail="WL", actions=("chat with WL: ...",), talks=True),
        Option(tail="go outside", actions=("go to outside",), expected="SG may be there"),
        Option(head="take", tail="food 3 from the table", actions=("take food 3 from table 1",)),
        Option(head="put food 4 on", tail="the table", actions=("put food 4 in/on table 1",)),
        Option(head="put food 4 on", tail="the sink", actions=("put food 4 in/on sinkbasin 1",)),
        Option(head="put food 4 on", tail="the stove", actions=("put food 4 in/on stoveburner 1",)),
    ]
    assert listed(told) == [
        "- talk to [1] AY or [2] WL",
        "- [3] go outside (SG may be there)",
        "- [4] take food 3 from the table",
        "- put food 4 on [5] the table, [6] the sink or [7] the stove",
    ]


def test_staying_is_always_one_and_the_order_is_drawn() -> None:
    observation = in_canteen(holding={"MD": ["food 7"]})
    orders = {tuple(found(observation, seed=seed)) for seed in (0, 0, 1, 2, 3)}
    assert len(orders) == 4
    places = set()
    for seed in range(12):
        texts = list(found(observation, seed=seed))
        assert texts.count(STAY) == 1
        places.add(texts.index(STAY))
    assert len(places) > 3
    alone = found(observe(admissible=("use chair 2",), furniture=("chair 2",)))
    assert set(alone) == {"sit down on the chair", STAY}
    assert alone[STAY].actions == ()


@pytest.mark.parametrize("goal", ["eat something", "read a book in the reading room"])
def test_who_has_just_spoken_can_be_talked_to_whatever_was_eliminated(goal: str) -> None:
    observation = at("Public Canteen", "AY", "WL", "SG")
    heard = observe(heard=[("WL", "MD", "Are you well?")]).messages
    chats = [action for action in observation.admissible if action.startswith("chat")]
    scores = Scores({"go to outside": 5.0, chats[0]: 2.0})
    asked = replace(observation, messages=heard, goal=goal)
    assert found(asked, scorer=scores)["talk to WL"].talks
    assert goal in scores.goals
    assert "Are you well?" in scores.goals


def test_a_goal_from_outside_is_what_actions_are_eliminated_for() -> None:
    observation = replace(at("Public Canteen"), goal="take food 5")
    scores = Scores({"take food 5 from foodshelf 3": 5.0})
    context = context_of(observation, LeadingModel(), scorer=scores)
    assert scores.goals == ["take food 5"]
    assert context.goal == "take food 5"
    left = [protention.action for protention in context.protended]
    assert "take food 5 from foodshelf 3" in left
    assert "take food 6 from foodshelf 4" not in left
    assert len(left) < len(observation.admissible)


def test_what_one_holds_can_be_used_handed_over_and_put_down_whatever_one_wants() -> None:
    holding = in_canteen(holding={"MD": ["food 7", "toy 1"]})
    deliberation = LLMPolicy(model=LeadingModel())
    needed = deliberation.required_actions("Lend books", holding.admissible, holding, Familiarity())
    left = [action for action in holding.admissible if action in needed]
    for thing in ("food 7", "toy 1"):
        assert f"use {thing}" in left
        assert f"put {thing} in/on AY" in left
        assert [action for action in left if action.startswith(f"put {thing} in/on table")]
        assert len([action for action in left if action.startswith(f"put {thing} ")]) == 2
    assert "use chair 14" not in needed


def test_what_is_said_to_one_can_be_done_whatever_one_wants() -> None:
    seen, known = in_canteen(), Familiarity()
    known.learn(seen)
    said = replace(seen, messages=(Message(time=2, sender="AY", addressee="MD", text="Take food 5 for me, MD."),))
    overheard = replace(said, messages=(replace(said.messages[0], addressee="WL"),))
    deliberation = LLMPolicy(model=LeadingModel())
    wanted = "take food 5 from foodshelf 3"
    assert wanted in deliberation.required_actions("Lend books", seen.admissible, said, known)
    assert wanted not in deliberation.required_actions("Lend books", seen.admissible, overheard, known)


def test_what_is_eaten_is_only_put_away() -> None:
    texts = found(in_canteen(holding={"MD": ["food 7"]}, status={"food 7": ("eaten",)}))
    about = [text for text in texts if "food 7" in text]
    assert about == ["put away what is left of food 7"]
    whole = found(in_canteen(holding={"MD": ["food 7"]}, status={"food 7": ("eaten",)}), mechanisms=WHOLE)
    assert "hand food 7 to AY" in whole


def test_who_sits_is_not_offered_to_sit() -> None:
    sitting = replace(in_canteen(), admissible=(*in_canteen().admissible, "leave chair 14"))
    assert not any(text.startswith("sit down") for text in found(sitting))
    assert "get up from the chair" in found(sitting)
    assert any(text.startswith("sit down") for text in found(sitting, mechanisms=WHOLE))
