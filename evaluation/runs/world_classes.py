"""World classes by name: ``module:Class``, and those that other packages install."""

from __future__ import annotations

import hashlib
import inspect
import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from irollan_env.hints import did_you_mean
from irollan_env.world.mechanic import Mechanic, MechanicError
from irollan_env.world.mechanic_check import check_mechanic_class
from irollan_env.world.mechanics.registry import installed
from irollan_env.world.rules import explained
from language_models.packages import import_object


def find_world_class(name: str) -> type[Mechanic]:
    """Import a world class and check it.

    Args:
        name: ``module:Class``, whose module may be a file in the working directory; or the name of an installed one.

    Raises:
        ValueError: for an unknown name, an import that fails, or a class that is no world class.
    """
    known = installed()
    source = known.get(name, name)
    if not re.fullmatch(r"[\w.]+:[\w.]+", source):
        hint = did_you_mean(name, known) or (f"; installed are {', '.join(sorted(known))}" if known else "")
        raise ValueError(f"world.rules: a world class is written module:Class, got {name!r}{hint}")
    return check_mechanic_class(
        import_object(f"world.rules: the world class {name!r}", source), f"world.rules: {source}"
    )


def make_world_classes(names: Iterable[str], deadline: float) -> list[Mechanic]:
    """Make an object of each world class.

    Args:
        names: As of ``find_world_class``.
        deadline: Seconds that a hook may take.

    Raises:
        ValueError: for one that cannot be found or made.
    """
    made = []
    for name in names:
        kind = find_world_class(name)
        try:
            with explained(_Unmade(name, deadline), "__init__"):
                mechanic = kind()
        except MechanicError as error:
            raise ValueError(f"world.rules: {error}") from error
        mechanic.source, mechanic.deadline = name, deadline
        made.append(mechanic)
    return made


class _Unmade(Mechanic):
    """Stands for a world class whose object is being made."""

    def __init__(self, source: str, deadline: float) -> None:
        self.source, self.deadline = source, deadline


def describe_world_classes(names: Iterable[str]) -> dict[str, dict[str, str]]:
    """Return the version and the sha256 of the source file of each world class, for the manifest."""
    found = {}
    for name in names:
        kind = find_world_class(name)
        found[name] = {"version": str(kind.version), "sha256": _sha256(kind)}
    return found


def changed_world_classes(before: Mapping[str, Mapping[str, Any]]) -> list[str]:
    """Say of which world classes the source is another than a manifest says, one sentence each."""
    notes = []
    for name, known in before.items():
        kind = find_world_class(name)
        if _sha256(kind) != known["sha256"]:
            notes.append(f"the source of the world class {name} is another than when the run started")
    return notes


def _sha256(kind: type[Mechanic]) -> str:
    try:
        return hashlib.sha256(Path(inspect.getfile(kind)).read_bytes()).hexdigest()
    except (OSError, TypeError):
        return ""
