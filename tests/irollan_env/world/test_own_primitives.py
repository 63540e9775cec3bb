"""Primitives of one's own: how their texts are read, when they can be done, and what others see of them."""

import json
import re
from dataclasses import replace

import gymnasium
import numpy as np
import pytest
from live_server import running

import irollan_env
from irollan_env import Action, Mechanic, Observation, ValleyMap, World
from irollan_env.actions import Refusal
from irollan_env.english import Form, phrase, the
from irollan_env.policies.simple import random_policy, scripted_policy
from irollan_env.server.app import create_app
from minds.simple.me import decision_prompt

FORMS = ("fish in {sinkbasin}", "hug {person}", "show {held} to {person}", "polish {item}", "dance {here}")


class Pastimes(Mechanic):
    """Residents fish in sinks, hug each other from step 1 on, show and polish things, and dance."""

    primitives = FORMS

    def refuse(self, world, resident, action):
        return "It is too early." if action.primitive == "hug" and world.time == 0 else None

    def perform(self, world, resident, action):
        if action.primitive == "fish in":
            fish = world.add("fish", resident, cause="fished")
            return f"You catch {fish}." if fish else "Nothing bites."
        return None


def pond() -> ValleyMap:
    default = ValleyMap.default()
    fish = replace(default.item_kinds[0], name="fish", spare=3)
    return replace(default, item_kinds=(*default.item_kinds, fish))


def gathered(*mechanics: Mechanic, seed: int = 3) -> World:
    """Return a world in which everybody is in the canteen."""
    world = World(pond(), seed, mechanics=mechanics)
    for name in world.residents:
        world.move_resident(name, "Public Canteen", cause="test")
    return world


@pytest.mark.parametrize(
    ("text", "primitive", "item", "target", "partner"),
    [
        ("hug [Dr. Li]", "hug", None, "Dr. Li", "Dr. Li"),
        ("fish in [sinkbasin 2]", "fish in", None, "sinkbasin 2", None),
        ("show [SG's clothes 1] to [LL]", "show to", "SG's clothes 1", "LL", "LL"),
        ("tie [coat 1] up", "tie up", None, "coat 1", None),
        ("dance [here]", "dance", None, "here", None),
    ],
)
def test_a_text_says_its_parts(text, primitive, item, target, partner):
    action = Action(text)
    assert (action.primitive, action.item, action.target, action.partner) == (primitive, item, target, partner)
    assert action == text
    assert action.listed is action


@pytest.mark.parametrize("text", ["hug LL", "take [book 1]", "go [LL]", "Hug [LL]", "[LL]", "hug []", "hug [a [b]]"])
def test_other_texts_are_no_actions(text):
    assert isinstance(Action.parse(text), Refusal)


@pytest.mark.parametrize(
    ("text", "form", "said"),
    [
        ("fish in [sinkbasin 2]", "present", "fishes in the sink"),
        ("hug [LL]", "past", "hugged LL"),
        ("sing [here]", "past", "sang here"),
        ("carry [book 1]", "present", "carries the book"),
        ("tie [SG's clothes 1] up", "gerund", "tying SG's clothes up"),
        ("dye [book 1]", "gerund", "dyeing the book"),
        ("bake [food 1]", "gerund", "baking the food"),
    ],
)
def test_its_verb_is_inflected(text: str, form: Form, said: str):
    assert phrase(Action(text), form, name=the) == said


def test_what_fills_the_slots_is_offered_unless_it_is_refused():
    world = gathered(Pastimes())
    offered = [action for action in world.admissible("AY") if "[" in action]
    assert {"fish in [sinkbasin 2]", "polish [food 12]", "dance [here]"} < set(offered)
    assert not any(action.startswith(("hug", "show")) for action in offered)
    assert not any("[" in action for action in World(pond(), 3).admissible("AY"))
    refused = world.step({"AY": "hug [LL]", "SG": "fish in [sinkbasin 1]"})
    assert refused["AY"] == ("inadmissible", "Nothing happens. It is too early.")
    assert refused["SG"].kind == "inadmissible"
    assert "cannot fish in sinkbasin 1 here" in refused["SG"].result
    assert {f"hug [{other}]" for other in world.residents if other != "AY"} <= set(world.admissible("AY"))


def test_it_is_done_seen_and_recorded():
    world = gathered(Pastimes())
    world.step({})
    outcomes = world.step({"AY": "hug [LL]", "SG": "fish in [sinkbasin 2]"}, filtered={"WM"})
    assert outcomes["AY"] == ("executed", "You hug LL.")
    assert outcomes["SG"] == ("executed", "You catch fish 1.")
    assert [(one.what, one.thing, one.cause) for one in world.changes] == [("added", "fish 1", "fished")]
    assert world.holding("SG") == ("fish 1",)
    seen = world.observe("LL")
    assert {event.describe("LL", seen.places) for event in seen.events} >= {"AY hugs you.", "SG fishes in sinkbasin 2."}
    assert Observation.from_json(json.loads(json.dumps(seen.to_json()))) == seen
    world.step({"WM": "hug [LL]"}, filtered={"WM"})
    wanted = [event.describe("LL", ()) for event in world.observe("LL").events]
    assert wanted == ["WM wanted to hug you, and was held back."]


