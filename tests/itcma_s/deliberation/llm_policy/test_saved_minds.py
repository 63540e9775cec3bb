"""A saved mind that a model leads goes on exactly; one that deliberates otherwise is refused."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from leading import LeadingModel
from led import led_mind, live
from scenes import EMBEDDER, run

from irollan_env.world.world import World
from itcma_s import make_mind
from itcma_s.deliberation.llm_policy.llm_policy import LLMPolicy
from itcma_s.fields.name_table import NameTable
from itcma_s.parameters import Mechanisms
from itcma_s.resident import ItcmaResident
from language_models.scripted import ScriptedModel

PEOPLE = ("MD", "AY", "WL", "LL")
STEPS, BEGUN = 12, 5
ITCMA = Mechanisms(compressed_memory=False, driver=False, elimination=False)


class Village:
    """A few who are led, and go outside first, so that they meet."""

    def __init__(self, mechanisms: Mechanisms) -> None:
        self.world, self.table, self.model = World(seed=3), NameTable(EMBEDDER), LeadingModel()
        self.minds = [
            led_mind(name, self.model, table=self.table, seed=number, mechanisms=mechanisms)
            for number, name in enumerate(PEOPLE)
        ]

    def step(self) -> list[Any]:
        acts = [replace(run(mind.act(self.world.observe(mind.name))), calls=()) for mind in self.minds]
        outside = "go to outside" if self.world.time == 0 else None
        wanted = {mind.name: outside or act.action for mind, act in zip(self.minds, acts, strict=True)}
        held = frozenset(PEOPLE[self.world.time % 7 : self.world.time % 7 + 1])
        self.world.step(wanted, filtered=held if self.world.time else frozenset())
        return acts

    def get_state(self) -> dict[str, Any]:
        minds = [mind.get_state() for mind in self.minds]
        return {"world": self.world.get_state(), "table": self.table.get_state(), "minds": minds}

    def set_state(self, state: dict[str, Any]) -> None:
        self.world.set_state(state["world"])
        self.table.set_state(state["table"])
        for mind, saved in zip(self.minds, state["minds"], strict=True):
            mind.set_state(saved)


@pytest.mark.parametrize("mechanisms", [Mechanisms(), ITCMA], ids=["itcma-s", "itcma"])
def test_a_life_goes_on_exactly_from_a_saved_step(mechanisms: Mechanisms) -> None:
    whole = Village(mechanisms)
    states, acts = [], []
    for _ in range(STEPS):
        states.append(json.dumps(whole.get_state()))
        acts.append(whole.step())
    final = whole.get_state()
    assert any("chat with" in str(act.action) for now in acts for act in now)
    assert any(mind["deliberation"]["past_wants"] for mind in final["minds"])
    assert any(mind["deliberation"]["exchange"] for mind in final["minds"])
    if mechanisms.compressed_memory:
        assert any(mind["deliberation"]["descriptions"] for mind in final["minds"])
    for begin in range(1, STEPS, 4):
        again = Village(mechanisms)
        again.set_state(json.loads(states[begin]))
        end = STEPS if begin == BEGUN else begin + 1
        assert [again.step() for _ in range(begin, end)] == acts[begin:end]
        made = [one.prompt for one in whole.model.requests if begin <= one.caller.time < end]
        assert again.model.prompts == made
        if end == STEPS:
            assert json.dumps(again.get_state()) == json.dumps(final)


def test_a_state_of_another_deliberation_is_refused_and_changes_nothing() -> None:
    table = NameTable(EMBEDDER)
    world = World(seed=0)
    led = led_mind("MD", LeadingModel(), table=table)
    other = make_mind("MD", model=ScriptedModel(), table=table, embedder=EMBEDDER, generator=np.random.default_rng(0))
    for mind in (led, other):
        run(mind.act(world.observe("MD")))
    for mind, foreign in ((led, other), (other, led)):
        before = json.dumps(mind.get_state())
        with pytest.raises(ValueError, match="deliberates 'by "):
            mind.set_state(foreign.get_state())
        assert json.dumps(mind.get_state()) == before


@pytest.fixture(scope="module")
def mind() -> ItcmaResident:
    """A mind of a few steps; tests leave it as it is."""
    mind = led_mind("MD", LeadingModel())
    live(World(seed=0), [mind], 3)
    return mind


@pytest.mark.parametrize("part", sorted(LLMPolicy(model=LeadingModel()).get_state()))
def test_a_state_with_a_part_missing_is_refused_and_changes_nothing(mind: ItcmaResident, part: str) -> None:
    saved = mind.get_state()
    del saved["deliberation"][part]
    before = json.dumps(mind.get_state())
    with pytest.raises(ValueError, match=f"the saved mind of 'MD' has no '{part}'"):
        mind.set_state(saved)
    assert json.dumps(mind.get_state()) == before


def test_a_saved_state_shares_nothing_with_the_mind() -> None:
    mind, world = led_mind("MD", LeadingModel()), World(seed=0)
    live(world, [mind], 3)
    saved = mind.get_state()
    before = json.dumps(saved)
    mind.set_state(saved)
    live(world, [mind], 4)
    assert json.dumps(saved) == before
