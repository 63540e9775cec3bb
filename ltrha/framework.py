"""LTRHA as a whole (section 4): locale and topic, resources, habitus and action of one society."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np

from irollan_env.hints import check_choice
from irollan_env.map.valley_map import ValleyMap
from irollan_env.random_streams import stream
from irollan_env.resident import Act
from irollan_env.world.observation import Observation, OutcomeKind
from irollan_env.world.state import AWAY_PLACE
from irollan_env.world.world import World
from language_models.protocol import ModelError
from language_models.resting import in_a_row, rests
from ltrha.deeds import Deed, with_new_deeds
from ltrha.execution import Drawing, Draws, ResourceMode, StandingDecides
from ltrha.habitus import Habitus
from ltrha.matrix import Allocation, Matrix
from ltrha.parameters import DEFAULTS, LTRHAParameters
from ltrha.ranking import Ranker, Standing
from ltrha.resources import execution_rate, resource_shares
from ltrha.situation import PRIMITIVES, Situation, read_actions, sign
from ltrha.topic import topics


@dataclass(frozen=True, kw_only=True, slots=True)
class Failure:
    """A time step whose ranking failed, so that no resources were moved.

    Attributes:
        time: The time step.
        reason: Message of the model's error.
        call: Identifier of the failed call in the transcript; -1 when it was not recorded.
    """

    time: int
    reason: str
    call: int = -1


@dataclass(frozen=True, kw_only=True, slots=True)
class _Pending:
    """An action whose reward is not known yet, since it shows in the next step's pleasure."""

    situation: Situation
    primitive: str
    partner: str | None
    pleasure: float
    allocated: float


