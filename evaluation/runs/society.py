"""A society: a world, its residents, and the framework they share; one call is one time step."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from evaluation.records import metrics
from evaluation.records.metrics import Metric
from evaluation.records.records import Record, describe_world, make_record
from evaluation.runs.config_keys import check_value
from evaluation.runs.config_parts import ExecutionDraw, Scheduling
from evaluation.runs.human_override import HumanOverride
from irollan_env.resident import Act, Resident
from irollan_env.sync_resident import SyncResident
from irollan_env.world.acting import Outcome
from irollan_env.world.observation import Observation
from irollan_env.world.state import AWAY_PLACE
from irollan_env.world.world import World
from itcma_s.fields.name_table import NameTable
from itcma_s.protention.protention import names_of
from language_models.protocol import ModelUnavailable
from language_models.transcript.transcript import Transcript
from ltrha import LTRHA
from minds.hosted import HostedMind


@dataclass(frozen=True, slots=True)
class Step:
    """Hold the results of one time step.

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


@dataclass(frozen=True, slots=True)
class _Decided:
    """Hold the decisions of residents that decided at once, and which actions LTRHA filtered."""

    observations: Mapping[str, Observation]
    acts: Mapping[str, Act]
    filtered: frozenset[str]

    @property
    def failed(self) -> dict[str, str]:
        """Return why decisions failed, by resident."""
        return {name: act.failure for name, act in self.acts.items() if act.failure is not None}


class FailedCallError(RuntimeError):
    """Raised after a time step with a failed model call, where that ends the run.

    Attributes:
        resident: Whose call; the empty string for the matrix.
        time: The time step.
        reason: Why.
        calls: Identifiers, in the transcript, of the calls that this resident made in the step.
        at_fault: Whether its mind failed, and no model call.
    """

    def __init__(self, *, resident: str, time: int, reason: str, calls: Sequence[int], at_fault: bool = False) -> None:
        what = "did not decide" if at_fault else "had no answer from the model"
        super().__init__(f"{resident or 'the society'} {what} in step {time + 1}: {reason}")
        self.resident = resident
        self.time = time
        self.reason = reason
        self.calls = tuple(calls)
        self.at_fault = at_fault

    def describe(self, transcript: Transcript) -> str:
        """Describe whose call failed, for which module, why, and what can be done."""
        calls = [transcript.get(call) for call in self.calls]
        # A decision goes on without what is told of a place, for which calls are made in the name of the place.
        failed = [call.caller for call in calls if call.response is None and call.caller.resident == self.resident]
        modules = [] if self.at_fault else [caller.module for caller in failed]
        asked = f" for {modules[0]}" if modules else ""
        # A mind can fail by itself, though all of its calls were answered.
        what = f"had no answer from the model{asked}" if modules or not self.resident else "did not decide"
        return (
            f"{self.resident or 'the society'} {what} in step {self.time + 1}: "
            f"{self.reason}; resume asks again, and with --on-failure wait continues without"
        )


class ResidentError(RuntimeError):
    """Raised when a resident's code fails, as opposed to its model."""


class NoAnswerError(RuntimeError):
    """Raised when the model gave no usable answer to anyone in a time step."""


