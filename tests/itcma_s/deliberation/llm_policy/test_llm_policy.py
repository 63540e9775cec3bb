"""A mind that a model leads: its goal, its plan, its words, and what it is told of what came of them."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import Any

import pytest
from leading import LeadingModel
from led import led_mind
from scenes import observe, run

from irollan_env.resident import Act
from itcma_s.resident import ItcmaResident
from language_models.protocol import GenerateRequest, Generation, ModelError

ADMISSIBLE = ("go to outside", "chat with AY: ...", "use chair 2", "take food 1 from table 2")


def step(mind: ItcmaResident, time: int, place: str = "Public Canteen", **more: Any) -> Act:
    """One step with AY; what one did before was done."""
    scene = {"people": ("AY",), "furniture": ("chair 2", "table 2"), "items": {"food 1": "table 2"}}
    before = {"outcome": "executed", "result": "Done."} if time else {}
    return run(mind.act(observe(place, time=time, **{"admissible": ADMISSIBLE, **scene, **before, **more})))


def life(*planned: Any, steps: int | None = None, **more: Any) -> tuple[list[Act], LeadingModel, ItcmaResident]:
    model = LeadingModel(*planned)
    mind = led_mind("MD", model, **more)
    return [step(mind, time) for time in range(steps or len(planned))], model, mind


def wants(goal: str, goal_is: str = "changed", **more: Any) -> dict[str, Any]:
    return {"goal": goal, "goal_is": goal_is, **more}


def test_a_goal_that_changes_is_ended_and_tells_from_what_it_arose() -> None:
    model = LeadingModel(wants("Eat something", thought="I am hungry."), wants("Talk about books", thought="Books!"))
    mind = led_mind("MD", model)
    step(mind, 0)
    act = step(mind, 1, heard=[("AY", "MD", "Do you like books?"), ("WL", "AY", "I do.")])
    assert act.goal == "Talk about books"
    state = mind.get_state()["deliberation"]
    (old,) = state["past_wants"]
    assert (old["text"], old["since"], old["ended"], old["until"]) == ("Eat something", 0, "changed", 1)
    assert (old["thought"], old["heard"]) == ("I am hungry.", [])
    want = state["want"]
    assert (want["since"], want["thought"]) == (1, "Books!")
    assert want["heard"] == ["AY: Do you like books?", "WL: I do."]


@pytest.mark.parametrize("after", ["", "Read a book"])
def test_a_goal_that_is_reached_is_felt_a_step_later_and_once(after: str) -> None:
    acts, model, mind = life(wants("Eat something"), wants(after, "reached"), {}, {})
    told = [[term for term in act.explanation if term.startswith("reached")] for act in acts]
    assert told == [[], [], ["reached the goal to Eat something"], []]
    assert acts[2].explanation["reached the goal to Eat something"] > 0
    assert [act.goal for act in acts] == ["Eat something", after, after, after]
    (old,) = mind.get_state()["deliberation"]["past_wants"]
    assert (old["ended"], old["until"]) == ("reached", 1)
    assert "since you reached what you wanted" in model.prompts[2]
    assert (acts[2].relevance is None) == (after == "")


def test_an_answer_that_cannot_be_used_is_asked_for_again_with_the_reason() -> None:
    acts, model, _ = life("Sure!", {"action": 99}, {"action": "sit"}, steps=1)
    assert acts[0].action == "use chair 2"
    assert acts[0].calls == (0, 1, 2)
    first, second, third = model.prompts
    assert second.startswith(first)
    assert third.startswith(first)
    assert "\n\nYour last answer " in second
    assert second.endswith(". Answer again, in the form that was asked for.")
    assert "action" in third.removeprefix(first)
    assert "Sure" not in third.removeprefix(first)
    assert len({request.seed for request in model.requests}) == 3
    assert all(request.schema == model.requests[0].schema for request in model.requests)


def test_three_answers_that_cannot_be_used_are_a_failed_step_after_which_one_goes_on() -> None:
    model = LeadingModel(wants("Eat something", action="talk to AY", words="Hello."), "no", "no", "no", {})
    mind = led_mind("MD", model)
    step(mind, 0)
    failed = step(mind, 1, heard=[("AY", "MD", "Good day. Are you hungry?")])
    assert failed.action is None
    assert failed.failure is not None
    assert failed.failure.endswith("in 3 tries: the last one, 'no', begins with \"no\" and has no JSON object")
    assert failed.calls == (1, 2, 3)
    assert failed.goal == "Eat something"
    act = step(mind, 2, outcome="failed", result="")
    assert (act.failure, act.goal) == (None, "Eat something")
    last = model.prompts[-1]
    assert "Your last act: none, you did not come to a decision." in last
    assert 'AY to you: "Good day. Are you hungry?"' in last
    assert "You have not answered AY (step 0) yet." in last


@pytest.mark.parametrize(("tokens", "remedy"), [(400, "; its 400 tokens are spent: where it thinks"), (399, "; a mod")])
def test_lines_that_cannot_be_used_say_what_to_do(tokens: int, remedy: str) -> None:
    class Thinking(LeadingModel):
        async def generate(self, request: GenerateRequest) -> Generation:
            generation = await super().generate(request)
            return replace(generation, usage=replace(generation.usage, generated_tokens=tokens))

    failed = step(led_mind("MD", Thinking("Hm."), form="plain"), 0)
    assert failed.failure is not None
    assert f"the last one, 'Hm.', begins with 'Hm.' and has no line 'Thought'{remedy}" in failed.failure
    assert failed.failure.endswith("held to a JSON schema or a grammar keeps to the form (docs/models.md)")


def test_a_failed_call_is_a_failed_step() -> None:
    acts, _, _ = life("no", ModelError("gone"), {}, steps=2)
    assert (acts[0].failure, acts[0].calls) == ("gone", (0, 1))
    assert acts[1].failure is None


@pytest.mark.parametrize(
    ("action", "told"),
    [
        ('chat with AY: "Good day."', "Your last act: you spoke to AY."),
        ("use chair 2", "Your last act: done."),
        (None, "Your last act: you stayed and watched."),
    ],
)
def test_what_somebody_else_decided_in_its_place_is_its_last_act(action: str | None, told: str) -> None:
    _, model, mind = life({})
    act = step(mind, 1, admissible=())
    assert act.action is None
    mind.set_action(action)
    step(mind, 2)
    assert told in model.prompts[-1]


def test_a_promise_is_marked_when_the_time_that_it_names_has_come() -> None:
    promise = "I will come to the canteen at 12."
    model = LeadingModel({"action": "talk to AY", "words": promise}, {}, {})
    mind = led_mind("MD", model)
    for time, hour in enumerate((9.0, 11.0, 12.0)):
        step(mind, time, variables={"day": 1.0, "hour": hour, "weekday": 0.0})
    assert ["(now)" in prompt for prompt in model.prompts] == [False, False, True]
    assert all(promise in prompt for prompt in model.prompts[1:])


class Slow(LeadingModel):
    """Lets others go on before it answers, as every model does that is asked over a network."""

    async def generate(self, request: GenerateRequest) -> Generation:
        await asyncio.sleep(0.001)
        return await super().generate(request)


def test_requests_do_not_hang_on_how_soon_the_model_answers() -> None:
    """Memory that is compressed while the model answers is taken up in the next step, whoever answers."""

    def life(model: LeadingModel) -> list[str]:
        mind = led_mind("MD", model)
        for time in range(16):
            place = ("outside", "Public Canteen")[(time // 2 if time < 6 else time) % 2]
            step(mind, time, place, heard=[("AY", "MD", f"Line {time}.")])
        return model.prompts

    assert life(Slow()) == life(LeadingModel())
