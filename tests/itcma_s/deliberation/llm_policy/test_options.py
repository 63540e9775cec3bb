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
from itcma_s.deliberation.llm_policy.options import STAY, Option, options
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


def test_the_same_action_has_the_same_words_whether_others_were_eliminated_or_not() -> None:
    observation = in_canteen(holding={"MD": ["food 7"]})
    left, whole = found(observation), found(observation, mechanisms=WHOLE)
    assert left.items() <= whole.items()
    assert "cook with a stove" not in left
    assert sorted(action for option in whole.values() for action in option.actions) == sorted(observation.admissible)


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
