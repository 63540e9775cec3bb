"""Residents of a replayed run whose decisions are reported to an observer."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from copy import deepcopy
from functools import partial
from typing import Any, Protocol

from evaluation.mechanisms.counterfactual import DecidingAgain, Occasion, Outcome
from evaluation.mechanisms.noting import Noting
from evaluation.models.forecasters import load_forecaster
from evaluation.runs.ancestry import BuildSociety
from evaluation.runs.build_society import build_society, deliberation_of, habitus_function, imagination_of, scorer_of
from evaluation.runs.run_config import RunConfig
from evaluation.runs.society import Society
from irollan_env.map.valley_map import ValleyMap
from irollan_env.resident import Act
from irollan_env.world.observation import Observation
from itcma_s.ablation.decision_inputs import decision_inputs_of, observed_habitus
from itcma_s.ablation.expecting import Expecting
from itcma_s.deliberation.protocol import Decision
from itcma_s.fields.name_table import NameTable
from itcma_s.fields.phenomenal_field import Field
from itcma_s.memory.memory import Memory
from itcma_s.model_calls import ModelCalls
from itcma_s.resident import ItcmaResident
from language_models.protocol import Embedder, LanguageModel


class Watch(Protocol):
    """Observer of the decisions in a replayed run.

    Attributes:
        requests: Each resident's latest decision request to a model.
        names: Initial state of the name table, so that fields of an earlier replay fit this one; None for a new table.
        table: The name table, once the society is built.
    """

    requests: dict[str, str]
    names: Mapping[str, Any] | None
    table: NameTable | None

    async def before(self, occasion: Occasion, again: DecidingAgain) -> None:
        """Handle a resident that is about to decide; `again` can repeat the decision."""
        ...

    def after(self, occasion: Occasion, outcome: Outcome, scored: Mapping[str, Any] | None) -> None:
        """Handle a completed decision; `scored` is the state of the scorer after it."""
        ...


class Watched(ItcmaResident):
    """Resident that reports its decisions, and their inputs, to a `Watch`.

    Attributes:
        habitus_of: See ``DecisionInputs.habitus_of``.
    """

    def __init__(self, name: str, *, again: DecidingAgain, watch: Watch, **parts: Any) -> None:
        """Create a resident with no memories.

        Args:
            name: Name of the resident.
            again: Repeats its decisions.
            watch: Observer of the decisions.
            parts: Arguments of ``ItcmaResident``.
        """
        super().__init__(name, **parts)
        self._again, self._watch = again, watch
        self.habitus_of: Callable[[Observation], Mapping[str, float] | None] = observed_habitus
        self._began: tuple[dict[str, Any], str | None, str] = ({}, None, "")
        self._drawn: Any = None

    async def act(self, observation: Observation) -> Act:
        """See ``ItcmaResident.act``."""
        deliberation = self._mind.deliberation
        self._began = deepcopy(deliberation.get_state()), self._mind.last_action, deliberation.goal()
        return await super().act(observation)

    async def want(self, observation: Observation, calls: ModelCalls) -> str:
        """See ``ItcmaResident.want``."""
        self._drawn = deepcopy(self._generator.bit_generator.state)
        return await super().want(observation, calls)

    async def decide(
        self,
        observation: Observation,
        imagination: Field,
        goal: str,
        calls: ModelCalls,
        activated: Sequence[Memory] = (),
    ) -> Decision:
        """See ``ItcmaResident.decide``."""
        state, last_action, had = self._began
        occasion = Occasion(
            given=decision_inputs_of(
                self._mind,
                observation,
                imagination,
                activated,
                goal=goal,
                eliminates=self.mechanisms.elimination,
                habitus_of=self.habitus_of,
            ),
            mind=self._mind,
            deliberation=state,
            last_action=last_action,
            generator=self._drawn,
            had=had,
        )
        await self._watch.before(occasion, self._again)
        self._watch.requests.pop(self.name, None)
        decision = await super().decide(observation, imagination, goal, calls, activated)
        outcome = Outcome(
            action=decision.intention.action,
            goal=decision.intention.goal,
            request=self._watch.requests.get(self.name, ""),
            eliminated=len(decision.protended) < len(observation.admissible),
        )
        self._watch.after(occasion, outcome, self._scorer.get_state())
        return decision


def watched_by(watch: Watch, at_hand: LanguageModel | None, imagined: Mapping[str, str]) -> BuildSociety:
    """Return a builder of societies whose residents report their decisions to `watch`.

    Args:
        watch: Observer of the decisions.
        at_hand: Model for repeated decisions; None for none.
        imagined: Unseen place -> what a model has said is there, so that it is not asked again.
    """

    def build(configuration: RunConfig, model: LanguageModel, embedder: Embedder, valley_map: ValleyMap) -> Society:
        requests: dict[str, str] = {}
        noting = Noting(at_hand, requests)
        imagination = imagination_of(configuration, noting, frozenset())
        imagination.know(imagined)
        forecaster = load_forecaster(configuration.mind.protention)

        def make(name: str, **parts: Any) -> Watched:
            own = ("deliberation", "protention_model", "scorer", "generator")
            again = DecidingAgain(
                name,
                requests=requests,
                deliberation=partial(_silent, configuration, noting, embedder, valley_map),
                protention_model=Expecting(parts["table"], imagination, forecaster),
                scorer=scorer_of(configuration, noting, embedder),
                **{part: value for part, value in parts.items() if part not in own},
            )
            return Watched(name, again=again, watch=watch, **parts)

        society = build_society(configuration, model, embedder, valley_map, make=make)
        for resident in society.residents.values():
            if isinstance(resident, Watched):
                resident.habitus_of = habitus_function(society.framework)
        watch.table = society.table
        if society.table is not None and watch.names is not None:
            society.table.set_state(watch.names)
        return society

    return build


def _silent(
    configuration: RunConfig, model: LanguageModel, embedder: Embedder, valley_map: ValleyMap, without: str
) -> Any:
    """Create a deliberation that writes no text after deciding."""
    return deliberation_of(
        configuration, model, embedder, frozenset(), writes=False, without=without, valley_map=valley_map
    )
