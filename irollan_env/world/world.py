"""The simulated world: residents, things and time steps."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import Any, TypeVar

import numpy as np

from irollan_env.actions import LONGEST_CHAT, Action
from irollan_env.hints import check_known
from irollan_env.map.tables import ABSENT
from irollan_env.map.valley_map import ValleyMap
from irollan_env.random_streams import generator_state, make_generator, restored_generator
from irollan_env.world import snapshot
from irollan_env.world.acting import Outcome, check_actions, let_act
from irollan_env.world.events import Deed
from irollan_env.world.like_things import one_of_each
from irollan_env.world.mechanic import WORLD, Change, Mechanic, as_change
from irollan_env.world.mechanics.registry import make_mechanics
from irollan_env.world.narration import doing_text, sentence
from irollan_env.world.observation import Message, Observation, ObservationTuple, OutcomeKind
from irollan_env.world.percepts import percepts
from irollan_env.world.rules import Rules
from irollan_env.world.special_things import grow, heavy_load, helpers
from irollan_env.world.state import AWAY, AWAY_PLACE, ValleyState
from irollan_env.world.transitions import admissible

_T = TypeVar("_T")


class World:
    """A simulated valley. Same map, seed and actions give the same world, in any process.

    Most of its methods are queries about the current state.

    Attributes:
        map: The valley map, which never changes.
        residents: Names of all who live here, in the map's order.
    """

    def __init__(
        self,
        valley_map: ValleyMap | None = None,
        seed: int | np.random.Generator | None = None,
        *,
        mechanics: Sequence[Mechanic] = (),
        prepare: Callable[[World], None] | None = None,
    ) -> None:
        """Create the world at time step 0, with everyone at home and everything in its place.

        Args:
            valley_map: The valley; the paper's when None.
            seed: Seed of the turn order: an integer, a PCG64 generator, or None for a fresh generator.
            mechanics: Rules beside those that the map names, such as a world class of one's own.
            prepare: Sets another beginning, before the mechanics begin.

        Raises:
            TypeError: for a seed of another kind.
            ValueError: for a mechanic of the map that there is not, or wrong settings of one.
        """
        self.map = ValleyMap.default() if valley_map is None else valley_map
        self._tables = self.map.tables
        self.residents = self._tables.residents
        self._generator = make_generator(seed)
        self._state = ValleyState(self._tables)
        self._had_turn: set[int] = set()
        self._rules: Rules | None = None
        self._changes: list[Change] = []
        self._past_changes = 0
        self._stepping = False
        if prepare is not None:
            prepare(self)
        # Events last, so that their conditions read what all others leave.
        mechanics = sorted([*make_mechanics(self.map), *mechanics], key=lambda one: one.name == "events")
        self._rules = Rules(self, mechanics, self._generator) if mechanics else None
        if self._rules is not None:
            self._rules.call("begin")

    @property
    def mechanics(self) -> tuple[Mechanic, ...]:
        """The mechanics that hold here: those of the map, then further ones."""
        return () if self._rules is None else self._rules.mechanics

    @property
    def changes(self) -> tuple[Change, ...]:
        """What changed in the last step beside what residents did, and between it and the step before."""
        return tuple(self._changes)

    @property
    def ended(self) -> str:
        """Why no step is to follow, by the first mechanic that says so; empty while the world goes on."""
        return next((mechanic.ended for mechanic in self.mechanics if mechanic.ended), "")

    def catch_up(self) -> None:
        """Let happen what is due now of the events that were added since the state that was restored."""
        if self._rules is not None:
            self._rules.call("catch_up")

    @property
    def random(self) -> np.random.Generator:
        """The generator of the mechanics' chance, which is part of the state.

        Raises:
            ValueError: in a world without mechanics.
        """
        if self._rules is None:
            raise ValueError("a world without mechanics has no chance beside the turn order; give it a mechanic")
        return self._rules.random

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
        self.begin_step()
        outcomes = let_act(self._state, self._draw_order(), actions, filtered, failed, self._rules)
        self._end_step()
        return {name: outcomes[name] for name in self.residents}

    def begin_step(self) -> None:
        """Let mechanics do what is due before the residents observe and decide; further calls in a step do nothing.

        ``step``, ``take_turn`` and ``end_step`` call it for callers who have not.
        """
        if self._stepping:
            return
        self._stepping = True
        self._changes, self._past_changes = self._coming_changes(), 0
        if self._rules is not None:
            self._rules.call("before_step")

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
        self.begin_step()
        return let_act(self._state, turns, actions, filtered, failed, self._rules)

    def end_step(self) -> dict[str, Outcome]:
        """End a step in which residents took turns; residents without a turn wait and keep their messages.

        Returns:
            The outcomes of the residents that had no turn, in the map's order.
        """
        self.begin_step()
        waiting = [resident for resident in range(len(self.residents)) if resident not in self._had_turn]
        outcomes = let_act(self._state, waiting, {}, frozenset(), frozenset(), self._rules)
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
        if state.place[resident] == AWAY:
            return ObservationTuple(
                state.time, AWAY_PLACE, "You are not here.", (), (), (), (), None, *self._last(resident)
            )
        seen = ObservationTuple(
            state.time,
            self._tables.places[state.place[resident]],
            sentence(state, resident),
            percepts(state, resident) if with_percepts else (),
            state.inbox[resident],
            state.events(resident) if with_percepts else (),
            tuple(self._admissible(resident)),
            doing_text(state, resident),
            *self._last(resident),
        )
        return seen if self._rules is None else self._rules.add_to(seen, name)

    def _last(self, resident: int) -> tuple[OutcomeKind | None, str]:
        return self._state.outcome[resident], self._state.result[resident]

    def _admissible(self, resident: int) -> Sequence[Action]:
        state = self._state
        found = admissible(state, resident) if self._rules is None else self._rules.admissible(resident)
        return one_of_each(state, resident, found)

    def sentence(self, name: str) -> str:
        """Return a resident's observation sentence."""
        if self._rules is None and self.is_present(name):
            return sentence(self._state, self._number(name))
        return self.observe_tuple(name).sentence

    def admissible(self, name: str) -> tuple[Action, ...]:
        """Return a resident's admissible actions."""
        number = self._number(name)
        return tuple(self._admissible(number)) if self._state.place[number] != AWAY else ()

    def place_of(self, name: str) -> str:
        """Return a resident's place; "away" for one that is not in the world."""
        place = self._state.place[self._number(name)]
        return self._tables.places[place] if place != AWAY else AWAY_PLACE

    def position_of(self, name: str) -> tuple[float, float]:
        """Return where a resident is on the map, in metres; its last position for one that is not in the world."""
        pose = self._state.pose[self._number(name)]
        return pose.x, pose.y

    def is_present(self, name: str) -> bool:
        """Return whether a resident is in the world: it has come, and has not left."""
        return self._state.place[self._number(name)] != AWAY

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
        """Return the furniture an item lies on, or the resident who holds it; "away" if it is not in the world."""
        return self._where(self._state.on[_look_up("item", item, self._tables.item_number)])

    def _where(self, where: int) -> str:
        if where == ABSENT:
            return AWAY_PLACE
        return self._tables.furniture[where] if where >= 0 else self.residents[~where]

    def whereabouts(self, items: Iterable[str]) -> list[tuple[str, tuple[str, ...]]]:
        """Return ``where_is`` and ``status_of`` of several items at once, in their order, in less time."""
        state, tables = self._state, self._tables
        on, status, furniture, names = state.on, state.status, tables.furniture, tables.status_names
        numbers = [_look_up("item", item, tables.item_number) for item in items]
        return [(furniture[on[n]] if on[n] >= 0 else self._where(on[n]), names[status[n]]) for n in numbers]

    def helpers_of(self, name: str) -> tuple[str, ...]:
        """Return who lends a resident a hand with the heavy things that it holds, and goes where it goes."""
        state, resident = self._state, self._number(name)
        found = (one for item in heavy_load(state, resident) for one in helpers(state, item, resident))
        return tuple(self.residents[one] for one in dict.fromkeys(found))

    def is_heavy(self, kind: str) -> bool:
        """Return whether things of a kind take two to be carried."""
        return any(self._tables.heavy[n] for n in _look_up("kind", kind, self._tables.items_of))

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
            ValueError: within a step, which a state cannot represent.
        """
        if self._had_turn:
            raise ValueError(
                f"a world is saved between two steps, and {self._names_of_turns()} had a turn in this one; "
                "end it with end_step"
            )
        if self._stepping and self._rules is not None:
            raise ValueError("a world is saved between two steps, and this one has begun; end it with step or end_step")
        rules = {} if self._rules is None else {"mechanics": self._rules.get_state()}
        # What has changed since the last step belongs to the next one.
        changes = {"changes": [list(change) for change in coming]} if (coming := self._coming_changes()) else {}
        return {**snapshot.dump(self._state), **rules, **changes, "generator": generator_state(self._generator)}

    def set_state(self, state: Mapping[str, Any]) -> None:
        """Restore a state from ``get_state``, in this or another process.

        Raises:
            ValueError: for another version or map, or a state that contradicts itself, saying where; the world has
                not changed then.
        """
        if not isinstance(state, Mapping) or "generator" not in state:
            raise ValueError("a state must be a mapping with the key 'generator', as get_state gives it")
        rules = {"mechanics"} & state.keys()
        if bool(rules) != (self._rules is not None):
            which = "has no mechanics, and the world does" if self._rules else "has mechanics, and the world has none"
            raise ValueError(f"the state {which}; load it into a world of the map that it was saved from")
        loaded = snapshot.load(
            self._tables,
            {key: value for key, value in state.items() if key not in ("generator", "mechanics", "changes")},
        )
        changes = [as_change(row) for row in state.get("changes", ())]
        generator = restored_generator(state["generator"])
        if self._rules is not None:
            self._rules.set_state(state["mechanics"])
        self._generator, self._state = generator, loaded
        self._had_turn = set()
        self._changes, self._past_changes, self._stepping = changes, 0, False

    def copy(self) -> World:
        """Return an independent world in the same state; only the map is shared."""
        twin = self._without_rules()
        twin._rules = None if self._rules is None else self._rules.copy(twin, copy.deepcopy(self.mechanics))
        return twin

    def _without_rules(self) -> World:
        twin = World.__new__(World)
        twin.map, twin._tables, twin.residents = self.map, self._tables, self.residents
        twin._generator = restored_generator(generator_state(self._generator))
        twin._state = self._state.copy()
        twin._had_turn = self._had_turn.copy()
        twin._rules = None
        twin._changes, twin._past_changes = self._changes.copy(), self._past_changes
        twin._stepping = self._stepping
        return twin

    def reloaded(self) -> World:
        """Return this world as another process would load it: with its state by way of JSON, in new world classes.

        Raises:
            MechanicError: for a mechanic whose state is not JSON-ready.
        """
        twin = self._without_rules()
        twin._rules = None if self._rules is None else self._rules.copy(twin, self._rules.new_objects())
        twin.set_state(self.get_state())
        return twin

    # What mechanics, events and worlds as code do to the world beside the residents' actions.

    def items_of(self, kind: str) -> tuple[str, ...]:
        """Return the items of a kind that are in the world."""
        numbers = _look_up("kind", kind, self._tables.items_of)
        return tuple(self._tables.items[n] for n in numbers if self._state.on[n] != ABSENT)

    def kind_of(self, thing: str) -> str:
        """Return the kind of an item or of furniture."""
        return _look_up("item or furniture", thing, self._tables.kind_of)

    def contents(self, furniture: str) -> tuple[str, ...]:
        """Return the items in or on a piece of furniture, also where it is closed."""
        number = _look_up("furniture", furniture, self._tables.furniture_number)
        return tuple(self._tables.items[item] for item in self._state.contents(number))

    def furniture_in(self, place: str) -> tuple[str, ...]:
        """Return the furniture of a place; none for "away"."""
        if place == AWAY_PLACE:
            return ()
        here = self._tables.furniture_in[_look_up("place", place, self._tables.place_number)]
        return tuple(self._tables.furniture[f] for f in here)

    def doors_of(self, place: str) -> tuple[str, ...]:
        """Return the places behind the doors and at the end of the roads of a place."""
        number = _look_up("place", place, self._tables.place_number)
        return tuple(self._tables.places[other] for other in self._tables.doors[number])

    def holds_things(self, furniture: str) -> bool:
        """Return whether things can be put in or on furniture."""
        return self._tables.receptacle[_look_up("furniture", furniture, self._tables.furniture_number)]

    def spare(self, kind: str) -> int:
        """Return how many more items of a kind ``add`` can bring into the world."""
        numbers = _look_up("kind", kind, self._tables.items_of)
        return sum(self._state.on[n] == ABSENT for n in numbers)

    def is_spent(self, item: str) -> bool:
        """Return whether an item that can be used but once has been used."""
        return self._state.spent(_look_up("item", item, self._tables.item_number))

    def exists(self, item: str) -> bool:
        """Return whether an item is in the world, lying somewhere or held."""
        return self._state.on[_look_up("item", item, self._tables.item_number)] != ABSENT

    def add(self, kind: str, where: str, *, cause: str, status: Iterable[str] = ()) -> str | None:
        """Bring a spare item of a kind into the world.

        Args:
            kind: The kind.
            where: The furniture it lies on, or the resident who holds it.
            cause: Why, for the record: ``"recipe"``.
            status: Its statuses.

        Returns:
            Its name; None where all items of the kind are in the world already (``spare`` in the map says how many).
        """
        state, tables = self._state, self._tables
        free = (n for n in _look_up("kind", kind, tables.items_of) if state.on[n] == ABSENT)
        if (item := next(free, None)) is None:
            return None
        state.bring_in(item, self._holder(where), self._statuses(status))
        self.note("added", tables.items[item], None, where, cause)
        return tables.items[item]

    def remove(self, item: str, *, cause: str) -> None:
        """Take an item out of the world; it is a spare one of its kind then.

        Args:
            item: The item.
            cause: Why, for the record: ``"eaten"``.
        """
        origin = self.where_is(item)
        if origin != AWAY_PLACE:
            self._state.take_out(self._tables.item_number[item])
            if self._rules is not None:
                self._rules.forget(item)
            self.note("removed", item, origin, None, cause)

    def move(self, item: str, to: str, *, cause: str) -> None:
        """Move an item to furniture or into a resident's hands, wherever it is.

        Args:
            item: The item.
            to: The furniture or the resident.
            cause: Why, for the record: ``"paid"``.
        """
        origin, target = self.where_is(item), self._holder(to)
        number = self._tables.item_number[item]
        status = self._state.status[number]
        self._state.take_out(number)
        self._state.bring_in(number, target, status)
        self.note("moved", item, None if origin == AWAY_PLACE else origin, to, cause)

    def set_status(self, item: str, status: Iterable[str], *, cause: str) -> None:
        """Replace the statuses of an item.

        Args:
            item: The item.
            status: The new ones.
            cause: Why, for the record: ``"spoiled"``.
        """
        names = tuple(status)
        self._state.set_status(_look_up("item", item, self._tables.item_number), self._statuses(names))
        self.note("became", item, None, " ".join(names), cause)

    def set_open(self, furniture: str, is_open: bool) -> None:
        """Open or close furniture that opens and closes.

        Args:
            furniture: Its name.
            is_open: Whether it is open then.

        Raises:
            ValueError: for furniture that neither opens nor closes.
        """
        number = _look_up("furniture", furniture, self._tables.furniture_number)
        if not self._tables.closes[number]:
            raise ValueError(f"{furniture!r} neither opens nor closes; give its kind 'closes = true' in the map")
        self._state.open[number] = is_open
        self._state.touch(self._tables.place_of_furniture[number])

    def move_resident(self, name: str, place: str | None, *, cause: str) -> None:
        """Move a resident to a place, or out of the world; a resident that is out can come back the same way.

        Args:
            name: The resident.
            place: The place; None takes it out of the world.
            cause: Why, for the record: ``"arrived"``.
        """
        resident, origin = self._number(name), self.place_of(name)
        target = AWAY if place is None else _look_up("place", place, self._tables.place_number)
        if self._state.place[resident] == target:
            return
        if self._state.place[resident] != AWAY:
            self._state.witness(resident, self._state.place[resident], "left", None, place or AWAY_PLACE)
        self._state.move_resident(resident, target)
        if target != AWAY:
            self._state.witness(resident, target, "came", None, origin)
        self.note("moved", name, origin, place or AWAY_PLACE, cause)

    def announce(self, speaker: str, text: str, *, place: str | None = None, resident: str | None = None) -> None:
        """Say something to residents as somebody who is none of them: a town hall, a newspaper, the weather.

        Args:
            speaker: Who says it.
            text: The words.
            place: Where it is heard; everywhere when neither place nor resident is given.
            resident: Who alone hears it.

        Raises:
            ValueError: for words longer than a resident could say.
        """
        if len(text) > LONGEST_CHAT:
            raise ValueError(f"at most {LONGEST_CHAT} characters can be announced, got {len(text)}; shorten the text")
        people: Iterable[int] = range(len(self.residents))
        if resident is not None:
            people = (self._number(resident),)
        elif place is not None:
            people = self._state.people[_look_up("place", place, self._tables.place_number)]
        for listener in people:
            if self._state.place[listener] != AWAY:
                name = self.residents[listener]
                self._state.deliver(listener, Message(time=self.time, sender=speaker, addressee=name, text=text))
        self.note("announced", text, speaker, resident or place, "announcement")

    def show(self, actor: str, deed: Deed, thing: str | None = None, other: str | None = None, text: str = "") -> None:
        """Let all others in a resident's place see what it did.

        Args:
            actor: The resident.
            deed: As for ``Event``.
            thing: As for ``Event``.
            other: As for ``Event``.
            text: As for ``Event``.
        """
        resident = self._number(actor)
        self._state.witness(resident, self._state.place[resident], deed, thing, other, text)

    def set_mechanic(self, name: str, path: Sequence[str], value: Any, *, cause: str) -> None:
        """Change a setting of a mechanic.

        Args:
            name: The mechanic.
            path: The keys that lead to the setting.
            value: Its new value.
            cause: Why, for the record: ``"voted"``.

        Raises:
            ValueError: for a mechanic or setting that there is not, or a value that does not fit.
        """
        known = {mechanic.name: mechanic for mechanic in self.mechanics}
        _look_up("mechanic", name, known).set(path, value)
        self.note("set", ".".join([name, *path]), None, str(value), cause)

    def variables(self) -> dict[str, dict[str, float]]:
        """Return all numbers that mechanics keep: by resident, and those of the world as ``"world"``."""
        if self._rules is None:
            return {}
        found = {name: self._rules.numbers(name) for name in (*self.residents, None)}
        return {WORLD if name is None else name: numbers for name, numbers in found.items() if numbers}

    def _holder(self, name: str) -> int:
        """Return what ``ValleyState.on`` has for an item on this furniture or with this resident."""
        tables = self._tables
        if (furniture := tables.furniture_number.get(name)) is not None:
            if not tables.receptacle[furniture]:
                raise ValueError(f"nothing can be put in/on {name!r}; give its kind 'receptacle = true' in the map")
            return furniture
        return ~_look_up("furniture or resident", name, {**tables.furniture_number, **tables.resident_number})

    def _statuses(self, names: Iterable[str]) -> int:
        return sum(_look_up("status", name, self._tables.status_bit) for name in set(names))

    def note(self, what: str, thing: str, origin: str | None, target: str | None, cause: str) -> None:
        """Record a change that a mechanic made in what it keeps itself; the arguments are fields of ``Change``."""
        self._changes.append(Change(self.time, what, thing, origin, target, cause))

    def _coming_changes(self) -> list[Change]:
        return self._changes[self._past_changes :]

    def _end_step(self) -> None:
        self._stepping = False
        self._state.forget_step()
        self._state.time += 1
        grow(self._state)
        if self._rules is not None:
            self._rules.call("after_step")
        self._past_changes = len(self._changes)

    def _names_of_turns(self) -> str:
        return ", ".join(self.residents[resident] for resident in sorted(self._had_turn))

    def _number(self, name: str) -> int:
        return _look_up("resident", name, self._tables.resident_number)


def _look_up(what: str, name: str, known: Mapping[str, _T]) -> _T:
    try:
        return known[name]
    except (KeyError, TypeError):
        return known[check_known(what, name, known)]
