"""Needs of the body: they are felt, wanted to be eased, and what eases them is known or learned."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from led import Scores, led_mind
from scenes import EMBEDDER, run

from irollan_env.actions import Action
from irollan_env.map.valley_map import ValleyMap
from irollan_env.world.mechanics.needs import CommonKnowledge, common_knowledge
from irollan_env.world.world import World
from itcma_s import make_mind
from itcma_s.ablation.decision_inputs import decision_inputs_of
from itcma_s.ablation.mechanisms import find_mechanisms
from itcma_s.deliberation.easing import easing, keeps, staying
from itcma_s.fields.phenomenal_field import Field
from itcma_s.memory.familiarity import Familiarity
from itcma_s.resident import ItcmaResident
from language_models.scripted import ScriptedModel

HUNGER = {"rises": 0.05, "start": 0.7, "eased_by": {"food": 0.6}, "words": [[0.5, "You are hungry."]]}
TIREDNESS = {"rises": 0.0, "start": 0.9, "eased_on": {"bed": 0.2, "chair": 0.05}}


def valley(needs: Mapping[str, Any]) -> ValleyMap:
    return ValleyMap.default().with_mechanics({"needs": needs, "used_up": {"food": 1}})


def mind_on(valley_map: ValleyMap, name: str = "AY", **parts: Any) -> ItcmaResident:
    needs = parts.pop("needs", common_knowledge(valley_map))
    generator = np.random.default_rng(0)
    return make_mind(
        name, model=ScriptedModel(), embedder=EMBEDDER, generator=generator, writes=False, needs=needs, **parts
    )


def live(world: World, mind: ItcmaResident, steps: int) -> list[Any]:
    acts = []
    for _ in range(steps):
        acts.append(run(mind.act(world.observe(mind.name))))
        world.step({mind.name: acts[-1].action})
    return acts


def knowing(needs: Mapping[str, Any], **known: Any) -> Familiarity:
    told = common_knowledge(valley(needs))
    return Familiarity(eases={need: dict(what) for need, what in told.eases.items()}, **known)


def best(world: World, known: Familiarity) -> str:
    """Return what eases the needs of AY most, who has learned what it sees."""
    seen = world.observe("AY")
    known.learn(seen)
    values = easing(seen.admissible, seen, known)
    return str(seen.admissible[values.index(max(values))]) if any(values) else ""


def test_the_way_to_what_eases_a_need() -> None:
    world, known = World(valley({"hunger": HUNGER}), 0), knowing({"hunger": HUNGER})
    assert best(world, known) == "take food 1 from foodshelf 1"
    world.step({"AY": "take food 1 from foodshelf 1"})
    assert best(world, known) == "use food 1"
    world.step({"AY": "use food 1"})
    assert best(world, known) == ""  # It is not hungry now.
    for _ in range(9):
        world.step({})
    assert best(world, known) == "go to outside"  # Nothing is left here.
    world.step({"AY": "go to outside"})
    known.learn(world.observe("AY"))
    known.seen["food 5"] = "Public Canteen"
    assert best(world, known) == "go to Public Canteen"


def test_rotten_food_is_left_and_a_bed_is_better_than_a_chair() -> None:
    needs = {"hunger": {**HUNGER, "unless": ["damp"]}, "tiredness": TIREDNESS}
    world, known = World(valley(needs), 0), knowing(needs)
    world.set_status("food 1", ["damp"], cause="test")
    assert best(world, known) == "use bed 1"
    world.step({"AY": "use bed 1"})
    assert staying(world.observe("AY"), known) > 0.5


def test_a_place_that_eases_a_need_is_sought_and_stayed_in() -> None:
    cold = {"cold": {"rises": 0.1, "start": 0.8, "eased_in": {"Public Canteen": 0.2}}}
    world, known = World(valley(cold), 0), knowing(cold)
    for place in ("outside", "Public Canteen"):
        assert best(world, known) == f"go to {place}"
        assert staying(world.observe("AY"), known) == 0
        world.step({"AY": f"go to {place}"})
    assert best(world, known) == ""
    assert staying(world.observe("AY"), known) > 0.5


def test_where_it_has_just_looked_it_looks_last() -> None:
    world, known = World(valley({"hunger": HUNGER}), 0), knowing({"hunger": HUNGER})
    known.learn(world.observe("AY"))
    world.step({"AY": "go to outside"})
    known.seen = {"food 5": "Public Canteen"}
    known.places["Public Canteen"] = 0
    assert best(world, known) not in ("", "go to Public Canteen")
    for _ in range(6):
        world.step({})
    assert best(world, known) == "go to Public Canteen"


def test_elimination_keeps_what_eases_a_strong_need() -> None:
    world, known = World(valley({"hunger": HUNGER}), 0), knowing({"hunger": HUNGER})
    seen = world.observe("AY")
    assert keeps(seen.admissible, seen, known) == {"take food 1 from foodshelf 1"}
    assert keeps(seen.admissible, replace(seen, needs={"hunger": 0.4}), known) == set()
    mind = led_mind("AY", ScriptedModel(), scorer=Scores(), needs=common_knowledge(world.map))
    left, _ = run(mind._eliminate(seen, "tidy up", None))
    assert "take food 1 from foodshelf 1" in left


def test_a_hungry_resident_eats_what_is_in_reach() -> None:
    world = World(valley({"hunger": HUNGER}), 0)
    acts = live(world, mind_on(world.map), 4)
    assert not world.exists("food 1")
    assert world.observe("AY").needs["hunger"] < 0.5
    assert acts[0].goal == "ease my hunger with some food"
    assert "ease" not in acts[-1].goal  # Reached, and another one was formed.


def test_a_pressing_need_takes_the_place_of_another_goal_and_keeps_its_own() -> None:
    world = World(valley({"hunger": {**HUNGER, "start": 0.4, "rises": 0.15, "eased_by": {"book": 0.1}}}), 0)
    mind = mind_on(world.map)
    goals = []
    for _ in range(6):
        goals.append(run(mind.act(world.observe("AY"))).goal)
        world.step({})
    pressed = [level >= 0.8 for level in (0.4, 0.55, 0.7, 0.85, 1.0, 1.0)]
    assert [goal == "ease my hunger with a book" for goal in goals] == pressed
    assert mind.get_state()["deliberation"]["goal"]["since"] == 3


def test_a_tired_resident_stays_in_bed_until_it_is_rested() -> None:
    world = World(valley({"tiredness": TIREDNESS}), 0)
    actions = [act.action for act in live(world, mind_on(world.map), 6)]
    assert actions[:3] == ["use bed 1", None, None]
    assert world.observe("AY").needs["tiredness"] < 0.4


def test_a_rising_need_is_a_pain_and_easing_it_a_pleasure() -> None:
    world = World(valley({"hunger": HUNGER}), 0)
    causes = [act.explanation for act in live(world, mind_on(world.map), 4)]
    assert "more hunger" not in causes[0]
    assert causes[1]["more hunger"] == pytest.approx(-0.3 * 0.75)
    assert causes[2]["less hunger"] == pytest.approx(0.55)


def test_what_eases_a_need_is_learned_from_using_it_and_saved() -> None:
    world = World(valley({"hunger": HUNGER}), 0)
    mind = mind_on(world.map, needs=CommonKnowledge({}, {}))
    for action in ("take food 1 from foodshelf 1", "use food 1", None):
        run(mind.act(world.observe("AY")))
        mind.set_action(action)
        world.step({"AY": action})
    state = mind.get_state()
    assert state["familiarity"]["eases"] == {"hunger": {"food": pytest.approx(0.55)}}
    other = mind_on(world.map, needs=CommonKnowledge({}, {}), table=mind._table)
    other.set_state(state)
    assert other.get_state() == state


def test_what_eases_a_need_on_a_seat_is_the_seat_whatever_one_does_there() -> None:
    world = World(valley({"tiredness": TIREDNESS}), 0)
    world.step({"AY": "use bed 1"})
    known = Familiarity(needs={"tiredness": 0.9})
    known.feel(world.observe("AY"), Action('chat with LL: "Hello."'))
    assert known.eases == {"tiredness": {"bed": pytest.approx(0.2)}}


def test_a_world_without_needs_leaves_no_trace() -> None:
    world = World(seed=0)
    mind = mind_on(world.map)
    live(world, mind, 2)
    assert common_knowledge(world.map) == CommonKnowledge({}, {})
    assert not {"eases", "needs", "grows"} & mind.get_state()["familiarity"].keys()


def test_requests_tell_of_a_need_where_it_is_felt() -> None:
    asked: list[str] = []

    class Listening(ScriptedModel):
        async def generate(self, request: Any) -> Any:
            asked.append(request.prompt)
            return await super().generate(request)

    for level in (0.7, 0.2):
        world = World(valley({"hunger": {**HUNGER, "start": level}}), 0)
        run(led_mind("AY", Listening(), needs=common_knowledge(world.map)).act(world.observe("AY")))
    assert "You are hungry.\nYour hunger is at 70%; some food eases it." in asked[0]
    assert "hunger" not in asked[-1]


def test_ablation_takes_needs_and_their_sentences_from_the_observation() -> None:
    world = World(valley({"hunger": HUNGER}), 0)
    seen = world.observe("AY")
    mind = mind_on(world.map)
    run(mind.act(seen))
    given = decision_inputs_of(
        mind._mind, seen, Field.from_names(["bed 1"], mind._table), (), goal="", eliminates=False
    )
    (needs,) = find_mechanisms(["needs"])
    assert needs.there(given)
    without = needs.removed(given)
    assert not needs.there(without)
    assert (without.observation.sentence, without.observation.notices) == (World(seed=0).sentence("AY"), {})
    assert needs.replaced is not None
    assert needs.replaced(without, given, np.random.default_rng(0)).observation == seen
