"""A mind works with any deliberation: it knows the protocol alone."""

from __future__ import annotations

import json
from collections.abc import Container, Mapping, Sequence
from typing import Any, Self

import numpy as np
import pytest
from scenes import EMBEDDER, run

from irollan_env import World
from irollan_env.resident import Act
from irollan_env.world.observation import Observation
from itcma_s import make_mind
from itcma_s.deliberation.protocol import Context, Intention, Progress
from itcma_s.memory.familiarity import Familiarity
from itcma_s.model_calls import ModelCalls
from itcma_s.resident import ItcmaResident
from language_models.protocol import ModelError
from language_models.scripted import ScriptedModel


class Talker:
    """Wants what it was made to want, and says one sentence to whoever is there."""

    def __init__(self, goal: str = "", fails: bool = False) -> None:
        self._goal = goal
        self._fails = fails
        self.contexts: list[Context] = []
        self.noticed: list[str | None] = []

    def notice(self, observation: Observation, last_action: str | None) -> None:
        self.noticed.append(last_action)

    def progress(self, observation: Observation, familiarity: Familiarity) -> Progress:
        return Progress(reached="say good day" if self.contexts else None, nearer=0.5 * len(self.contexts))

    async def aim(
        self,
        observation: Observation,
        familiarity: Familiarity,
        driver: float,
        generator: np.random.Generator,
        calls: ModelCalls,
    ) -> str:
        return self._goal

    def goal(self) -> str:
        return self._goal

    def required_actions(
        self, goal: str, actions: Sequence[str], observation: Observation, familiarity: Familiarity
    ) -> Container[str] | None:
        return None

    async def decide(self, context: Context) -> Intention:
        self.contexts.append(context)
        if self._fails:
            raise ModelError("no answer")
        context.calls.add(17)
        actions = [one.action for one in context.protended]
        chats = [action for action in actions if action.startswith("chat with ")]
        words = "Good day." if chats else ""
        return Intention(action=[*chats, *actions][0], goal="say good day", thought="I am here.", words=words)

    def get_state(self) -> dict[str, Any]:
        return {"goal": self._goal}

    def restored(self, state: Mapping[str, Any]) -> Self:
        return type(self)(state["goal"])


def resident(name: str, deliberation: Talker) -> ItcmaResident:
    generator = np.random.default_rng(0)
    return make_mind(name, model=ScriptedModel(), embedder=EMBEDDER, generator=generator, deliberation=deliberation)


def live(mind: ItcmaResident, world: World, steps: int) -> list[Act]:
    acts = []
    for _ in range(steps):
        acts.append(run(mind.act(world.observe(mind.name))))
        world.step({mind.name: acts[-1].action})
    return acts


def test_what_is_decided_is_done_and_recorded() -> None:
    talker, world = Talker("talk with somebody"), World(seed=0)
    acts = live(resident("LL", talker), world, 3)
    assert talker.noticed == [None, *(act.action for act in acts[:-1])]
    for act, context in zip(acts, talker.contexts, strict=True):
        assert (act.thought, act.goal, act.calls[-1]) == ("I am here.", "say good day", 17)
        assert act.action is not None
        assert (act.pleasure, act.arousal, act.dominance) == context.emotion
        assert act.protention == {one.action: one.sentence for one in context.protended}
        assert context.goal == "talk with somebody"
        if act.action.startswith("chat with "):
            assert act.action.endswith(': "Good day."')
    assert acts[2].explanation["reached the goal to say good day"] > 0
    assert acts[2].explanation["came nearer to the goal"] > 0


def test_nothing_is_eliminated_for_who_wants_nothing() -> None:
    idle, eager, world = Talker(), Talker("rest on a bed"), World(seed=0)
    (wanted,) = live(resident("LL", eager), world.copy(), 1)
    (free,) = live(resident("LL", idle), world.copy(), 1)
    admissible = world.observe("LL").admissible
    assert free.relevance is None
    assert [one.action for one in idle.contexts[0].protended] == list(admissible)
    assert wanted.relevance is not None
    assert len(eager.contexts[0].protended) < len(admissible)


def test_a_decision_that_fails_is_a_failed_step() -> None:
    talker = Talker("talk with somebody", fails=True)
    first, second = live(resident("LL", talker), World(seed=0), 2)
    assert (first.action, first.goal, first.failure) == (None, "talk with somebody", "no answer")
    assert talker.noticed == [None, None]
    assert second.failure == "no answer"


def test_its_state_is_saved_with_the_mind() -> None:
    mind, world = resident("LL", Talker("talk with somebody")), World(seed=0)
    live(mind, world, 2)
    state = json.loads(json.dumps(mind.get_state()))
    again = resident("LL", Talker("something else"))
    again._table.set_state(mind._table.get_state())
    again.set_state(state)
    assert live(again, world.copy(), 1)[0].action == live(mind, world.copy(), 1)[0].action
    assert again.get_state()["deliberation"] == {"goal": "talk with somebody"}


def test_an_action_that_was_not_left_is_refused_by_name() -> None:
    class Stubborn(Talker):
        async def decide(self, context: Context) -> Intention:
            return Intention(action="fly away", goal="fly")

    with pytest.raises(
        ValueError, match=r"must decide on one of the actions that were left, got 'fly away'; left were"
    ):
        live(resident("LL", Stubborn()), World(seed=0), 1)
