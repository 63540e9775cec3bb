"""World classes by name: ``module:Class``, and those that other packages install."""

from __future__ import annotations

import hashlib
import inspect
import pkgutil
import re
import sys
from collections.abc import Mapping, Sequence
from importlib import metadata
from pathlib import Path
from typing import Any

from irollan_env.hints import did_you_mean
from irollan_env.world.mechanic import Mechanic, MechanicError
from irollan_env.world.mechanic_check import check_mechanic_class
from irollan_env.world.rules import explained

ENTRY_POINTS = ("irollan.worlds", "irollan.primitives")
"""Groups of entry points by which packages install classes of worlds and of primitives; both are mechanics."""

DEADLINE = 60.0
"""Seconds that a hook of a world class may take, unless something else is asked for."""

WorldClasses = str | type[Mechanic] | Sequence[str | type[Mechanic]] | Mapping[str, type[Mechanic]]
"""World classes: ``module:Class``, the name of an installed one, or the class; one or several, or classes by name."""


def find_world_class(name: str, where: str = "world") -> type[Mechanic]:
    """Import a world class and check it.

    Args:
        name: ``module:Class``, whose module may be a file in the working directory; or the name of an installed one.
        where: The key or argument that names it, for messages.

    Raises:
        ValueError: for an unknown name, an import that fails, or a class that is no world class.
    """
    installed = {one.name: one.value for group in ENTRY_POINTS for one in metadata.entry_points(group=group)}
    source = installed.get(name, name)
    if not re.fullmatch(r"[\w.]+:[\w.]+", source):
        hint = did_you_mean(name, installed) or (f"; installed are {', '.join(sorted(installed))}" if installed else "")
        raise ValueError(f"{where}: a world class is written module:Class, got {name!r}{hint}")
    if (here := str(Path.cwd())) not in sys.path:
        sys.path.append(here)
    try:
        found: Any = pkgutil.resolve_name(source)
    except Exception as error:
        reason = " ".join(f"{type(error).__name__}: {error}".split())
        hint = _where_it_may_be(source, error)
        raise ValueError(f"{where}: the world class {name!r} cannot be imported: {reason}{hint}") from error
    return check_mechanic_class(found, f"{where}: {source}")


def _where_it_may_be(source: str, error: Exception) -> str:
    """Return a hint where an import has failed since there is no such module or class."""
    module, _, name = source.partition(":")
    if isinstance(error, ModuleNotFoundError):
        if module.endswith(".py"):
            return f"; write {module.removesuffix('.py')}:{name}"
        return f"; modules are looked for in the working directory, {Path.cwd()}, and among installed ones"
    return did_you_mean(name, vars(sys.modules.get(module, object)))


def find_world_classes(worlds: WorldClasses, where: str = "world") -> dict[str, type[Mechanic]]:
    """Find world classes.

    Args:
        worlds: One or several, by name or as classes.
        where: The key or argument that names them, for messages.

    Returns:
        The classes by name, in their order.

    Raises:
        ValueError: for one that cannot be found, or twice the same.
        TypeError: for something that is neither a name nor a class.
    """
    if isinstance(worlds, Mapping):
        return dict(worlds)
    found: dict[str, type[Mechanic]] = {}
    for one in (worlds,) if isinstance(worlds, str | type | Mechanic) else worlds:
        if not isinstance(one, str | type):
            raise TypeError(
                f"{where} must be 'module:Class', a subclass of irollan_env.Mechanic, or several, got {one!r}"
            )
        name = one if isinstance(one, str) else f"{one.__module__}:{one.__qualname__}"
        if name in found:
            raise ValueError(f"{where} names {name!r} twice; name it once")
        found[name] = (
            find_world_class(one, where) if isinstance(one, str) else check_mechanic_class(one, f"{where}: {name}")
        )
    return found


def make_world_classes(
    classes: Mapping[str, type[Mechanic]], deadline: float = DEADLINE, where: str = "world"
) -> list[Mechanic]:
    """Make an object of each world class.

    Args:
        classes: By name, as ``find_world_classes`` returns them.
        deadline: Seconds that a hook may take.
        where: The key or argument that names them, for messages.

    Raises:
        ValueError: for one that cannot be made.
    """
    made = []
    for name, kind in classes.items():
        try:
            with explained(_Unmade(name, deadline), "__init__"):
                mechanic = kind()
        except MechanicError as error:
            raise ValueError(f"{where}: {error}") from error
        mechanic.source, mechanic.deadline = name, deadline
        made.append(mechanic)
    return made


class _Unmade(Mechanic):
    """Stands for a world class whose object is being made."""

    def __init__(self, source: str, deadline: float) -> None:
        self.source, self.deadline = source, deadline


def describe_world_classes(classes: Mapping[str, type[Mechanic]]) -> dict[str, dict[str, str]]:
    """Return the version and the sha256 of the source file of each world class, for the manifest."""
    return {name: {"version": str(kind.version), "sha256": _sha256(kind)} for name, kind in classes.items()}


def changed_world_classes(before: Mapping[str, Mapping[str, Any]]) -> list[str]:
    """Say of which world classes the source is another than a manifest says, one sentence each."""
    return [
        f"the source of the world class {name} is another than when the run started"
        for name, kind in find_world_classes(tuple(before), "world.rules").items()
        if _sha256(kind) != before[name]["sha256"]
    ]


def _sha256(kind: type[Mechanic]) -> str:
    try:
        return hashlib.sha256(Path(inspect.getfile(kind)).read_bytes()).hexdigest()
    except (OSError, TypeError):
        return ""
