"""The simulated world: residents, things and time steps."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from collections.abc import Set as AbstractSet
from typing import Any

import numpy as np

from irollan_env.actions import Action
from irollan_env.hints import check_known
from irollan_env.map.valley_map import ValleyMap
from irollan_env.random_streams import generator_state, make_generator, restored_generator
from irollan_env.world import snapshot
from irollan_env.world.acting import Outcome, check_actions, let_act
from irollan_env.world.mechanics import grow
from irollan_env.world.narration import doing_text, sentence
from irollan_env.world.observation import Observation, ObservationTuple, OutcomeKind
from irollan_env.world.percepts import percepts
from irollan_env.world.state import ValleyState
from irollan_env.world.transitions import admissible


class World:
    """A simulated valley. Same map, seed and actions give the same world, in any process.

    Most of its methods are queries about the current state.

    Attributes:
        map: The valley map, which never changes.
        residents: Names of all who live here, in the map's order.
    """

    def __init__(self, valley_map: ValleyMap | None = None, seed: int | np.random.Generator | None = None) -> None:
        """Create the world at time step 0, with everyone at home and everything in its place.

        Args:
            valley_map: The valley; the paper's when None.
            seed: Seed of the turn order: an integer, a PCG64 generator, or None for a fresh generator.

        Raises:
            TypeError: for a seed of another kind.
        """
        self.map = ValleyMap.default() if valley_map is None else valley_map
        self._tables = self.map.tables
        self.residents = self._tables.residents
        self._generator = make_generator(seed)
        self._state = ValleyState(self._tables)
        self._had_turn: set[int] = set()

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
        """Let every resident act once, in a random order drawn for each step.

        Each action is executed in the state that the actions before it left: of two who reach for one thing the
        first gets it. An action that cannot be done changes nothing.

        Args:
            actions: For each resident a primitive, or None or ``"wait"`` to wait; residents not named wait.
            filtered: Residents whose action the social framework (LTRHA) filters. Those present see what an
                admissible one was.
            failed: Residents whose decision failed, so that there is no action.

        Returns:
            The outcome of each resident's action, in the map's order.

        Raises:
            ValueError: for an unknown resident, or one both filtered and failed.
            TypeError: for an action that is neither a string nor None. The world has not changed then.
        """
        self._check(actions, filtered, failed)
        if self._had_turn:
            raise ValueError(f"{self._names_of_turns()} had a turn in this step; end it with end_step")
        self._state.forget_step()
        self._state.forget_heard()
        outcomes = let_act(self._state, self._draw_order(), actions, filtered, failed)
        self._end_step()
        return {name: outcomes[name] for name in self.residents}

    def turn_order(self) -> list[str]:
        """Draw a random order of all residents, as ``step`` does, for callers who use ``take_turn``."""
        return [self.residents[resident] for resident in self._draw_order()]

    def take_turn(
        self,
        actions: Mapping[str, str | None],
        *,
        filtered: AbstractSet[str] = frozenset(),
        failed: AbstractSet[str] = frozenset(),
    ) -> dict[str, Outcome]:
        """Let some residents act now and the others later in the same step, until ``end_step``.

        Before they act, their messages are deleted, since they have perceived them. What a resident says
        now stays in the listeners' inboxes until their own next turn.

        Args:
            actions: For each resident whose turn it is a primitive, or None to wait; they act in this order.
            filtered: Residents among them whose action LTRHA filters.
            failed: Residents among them whose decision failed, so that there is no action.

        Returns:
            The outcome of each resident's action, in their order.

        Raises:
            ValueError: for a name that is no resident, that has had its turn in this step, that is both filtered and
                failed, or that is either and not among the actions.
            TypeError: for an action that is neither a string nor None. The world has not changed then.
        """
        self._check(actions, filtered, failed)
        if absent := sorted((filtered | failed) - actions.keys()):
            raise ValueError(f"{absent[0]!r} is filtered or failed and has no turn; give it one in actions, with None")
        turns = [self._tables.resident_number[name] for name in actions]
        if again := self._had_turn.intersection(turns):
            raise ValueError(f"{self.residents[min(again)]!r} had its turn in this step; end it with end_step")
        self._had_turn.update(turns)
        self._state.forget_heard(turns)
        return let_act(self._state, turns, actions, filtered, failed)

    def end_step(self) -> dict[str, Outcome]:
        """End a step in which residents took turns; residents without a turn wait and keep their messages.

        Returns:
            The outcomes of the residents that had no turn, in the map's order.
        """
        waiting = [resident for resident in range(len(self.residents)) if resident not in self._had_turn]
        outcomes = let_act(self._state, waiting, {}, frozenset(), frozenset())
        self._had_turn.clear()
        self._end_step()
        return outcomes

    def _check(self, actions: Mapping[str, str | None], filtered: AbstractSet[str], failed: AbstractSet[str]) -> None:
        if not self._tables.resident_number.keys() >= {*actions, *filtered, *failed}:
            for name in (*actions, *filtered, *failed):
                self._number(name)
        check_actions(actions, filtered, failed)

    def _draw_order(self) -> list[int]:
        order: list[int] = self._generator.permutation(len(self.residents)).tolist()
        return order

    def observe(self, name: str, *, with_percepts: bool = True) -> Observation:
        """Return a resident's current observation, without changing the world.

        Args:
            name: The resident.
            with_percepts: False leaves ``percepts`` empty (and with them ``company`` and ``holding``), and ``events``,
                which is several times faster.

        Raises:
            ValueError: for an unknown resident.
        """
        return self.observe_tuple(name, with_percepts=with_percepts).of(name)

    def observe_tuple(self, name: str, *, with_percepts: bool = False) -> ObservationTuple:
        """Return an observation as a tuple, which is cheaper than ``observe``, for fast simulation.

        Args:
            name: The resident.
            with_percepts: True adds percepts and events.
        """
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
        """Return a resident's observation sentence."""
        return sentence(self._state, self._number(name))

    def admissible(self, name: str) -> tuple[Action, ...]:
        """Return a resident's admissible actions."""
        return tuple(admissible(self._state, self._number(name)))

    def place_of(self, name: str) -> str:
        """Return a resident's place."""
        return self._tables.places[self._state.place[self._number(name)]]

    def people_in(self, place: str) -> tuple[str, ...]:
        """Return the residents in a place, in order of arrival."""
        number = _look_up("place", place, self._tables.place_number)
        return tuple(self.residents[resident] for resident in self._state.people[number])

    def holding(self, name: str) -> tuple[str, ...]:
        """Return the items in a resident's hands, in the order in which it got them."""
        return tuple(self._tables.items[item] for item in self._state.hands[self._number(name)])

    def doing(self, name: str) -> str | None:
        """Return a resident's activity; None for nothing."""
        return doing_text(self._state, self._number(name))

    def seat_of(self, name: str) -> str | None:
        """Return the furniture that a resident sits on; None if it does not sit."""
        seat = self._state.seat[self._number(name)]
        return None if seat < 0 else self._tables.furniture[seat]

    def outcome_of(self, name: str) -> OutcomeKind | None:
        """Return the outcome of a resident's last action; None before its first."""
        return self._state.outcome[self._number(name)]

    def where_is(self, item: str) -> str:
        """Return the furniture an item lies on, or the resident who holds it."""
        number = _look_up("item", item, self._tables.item_number)
        where = self._state.on[number]
        return self._tables.furniture[where] if where >= 0 else self.residents[~where]

    def whereabouts(self, items: Iterable[str]) -> list[tuple[str, tuple[str, ...]]]:
        """Return ``where_is`` and ``status_of`` of several items at once, in their order, in less time."""
        state, tables = self._state, self._tables
        on, status, furniture, names = state.on, state.status, tables.furniture, tables.status_names
        numbers = [_look_up("item", item, tables.item_number) for item in items]
        return [(furniture[on[n]] if on[n] >= 0 else self.residents[~on[n]], names[status[n]]) for n in numbers]

    def is_open(self, furniture: str) -> bool:
        """Return whether things in or on furniture can be reached; False when it is closed."""
        return self._state.open[_look_up("furniture", furniture, self._tables.furniture_number)]

    def open_in(self, place: str) -> list[str]:
        """Return the furniture of a place that is open, as by ``is_open``."""
        tables, is_open = self._tables, self._state.open
        here = tables.furniture_in[_look_up("place", place, tables.place_number)]
        return [tables.furniture[f] for f in here if is_open[f]]

    def lying_in(self, place: str) -> dict[str, str]:
        """Return the visible items in a place, with the furniture that each lies in or on."""
        visible = self._state.visible(_look_up("place", place, self._tables.place_number))
        return {self._tables.items[item]: self._tables.furniture[self._state.on[item]] for item in visible}

    def status_of(self, item: str) -> tuple[str, ...]:
        """Return the statuses of an item: ``("clean", "damp")``."""
        return self._tables.status_names[self._state.status[_look_up("item", item, self._tables.item_number)]]

    def get_state(self) -> dict[str, Any]:
        """Return the complete state, generator included, as JSON-ready data.

        Raises:
            ValueError: between two turns of a step, which a state cannot represent.
        """
        if self._had_turn:
            raise ValueError(
                f"a world is saved between two steps, and {self._names_of_turns()} had a turn in this one; "
                "end it with end_step"
            )
        return {**snapshot.dump(self._state), "generator": generator_state(self._generator)}

    def set_state(self, state: Mapping[str, Any]) -> None:
        """Restore a state from ``get_state``, in this or another process.

        Raises:
            ValueError: for another version or map, or a state that contradicts itself, saying where; the world has
                not changed then.
        """
        if not isinstance(state, Mapping) or "generator" not in state:
            raise ValueError("a state must be a mapping with the key 'generator', as get_state gives it")
        loaded = snapshot.load(self._tables, {key: value for key, value in state.items() if key != "generator"})
        self._generator = restored_generator(state["generator"])
        self._state = loaded
        self._had_turn = set()

    def copy(self) -> World:
        """Return an independent world in the same state; only the map is shared."""
        twin = World.__new__(World)
        twin.map, twin._tables, twin.residents = self.map, self._tables, self.residents
        twin._generator = restored_generator(generator_state(self._generator))
        twin._state = self._state.copy()
        twin._had_turn = self._had_turn.copy()
        return twin

    def _end_step(self) -> None:
        self._state.forget_step()
        self._state.time += 1
        grow(self._state)

    def _names_of_turns(self) -> str:
        return ", ".join(self.residents[resident] for resident in sorted(self._had_turn))

    def _number(self, name: str) -> int:
        return _look_up("resident", name, self._tables.resident_number)


def _look_up(what: str, name: str, numbers: Mapping[str, int]) -> int:
    try:
        return numbers[name]
    except (KeyError, TypeError):
        return numbers[check_known(what, name, numbers)]
