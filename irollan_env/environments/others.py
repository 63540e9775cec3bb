"""The other residents of a single-agent environment."""

from __future__ import annotations

import asyncio
import copy
import inspect
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from irollan_env.hints import check_known
from irollan_env.map.valley_map import ValleyMap
from irollan_env.policies.neighbour import Neighbour
from irollan_env.policies.policy_resident import PolicyResident, ScriptedResident
from irollan_env.policies.simple import POLICIES, Policy, get_policy, idle_policy
from irollan_env.random_streams import stream
from irollan_env.resident import Act, Resident, check_act
from irollan_env.sync_resident import SyncResident, run_sync
from irollan_env.world.observation import Observation

RESIDENTS: Mapping[str, type[ScriptedResident]] = {"scripted": ScriptedResident, "neighbour": Neighbour}
"""Residents with a state, by the name of their policy."""

Others = (
    str | Policy | Sequence[Resident | SyncResident[Any]] | Mapping[str, "str | Policy | Resident | SyncResident[Any]"]
)
"""The other residents of a valley, and how they act.

A policy, or its name: everybody else of the map acts by it. Residents, or a mapping from names to policies, their names
or residents: only these live there.
"""


def populated(valley_map: ValleyMap, resident: str | None, others: Others) -> tuple[ValleyMap, str]:
    """Return the map with only the residents of the environment, and the learner's name.

    Args:
        valley_map: The map with everybody.
        resident: The learner; when None, the map's first resident that is not one of the others.
        others: The other residents.

    Raises:
        ValueError: for an unknown name, a resident named twice, or when nobody is left to learn.
        TypeError: for others of another kind.
    """
    known = valley_map.tables.residents
    named = _named(others)
    for name in (*(() if resident is None else (resident,)), *(named or ())):
        check_known("resident", name, known)
    if named is None:
        return valley_map, resident or known[0]
    if twice := next((name for name in named if named.count(name) > 1), None):
        raise ValueError(f"others name {twice!r} twice; remove one")
    learner = resident or next((name for name in known if name not in named), None)
    if learner is None or learner in named:
        raise ValueError(f"{learner or 'everybody'!r} is among the others, and cannot learn too; leave one name out")
    here = {learner, *named}
    if len(here) == len(known):
        return valley_map, learner
    return replace(valley_map, residents=tuple(r for r in valley_map.residents if r.name in here)), learner


class OtherResidents:
    """The residents other than the learner, across the episodes of an environment.

    Residents that the user made start each episode in the state in which they came.

    Attributes:
        names: The names of the others.
        thinking: The names of user-made residents, which may use percepts; policies do not.
    """

    def __init__(self, others: Others, names: Sequence[str]) -> None:
        """Set up the others before the first episode.

        Args:
            others: How they act, as described at ``Others``.
            names: The names of the others.

        Raises:
            ValueError: for the name of an unknown policy, or when it is not said how one of them acts.
            TypeError: for something that is neither a policy nor a resident.
        """
        self.names = tuple(names)
        self._how = _how(others, self.names)
        self.thinking = tuple(
            name for name, how in self._how.items() if isinstance(how, Resident) and not isinstance(how, PolicyResident)
        )
        self._first = {name: how.get_state() for name, how in self._how.items() if isinstance(how, Resident)}
        self._residents: dict[str, Resident] = {}

    def start(self, seed: int) -> None:
        """Begin an episode; every resident with a policy gets its own random generator."""
        self._residents = {
            name: how if isinstance(how, Resident) else _by_policy(name, how, seed) for name, how in self._how.items()
        }
        for name, state in self._first.items():
            self._residents[name].set_state(copy.deepcopy(state))

    def act(
        self, view: Callable[[str], Observation], names: Iterable[str]
    ) -> tuple[dict[str, str | None], frozenset[str]]:
        """Decide for the named residents, concurrently where models are awaited; return actions and failed residents.

        Args:
            view: Returns a resident's observation; not called for idle residents.
            names: The residents that still act.
        """
        actions: dict[str, str | None] = {}
        thinking: dict[str, tuple[Resident, Observation]] = {}
        for name in names:
            resident = self._residents[name]
            if not isinstance(resident, PolicyResident):
                thinking[name] = (resident, view(name))
            elif type(resident) is PolicyResident and resident.policy is idle_policy:
                actions[name] = None
            else:
                actions[name] = resident.decide(view(name))
        if not thinking:
            return actions, frozenset()
        acts = run_sync(_all(thinking))
        actions.update({name: act.action for name, act in acts.items()})
        return actions, frozenset(name for name, act in acts.items() if act.failure is not None)

    def get_state(self) -> dict[str, Any]:
        """Return each resident's state, by name."""
        return {name: resident.get_state() for name, resident in self._residents.items()}

    def set_state(self, state: Mapping[str, Any]) -> None:
        """Restore a state from ``get_state``.

        Raises:
            ValueError: for other names, or a state that a resident refuses.
        """
        if not isinstance(state, Mapping) or set(state) != set(self.names):
            names = sorted(state) if isinstance(state, Mapping) else state
            raise ValueError(f"state.others must have the states of {list(self.names)}, got {names!r}")
        before = {name: resident.get_state() for name, resident in self._residents.items()}
        if not self._residents:
            self.start(0)
        try:
            for name, resident in self._residents.items():
                resident.set_state(state[name])
        except Exception as error:
            for name, old in before.items():
                self._residents[name].set_state(old)
            raise ValueError(f"state.others: {error}") from error

    def copy(self) -> OtherResidents:
        """Return an independent copy.

        Raises:
            TypeError: for a user-made resident that cannot be copied.
        """
        twin = OtherResidents.__new__(OtherResidents)
        twin.names, twin.thinking, twin._first = self.names, self.thinking, self._first
        twin._residents = {name: _copy(resident) for name, resident in self._residents.items()}
        twin._how = {name: twin._residents[name] if name in self._first else how for name, how in self._how.items()}
        return twin


