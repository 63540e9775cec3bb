"""Events of a run: their files, the map on which they happen, and what is checked before it begins."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from evaluation.records.files import has_ending, nearby, read_toml
from evaluation.runs.identities import check_forms
from irollan_env.hints import did_you_mean
from irollan_env.map.valley_map import ValleyMap
from irollan_env.world.mechanics.event_map import newcomers, with_events
from irollan_env.world.mechanics.events import LTRHA, ending, leaves, named, read_events
from irollan_env.world.world import World
from minds.mind_specs import DEFAULT

if TYPE_CHECKING:
    from evaluation.runs.run_config import RunConfig

_KEYS = ("absent", "events")


def read_event_file(path: Path) -> dict[str, Any]:
    """Read an events file: what the key ``world.events`` holds.

    Raises:
        ValueError: for a file that is missing, is no TOML, or has an entry that is no event.
    """
    if not path.is_file():
        near = nearby(path, has_ending(".toml"))
        raise ValueError(f"there is no file {path}{f'; did you mean {near}?' if near is not None else ''}")
    try:
        data = read_toml(path)
    except (OSError, ValueError) as error:
        raise ValueError(f"{path} has no events: {error}") from error
    for key in data:
        if key not in _KEYS:
            hint = did_you_mean(key, _KEYS) or f"; the keys are {', '.join(_KEYS)}"
            raise ValueError(f"{path} has an unknown key {key!r}{hint}")
    events = data.get("events")
    if not isinstance(events, list) or not events or not all(isinstance(one, Mapping) for one in events):
        raise ValueError(f"{path} has no events; begin each with a line [[events]]")
    found = named(data, path.name)
    check_event_forms(found)
    return found


def check_event_forms(settings: Mapping[str, Any]) -> None:
    """Check that each entry is an event, and the form of newcomers' identities, whatever the map.

    Raises:
        ValueError: for one that is not; it names the entry.
    """
    for event in read_events(settings):
        if event.arrive is not None:
            where, identity = f"{event.entry}.arrive.identity", event.arrive.identity
            for key, instead in (("place", "arrive.place"), ("things", "add")):
                if key in identity:
                    raise ValueError(f"{where}: {key} of a newcomer is given by {instead}; leave it out here")
            try:
                check_forms({event.arrive.resident: identity})
            except ValueError as error:
                raise ValueError(f"{where}: {error}") from error


def add_events(before: Mapping[str, Any], more: Mapping[str, Any]) -> dict[str, Any]:
    """Return the events of a run with further ones at their end."""
    absent = [*before.get("absent", ()), *more.get("absent", ())]
    events = [*before.get("events", ()), *more.get("events", ())]
    return {**({"absent": absent} if absent else {}), **({"events": events} if events else {})}


def branch_events(before: Mapping[str, Any], more: Mapping[str, Any], at: int) -> dict[str, Any]:
    """Return the events of a branch: those of its parent, and further ones from the branch on.

    Args:
        before: Of the parent.
        more: Of an events file.
        at: The first step of the branch.

    Raises:
        ValueError: for an event before the branch, or somebody who was there and is to be absent from the beginning.
    """
    if absent := more.get("absent"):
        raise ValueError(f"absent: {absent[0]} was there, or not, before the branch; let it leave = {absent[0]!r}")
    for event in read_events(more):
        if event.step is not None and event.step < at:
            raise ValueError(f"{event.entry}.step is {event.step}, before the branch; give a step from {at} on")
    return add_events(before, more)


def with_events_of(configuration: RunConfig, valley_map: ValleyMap) -> ValleyMap:
    """Return the map of a run with what its events bring, and its events.

    Raises:
        ValueError: for an event that names what the map does not have.
    """
    return with_events(valley_map, _events(configuration))


def identities_of(configuration: RunConfig) -> dict[str, Mapping[str, Any]]:
    """Return the identities of a run's residents, with those of newcomers."""
    arriving = newcomers(configuration.world.events)
    new = {name: one.identity for name, one in arriving.items() if one.identity}
    return {**new, **configuration.world.identities}


def check_events(configuration: RunConfig, world: World) -> None:
    """Check that the events of a run can happen.

    Args:
        configuration: The run.
        world: Its world at the beginning, on the map with what they bring.

    Raises:
        ValueError: for an event that needs what the run does not have, such as a variable or a mind of another kind.
    """
    if not (settings := _events(configuration)):
        return
    if world.ended:
        raise ValueError(f"the run would end before its first step, by {world.ended}; change that condition")
    for event in read_events(settings):
        for path, value in leaves(event.set or {}):
            if path[0] == LTRHA:
                _check_setting(configuration, f"{event.entry}.set", ".".join(path), value)
        for key in ("remember", "forget"):
            if (memory := getattr(event, key)) is not None and configuration.mind.of(memory.resident) != DEFAULT:
                raise ValueError(
                    f"{event.entry}.{key}: {memory.resident} has the mind {configuration.mind.of(memory.resident)!r}, "
                    f"whose memories cannot be changed; choose somebody with the mind {DEFAULT}"
                )


def notes_on_events(configuration: RunConfig) -> Iterator[str]:
    """Describe the events of a run that come after its last step, which may be meant."""
    for event in read_events(configuration.world.events):
        if event.step is not None and event.step >= configuration.steps:
            yield f"{event.entry} is at step {event.step}, and the run has {configuration.steps} steps, from 0"


def _events(configuration: RunConfig) -> dict[str, Any]:
    # The ending stays the first, as branches add events at the end.
    return add_events({"events": ending(configuration.world.until)}, configuration.world.events)


def _check_setting(configuration: RunConfig, where: str, path: str, value: Any) -> None:
    """Check a setting of LTRHA that an event changes.

    Raises:
        ValueError: for one that there is not, or has no effect in the run.
    """
    try:
        changed = configuration.with_keys({path: value})
        changed.refuse_without_effect([path])
    except ValueError as error:
        raise ValueError(f"{where}: {error}") from error
