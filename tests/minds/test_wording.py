"""What is perceived, in words for a prompt."""

from dataclasses import replace

from hosting import first_observation

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