class Society:
    """Run residents in a world, with or without LTRHA.

    Attributes:
        world: The valley.
        residents: Everyone who lives in it, by name, in the world's order.
        framework: LTRHA; None without it.
        table: The names that the residents' minds share; None where no mind needs them.
        scheduling: In which order residents decide within a time step.
        execution_draw: When LTRHA draws whose action is executed; where that is before they decide, nothing is
            admissible to the others (see ``Observation``).
        goals: By resident, a goal that is set it from outside.
        override: Where a person may decide in a resident's place; None for nowhere.
    """

    def __init__(
        self,
        world: World,
        residents: Sequence[Resident | SyncResident[Resident]],
        *,
        framework: LTRHA | None = None,
        table: NameTable | None = None,
        scheduling: Scheduling = Scheduling.SIMULTANEOUS,
        execution_draw: ExecutionDraw = ExecutionDraw.AFTER,
        goals: Mapping[str, str | None] | None = None,
        intervene: Callable[[Society], None] | None = None,
    ) -> None:
        """Make a society.

        Args:
            world: The valley.
            residents: One for each of the world's.
            framework: LTRHA for the residents and places of the world; None for none.
            table: The names that the residents' minds share; None where no mind needs them.
            scheduling: In which order residents decide within a time step.
            execution_draw: When LTRHA draws whose action is executed.
            goals: By resident, a goal that is set it from outside.
            intervene: Called before each step, for what events change in minds and in LTRHA; None for no such events.

        Raises:
            ValueError: if the residents are not those of the world, each once, if the framework is for another map, or
                for another scheduling or draw.
        """
        # A society awaits its residents itself.
        awaited = [one.resident if isinstance(one, SyncResident) else one for one in residents]
        by_name = {resident.name: resident for resident in awaited}
        if len(by_name) < len(residents) or set(by_name) != set(world.residents):
            raise ValueError(
                f"there must be one resident for each of {list(world.residents)}, got {[r.name for r in residents]}"
            )
        if framework is not None:
            of_framework = {"residents": framework.residents, "places": framework.locales}
            for label, own in (("residents", world.residents), ("places", world.map.places)):
                if set(of_framework[label]) != set(own):
                    raise ValueError(
                        f"the framework is for the {label} {list(of_framework[label])}, and the world has {list(own)}; "
                        "make it with ltrha.make_framework(ranker, valley_map=world.map)"
                    )
        self.world = world
        self.residents = {name: by_name[name] for name in world.residents}
        self.framework = framework
        self.table = table
        self.scheduling: Scheduling = check_value("scheduling", scheduling, Scheduling)
        self.execution_draw: ExecutionDraw = check_value("execution_draw", execution_draw, ExecutionDraw)
        self.goals = {} if goals is None else dict(goals)
        self.override: HumanOverride | None = None
        self._intervene = intervene

    def observe(self, name: str) -> Observation:
        """Return a resident's observation, with its given goal and what LTRHA adds."""
        observation = self.world.observe(name)
        if (goal := self.goals.get(name)) is not None:
            observation = replace(observation, goal=goal)
        if (framework := self.framework) is None:
            return observation
        return framework.observe(name, observation)

    async def step(self, on_act: Callable[[str], None] = lambda name: None, *, stop_on_failure: bool = False) -> Step:
        """Take one time step: all decide, LTRHA filters, the world moves, LTRHA updates.

        Where residents take turns, those of a round decide at once, and the world moves after each round.

        Args:
            on_act: Called with the name of each resident as soon as it has decided.
            stop_on_failure: Whether a failed call ends the step; otherwise its resident waits.

        Raises:
            ModelUnavailable: if a model could not be asked at all.
            FailedCallError: if a model call failed, and that is to end the step.
            NoAnswerError: if every resident's decision failed.
            ResidentError: if a resident's ``act`` raised anything else.

        After any of them, the society may be in the middle of a step, and only a state saved before can be resumed.
        """
        if self._intervene is not None:
            self._intervene(self)
        time = self.world.time
        self.world.begin_step()
        if self.framework is not None and self.world.mechanics:
            self.framework.locate({name: self.world.place_of(name) for name in self.residents})
        decided, outcomes = await self._live(on_act, stop_on_failure=stop_on_failure)
        observations = {name: decided[name].observations[name] for name in self.residents}
        acts = {name: decided[name].acts[name] for name in self.residents}
        places = {name: self.world.place_of(name) for name in self.residents}
        unranked = None
        if self.framework is not None:
            kinds = {name: outcome.kind for name, outcome in outcomes.items()}
            before = len(self.framework.failures)
            await self.framework.update(acts, kinds, places, time)
            for failure in self.framework.failures[before:]:
                if stop_on_failure:
                    calls = [failure.call] if failure.call >= 0 else []
                    raise FailedCallError(resident="", time=time, reason=failure.reason, calls=calls)
                unranked = failure.reason
        made = [make_record(observations[name], acts[name], outcomes[name]) for name in self.residents]
        variables = self.world.variables()
        if about := describe_world(variables, self.world.changes):
            made[0]["world"] = about
        felt = {name: acts[name] for name in self.residents if observations[name].place != AWAY_PLACE}
        return Step(
            time=time,
            records=made,
            metrics=metrics.of_step(time, felt, self.framework, places, variables),
            unranked=unranked,
        )

    async def _live(
        self, on_act: Callable[[str], None], *, stop_on_failure: bool
    ) -> tuple[dict[str, _Decided], dict[str, Outcome]]:
        """Let everyone decide and act; returns decisions and outcomes by resident."""
        together = self.scheduling == Scheduling.SIMULTANEOUS
        away = [name for name in self.residents if not self.world.is_present(name)]
        decided = dict.fromkeys(away, await self._decide(away, on_act)) if away else {}
        outcomes: dict[str, Outcome] = {}
        present = [name for name in self.residents if name not in decided]
        order = self.world.turn_order()
        if self.framework is not None:
            order = self.framework.turn_order(order)
        for names in [present] if together else rounds(self.world, order):
            now = await self._decide(names, on_act)
            failed = now.failed
            if stop_on_failure and failed:
                name, reason = next(iter(failed.items()))
                act = now.acts[name]
                raise FailedCallError(
                    resident=name, time=self.world.time, reason=reason, calls=act.calls, at_fault=act.at_fault
                )
            decided |= dict.fromkeys(names, now)
            if len(decided) == len(self.residents):
                self._check_answered(decided)
            actions = {name: now.acts[name].action for name in order if name in names}
            outcomes |= self.world.take_turn(actions, filtered=now.filtered - failed.keys(), failed=failed.keys())
        outcomes |= self.world.end_step()
        return decided, outcomes

    def _check_answered(self, decided: Mapping[str, _Decided]) -> None:
        """Check that the model answered at least one of those who called it."""
        asked = {
            name: one.acts[name].failure
            for name, one in decided.items()
            if (self.execution_draw == ExecutionDraw.AFTER or name not in one.filtered)
            and not one.acts[name].at_fault
            and one.observations[name].place != AWAY_PLACE
        }
        if asked and None not in asked.values():
            reason = next(asked[name] for name in self.residents if name in asked)
            raise NoAnswerError(f"the model had no answer for anyone in step {self.world.time + 1}: {reason}")

    async def _decide(self, names: Sequence[str], on_act: Callable[[str], None]) -> _Decided:
        """Let some residents decide at once, and draw whose action LTRHA filters: before that, or after it.

        Those who are away are not asked: they wait.
        """
        first = self.framework is not None and self.execution_draw == ExecutionDraw.BEFORE
        present = [name for name in names if self.world.is_present(name)]
        filtered = self._filter(present) if first else frozenset()
        observations = {name: self._observe(name, filtered=name in filtered) for name in names}
        if self.table is not None:
            await self.table.prefetch(name for seen in observations.values() for name in names_of(seen))
        acts = await self._ask({name: observations[name] for name in present}, on_act)
        acts |= {name: Act(action=None) for name in names if name not in acts}
        if not first:
            filtered = self._filter(
                name for name, act in acts.items() if act.action is not None and act.failure is None
            )
        return _Decided(observations, acts, filtered)

    def _filter(self, names: Iterable[str]) -> frozenset[str]:
        return self.framework.filter(names) if self.framework is not None else frozenset()

    def _observe(self, name: str, *, filtered: bool) -> Observation:
        observation = self.observe(name)
        return replace(observation, admissible=(), habitus={}) if filtered else observation

    async def _ask(self, observations: Mapping[str, Observation], on_act: Callable[[str], None]) -> dict[str, Act]:
        async def decide(name: str) -> Act:
            resident, seen, override = self.residents[name], observations[name], self.override
            act = await (resident.act(seen) if override is None else override.act(resident, seen, self.table))
            on_act(name)
            return act

        deciding = []
        try:
            for name in observations:
                deciding.append(asyncio.ensure_future(decide(name)))
                # Its first call is on its way before the next one begins to think.
                await asyncio.sleep(0)
            answers = await asyncio.gather(*deciding, return_exceptions=True)
        finally:
            for task in deciding:
                task.cancel()
        acts: dict[str, Act] = {}
        for name, answer in zip(observations, answers, strict=True):
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

    def close(self) -> None:
        """End what residents have beside this process, such as processes of their minds."""
        for resident in self.residents.values():
            if isinstance(resident, HostedMind):
                resident.close()

    def get_state(self) -> dict[str, Any]:
        """Return everything needed to resume exactly, as JSON-ready data, without the models."""
        return {
            "world": self.world.get_state(),
            "table": None if self.table is None else self.table.get_state(),
            "residents": {name: resident.get_state() for name, resident in self.residents.items()},
            "framework": None if self.framework is None else self.framework.get_state(),
        }

    def set_state(self, state: Mapping[str, Any]) -> None:
        """Restore what ``get_state`` returned.

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


def rounds(world: World, order: Iterable[str]) -> list[list[str]]:
    """Group residents into rounds: each round has at most one resident of each place.

    Places thus proceed in parallel, and there are as many rounds as there are people where most are. Who is where is
    taken from the beginning of the step. Residents who are away are in no round.

    Args:
        world: The valley.
        order: All residents in the order in which those in one place act.
    """
    found: list[list[str]] = []
    decided = Counter[str]()
    for name in order:
        if (place := world.place_of(name)) == AWAY_PLACE:
            continue
        if decided[place] == len(found):
            found.append([])
        found[decided[place]].append(name)
        decided[place] += 1
    return found