async def _all(thinking: Mapping[str, tuple[Resident, Observation]]) -> dict[str, Act]:
    acts = await asyncio.gather(*(_act(resident, observation) for resident, observation in thinking.values()))
    return dict(zip(thinking, acts, strict=True))


async def _act(resident: Resident, observation: Observation) -> Act:
    act: object = resident.act(observation)
    return check_act(resident.name, await act if inspect.isawaitable(act) else act)


def _named(others: Others) -> list[str] | None:
    """Return the names of the others; None for all residents of the map."""
    if isinstance(others, str) or callable(others):
        return None
    return list(others) if isinstance(others, Mapping) else [resident.name for resident in _residents(others)]


def _residents(others: Sequence[Resident | SyncResident[Any]]) -> Sequence[Resident | SyncResident[Any]]:
    if isinstance(others, Sequence) and all(isinstance(resident, (Resident, SyncResident)) for resident in others):
        return others
    raise TypeError(f"others must be a policy, the name of one, residents, or a mapping from names to them: {others!r}")


def _how(others: Others, names: Sequence[str]) -> dict[str, str | Policy | Resident]:
    """Return each other resident's policy or resident object, after checking it."""
    if isinstance(others, str) or callable(others):
        _check_policy(others)
        return dict.fromkeys(names, others)
    ways = others if isinstance(others, Mapping) else {resident.name: resident for resident in _residents(others)}
    for name in names:
        if name not in ways:
            raise ValueError(f"others must say how each of {list(names)} acts; {name!r} is missing")
        _check_way(name, ways[name])
    chosen = ((name, ways[name]) for name in names)
    return {name: how.resident if isinstance(how, SyncResident) else how for name, how in chosen}


def _check_way(name: str, how: str | Policy | Resident | SyncResident[Any]) -> None:
    if isinstance(how, str):
        _check_policy(how)
    elif isinstance(how, (Resident, SyncResident)):
        if how.name != name:
            raise ValueError(f"the resident given for {name!r} is named {how.name!r}; give each its own")
    elif not callable(how):
        raise TypeError(f"{name!r} must act by a policy, the name of one, or be a resident, got {how!r}")


def _check_policy(policy: str | Policy) -> None:
    if isinstance(policy, str):
        check_known("policy", policy, {**RESIDENTS, **POLICIES})


def _by_policy(name: str, policy: str | Policy, seed: int) -> PolicyResident:
    generator = stream(seed, f"resident {name}")
    if isinstance(policy, str) and policy in RESIDENTS:
        return RESIDENTS[policy](name, generator)
    return PolicyResident(name, get_policy(policy), generator)


def _copy(resident: Resident) -> Resident:
    if isinstance(resident, PolicyResident):
        return resident.copy()
    try:
        return copy.deepcopy(resident)
    except Exception as error:
        raise TypeError(f"{resident.name!r} cannot be copied: {error}; use get_state and set_state") from error
