"""What a mind that decides by likeness has a model write that was trained on scenes: how its pages go on."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from scenes import EMBEDDER, observe, run
from story_facts import FACTS

from irollan_env.world.observation import Observation
from itcma_s import make_mind
from itcma_s.deliberation.model_answer import TRIES
from itcma_s.deliberation.story.sentences import lines, thoughts
from itcma_s.deliberation.story.story_prompt import StoryPrompt
from itcma_s.deliberation.story.story_writing import write_story
from itcma_s.fields.name_table import NameTable
from itcma_s.model_calls import ModelCalls
from itcma_s.resident import ItcmaResident
from language_models.protocol import GenerateRequest, Generation
from language_models.scripted import ScriptedModel

PAGE = StoryPrompt(me="MD", where="outside", company=("SG",), held={}, goal="get to know SG", about="talk with SG")
THOUGHTS, LINES = thoughts(FACTS), lines(FACTS)
WRITTEN = f'MD thinks: {THOUGHTS[-1]}\nMD says to SG: "{LINES[-1]}"\n'


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


def test_the_model_writes_one_of_what_is_true() -> None:
    model = Listening()
    thought, words = run(write_story(PAGE, FACTS, model=model, seed=5, calls=ModelCalls("MD", 3)))
    assert thought in THOUGHTS
    assert words in LINES
    assert len(model.asked) == 1


FALSE = WRITTEN.replace(THOUGHTS[-1], "SG is not here.")


@pytest.mark.parametrize(
    "false", [FALSE, WRITTEN.replace(LINES[-1], "Yes, I come with you."), "MD waits.\n", WRITTEN * 2]
)
def test_what_is_not_true_is_written_again_twice_and_then_replaced(false: str) -> None:
    calls, model = ModelCalls("MD", 3), Careless(false, false, WRITTEN)
    assert run(write_story(PAGE, FACTS, model=model, seed=5, calls=calls)) == (THOUGHTS[-1], LINES[-1])
    assert [request.seed for request in model.asked] == [5, 6, 7]
    assert len(calls.made) == TRIES
    model = Careless(false, false, false)
    assert run(write_story(PAGE, FACTS, model=model, seed=5, calls=ModelCalls("MD", 3))) == (THOUGHTS[0], LINES[0])


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