class LTRHA:
    """The state that agents share: topics, resources, and each agent's habitus (figure 4).

    In each time step: ``filter`` says whose action is not carried out; the world carries out the others; ``update``
    computes the topic of every locale, has the matrix rank the agents, and moves resources. An agent whose place is
    ``"away"`` is neither ranked nor filtered, and its resources stay.

    Args:
        residents: Names of all agents, no two alike; the order in which they draw.
        locales: Names of all places, no two alike.
        matrix: Ranks the agents.
        generator: Source of the draws; its state is part of ``get_state``.
        places: Where each agent is at the start. Without it the first step teaches the habitus nothing.
        resource_mode: What stands for S_i in Eq. 18, a ``ResourceMode``.
        standing_decides: What more resources are good for, a ``StandingDecides``.
        draws: How the draws of Eq. 18 hang together, a ``Draws``.
        parameters: The numbers of the habitus, and what acting consumes.

    Attributes:
        resources: S_i of each agent, 1 at the start; may become negative where the resource mode has debts.
        topics: Topic of each locale, in [-1, 1], 0 at the start.
        last_allocation: What Eq. 19 gave each agent in the last step.
        last_ranking: Result of the matrix in the last step; None before the first one, or where it failed or rested.
        habitus: The dispositions of each agent.
        failures: Steps in which the matrix's model call failed and resources stayed unchanged.

    Raises:
        ValueError: for no agent, a name given twice, an unknown choice, or a starting place that is none of the
            locales.
    """

    def __init__(
        self,
        residents: Sequence[str],
        locales: Sequence[str],
        matrix: Matrix,
        generator: np.random.Generator,
        *,
        places: Mapping[str, str] | None = None,
        resource_mode: str = ResourceMode.AMOUNT,
        standing_decides: str = StandingDecides.EXECUTION,
        draws: str = Draws.INDEPENDENT,
        parameters: LTRHAParameters = DEFAULTS,
    ) -> None:
        for label, given in (("residents", residents), ("locales", locales)):
            if not given or len(set(given)) < len(given):
                raise ValueError(f"{label} must be at least one name, and none twice, got {list(given)}")
        self.residents = tuple(residents)
        self.locales = tuple(locales)
        self.matrix = matrix
        self.resource_mode = check_choice("resource_mode", resource_mode, ResourceMode)
        self.standing_decides = check_choice("standing_decides", standing_decides, StandingDecides)
        self.consumption = parameters.consumption
        self.resources: dict[str, float] = dict.fromkeys(self.residents, 1.0)
        self.topics: dict[str, float] = dict.fromkeys(self.locales, 0.0)
        self.last_allocation: dict[str, float] = dict.fromkeys(self.residents, 0.0)
        self.last_ranking: Allocation | None = None
        self.habitus = {
            name: Habitus(backing=parameters.habitus_backing, temperature=parameters.habitus_temperature)
            for name in self.residents
        }
        self.failures: list[Failure] = []
        self._generator = generator
        self._drawing = Drawing(generator, draws)
        self._places: dict[str, str] | None = None
        self._spoken_to: set[str] = set()
        self._pending: dict[str, _Pending] = {}
        self._deeds: dict[str, tuple[Deed, ...]] = dict.fromkeys(self.residents, ())
        if places is not None:
            self.locate(places)

    def locate(self, places: Mapping[str, str]) -> None:
        """Take note of where the agents are, where something else than their actions has moved them.

        Args:
            places: Agent -> its locale, or "away".

        Raises:
            ValueError: if an agent is missing or unknown, or a place is none of the locales.
        """
        self._check("places", places)
        topics(self.locales, _present(places), dict.fromkeys(self.residents, (0.0, 0.0)))  # Rejects unknown places.
        self._places = {name: places[name] for name in self.residents}

    def rates(self) -> dict[str, float]:
        """Return the probability with which the action of each agent that is there is carried out (Eq. 18).

        It is 1 where standing decides nothing but turns.
        """
        present = self.residents if self._places is None else tuple(_present(self._places))
        if self.standing_decides is StandingDecides.TURNS:
            return dict.fromkeys(present, 1.0)
        rates = execution_rate(
            [self.resources[name] for name in present], share=self.resource_mode is ResourceMode.SHARE
        )
        return dict(zip(present, map(float, rates), strict=True))

    def turn_order(self, drawn: Sequence[str]) -> list[str]:
        """Return the order in which agents act in a step: by resources where standing decides it, as drawn elsewhere.

        Args:
            drawn: Names in a random order, which stays the order of those who have the same.
        """
        if self.standing_decides is StandingDecides.EXECUTION:
            return list(drawn)
        return sorted(drawn, key=lambda name: -self.resources[name])

    def filter(self, names: Iterable[str]) -> frozenset[str]:
        """Draw which agents' actions are filtered in this step (Eq. 18).

        Each draws once against its rate (Eq. 18), in the order of ``residents`` whatever the order of the names.

        Args:
            names: The agents who are about to act.

        Raises:
            ValueError: for a name that is not among the residents, or of one that is away.
        """
        acting, rates = set(names), self.rates()
        if unknown := sorted(acting - set(rates)):
            raise ValueError(f"{unknown[0]!r} is not among the residents {list(rates)}")
        return frozenset(
            name for name in self.residents if name in acting and self._drawing.holds_back(name, rates[name])
        )

    def situation(self, name: str) -> Situation | None:
        """Return the kind of situation that an agent is in; None before places are known, and for one that is away.

        Raises:
            ValueError: for a name that is not among the residents.
        """
        if name not in self.resources:
            raise ValueError(f"{name!r} is not among the residents {list(self.residents)}")
        if self._places is None or (place := self._places[name]) == AWAY_PLACE:
            return None
        return Situation(
            place=place,
            company=tuple(other for other, where in self._places.items() if where == place and other != name),
            topic=sign(self.topics[place]),
            resources=sign(self.resources[name]),
            spoken_to=name in self._spoken_to,
        )

    def observe(self, name: str, observation: Observation) -> Observation:
        """Return an agent's observation with its resources, the topic of its place, and its habitus.

        Args:
            name: The agent.
            observation: Its observation of the world.

        Raises:
            ValueError: for a name that is not among the residents, or a place that is not among the locales.
        """
        if name in self.resources and observation.place == AWAY_PLACE:
            return replace(observation, resources=self.resources[name])
        if name not in self.resources or observation.place not in self.topics:
            raise ValueError(
                f"{name!r} in {observation.place!r}: the residents are {list(self.residents)}, the locales "
                f"{list(self.locales)}"
            )
        topic = self.topics[observation.place]
        observation = replace(observation, resources=self.resources[name], topic=topic)
        return replace(observation, habitus=self.preferences(name, observation))

    def preferences(self, name: str, observation: Observation) -> dict[str, float] | None:
        """Return the probability of each admissible action under an agent's habitus, in the situation that it observes.

        Args:
            name: The agent.
            observation: What it observes; a topic or resources of None count as 0.

        Returns:
            Action -> probability; None before places are known.

        Raises:
            ValueError: for a name that is not among the residents.
        """
        if (situation := self.situation(name)) is None:
            return None
        asked = replace(situation, topic=sign(observation.topic or 0.0), resources=sign(observation.resources or 0.0))
        return self.habitus[name].preferences(asked, observation.admissible)

    async def update(
        self, acts: Mapping[str, Act], outcomes: Mapping[str, OutcomeKind], places: Mapping[str, str], time: int
    ) -> None:
        """Update topics, ranking, resources and habitus after one time step.

        What an action brought is the change in its agent's pleasure until the next step, plus the resources it was
        allocated as a share of s_max. The habitus therefore learns of an action one step later, and only of what
        the world was asked to carry out: executed and inadmissible actions.

        Args:
            acts: What each agent decided.
            outcomes: Outcome of each action.
            places: Where each agent is after the acts; "away" for one that is nowhere.
            time: The time step.

        Raises:
            ValueError: if an agent is missing or unknown in one of the mappings, a place is unknown, or an emotion
                lies outside [-1, 1]; nothing has changed then.

        A failed model call does not stop the society: topics and habitus are updated, resources stay, and the
        failure is added to ``failures``. The matrix then rests for 2, 4, 8, then 16 steps after failures in a row.
        """
        for label, given in (("acts", acts), ("outcomes", outcomes), ("places", places)):
            self._check(label, given)
        here = {name: places[name] for name in self.residents}
        # Who has arrived since the step began had no part in it.
        present = {name: place for name, place in _present(here).items() if name in _present(self._places or here)}
        atmosphere = topics(self.locales, present, {name: (act.pleasure, act.arousal) for name, act in acts.items()})
        read = read_actions(acts)
        deeds = with_new_deeds(self._deeds, acts, outcomes, here, read)
        shares = dict(zip(present, resource_shares([self.resources[name] for name in present]).tolist(), strict=True))
        standings = [
            Standing(
                name=name,
                place=here[name],
                topic=atmosphere[here[name]],
                goal=acts[name].goal,
                share=shares[name],
                deeds=deeds[name],
            )
            for name in present
        ]
        if self.matrix.ranker.draws_order:
            # A random order, so that a model's bias to the first listed favours nobody in the long run.
            standings = [standings[place] for place in self._generator.permutation(len(standings))]
        ranking: Allocation | None = None
        try:
            if not rests(in_a_row([failure.time for failure in self.failures]), time):
                ranking = await self.matrix.allocate(standings, time=time)
        except ModelError as error:
            self.failures.append(Failure(time=time, reason=str(error) or type(error).__name__, call=error.call))
        moved = ranking.changes if ranking is not None else {}
        changes = {name: moved.get(name, 0.0) for name in self.residents}

        self._pending = self._learn(acts, outcomes, read, changes)
        self._places = here
        self._spoken_to = {
            partner
            for name, (primitive, partner) in read.items()
            if primitive == "chat with" and partner is not None and outcomes[name] == "executed"
        }
        self.topics = atmosphere
        self.resources = {
            name: self._moved(name, changes[name], acted=outcomes[name] == "executed" and acts[name].action is not None)
            if name in present
            else self.resources[name]
            for name in self.residents
        }
        self._deeds = deeds
        self.last_allocation = {name: changes[name] for name in self.residents}
        self.last_ranking = ranking

    def _moved(self, name: str, change: float, *, acted: bool) -> float:
        """Return an agent's resources after a step: what it consumed, what was replenished, and what Eq. 19 moves."""
        amount = self.resources[name]
        consumed = self.consumption * max(amount, 0.0) if acted else 0.0
        amount += self.consumption - consumed + change
        return max(amount, 0.0) if self.resource_mode is ResourceMode.NO_DEBT else amount

    def _learn(
        self,
        acts: Mapping[str, Act],
        outcomes: Mapping[str, OutcomeKind],
        read: Mapping[str, tuple[str, str | None]],
        changes: Mapping[str, float],
    ) -> dict[str, _Pending]:
        """Teach every habitus the reward of its agent's previous action; return this step's pending actions."""
        pending: dict[str, _Pending] = {}
        for name in self.residents:
            if self._places is not None and self._places[name] == AWAY_PLACE:
                continue
            act = acts[name]
            if (past := self._pending.get(name)) is not None:
                reward = act.pleasure - past.pleasure + past.allocated
                self.habitus[name].learn(past.situation, past.primitive, past.partner, reward)
            situation = self.situation(name)
            if situation is None or name not in read or outcomes[name] not in ("executed", "inadmissible"):
                continue
            primitive, partner = read[name]
            # A model can write any verb; those that are not the six count where the world did them.
            if primitive not in PRIMITIVES and outcomes[name] != "executed":
                continue
            pending[name] = _Pending(
                situation=situation,
                primitive=primitive,
                partner=partner if partner in situation.company else None,
                pleasure=act.pleasure,
                allocated=changes[name] / self.matrix.s_max if self.matrix.s_max else 0.0,
            )
        return pending

    def get_state(self) -> dict[str, Any]:
        """Return the state as JSON-ready data, sufficient for an exact restart; the matrix's model is not included."""
        return {
            "residents": list(self.residents),
            "locales": list(self.locales),
            "resources": dict(self.resources),
            "topics": dict(self.topics),
            "last_allocation": dict(self.last_allocation),
            "habitus": {name: habitus.get_state() for name, habitus in self.habitus.items()},
            "failures": [asdict(failure) for failure in self.failures],
            "places": None if self._places is None else dict(self._places),
            "spoken_to": sorted(self._spoken_to),
            "pending": {
                name: {**asdict(past), "situation": {**asdict(past.situation), "company": list(past.situation.company)}}
                for name, past in self._pending.items()
            },
            "deeds": {name: [deed.to_json() for deed in deeds] for name, deeds in self._deeds.items()},
            "generator": _plain(self._generator.bit_generator.state),
            **({"drawing": dict(self._drawing.counts)} if self._drawing.counts else {}),
        }

    def set_state(self, state: Mapping[str, Any]) -> None:
        """Restore a state from ``get_state``, after any JSON round trip; ``last_ranking`` is not part of it.

        Raises:
            ValueError: if the data is no such state, or has other residents or locales.
        """
        try:
            for label, own in (("residents", self.residents), ("locales", self.locales)):
                if tuple(state[label]) != own:
                    raise ValueError(f"the state is of the {label} {list(state[label])}, not of {list(own)}")
            failures = [Failure(**failure) for failure in state["failures"]]
            pending = {
                name: _Pending(**{**past, "situation": Situation(**past["situation"])})
                for name, past in state["pending"].items()
            }
            resources = {name: float(state["resources"][name]) for name in self.residents}
            atmosphere = {locale: float(state["topics"][locale]) for locale in self.locales}
            allocated = {name: float(state["last_allocation"][name]) for name in self.residents}
            places = None if state["places"] is None else {name: state["places"][name] for name in self.residents}
            spoken_to = set(state["spoken_to"])
            drawing = {name: float(count) for name, count in state.get("drawing", {}).items()}
            deeds = {name: tuple(map(Deed.from_json, state["deeds"][name])) for name in self.residents}
            habitus = {name: Habitus() for name in self.residents}
            for name, one in habitus.items():
                one.set_state(state["habitus"][name])
            self._generator.bit_generator.state = state["generator"]
        except (KeyError, TypeError, AttributeError) as error:
            raise ValueError(f"not a state of LTRHA: {error!r}; pass what get_state gave") from error
        self.failures, self._pending, self.resources, self.topics = failures, pending, resources, atmosphere
        self.last_allocation, self._places, self._spoken_to, self.habitus = allocated, places, spoken_to, habitus
        self._deeds, self.last_ranking, self._drawing.counts = deeds, None, drawing

    def change(self, other: LTRHA) -> None:
        """Take over the settings of another framework, and keep what has happened so far."""
        self.matrix, self.consumption = other.matrix, other.consumption
        self.resource_mode, self.standing_decides = other.resource_mode, other.standing_decides
        self._drawing.take_over(other._drawing.draws)
        for name, habitus in self.habitus.items():
            habitus.backing, habitus.temperature = other.habitus[name].backing, other.habitus[name].temperature

    def _check(self, label: str, given: Mapping[str, Any]) -> None:
        if set(given) != set(self.residents):
            raise ValueError(f"{label} must have exactly the residents {list(self.residents)}, got {sorted(given)}")


