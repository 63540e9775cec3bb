"""A resident that makes the decisions of another one again, from what is given to it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from evaluation.mechanisms.noting import NoAnswerAtHand
from irollan_env.actions import Action
from irollan_env.world.observation import Observation
from itcma_s.ablation.expecting import Expecting
from itcma_s.ablation.given import Given, ablated_context, restored
from itcma_s.deliberation.protocol import Context, Deliberation
from itcma_s.mind_state import MindState
from itcma_s.model_calls import ModelCalls
from itcma_s.resident import ItcmaResident
from language_models.protocol import ModelError


@dataclass(frozen=True, kw_only=True, slots=True)
class Occasion:
    """A resident that is about to decide.

    Attributes:
        given: What it decides from.
        mind: Its mind; is not changed.
        deliberation: The state of its deliberation when the time step began.
        last_action: What it had done last then.
        generator: The state of its generator before the goal of this step.
        had: The goal that it had when the step began.
    """

    given: Given
    mind: MindState
    deliberation: Mapping[str, Any]
    last_action: str | None
    generator: Any
    had: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Outcome:
    """What came of a decision.

    Attributes:
        action: What was decided, a chat without its words; None to stay as one is.
        goal: What is wanted from then on.
        request: What a model was asked for it; empty where none was.
        answered: Whether the decision was made; without an answer of use from a model that is needed, it is not.
        eliminated: Whether fewer actions were left than could be done (Eq. 16).
    """

    action: str | None = None
    goal: str = ""
    request: str = ""
    answered: bool = True
    eliminated: bool = False


class DecidingAgain(ItcmaResident):
    """Has the parts of a resident, and no life of its own."""

    def __init__(
        self,
        name: str,
        *,
        requests: dict[str, str],
        deliberation: Callable[[str], Deliberation],
        protention_model: Expecting,
        **parts: Any,
    ) -> None:
        """Prepare.

        Args:
            name: Of the resident.
            requests: Where the model that the parts ask notes requests.
            deliberation: Makes one without a weight or a rule, as ``Given.without``.
            protention_model: Expects what follows.
            parts: What ``ItcmaResident`` is made from, of its own but for the name table.
        """
        parts |= {"deliberation": deliberation(""), "generator": np.random.default_rng(0)}
        super().__init__(name, protention_model=protention_model, **parts)
        self._expecting = protention_model
        self._requests = requests
        self._deliberations = deliberation
        self._given: Given | None = None

    async def decide_again(self, occasion: Occasion, given: Given, scored: Mapping[str, Any] | None) -> Outcome:
        """Make a decision again from its goal on: elimination, protention and deliberation.

        Args:
            occasion: When it was made.
            given: What it is made from this time.
            scored: The state of the scorer once the decision was made, so that no model is asked for the same again.
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

    async def _begin(self, occasion: Occasion, given: Given) -> MindState:
        """The mind as it was before its goal of this step; what it took notice of is what was perceived then."""
        seen = occasion.given.observation
        deliberation = self._deliberations(given.without).restored(occasion.deliberation)
        deliberation.notice(seen, occasion.last_action)
        deliberation.progress(seen, occasion.mind.familiarity)
        return replace(restored(occasion.mind, given, self._table), deliberation=deliberation)

    async def _eliminate(
        self, observation: Observation, goal: str, calls: ModelCalls
    ) -> tuple[Sequence[Action], Mapping[Action, float]]:
        assert self._given is not None
        if not self._given.eliminates:
            return observation.admissible, {}
        wanted = self._given.eliminated_for
        return await super()._eliminate(observation, goal if wanted is None else wanted, calls)

    def _decision_context(self, context: Context) -> Context:
        assert self._given is not None
        return ablated_context(context, self._given)

    def _compress_soon(self) -> None:
        """The past is another one's."""
