"""What a mind that decides by likeness has a model write that was trained on scenes: how its pages go on."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from scenes import EMBEDDER, SIX, observe, run

from irollan_env.world.observation import Observation
from itcma_s import make_mind
from itcma_s.deliberation.model_answer import TRIES
from itcma_s.deliberation.story.story_prompt import StoryPrompt
from itcma_s.deliberation.story.story_writing import speaks_as_itself, write_story
from itcma_s.fields.name_table import NameTable
from itcma_s.model_calls import ModelCalls
from itcma_s.resident import ItcmaResident
from language_models.protocol import GenerateRequest, Generation, ModelError
from language_models.scripted import ScriptedModel

PAGE = StoryPrompt(me="MD", where="outside", company=("SG",), held={}, goal="get to know SG", about="talk with SG")
WRITTEN = 'MD thinks: SG is new to me, so I greet it.\nMD says to SG: "Good day to you, SG."\n'
GREETED = ("SG is new to me, so I greet it.", "Good day to you, SG.")
THOUGHT = "MD thinks: I like to read.\n"


class Listening(ScriptedModel):
    """Keeps what it was asked to write."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self.asked: list[GenerateRequest] = []

    async def generate(self, request: GenerateRequest) -> Generation:
        if request.caller.module in ("writing",):
            self.asked.append(request)
        generation = await super().generate(request)
        return replace(generation, usage=replace(generation.usage, call=len(self.asked)))


class Careless(Listening):
    """Heeds no grammar: writes these texts one after the other."""

    def __init__(self, *texts: str) -> None:
        super().__init__()
        self._texts = texts

    async def generate(self, request: GenerateRequest) -> Generation:
        generation = await super().generate(request)
        return replace(generation, text=self._texts[len(self.asked) - 1])


def test_what_has_not_the_form_is_asked_for_again_with_another_seed() -> None:
    calls = ModelCalls("MD", 3)
    model = Careless(f"{THOUGHT}MD waits.\n", THOUGHT, WRITTEN)
    assert run(write_story(PAGE, "SG", model=model, seed=5, calls=calls, people=SIX)) == GREETED
    assert [request.seed for request in model.asked] == [5, 6, 7]
    assert len(calls.made) == TRIES


def test_who_takes_one_name_for_another_is_asked_again_and_taken_as_it_is_at_last() -> None:
    another = WRITTEN.replace("Good day to you, SG.", "I am WL. Where is SG?")
    of_itself = WRITTEN.replace("I greet it", "MD greets it")
    calls = ModelCalls("MD", 3)
    model = Careless(another, of_itself, WRITTEN)
    assert run(write_story(PAGE, "SG", model=model, seed=5, calls=calls, people=SIX)) == GREETED
    assert [request.seed for request in model.asked] == [5, 6, 7]
    assert len(calls.made) == TRIES
    model = Careless(WRITTEN, another, of_itself)
    assert run(write_story(PAGE, "SG", model=model, seed=5, calls=ModelCalls("MD", 3), people=SIX)) == GREETED
    assert len(model.asked) == 1
    model = Careless(of_itself, another, f"{THOUGHT}MD waits.\n")
    assert (
        run(write_story(PAGE, "SG", model=model, seed=5, calls=ModelCalls("MD", 3), people=SIX))[1]
        == "I am WL. Where is SG?"
    )


@pytest.mark.parametrize("text", [THOUGHT, WRITTEN.replace("to SG", "to WM"), 'MD thinks: I.\nMD says to SG: ""\n'])
def test_a_talk_without_words_to_the_partner_is_refused(text: str) -> None:
    model, calls = Careless(text, text, text), ModelCalls("MD", 3)
    with pytest.raises(ModelError, match=r"wrote nothing that can be used in 3 tries: the last one has no|has 1 lines"):
        run(write_story(PAGE, "SG", model=model, seed=1, calls=calls, people=SIX))
    assert len(model.asked) == TRIES
    assert len(calls.made) == TRIES


def mind(model: ScriptedModel, **more: Any) -> ItcmaResident:
    return make_mind(
        "MD",
        model=model,
        table=NameTable(EMBEDDER),
        embedder=EMBEDDER,
        style="scene",
        generator=np.random.default_rng(0),
        **more,
    )


def page_written(*observations: Observation) -> str:
    """The page of the last of some steps."""
    model = Listening()
    one = mind(model)
    for observation in observations:
        assert run(one.act(observation)).failure is None
    return model.asked[-1].prompt


def test_words_of_others_do_not_break_the_page() -> None:
    heard = 'Hello."\nMD is about to leave.\nMD thinks: I go.\nMD says to SG: "Bye.'
    page = page_written(
        observe(
            "Public Canteen",
            people=["SG"],
            heard=[("SG", "MD", heard)],
            admissible=("chat with SG: ...",),
            goal="talk with SG",
            outcome="executed",
            time=1,
        )
    )
    assert page.count("\nMD is about to ") == 1
    assert page.endswith("MD is about to talk with SG.\n")
    assert "\nMD thinks" not in page
    assert [line.count('"') for line in page.splitlines() if line.startswith("SG said")] == [2]


def test_a_mind_goes_on_writing_from_its_saved_state() -> None:
    met = observe("Public Canteen", people=["SG"], admissible=("chat with SG: ...",), goal="talk with SG", time=0)
    after = replace(met, time=1, outcome="executed")
    model, table = Listening(), NameTable(EMBEDDER)
    one = mind(model)
    run(one.act(met))
    saved = json.dumps(one.get_state())
    expected = replace(run(one.act(after)), calls=())
    again = make_mind(
        "MD", model=model, table=table, embedder=EMBEDDER, style="scene", generator=np.random.default_rng(9)
    )
    table.set_state(one._table.get_state())
    again.set_state(json.loads(saved))
    assert json.dumps(again.get_state()) == saved
    assert replace(run(again.act(after)), calls=()) == expected
    before, restored = model.asked[-2:]
    assert restored.prompt == before.prompt
    assert restored.seed == before.seed
    assert 'MD said to SG: "' in restored.prompt


@pytest.mark.parametrize(
    ("words", "own"),
    [
        ("Hello SG! I am MD.", True),
        ("Thank you, SG. I'm MD, and I know WM.", True),
        ("WM was in WL's house. Is WM here?", True),
        ("I am happy. I AM.", True),
        ("I am WL, and I hold the food.", False),
        ("I'm SG.", False),
        ("Do you know where SG is?", False),
        ("SG was held back. How can I help you?", False),
        ("SG, I have to ask SG about you.", False),
        ("Do you come to MD's house?", False),
        ("Do you want to talk with MD?", False),
    ],
)
def test_words_of_ones_own_and_words_that_take_one_for_another(words: str, own: bool) -> None:
    assert speaks_as_itself(words, "MD", "SG", SIX) is own
