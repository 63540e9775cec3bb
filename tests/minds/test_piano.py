"""PIANO: its modules, when they run, what they read, and that each can be left out."""

from dataclasses import replace

import pytest
from hosting import decide, first_observation, hosted, modules_of

from irollan_env.world.observation import Message
from language_models.scripted import ScriptedModel
from minds.piano.agent_state import BOTTLENECK, LONG_TERM, AgentState
from minds.piano.piano import BASELINE, MODULES

ASKING = {"memory", "awareness", "goals", "social", "talking", "skills", "controller"}


def watched(mind="piano", **writers):
    """A resident with this mind, and the prompts of each module."""
    prompts = {}

    def watch(caller, prompt):
        prompts.setdefault(caller.module, []).append(prompt)
        return False

    return hosted(mind, model=ScriptedModel(fail_on=watch, writers=writers)), prompts


def spoken_to(text, time=0):
    """An observation in which SG is there, and says something."""
    observation = first_observation()
    percept = replace(observation.percepts[0], name="SG", kind="person", doing=None, on=None, held=False, status=())
    return replace(
        observation,
        time=time,
        percepts=(percept, *observation.percepts),
        messages=(Message(time=time, sender="SG", addressee="LL", text=text),),
        admissible=("chat with SG: ...", *observation.admissible),
    )


def test_all_modules_ask_at_their_own_times():
    modules, records = modules_of("piano", 16, architecture="itcma", scheduling="sequential")
    assert set(modules) == ASKING
    assert modules["skills"] == len(records) == 96
    assert 18 <= modules["goals"] <= 24
    assert modules["controller"] < modules["skills"]
    assert modules["memory"] < len(records) / 3
    assert modules["awareness"] == 90
    assert all(record["failure"] is None for record in records)


@pytest.mark.parametrize(
    ("mind", "left_out"),
    [*((f"piano:without-{name}", {name}) for name in MODULES), ("piano-baseline", set(MODULES) - set(BASELINE))],
)
def test_each_module_can_be_left_out(mind, left_out):
    modules, records = modules_of(mind, 12, architecture="itcma")
    assert not left_out & set(modules)
    assert {"skills", "controller"} - left_out <= set(modules)
    assert all(record["failure"] is None for record in records)


def test_a_decision_reaches_skills_and_talk():
    writers = {"controller": '{"decision": "ask SG for soup", "expected": "soup"}'}
    writers["social"] = '{"SG feeling": 9, "SG wants": "to eat"}'
    resident, prompts = watched(**{name: lambda prompt, seed, text=text: text for name, text in writers.items()})
    decide(resident, replace(spoken_to("Hello."), admissible=("chat with SG: ...",)))
    decide(resident, replace(first_observation(), time=1, outcome="executed", result="It rains."))
    # What was expected is compared with what came.
    assert "You expected: soup" in prompts["awareness"][0]
    assert "It rains." in prompts["awareness"][0]
    # Feelings about others stay, and are told.
    decide(resident, spoken_to("Hello again.", time=2))
    assert "SG (9 of 10) to eat" in prompts["controller"][0]
    assert "How you felt about them: SG: 9 of 10." in prompts["social"][1]
    assert "You decided: ask SG for soup" in prompts["skills"][0]
    assert "You decided: ask SG for soup" in prompts["talking"][0]


def test_the_controller_sees_the_bottleneck_alone():
    resident, prompts = watched()
    decide(resident, spoken_to("x" * 1500))
    state = AgentState.from_json(resident.get_state()["state"])
    assert len(state.through_bottleneck()) < 8 * BOTTLENECK
    assert len(prompts["controller"][0]) < 8 * BOTTLENECK + 300
    assert "x" * 1000 in prompts["social"][0]


def test_what_is_new_comes_through_whole_and_the_scene_in_short():
    resident, prompts = watched()
    decide(resident, replace(first_observation(), time=0, result="You take the cup 1 from the table 5."))
    decide(resident, spoken_to("The soup is hot.", time=1))
    first, second = prompts["controller"]
    assert "Here: You are in LL's Home. There: food (2), " in first
    assert "Now: You take the cup 1 from the table 5." in first
    assert "Lately:" not in first
    assert "Here: You are in LL's Home with SG. There: " in second
    assert 'Now: SG says to you: "The soup is hot."\n' in second
    lately = second.partition("Lately: ")[2].partition("\n")[0]
    assert lately == f"You: {resident.get_state()['state']['short_term'][2].removeprefix('You: ')}"
    assert "Looking around you" not in second


def test_a_decision_holds_until_something_happens():
    resident, prompts = watched()
    quiet = first_observation()
    for time in range(3):
        decide(resident, replace(quiet, time=time, outcome="executed"))
    assert len(prompts["controller"]) == 1
    decide(resident, replace(quiet, time=3, outcome="inadmissible"))
    assert len(prompts["controller"]) == 2
    decide(resident, spoken_to("Hello.", time=4))
    assert len(prompts["controller"]) == 3


def test_memory_spans_the_present_the_latest_and_long_ago():
    resident, prompts = watched(memory=lambda prompt, seed: "the soup was cold.")
    for time in range(20):
        decide(resident, replace(first_observation(), time=time, result=f"Result {time}."))
    state = resident.get_state()["state"]
    assert state["long_term"]
    assert set(state["long_term"]) == {"the soup was cold."}
    assert len(state["short_term"]) < 30
    assert "You remember: the soup was cold." in prompts["controller"][-1]
    assert len(state["long_term"]) <= LONG_TERM


def test_a_module_that_fails_fails_the_step_once_all_have_come_back():
    failing = ScriptedModel(fail_on=lambda caller, prompt: caller.module == "goals")
    resident = hosted("piano", model=failing)
    act = decide(resident, spoken_to("Hello."))
    assert act.failure.startswith("planted failure")
    assert failing.calls == 2
    assert resident.get_state()["state"] is None