def make_framework(
    ranker: Ranker,
    *,
    valley_map: ValleyMap | None = None,
    seed: int = 0,
    per_locale: bool = False,
    resource_mode: str = ResourceMode.AMOUNT,
    standing_decides: str = StandingDecides.EXECUTION,
    draws: str = Draws.INDEPENDENT,
    parameters: LTRHAParameters = DEFAULTS,
) -> LTRHA:
    """Create LTRHA for the residents and places of a valley, before the first step.

    Args:
        ranker: Ranks the residents: ``LikenessRanker(embedder)``, or ``OrderRanker(model)`` for a large model.
        valley_map: The map; the paper's valley when None.
        seed: Seed of the draws of Eq. 18.
        per_locale: Rank those in the same locale among themselves, instead of the whole society at once.
        resource_mode: What stands for S_i in Eq. 18, a ``ResourceMode``.
        standing_decides: What more resources are good for, a ``StandingDecides``.
        draws: How the draws of Eq. 18 hang together, a ``Draws``.
        parameters: The numbers of section 4.

    Raises:
        TypeError: for anything but a ranker, such as an embedder.

    Examples:
        >>> import language_models, ltrha
        >>> framework = ltrha.make_framework(ltrha.LikenessRanker(language_models.load_embedder("hash")))
        >>> {name: round(rate, 3) for name, rate in framework.rates().items()}
        {'AY': 0.866, 'SG': 0.866, 'MD': 0.866, 'WL': 0.866, 'LL': 0.866, 'WM': 0.866}
    """
    if not callable(getattr(ranker, "rank", None)):
        raise TypeError(
            f"ranker must be a LikenessRanker(embedder) or an OrderRanker(model), got {type(ranker).__name__}; for an "
            'embedder: make_framework(LikenessRanker(language_models.load_embedder("hash")))'
        )
    world = World(valley_map)
    return LTRHA(
        world.residents,
        world.map.places,
        Matrix(ranker, s_min=parameters.s_min, s_max=parameters.s_max, per_locale=per_locale),
        stream(seed, "ltrha"),
        places={name: world.place_of(name) for name in world.residents},
        resource_mode=resource_mode,
        standing_decides=standing_decides,
        draws=draws,
        parameters=parameters,
    )


def _present(places: Mapping[str, str]) -> dict[str, str]:
    return {name: place for name, place in places.items() if place != AWAY_PLACE}


def _plain(state: Any) -> Any:
    """Convert arrays in a bit generator's state to lists, which numpy accepts in their place."""
    if isinstance(state, Mapping):
        return {key: _plain(value) for key, value in state.items()}
    if isinstance(state, np.ndarray):
        return state.tolist()
    return state
