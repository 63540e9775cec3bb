"""What is perceived, in words for a prompt."""

import asyncio
from dataclasses import replace

import pytest
from hosting import first_observation, hosted

from irollan_env.world.world import World
from language_models.scripted import ScriptedModel
from minds.wording import short_scene


def test_the_scene_in_short_has_people_what_is_held_and_sorts_with_their_status():
    scene = first_observation()
    one = next(percept for percept in scene.percepts if percept.name == "food 2")
    held = replace(one, name="food 9", on=None, held=True, gamma=0.0, status=("hot",))
    damp = replace(one, name="food 8", status=("damp",))
    person = replace(one, name="SG", kind="person", on=None)
    told = short_scene(replace(scene, percepts=(person, *scene.percepts, damp, held)))
    assert told.startswith("You are in LL's Home with SG, holding hot food 9. There: food (2), ")
    assert ", damp food, " in told
    assert "LL's clothes 1" in told
    assert "door" not in told
    pile = replace(one, name="coin 7", count=60)
    told = short_scene(replace(scene, percepts=(*scene.percepts, pile, replace(pile, on=None, held=True))))
    assert "holding 60 coins. There: " in told
    assert "coin (60)" in told


@pytest.mark.parametrize("in_process", [True, False])
@pytest.mark.parametrize(
    ("setting", "said"),
    [
        ("a small valley", "You live in a valley, step by step"),
        ("two villages that share a well", "You live in two villages that share a well, step by step"),
    ],
)
def test_minds_are_told_what_they_live_in(setting, said, in_process):
    prompts = []

    class Heard(ScriptedModel):
        async def generate(self, request):
            prompts.append(request.prompt)
            return await super().generate(request)

    mind = hosted("react" if in_process else "minds.simple.prompted:React", model=Heard(), setting=setting)
    assert asyncio.run(mind.act(World(seed=0).observe("LL"))).failure is None
    mind.close()
    assert said in prompts[0]
