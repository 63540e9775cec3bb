"""Minds tell people of any name from places and things."""

import asyncio
from dataclasses import replace

import numpy as np
import pytest
from named import NAMED, NAMES
from scenes import EMBEDDER, observe
from story_facts import FACTS

from irollan_env import Act, Action, World
from itcma_s import make_mind
from itcma_s.actions import expected_sentence, meanings
from itcma_s.deliberation.plain_words import past, plainly, second_person
from itcma_s.deliberation.similarity_policy.errands import Errand, errand
from itcma_s.deliberation.story.sentences import lines, thoughts
from itcma_s.fields.name_table import NameTable
from itcma_s.memory.familiarity import Familiarity, says_where_it_goes
from itcma_s.memory.mentions import mentioned
from language_models.scripted import ScriptedModel

PEOPLE = frozenset(NAMES)


@pytest.mark.parametrize("policy", ["similarity", "llm"])
def test_they_live_and_meet(policy):
    world, table = World(NAMED, seed=0), NameTable(EMBEDDER)
    minds = [
        make_mind(
            name,
            model=ScriptedModel(),
            table=table,
            embedder=EMBEDDER,
            generator=np.random.default_rng(number),
            deliberation=policy,
            residents=NAMES,
        )
        for number, name in enumerate(NAMES)
    ]
    for time in range(4):
        acts: dict[str, Act] = {mind.name: asyncio.run(mind.act(world.observe(mind.name))) for mind in minds}
        assert not any(act.failure for act in acts.values())
        world.step({name: act.action if time else "go to outside" for name, act in acts.items()})
    known = minds[1]._mind.familiarity
    assert set(known.people) == PEOPLE - {"Dr. Li"}
    assert all(map(known.is_person, NAMES))
    assert not any(map(known.is_person, [*NAMED.places, "table 1", "beefsteak"]))
    again = make_mind(
        "Dr. Li", model=ScriptedModel(), table=table, embedder=EMBEDDER, generator=np.random.default_rng(1),
        deliberation=policy, residents=NAMES,
    )  # fmt: skip
    again.set_state(minds[1].get_state())
    assert again.get_state() == minds[1].get_state()
    assert again._mind.familiarity.is_person("李雷")


@pytest.mark.parametrize("name", NAMES)
def test_what_is_done_with_a_person(name):
    leave = Action(f"leave {name}")
    assert meanings(leave, people=[name]) != meanings(leave)
    assert expected_sentence(leave, None, "outside") == (f"I walk away from {name}.", name)
    assert expected_sentence(Action(f"put food 1 in/on {name}"), None, "outside")[1] == name
    assert errand(f"bring food 1 to {name}", PEOPLE) == Errand(thing="food 1", to=name)
    assert errand(f"bring {name}'s clothes 1 to the table", PEOPLE).thing == f"{name}'s clothes 1"
    assert errand(f"wash {name} and the toy", PEOPLE) is None
    met = replace(FACTS, company=(name,), people=PEOPLE | {"MD"}, goal=f"get to know {name}", deed=f"talk with {name}")
    met = replace(met, action=Action(f"chat with {name}: ..."))
    assert f"I want to get to know {name}, so I talk with {name}." in thoughts(replace(met, time=0))
    assert all(line.startswith(f"Hello, {name}. I am MD. ") for line in lines(met))
    assert past(f"{name} takes food 1.") == f"{name} took food 1."
    assert past(f"{name} wanted to take food 1.") == f"{name} wanted to take food 1."
    assert plainly(f"{name} uses the {name}'s clothes 1.", name).endswith("wears your clothes 1.")
    assert second_person(f"{name}'s clothes lies on the table.") == f"{name}'s clothes lies on the table."


def test_a_name_in_another_one_is_not_spoken_of():
    people = ("Li", "Dr. Li", "Anna", "Anna Li")
    assert mentioned("Dr. Li likes Anna Li.", people, people) == ("Dr. Li", "Anna Li")
    assert mentioned("Li likes Dr. Li.", people, people) == ("Li", "Dr. Li")


@pytest.mark.parametrize("name", NAMES)
def test_what_is_said_of_a_person(name):
    names = [*NAMED.names, "Rosa"]
    own = tuple(one for one in names if one.startswith(f"{name}'s clothes "))
    assert mentioned(f"{name}'s clothes", names, PEOPLE) == own
    assert name in mentioned(f"I like {name}, and the canteen.", names, PEOPLE)
    assert f"{name}'s Home" in mentioned(f"Come to {name}'s house.", names, PEOPLE)
    assert says_where_it_goes(f"I am going to {name}'s house.")
    known = Familiarity(places=dict.fromkeys(NAMED.places, 1), people=dict.fromkeys(NAMES, 1), residents=PEOPLE)
    others = [one for one in NAMES if one != name]
    text = f"{others[0]}, {name} is in the canteen."
    known.learn(observe("outside", resident=others[1], people=[others[0]], heard=[(others[0], others[1], text)]))
    assert known.seen[name] == "Public Canteen"
