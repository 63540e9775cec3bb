"""Checks of mechanics that users write: their hooks, and that nothing escapes their state."""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Mapping
from itertools import product
from typing import Any

from irollan_env.hints import did_you_mean
from irollan_env.world.mechanic import Mechanic, MechanicError
from irollan_env.world.rules import explained
from irollan_env.world.world import World

HOOKS = tuple(name for name, value in vars(Mechanic).items() if inspect.isfunction(value) and not name.startswith("_"))
"""Names of the methods that the world calls."""

_OTHER_WORDS = {"measures": "variables", "observation": "observe", "reset": "begin", "primitive": "primitives"}
_ASKED = ("observe", "answers", "offers", "needs", "variables")
_MOST_ASKED = 50


def check_mechanic_class(found: Any, name: str) -> type[Mechanic]:
    """Check that an object is a class of a mechanic that can be made and called.

    Args:
        found: The object.
        name: Of the class, for messages: ``"town:Town"``.

    Raises:
        ValueError: if it is none, needs arguments, or has a hook with another spelling or other arguments.
    """
    if not (isinstance(found, type) and issubclass(found, Mechanic)):
        raise ValueError(f"{name} must be a subclass of irollan_env.Mechanic, got {found!r}")
    needed = [
        one.name
        for one in inspect.signature(found).parameters.values()
        if one.default is one.empty and one.kind not in (one.VAR_POSITIONAL, one.VAR_KEYWORD)
    ]
    if needed:
        raise ValueError(f"{name} needs the argument {needed[0]!r}; a world class is made without any: give a default")
    for method, value in inspect.getmembers(found):
        if method in HOOKS:
            _check_hook(f"{name}.{method}", value, getattr(Mechanic, method))
        elif method == "primitive" or (callable(value) and not method.startswith("_")):
            meant = _OTHER_WORDS.get(method)
            if hint := f"; did you mean {meant!r}?" if meant else did_you_mean(method, HOOKS):
                raise ValueError(
                    f"{name}.{method} is no hook{hint} A method of your own begins with an underscore, or has another "
                    "name"
                )
    return found


def _check_hook(name: str, value: Any, hook: Any) -> None:
    if not callable(value):
        raise ValueError(f"{name} must be a method, got {value!r}")
    if inspect.iscoroutinefunction(value) or inspect.isasyncgenfunction(value):
        raise ValueError(f"{name} must be a plain method, got 'async def'")
    needed = inspect.signature(hook)
    try:
        inspect.signature(value).bind(*needed.parameters)
    except TypeError as error:
        own = ", ".join(inspect.signature(value).parameters)
        raise ValueError(f"{name} must take ({', '.join(needed.parameters)}), got ({own})") from error


def check_state(world: World) -> None:
    """Check that world classes keep all that they say in their state, and that asking changes nothing.

    A new object of each class gets the state of the old one, by way of JSON, and both are asked what residents observe,
    need and can do, and for their variables. Mechanics that are not of a world class are left out.

    Raises:
        MechanicError: if the answers differ, naming the class and the first difference.
    """
    own = [number for number, mechanic in enumerate(world.mechanics) if mechanic.source]
    if not own:
        return
    subjects = (None, *world.residents[:_MOST_ASKED])
    first = {number: _answers(world, world.mechanics[number], subjects) for number in own}
    again = {number: _answers(world, world.mechanics[number], subjects) for number in own}
    twin = world.reloaded()
    loaded = {number: _answers(twin, twin.mechanics[number], subjects) for number in own}
    for number in own:
        name = world.mechanics[number].source
        if told := _difference(first[number], again[number]):
            raise MechanicError(f"the world class {name} answers otherwise when it is asked again: {told}")
        if told := _difference(first[number], loaded[number]):
            raise MechanicError(
                f"the world class {name} forgets its state: {told} in a new object with the same state; get_state must "
                "return all that it keeps, and set_state restore it"
            )
        state, after = (one.mechanics[number].get_state() for one in (world, twin))
        if _as_json(name, state) != _as_json(name, after):
            raise MechanicError(
                f"the world class {name} forgets its state: it is {_short(state)}, and {_short(after)} in a new object "
                "after set_state"
            )


def _answers(
    world: World, mechanic: Mechanic, subjects: Iterable[str | None]
) -> dict[tuple[str, str | None, str], Any]:
    found: dict[tuple[str, str | None, str], Any] = {}
    for subject, hook in product(subjects, _ASKED):
        if (subject is None and hook != "variables") or (subject is not None and not world.is_present(subject)):
            continue
        with explained(mechanic, hook):
            answer = getattr(mechanic, hook)(world, subject)
            if isinstance(answer, Mapping):
                found |= {(hook, subject, str(key)): value for key, value in answer.items()}
            else:
                found[hook, subject, ""] = [str(one) for one in answer]
    return found


def _difference(
    one: Mapping[tuple[str, str | None, str], Any], other: Mapping[tuple[str, str | None, str], Any]
) -> str:
    for key in dict.fromkeys([*one, *other]):
        if one.get(key) != other.get(key):
            hook, subject, name = key
            what = f"{hook}{f'[{name!r}]' if name else ''} of {subject or 'the world'}"
            return f"{what} is {_short(one.get(key))}, and {_short(other.get(key))}"
    return ""


def _as_json(name: str, state: Any) -> Any:
    """Return a state as JSON has it; keys that are no texts are refused, as JSON would change them."""
    if isinstance(state, Mapping):
        if wrong := [key for key in state if not isinstance(key, str)]:
            raise MechanicError(
                f"get_state of the world class {name} must have texts as keys, as JSON does, got {wrong[0]!r}"
            )
        return {key: _as_json(name, value) for key, value in state.items()}
    return [_as_json(name, value) for value in state] if isinstance(state, list | tuple) else state


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 80 else f"{text[:80]}..."
