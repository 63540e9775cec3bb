"""Counterfactual decisions: repeat a resident's decision from given, possibly changed, inputs."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from evaluation.mechanisms.noting import NoAnswerAtHand
from irollan_env.actions import Action
from irollan_env.world.observation import Observation
from itcma_s.ablation.decision_inputs import DecisionInputs, ablated_context, restored
from itcma_s.ablation.expecting import Expecting
from itcma_s.deliberation.protocol import Context, Deliberation
from itcma_s.mind_state import MindState
from itcma_s.model_calls import ModelCalls
from itcma_s.resident import ItcmaResident
from language_models.protocol import ModelError


@dataclass(frozen=True, kw_only=True, slots=True)
class Occasion:
    """State of a resident just before a decision.

    Attributes:
        given: Inputs of the decision.
        mind: State of its mind, not modified.
        deliberation: State of its deliberation at the start of the time step.
        last_action: Its previous action at the start of the time step.
        generator: State of its random generator before the goal of this step.
        had: Its goal at the start of the time step.
    """

    given: DecisionInputs
    mind: MindState
    deliberation: Mapping[str, Any]
    last_action: str | None
    generator: Any
    had: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Outcome:
    """Result of a decision.

    Attributes:
        action: The chosen action, a chat without its words; None to wait.
        goal: The goal after the decision.
        request: The decision request to a model; empty if there was none.
        answered: Whether the decision was made; False if a required model gave no usable answer.
        eliminated: Whether elimination removed admissible actions (Eq. 16).
    """

    action: str | None = None
    goal: str = ""
    request: str = ""
    answered: bool = True
    eliminated: bool = False


class DecidingAgain(ItcmaResident):
    """Repeats the decisions of a resident from given inputs, without taking part in the run."""

    def __init__(
        self,
        name: str,
        *,
        requests: dict[str, str],
        deliberation: Callable[[str], Deliberation],
        protention_model: Expecting,
        **parts: Any,
    ) -> None:
        """Create a repeater for one resident.

        Args:
            name: Name of the resident.
            requests: Requests recorded by the model that the parts use, by resident.
            deliberation: Creates a deliberation without the given weight or rule, as in ``DecisionInputs.without``.
            protention_model: Predicts the next field.
            parts: Arguments of ``ItcmaResident``; only the name table is shared with the resident.
        """
        parts |= {"deliberation": deliberation(""), "generator": np.random.default_rng(0)}
        super().__init__(name, protention_model=protention_model, **parts)
        self._expecting = protention_model
        self._requests = requests
        self._deliberations = deliberation
        self._given: DecisionInputs | None = None

    async def decide_again(
        self, occasion: Occasion, given: DecisionInputs, scored: Mapping[str, Any] | None
    ) -> Outcome:
        """Repeat a decision: goal, elimination, protention and deliberation.

        Args:
            occasion: State before the original decision.
            given: Inputs of the repeated decision.
            scored: State of the scorer after the original decision, so that known scores are not requested again.
        """
        observation, self._given = given.observation, given
        self._mind = await self._begin(occasion, given)
        if given.draws is None:
            self._generator.bit_generator.state = occasion.generator
        else:
            self._generator.bit_generator.state = np.random.default_rng(given.draws).bit_generator.state
        self._expecting.instead = given.expects
        self._scorer.set_state(scored)
        self._requests.pop(self.name, None)
        calls = ModelCalls(self.name, observation.time)
        try:
            goal = await self.want(observation, calls)
            decision = await self.decide(observation, given.imagination, goal, calls, given.activated)
        except (NoAnswerAtHand, ModelError):
            return Outcome(request=self._requests.get(self.name, ""), answered=False)
        return Outcome(
            action=decision.intention.action,
            goal=decision.intention.goal,
            request=self._requests.get(self.name, ""),
            eliminated=len(decision.protended) < len(observation.admissible),
        )

    async def _begin(self, occasion: Occasion, given: DecisionInputs) -> MindState:
        """Restore the mind before the goal of this step, having noticed the original observation."""
        seen = occasion.given.observation
        deliberation = self._deliberations(given.without).restored(occasion.deliberation)
        deliberation.notice(seen, occasion.last_action)
        deliberation.progress(seen, occasion.mind.familiarity)
        return replace(restored(occasion.mind, given, self._table), deliberation=deliberation)

    async def _eliminate(
        self, observation: Observation, goal: str, calls: ModelCalls
    ) -> tuple[Sequence[Action], Mapping[Action, float] | None]:
        assert self._given is not None
        if not self._given.eliminates:
            return observation.admissible, {}
        wanted = self._given.eliminated_for
        return await super()._eliminate(observation, goal if wanted is None else wanted, calls)

    def _decision_context(self, context: Context) -> Context:
        assert self._given is not None
        return ablated_context(context, self._given)

    def _compress_soon(self) -> None:
        """Do nothing, since the memories belong to the original resident."""
