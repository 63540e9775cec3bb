"""Descriptions of people and of oneself are asked for when a segment of memory with words in it is over."""

from __future__ import annotations

import re
from functools import partial
from typing import Any

import pytest
from leading import LeadingModel
from led import led_mind
from scenes import observe, run

from irollan_env.resident import Act
from itcma_s.deliberation.llm_policy.describing import Description, Segment
from itcma_s.deliberation.llm_policy.llm_policy import LLMPolicy
from itcma_s.deliberation.model_answer import TRIES
from itcma_s.parameters import Mechanisms
from itcma_s.resident import ItcmaResident

ASKED = "Over, and now part of what you know:"
ABOUT = ["AY: likes books and asks a lot [0, 0, 77]", "me: you like to help [0]"]


def step(mind: ItcmaResident, time: int) -> Act:
    """One step: five in the canteen, where AY speaks; then outside for good, alone."""
    inside = time < 5
    return run(
        mind.act(
            observe(
                "Public Canteen" if inside else "outside",
                people=("AY",) if inside else (),
                heard=[("AY", "MD", f"Line {time}.")] if time in (1, 2) else (),
                time=time,
                outcome="executed" if time else None,
                result="Done." if time else "",
                admissible=("go to outside", "use chair 2"),
            )
        )
    )


def life(*planned: Any, steps: int = 16, **more: Any) -> tuple[list[Act], LeadingModel, ItcmaResident]:
    model = LeadingModel(*planned)
    mind = led_mind("MD", model, **more)
    return [step(mind, time) for time in range(steps)], model, mind


def answers(prompt: str) -> dict[str, Any]:
    return {"about": ABOUT} if ASKED in prompt else {}


def test_asked_for_once_a_segment_with_speech_is_over_and_in_no_other_step() -> None:
    _, model, mind = life(answers)
    asked = [number for number, prompt in enumerate(model.prompts) if ASKED in prompt]
    frames = [memory["frames"] for memory in mind.get_state()["memory"]["memories"]]
    assert frames[0] == 5
    assert len(asked) == 1
    (request,) = (model.requests[number] for number in asked)
    assert "about" in request.schema["properties"]
    assert re.search(r'- memory 0: steps 0 to 4, in the canteen: .*AY to you: "Line 2\."', request.prompt)
    assert "NAME: me, AY. TEXT:" in request.prompt
    others = [one for number, one in enumerate(model.requests) if number not in asked]
    assert not any("about" in one.schema["properties"] for one in others)


def test_they_cite_memories_and_are_told_from_then_on() -> None:
    _, model, mind = life(answers)
    described = mind.get_state()["deliberation"]["descriptions"]
    when = next(number for number, prompt in enumerate(model.prompts) if ASKED in prompt)
    assert described == {
        "AY": {"text": "likes books and asks a lot", "memories": [0], "time": when},
        "me": {"text": "you like to help", "memories": [0], "time": when},
    }
    for number, prompt in enumerate(model.prompts):
        assert ("- AY: likes books and asks a lot" in prompt) == (number > when)
        assert ("Your name is MD. You like to help.\n" in prompt) == (number > when)


@pytest.mark.parametrize("off", [{"describes": False}, {"mechanisms": Mechanisms(compressed_memory=False)}])
def test_never_where_they_are_off_or_memory_is_not_compressed(off: dict[str, Any]) -> None:
    acts, model, mind = life(answers, **off)
    assert not any(ASKED in prompt for prompt in model.prompts)
    assert mind.get_state()["deliberation"]["descriptions"] == {}
    assert all(act.failure is None for act in acts)


def test_descriptions_in_another_form_cost_no_decision_and_rest() -> None:
    def listed(prompt: str) -> dict[str, Any]:
        return {"about": {"AY": "likes books"}} if ASKED in prompt else {}

    acts, model, mind = life(listed, steps=30)
    assert all(act.failure is None for act in acts)
    asked = [request.caller.time for request in model.requests if ASKED in request.prompt]
    assert asked == [asked[0]] * TRIES
    assert mind.get_state()["deliberation"]["undescribed"] == asked[:1]


def test_a_description_of_somebody_unknown_takes_nothing_from_the_decision() -> None:
    def unknown(prompt: str) -> dict[str, Any]:
        return {"about": ["ZZ: is odd [0]", "I like AY.", ABOUT[0]]} if ASKED in prompt else {}

    acts, model, mind = life(unknown)
    assert all(act.failure is None for act in acts)
    assert len(model.requests) == len(acts)
    assert set(mind.get_state()["deliberation"]["descriptions"]) == {"AY"}


SEGMENT = Segment(
    memory_texts={3: "Step 3, outside: AY hands you food 6.", 4: "Step 4, outside: hello."}, names=("AY", "WL")
)


@pytest.mark.parametrize(
    "line", ["", "AY", "likes books [3]", "AY: [3]", "AY: ", ": text", "MD: likes books", "ay: x", "AY: x", "AY: x [9]"]
)
def test_lines_that_describe_nobody_are_left_out(line: str) -> None:
    assert SEGMENT.read([line, "WL: is kind [4]"], 7) == {"WL": Description(text="is kind", memories=(4,), time=7)}


def test_what_one_learns_of_oneself_is_added_to_who_one_was() -> None:
    model = LeadingModel(answers)
    mind = led_mind("MD", model, kind=partial(LLMPolicy, myself="You are stubborn."))
    for time in range(16):
        step(mind, time)
    assert "Your name is MD. You are stubborn.\n" in model.prompts[0]
    assert "Your name is MD. You are stubborn. You like to help.\n" in model.prompts[-1]
