"""A society: the world, those who live in it, and the framework they share; one call is one time step."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from evaluation.records import metrics
from evaluation.records.metrics import Metric
from evaluation.records.records import Record, make_record
from irollan_env.resident import Act, Resident
from irollan_env.world.observation import Observation
from irollan_env.world.world import World
from itcma_s.fields.name_table import NameTable
from itcma_s.protention.protention import names_of
from language_models.protocol import ModelUnavailable
from ltrha import LTRHA


@dataclass(frozen=True, slots=True)
class Step:
    """What one time step leaves behind.

    Attributes:
        time: Which one.
        records: One per resident, in the residents' order.
        metrics: The numbers.
        unranked: Why the matrix had no answer, when it had none; resources then stayed as they were.
    """

    time: int
    records: list[Record]
    metrics: list[Metric]
    unranked: str | None = None


class ResidentError(RuntimeError):
    """A resident that broke down while it decided: a defect of the program, not a failed model call."""


class NoAnswerError(RuntimeError):
    """A time step in which the model was asked, and had no usable answer for anyone."""


class FailedCallError(RuntimeError):
    """A time step in which a model call failed, where that is to end the run.

    Attributes:
        resident: Whose call; the empty string for the matrix.
        time: The time step.
        reason: Why.
        calls: Identifiers, in the transcript, of the calls that this resident made in the step.
    """

    def __init__(self, *, resident: str, time: int, reason: str, calls: Sequence[int]) -> None:
        super().__init__(f"{resident or 'the society'} had no answer from the model in step {time + 1}: {reason}")
        self.resident = resident
        self.time = time
        self.reason = reason
        self.calls = tuple(calls)


class Society:
    """Residents in a world, under LTRHA or not.

    Attributes:
        world: The valley.
        residents: Everyone who lives in it, by name, in the world's order.
        framework: LTRHA; None without it.
        table: The names that the residents' minds share; None where no mind needs them.
    """

    def __init__(
        self,
        world: World,
        residents: Sequence[Resident],
        *,
        framework: LTRHA | None = None,
        table: NameTable | None = None,
    ) -> None:
        """Bring them together.

        Raises:
            ValueError: if the residents are not those of the world, each once.
        """
        by_name = {resident.name: resident for resident in residents}
        if len(by_name) < len(residents) or set(by_name) != set(world.residents):
            raise ValueError(
                f"there must be one resident for each of {list(world.residents)}, got {[r.name for r in residents]}"
            )
        self.world = world
        self.residents = {name: by_name[name] for name in world.residents}
        self.framework = framework
        self.table = table

    def observe(self, name: str) -> Observation:
        """What a resident perceives now, with what LTRHA adds to it."""
        observation = self.world.observe(name)
        if (framework := self.framework) is None:
            return observation
        situation = framework.situation(name)
        return replace(
            observation,
            resources=framework.resources[name],
            topic=framework.topics[observation.place],
            habitus=None
            if situation is None
            else framework.habitus[name].preferences(situation, observation.admissible),
        )

    async def step(self, on_act: Callable[[str], None] = lambda name: None, *, stop_on_failure: bool = False) -> Step:
        """Let one time step pass: all decide at once, LTRHA filters, the world moves, LTRHA takes it in.

        Args:
            on_act: Called with the name of each resident as soon as it has decided.
            stop_on_failure: Whether a failed call ends the step; otherwise whoever made it waits.

        Raises:
            ModelUnavailable: if a model could not be asked at all.
            FailedCallError: if a model call failed, and that is to end the step.
            NoAnswerError: if every resident's decision failed.
            ResidentError: if a resident's ``act`` raised anything else.

        After any of them, the society is between two steps, and only a state saved before can be resumed.
        """
        time = self.world.time
        observations = {name: self.observe(name) for name in self.residents}
        if self.table is not None:
            await self.table.prefetch(name for seen in observations.values() for name in names_of(seen))
        acts = await self._decide(observations, on_act)
        failed = {name: act.failure for name, act in acts.items() if act.failure is not None}
        if stop_on_failure and failed:
            name, reason = next(iter(failed.items()))
            raise FailedCallError(resident=name, time=time, reason=reason, calls=acts[name].calls)
        if len(failed) == len(acts):
            reason = next(iter(failed.values()))
            raise NoAnswerError(f"the model had no answer for anyone in step {time + 1}: {reason}")
        acting = {name: act.action for name, act in acts.items() if act.action is not None and name not in failed}
        filtered = self.framework.filter(acting) if self.framework is not None else frozenset()
        outcomes = self.world.step(acting, filtered=filtered, failed=failed.keys())
        places = {name: self.world.place_of(name) for name in self.residents}
        unranked = None
        if self.framework is not None:
            kinds = {name: outcome.kind for name, outcome in outcomes.items()}
            before = len(self.framework.failures)
            await self.framework.update(acts, kinds, places, time)
            for failure in self.framework.failures[before:]:
                if stop_on_failure:
                    raise FailedCallError(resident="", time=time, reason=failure.reason, calls=[failure.call])
                unranked = failure.reason
        return Step(
            time=time,
            records=[make_record(observations[name], acts[name], outcomes[name]) for name in self.residents],
            metrics=metrics.of_step(time, acts, self.framework, places),
            unranked=unranked,
        )

    async def _decide(self, observations: Mapping[str, Observation], on_act: Callable[[str], None]) -> dict[str, Act]:
        async def decide(name: str, resident: Resident) -> Act:
            act = await resident.act(observations[name])
            on_act(name)
            return act

        deciding = []
        try:
            for one in self.residents.items():
                deciding.append(asyncio.ensure_future(decide(*one)))
                # Its first call is on its way before the next one begins to think.
                await asyncio.sleep(0)
            answers = await asyncio.gather(*deciding, return_exceptions=True)
        finally:
            for task in deciding:
                task.cancel()
        acts: dict[str, Act] = {}
        for name, answer in zip(self.residents, answers, strict=True):
            if isinstance(answer, Act):
                acts[name] = answer
            elif isinstance(answer, ModelUnavailable):
                raise answer
            elif isinstance(answer, Exception):
                what = f"{type(answer).__name__}: {answer}"
                raise ResidentError(f"resident {name} at time step {observations[name].time}: {what}") from answer
            else:
                raise answer
        return acts

    def get_state(self) -> dict[str, Any]:
        """Everything needed to go on exactly, as JSON-ready data; models are not part of it."""
        return {
            "world": self.world.get_state(),
            "table": None if self.table is None else self.table.get_state(),
            "residents": {name: resident.get_state() for name, resident in self.residents.items()},
            "framework": None if self.framework is None else self.framework.get_state(),
        }

    def set_state(self, state: Mapping[str, Any]) -> None:
        """Go on from what ``get_state`` gave.

        Raises:
            ValueError: if it is the state of another society.
        """
        for part, own in (("table", self.table), ("framework", self.framework)):
            if (state.get(part) is None) != (own is None):
                raise ValueError(f"the state has {'no' if own is not None else 'a'} {part}, unlike this society")
        if set(state["residents"]) != set(self.residents):
            raise ValueError(f"the state is of {sorted(state['residents'])}, not of {sorted(self.residents)}")
        self.world.set_state(state["world"])
        if self.table is not None:
            self.table.set_state(state["table"])
        for name, resident in self.residents.items():
            resident.set_state(state["residents"][name])
        if self.framework is not None:
            self.framework.set_state(state["framework"])