def test_a_world_without_it_answers_as_to_any_other_text():
    """Two worlds in one process do not know each other's primitives."""
    with_it, without = gathered(Pastimes()), gathered()
    with_it.step({})
    assert with_it.step({"AY": "hug [LL]"})["AY"].kind == "executed"
    for text in ("hug [LL]", "hug LL"):
        kind, result = without.step({"AY": text})["AY"]
        assert kind == "inadmissible"
        assert result.startswith(f"Nothing happens. '{text}' is none of the six actions: go to")
        assert result.endswith("chat with SOMEONE: CHAT CONTENT.")
    assert "this world: fish in {sinkbasin}; hug" in with_it.step({"AY": "sing"})["AY"].result


@pytest.mark.parametrize(
    ("forms", "decisive"),
    [
        (("go {person}",), "'go {person}' begins like"),
        (("hug",), "one or two slots"),
        (("trade {item} for {item} with {person}",), "one or two slots"),
        (("Hug {person}",), "small letters"),
        ((3,), "got 3"),
        (("wave at {persn}",), "did you mean 'person'"),
        (("hug {person}", "hug {item}"), "have the same words"),
        ("hug {person}", "add a comma"),
    ],
)
def test_wrong_forms_are_refused_in_a_line(forms, decisive, monkeypatch):
    monkeypatch.setattr(Pastimes, "primitives", forms)
    with pytest.raises(ValueError, match="Pastimes") as refused:
        World(pond(), mechanics=[Pastimes()])
    assert decisive in str(refused.value)


def test_two_mechanics_cannot_have_one_form():
    class Others(Pastimes):
        pass

    with pytest.raises(ValueError, match="same words"):
        World(pond(), mechanics=[Pastimes(), Others()])


def test_a_state_of_other_primitives_is_refused(monkeypatch):
    state = gathered(Pastimes()).get_state()
    monkeypatch.setattr(Pastimes, "primitives", FORMS[1:])
    with pytest.raises(ValueError, match="primitives"):
        gathered(Pastimes()).set_state(state)
    with pytest.raises(ValueError, match=r"state\.mechanics"):
        gathered(Pastimes()).set_state({**state, "mechanics": None})


def test_a_result_that_is_no_text_is_the_mechanics_fault(monkeypatch):
    monkeypatch.setattr(Pastimes, "perform", lambda *_: 3)
    with pytest.raises(irollan_env.MechanicError, match="perform: TypeError: the result must be a text"):
        gathered(Pastimes()).step({"AY": "dance [here]"})


@pytest.mark.parametrize("policy", [random_policy, scripted_policy])
@pytest.mark.parametrize("seed", range(3))
def test_any_play_executes_saves_and_restores(policy, seed):
    """What is admissible succeeds for whoever acts alone, and a world restored from JSON goes on as the one saved."""
    world, generator = gathered(Pastimes(), seed=seed), np.random.default_rng(seed)
    done = set()
    for step in range(25):
        alone = world.residents[step % 6]
        actions = {name: policy(world.observe(name), generator) for name in world.residents}
        held = frozenset(name for name in actions if generator.random() < 0.1)
        twin = World(pond(), 0, mechanics=[Pastimes()])
        twin.set_state(json.loads(json.dumps(world.get_state())))
        assert actions[alone] is None or world.copy().step({alone: actions[alone]})[alone].kind == "executed"
        outcomes = world.step(actions, filtered=held)
        assert twin.step(actions, filtered=held) == outcomes
        assert twin.get_state() == world.get_state()
        done |= {Action(text).primitive for name, text in actions.items() if text and outcomes[name].kind == "executed"}
    assert {"dance", "polish"} & done


def test_a_person_picks_it_from_a_list():
    world = gathered(Pastimes())
    world.step({})
    prompt, options = decision_prompt(world.observe("AY"), "wait for ever")
    number = options.index("hug [LL]") + 1
    assert re.search(rf"^hug\n(?: +\d+ [A-Z]{{2}}\n)* +{number} LL\n", prompt, re.MULTILINE)


def test_a_server_offers_and_numbers_it():
    with running(create_app(pond(), world=Pastimes)) as address, irollan_env.RemoteParallelEnv(address) as env:
        env.reset(seed=0)
        assert "show [fish 3] to [AY]" in env.catalogue.actions
        _, _, _, _, infos = env.step(dict.fromkeys(env.agents, env.catalogue.numbers["dance [here]"]))
        assert {info["result"] for info in infos.values()} == {"You dance here."}


def test_environments_number_it():
    env = irollan_env.parallel_env(map=pond(), world=Pastimes)
    env.reset(seed=0)
    number = env.catalogue.numbers["dance [here]"]
    assert {"hug [LL]", "show [fish 3] to [AY]"} < set(env.catalogue.actions)
    _, _, _, _, infos = env.step(dict.fromkeys(env.agents, number))
    assert all(info["outcome"] == "executed" for info in infos.values())
    generator = np.random.default_rng(0)
    for _ in range(10):
        masks = {name: info["action_mask"] for name, info in infos.items()}
        _, _, _, _, infos = env.step({name: int(generator.choice(np.flatnonzero(masks[name]))) for name in masks})
    single = gymnasium.make("irollan_env:IrollanValley-v0", map=pond(), world=Pastimes)
    single.reset(seed=0)
    assert single.step("dance [here]")[4]["outcome"] == "executed"
