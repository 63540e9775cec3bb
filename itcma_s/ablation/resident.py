"""A resident that decides without some of the paper's mechanisms."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

from irollan_env.actions import Action
from irollan_env.world.observation import Observation
from itcma_s.ablation.decision_inputs import (
    DecisionInputs,
    ablated_context,
    decision_inputs_of,
    observed_habitus,
    restored,
)
from itcma_s.ablation.expecting import Expecting
from itcma_s.ablation.mechanisms import Mechanism
from itcma_s.deliberation.protocol import Context, Decision
from itcma_s.fields.phenomenal_field import Field
from itcma_s.memory.memory import Memory
from itcma_s.model_calls import ModelCalls
from itcma_s.resident import ItcmaResident


class AblatedResident(ItcmaResident):
    """A resident that perceives, remembers and feels in full, but forms goals and decides without some mechanisms.

    An ablated mechanism is still computed and recorded, and everything but decisions uses it: under LTRHA the topic
    (Eq. 17) follows from the pleasure that the resident's decisions ignore. Two exceptions are not computed:
    elimination scores nothing; and without protention no change is predicted, which affects dominance (Eq. 12), too.
    Without retention, a place left a few steps ago that is not in long-term memory yet counts as never seen.
    """

    def __init__(
        self,
        name: str,
        *,
        without: Sequence[Mechanism],
        protention_model: Expecting,
        habitus_of: Callable[[Observation], Mapping[str, float] | None] = observed_habitus,
        **parts: Any,
    ) -> None:
        """Create the resident.

        Args:
            name: The resident's designation.
            without: The mechanisms to remove from every decision.
            protention_model: Predicts what follows each action.
            habitus_of: See ``DecisionInputs.habitus_of``.
            parts: The other arguments of ``ItcmaResident``.
        """
        super().__init__(name, protention_model=protention_model, **parts)
        self._expecting, self._habitus_of = protention_model, habitus_of
        self._left_out = tuple(without)
        self._past = self._mind.past
        self._decides_from: DecisionInputs | None = None

    async def want(self, observation: Observation, calls: ModelCalls) -> str:
        """Return the goal of this step, formed without the ablated mechanisms; see ``ItcmaResident.want``."""
        impression = self._mind.past.channel.primal_impression
        assert impression is not None  # It has just been perceived.
        with self._reduced_to(self._given(observation, impression.field, (), "")) as given:
            return await super().want(given.observation, calls)

    async def decide(
        self,
        observation: Observation,
        imagination: Field,
        goal: str,
        calls: ModelCalls,
        activated: Sequence[Memory] = (),
    ) -> Decision:
        """Decide without the ablated mechanisms; see ``ItcmaResident.decide``."""
        with self._reduced_to(self._given(observation, imagination, activated, goal)) as given:
            self._decides_from, self._expecting.instead = given, given.expects
            decision = await super().decide(given.observation, given.imagination, goal, calls, given.activated)
        return decision if given.eliminates else replace(decision, relevance=None)

    def _given(
        self, observation: Observation, imagination: Field, activated: Sequence[Memory], goal: str
    ) -> DecisionInputs:
        """Collect the decision inputs and remove the ablated mechanisms from them."""
        given = decision_inputs_of(
            self._mind,
            observation,
            imagination,
            activated,
            goal=goal,
            eliminates=self.mechanisms.elimination,
            habitus_of=self._habitus_of,
        )
        for mechanism in self._left_out:
            given = mechanism.removed(given)
        return given

    @contextmanager
    def _reduced_to(self, given: DecisionInputs) -> Iterator[DecisionInputs]:
        """Run a block with the mind reduced to `given`; afterwards restore it, keeping newly imagined places."""
        whole = self._mind
        self._past = whole.past
        self._mind = replace(restored(whole, given, self._table), imagined=whole.imagined)
        try:
            yield given
        finally:
            self._mind = whole

    async def _eliminate(
        self, observation: Observation, goal: str, calls: ModelCalls
    ) -> tuple[Sequence[Action], Mapping[Action, float] | None]:
        assert self._decides_from is not None
        if not self._decides_from.eliminates:
            return observation.admissible, {}
        return await super()._eliminate(observation, goal, calls)

    def _decision_context(self, context: Context) -> Context:
        assert self._decides_from is not None
        return ablated_context(context, self._decides_from)

    def _compress_soon(self) -> None:
        asyncio.get_running_loop().call_soon(self._past.compress)
