"""``irollan minds``: list minds; and the parser of ``--mind``."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from evaluation.commands.arguments import AsJson
from evaluation.scenarios.scenario import find_scenario
from irollan_env.map.valley_map import ValleyMap


def minds(as_json: AsJson = False) -> int:
    """List what --mind takes, and what each needs.

    A mind of your own is a class with act(observation): name it as module:Class, or install it as an entry point of
    the group irollan.minds. docs/minds.md builds one.
    """
    from minds import list_minds

    rows = list_minds()
    if as_json:
        print(json.dumps([row.to_json() for row in rows], indent=2))
        return 0
    names = [row.name + (f":{row.argument}" if row.argument else "") for row in rows]
    for name, row in zip(names, rows, strict=True):
        print(f"{name:{max(map(len, names))}}  {row.description}{f'; needs {row.needs}' if row.needs else ''}")
    return 0


def read_minds(values: Sequence[str], scenario: str | None, valley_map: ValleyMap) -> dict[str, Any]:
    """Read the values of ``--mind``, names or RESIDENT=NAME, and the company of a scenario.

    Args:
        values: Values of the option; later ones win.
        scenario: Name of the scenario; None for none.
        valley_map: The map, which the scenario is to fit.

    Raises:
        ValueError: for RESIDENT= without a name, or a scenario that is unknown or of another map.
    """
    found: dict[str, Any] = {}
    if scenario:
        _, company = find_scenario(scenario, valley_map).minds("")
        found = {"mind.by_resident": company} if company else {}
    for value in values:
        resident, equals, name = value.partition("=")
        if not equals or ":" in resident:  # A colon stands in names of minds, and in no resident's.
            found["mind.name"] = value
        elif name:
            found.setdefault("mind.by_resident", {})[resident] = name
        else:
            raise ValueError(f"--mind takes NAME or RESIDENT=NAME, got {value!r}")
    return found
