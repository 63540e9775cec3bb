"""Mechanics: rules of a world beside the six primitives' own, as data or as code."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from irollan_env.actions import Action

if TYPE_CHECKING:
    from irollan_env.map.valley_map import ValleyMap
    from irollan_env.world.world import World

WORLD = "world"
"""Subject of the variables that belong to no resident."""


class Change(NamedTuple):
    """Something that a mechanic changed, for the record.

    Attributes:
        time: The time step.
        what: ``"added"``, ``"removed"``, ``"moved"``, ``"became"``, ``"set"`` or ``"announced"``.
        thing: The item or resident; the words of an announcement; the path of a setting.
        origin: Where it was, or who announces; None for nowhere.
        target: Where it is, what it became, or who hears it; None for nowhere, and for everybody.
        cause: Why: ``"recipe"``, ``"paid"``, ``"spoiled"``.
    """

    time: int
    what: str
    thing: str
    origin: str | None
    target: str | None
    cause: str

    def describe(self) -> str:
        """Describe the change in a line: ``"food 3 was added on table 1 (growth)"``."""
        thing, origin, target = self.thing, self.origin, self.target
        match self.what:
            case "announced":
                return f"{origin} to {target or 'everybody'}: {thing}"
            case "added":
                done = f"{thing} was added at {target}"
            case "removed":
                done = f"{thing} was removed from {origin}"
            case "moved":
                done = f"{thing} moved{f' from {origin}' if origin else ''} to {target}"
            case "became":
                done = f"{thing} became {target or 'as it was'}"
            case "set":
                done = f"{thing} was set{f' from {origin}' if origin else ''} to {target}"
            case _:
                done = f"{thing}: {self.what}"
        return f"{done} ({self.cause})" if self.cause else done


def as_change(row: Any) -> Change:
    """Restore a change from its list in a state.

    Raises:
        ValueError: if it is none.
    """
    kinds = (int, str, str, str | None, str | None, str)
    if (
        not isinstance(row, list | tuple)
        or len(row) != len(kinds)
        or not all(isinstance(value, kind) for value, kind in zip(row, kinds, strict=True))
    ):
        raise ValueError(f"state.changes must hold lists of {', '.join(Change._fields)}, got {row!r}")
    return Change(*row)


class MechanicError(RuntimeError):
    """Raised when a mechanic's code fails; the message names the mechanic and the hook."""


class Mechanic:
    """A rule of the world; a subclass overrides the hooks that it needs.

    A mechanic keeps no reference to the world, which each hook is given, and everything that it keeps is in its state:
    then runs resume, branch and replay exactly. It changes the world by ``World.add``, ``remove``, ``move``,
    ``set_status``, ``move_resident`` and ``announce``, which record what they do, and draws from ``World.random``.

    >>> class Rain(Mechanic):
    ...     name = "rain"
    ...     def observe(self, world, resident):
    ...         if world.place_of(resident) == "outside" and world.time % 10 < 3:
    ...             yield "It is raining."

    A primitive of one's own is a form, such as ``"show {item} to {person}"``. A slot is ``{person}`` (another one
    here), ``{item}`` (in sight or held), ``{held}``, ``{furniture}``, a kind of thing in reach (``"fish in {pond}"``),
    or ``{here}`` for what needs nothing (``"dance {here}"``). Whatever fills the slots is offered unless ``refuse``
    gives a reason, ``perform`` does it, and the others see it. The text of such an action has its names in brackets,
    ``"show [book 1] to [LL]"``, and its ``action.primitive`` is ``"show to"``.

    Attributes:
        name: Its name, under which its state is kept; that of the class where it gives none.
        primitives: The forms of its own primitives.
        version: Of a class of one's own, for the record.
        source: ``module:Class`` of a class of one's own, as a run names it; empty for a mechanic of a map.
        deadline: Seconds that a hook of it may take; None for no limit.
        ended: Why the run is to end now; empty while it goes on. Part of the state.
    """

    name: str = ""
    primitives: Sequence[str] = ()
    ended: str = ""
    version: str = ""
    source: str = ""
    deadline: float | None = None

    def __init_subclass__(cls, **further: Any) -> None:
        super().__init_subclass__(**further)
        if "name" not in vars(cls):
            cls.name = cls.__name__

    def begin(self, world: World) -> None:
        """Set up the world at its beginning; not called where a run resumes."""

    def catch_up(self, world: World) -> None:
        """Do what is due where a run branches off, with settings that its state does not know yet."""

    def before_step(self, world: World) -> None:
        """Do what is due before the residents act in a step."""

    def after_step(self, world: World) -> None:
        """Do what is due at the end of a step, when ``World.time`` has moved on."""

    def refuse(self, world: World, resident: str, action: Action) -> str | None:
        """Say in a full sentence why an action cannot be done now; None where it can.

        Asked for actions that could be done but for the mechanics, a chat as ``"chat with LL: ..."``.
        """
        return None

    def offers(self, world: World, resident: str) -> Iterable[Action]:
        """Return further admissible actions of the six primitives: ``chat with notice board 1: ...``."""
        return ()

    def perform(self, world: World, resident: str, action: Action) -> str | None:
        """Do an action that is among ``offers`` or of a primitive of its own, with the words of a chat.

        Returns:
            The result for the resident, in full sentences; None where the action is not this mechanic's, and of a
            primitive of its own for ``"You hug LL."``.
        """
        return None

    def after_action(self, world: World, resident: str, action: Action) -> str:
        """Do what else comes of an action that was executed; return a full sentence for its result, or nothing."""
        return ""

    def observe(self, world: World, resident: str) -> Iterable[str]:
        """Return full sentences that are added to a resident's observation."""
        return ()

    def answers(self, world: World, resident: str) -> Mapping[str, Sequence[str]]:
        """Return the furniture that takes only certain words, with these words: ``{"box 1": ["yes", "no"]}``."""
        return {}

    def needs(self, world: World, resident: str) -> Mapping[str, float]:
        """Return what a resident feels of its body, each in [0, 1], 0 for no need."""
        return {}

    def variables(self, world: World, resident: str | None) -> Mapping[str, float]:
        """Return numbers to record: of a resident, which it perceives, or of the world for None."""
        return {}

    def forget(self, item: str) -> None:
        """Forget what is kept of an item that leaves the world; one that comes in under its name is another one."""

    def every_action(self, valley_map: ValleyMap) -> Iterable[Action]:
        """Return all actions that could ever be offered on a map, for numbered action spaces."""
        return ()

    def set(self, path: Sequence[str], value: Any) -> None:
        """Change a setting in a running world, as events and amended rules do.

        Args:
            path: The keys that lead to it: ``("shelves", "shelf 2", "prices", "bread")``.
            value: Its new value.

        Raises:
            ValueError: for a setting that there is not or that cannot change, or a wrong value.
        """
        raise ValueError(f"the mechanic {self.name!r} has no settings that can change")

    def get_state(self) -> Any:
        """Return everything the mechanic keeps, as JSON-ready data; None for nothing."""
        return None

    def set_state(self, state: Any) -> None:
        """Restore a state from ``get_state``."""
