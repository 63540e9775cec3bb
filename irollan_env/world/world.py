"""The world: who and what is in the valley, and how a time step changes it."""

from __future__ import annotations

from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from typing import Any, NamedTuple

import numpy as np

from irollan_env.hints import did_you_mean
from irollan_env.map.valley_map import ValleyMap
from irollan_env.random_streams import generator_state, make_generator, restored_generator
from irollan_env.world import snapshot
from irollan_env.world.admissible import admissible
from irollan_env.world.narration import doing_text, sentence
from irollan_env.world.observation import Observation, ObservationTuple, OutcomeKind
from irollan_env.world.percepts import percepts
from irollan_env.world.primitives import SILENCE, Chat, Refusal, parse
from irollan_env.world.state import ValleyState
from irollan_env.world.transitions import Refused, execute, wait

FILTERED = "(This action has been filtered by LTRHA)"
"""What a resident is told whose action the social framework did not let through (appendix A)."""

FAILED = "Nothing happens. No decision was reached in this step."
"""What a resident is told whose decision failed, as when its model could not be reached."""


class Outcome(NamedTuple):
    """What became of one action: how it ended, and the world's answer in words."""

    kind: OutcomeKind
    result: str


_NOTHING = Outcome("executed", "")


class World:
    """A valley in motion. Same map, same seed and same actions give the same world, in any process.

    Its many small methods are the questions that can be asked of a world; the rest of the room knows the answers.

    Attributes:
        map: The valley map, which never changes.
        residents: Names of all who live here, in the map's order.
    """

    def __init__(self, valley_map: ValleyMap | None = None, seed: int | np.random.Generator | None = None) -> None:
        """Everyone at home, everything in its place, time step 0.

        Args:
            valley_map: The valley; the paper's when None.
            seed: Of the generator that draws the turn order: an integer, a PCG64 generator, or None for a fresh one.

        Raises:
            TypeError: for a seed of another kind.
        """
        self.map = ValleyMap.default() if valley_map is None else valley_map
        self._tables = self.map.tables
        self.residents = self._tables.residents
        self._generator = make_generator(seed)
        self._state = ValleyState(self._tables)

    @property
    def time(self) -> int:
        """The time step, from 0."""
        return self._state.time

    def step(
        self,
        actions: Mapping[str, str | None],
        *,
        filtered: AbstractSet[str] = frozenset(),
        failed: AbstractSet[str] = frozenset(),
    ) -> dict[str, Outcome]:
        """Let everyone act once, one after the other, in an order drawn anew each step.

        Each action meets the world as those before it in the turn order left it: of two who reach for one thing the
        first gets it. Whoever cannot do what it wants changes nothing.

        Args:
            actions: For each resident a primitive, or None to wait; who is not named waits.
            filtered: Residents whose action the social framework (LTRHA) holds back. Those present see what an
                admissible one was.
            failed: Residents whose decision failed, so that there is no action.

        Returns:
            For each resident, in the map's order, what became of its action.

        Raises:
            ValueError: for a name that is no resident, or one both filtered and failed.
            TypeError: for an action that is neither a string nor None. The world has not changed then.
        """
        if not self._tables.resident_number.keys() >= {*actions, *filtered, *failed}:
            for name in (*actions, *filtered, *failed):
                self._number(name)
        for name, action in actions.items():
            if action is not None and not isinstance(action, str):
                raise TypeError(f"the action of {name!r} must be a string or None, got {action!r}")
        if both := sorted(filtered & failed):
            raise ValueError(f"{both[0]!r} is both filtered and failed; a resident without a decision has no action")
        state = self._state
        state.forget_step()
        state.inbox = [()] * len(self.residents)
        state.seen = {}
        outcomes: dict[str, Outcome] = dict.fromkeys(self.residents, _NOTHING)  # in the map's order, not the turns'
        order: list[int] = self._generator.permutation(len(self.residents)).tolist()
        for resident in order:
            name = self.residents[resident]
            if name in filtered:
                self._hold_back(resident, actions.get(name))
                outcome = Outcome("filtered", FILTERED)
            elif name in failed:
                outcome = Outcome("failed", FAILED)
            else:
                outcome = self._act(resident, actions.get(name))
            state.outcome[resident], state.result[resident] = outcome
            outcomes[name] = outcome
        state.forget_step()
        state.time += 1
        return outcomes

    def _hold_back(self, resident: int, text: str | None) -> None:
        action = Refusal("") if text is None else parse(text)
        spoken_to = action.person if isinstance(action, Chat) else None
        wanted = text if spoken_to is None else f"chat with {spoken_to}: {SILENCE}"
        if wanted in admissible(self._state, resident):
            self._state.witness(resident, self._state.place[resident], "held back", None, spoken_to, wanted)

    def _act(self, resident: int, text: str | None) -> Outcome:
        if text is None:
            return Outcome("executed", wait(self._state, resident))
        action = parse(text)
        if isinstance(action, Refusal):
            return Outcome("inadmissible", f"Nothing happens. {action.reason}")
        try:
            return Outcome("executed", execute(self._state, resident, action))
        except Refused as refused:
            return Outcome("inadmissible", f"Nothing happens. {refused}")

    def observe(self, name: str, *, with_percepts: bool = True) -> Observation:
        """What a resident perceives now. Observing changes nothing.

        Args:
            name: The resident.
            with_percepts: False leaves ``percepts`` empty (and with them ``company`` and ``holding``), and ``events``,
                which is several times faster for those who read the sentence alone.

        Raises:
            ValueError: for a name that is no resident.
        """
        return self.observe_tuple(name, with_percepts=with_percepts).of(name)

    def observe_tuple(self, name: str, *, with_percepts: bool = False) -> ObservationTuple:
        """The same as ``observe`` in a cheaper form, for those who step the world many thousand times a second."""
        state, resident = self._state, self._number(name)
        return ObservationTuple(
            state.time,
            self._tables.places[state.place[resident]],
            sentence(state, resident),
            percepts(state, resident) if with_percepts else (),
            state.inbox[resident],
            state.events(resident) if with_percepts else (),
            tuple(admissible(state, resident)),
            doing_text(state, resident),
            state.outcome[resident],
            state.result[resident],
        )

    def sentence(self, name: str) -> str:
        """The sentence of ``observe`` alone."""
        return sentence(self._state, self._number(name))

    def admissible(self, name: str) -> tuple[str, ...]:
        """The admissible actions of ``observe`` alone."""
        return tuple(admissible(self._state, self._number(name)))

    def place_of(self, name: str) -> str:
        """The place a resident is in."""
        return self._tables.places[self._state.place[self._number(name)]]

    def people_in(self, place: str) -> tuple[str, ...]:
        """Who is in a place, in order of arrival."""
        number = _look_up("place", place, self._tables.place_number)
        return tuple(self.residents[resident] for resident in self._state.people[number])

    def holding(self, name: str) -> tuple[str, ...]:
        """What a resident has in its hands, in the order in which it got it."""
        return tuple(self._tables.items[item] for item in self._state.hands[self._number(name)])

    def doing(self, name: str) -> str | None:
        """What a resident is doing, None for nothing."""
        return doing_text(self._state, self._number(name))

    def where_is(self, item: str) -> str:
        """The furniture an item lies on, or the resident who holds it."""
        number = _look_up("item", item, self._tables.item_number)
        where = self._state.on[number]
        return self._tables.furniture[where] if where >= 0 else self.residents[~where]

    def status_of(self, item: str) -> tuple[str, ...]:
        """The statuses of an item: ``("clean", "damp")``."""
        return self._tables.status_names[self._state.status[_look_up("item", item, self._tables.item_number)]]

    def get_state(self) -> dict[str, Any]:
        """Everything needed to go on exactly, generator included, as JSON-ready data."""
        return {**snapshot.dump(self._state), "generator": generator_state(self._generator)}

    def set_state(self, state: Mapping[str, Any]) -> None:
        """Go on from what ``get_state`` gave, in this or another process.

        Raises:
            ValueError: for another version or map, or a state that contradicts itself, saying where; the world has
                not changed then.
        """
        if not isinstance(state, Mapping) or "generator" not in state:
            raise ValueError("a state must be a mapping with the key 'generator', as get_state gives it")
        loaded = snapshot.load(self._tables, {key: value for key, value in state.items() if key != "generator"})
        self._generator = restored_generator(state["generator"])
        self._state = loaded

    def copy(self) -> World:
        """An independent world in the same state; only the map is shared."""
        twin = World.__new__(World)
        twin.map, twin._tables, twin.residents = self.map, self._tables, self.residents
        twin._generator = restored_generator(generator_state(self._generator))
        twin._state = self._state.copy()
        return twin

    def _number(self, name: str) -> int:
        return _look_up("resident", name, self._tables.resident_number)


def _look_up(what: str, name: str, numbers: Mapping[str, int]) -> int:
    try:
        return numbers[name]
    except (KeyError, TypeError):
        hint = did_you_mean(str(name), numbers) or f"; known are {list(numbers)[:12]}"
        raise ValueError(f"unknown {what} {name!r}{hint}") from None
