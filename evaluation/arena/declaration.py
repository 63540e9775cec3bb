"""Declaration of an arena: its minds, scenarios, roles and seeds."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

from evaluation.records.files import read_toml
from evaluation.runs.build_society import map_of_keys
from evaluation.runs.config_keys import flatten
from evaluation.runs.directory_names import short_name
from evaluation.runs.run_config import KEYS, RunConfig, refuse_without_effect
from evaluation.scenarios.scenario import Scenario, find_scenario, scenarios
from evaluation.sweeps.cells import Cell
from minds.mind_specs import DEFAULT, find_mind

ROLES = ("residents", "visitor")
BASELINES = ("idle", "random", "scripted")
_OWN = frozenset({"steps", "seed", "world.scenario", "mind.name", "mind.by_resident"})
_RUN_KEYS = {path: kind for path, kind in KEYS.items() if path not in _OWN}


@dataclass(frozen=True, kw_only=True, slots=True)
class Entry:
    """One run of an arena.

    Attributes:
        cell: Name and configuration of the run.
        scenario: Name of the scenario.
        role: "residents" scores all residents except the company; "visitor" scores one resident among rule-based
            others; "cross" scores one resident among residents with another mind.
        mind: The mind that is scored.
        host: Mind of the other residents in "cross"; otherwise empty.
    """

    cell: Cell
    scenario: str
    role: str
    mind: str
    host: str = ""


@dataclass(frozen=True, kw_only=True, slots=True)
class Arena:
    """Contents of an arena file.

    Attributes:
        minds: Names of the minds to compare.
        baselines: Minds whose worst and best scores define the scaled range.
        scenarios: Scenario names or files; all scenarios by default.
        seeds: Seeds of the runs.
        steps: Time steps of each run.
        roles_of_minds: Roles that each mind plays: residents, visitor.
        cross_play: Whether each mind also visits residents with each other mind.
        run: Other configuration keys of the runs, by path.
    """

    minds: Sequence[str]
    baselines: Sequence[str] = BASELINES
    scenarios: Sequence[str] = ()
    seeds: Sequence[int] = (0, 1, 2)
    steps: int = 20
    roles_of_minds: Sequence[str] = ROLES
    cross_play: bool = False
    run: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Validate the fields, and check that every mind, scenario and role exists.

        Raises:
            ValueError: for an empty list, a repeated value, or an unknown name.
        """
        for key in ("minds", "seeds", "roles_of_minds"):
            if not getattr(self, key):
                raise ValueError(f"{key} must not be empty")
        for key in ("minds", "baselines", "scenarios", "seeds", "roles_of_minds"):
            listed = getattr(self, key)
            if len(set(listed)) < len(listed):
                raise ValueError(f"{key} has a value twice: {list(listed)}")
        for role in self.roles_of_minds:
            if role not in ROLES:
                raise ValueError(f"roles_of_minds must be among {', '.join(ROLES)}, got {role!r}")
        for name in (*self.minds, *self.baselines):
            if name != DEFAULT:
                find_mind(name, in_process=self.run.get("mind.in_process") is True)
        self.find_scenarios()

    def find_scenarios(self) -> dict[str, Scenario]:
        """Return the scenarios by the name or file that declares each.

        Raises:
            ValueError: for one that is unknown, is not scored, or does not fit the map.
        """
        found = {}
        for name in self.scenarios or scenarios():
            find_scenario(name).check_scored()
            found[name] = find_scenario(name, map_of_keys({**self.run, "world.scenario": name}))
        return found

    def entries(self) -> list[Entry]:
        """Return every run, ordered by seed, so that a stopped arena has treated all minds alike.

        Raises:
            ValueError: for invalid configuration keys, or two runs with the same directory name.
        """
        minds, found = list(dict.fromkeys([*self.minds, *self.baselines])), self.find_scenarios()
        entries: dict[str, Entry] = {}
        for seed in self.seeds:
            for name, scenario in found.items():
                plays = [(role, mind, "") for role in self.roles_of_minds for mind in minds]
                if self.cross_play:
                    plays += [("cross", mind, host) for mind in self.minds for host in self.minds if mind != host]
                for role, mind, host in plays:
                    entry = self._entry(name, scenario, role, mind, host, seed)
                    if entry.cell.name in entries:
                        raise ValueError(f"two runs of the arena are called {entry.cell.name}; rename a mind")
                    entries[entry.cell.name] = entry
        refuse_without_effect([entry.cell.configuration for entry in entries.values()], self.run)
        return list(entries.values())

    def _entry(self, name: str, scenario: Scenario, role: str, mind: str, host: str, seed: int) -> Entry:
        # A visitor is among rule-based company; in cross play, among the host's mind and any company of the scenario.
        others = {"residents": None, "visitor": f"company:{scenario.others}", "cross": host}[role]
        chosen, minds = scenario.minds(mind, visitor_of=others)
        own = {
            "steps": self.steps,
            "seed": seed,
            "world.scenario": name,
            "mind.name": chosen,
            "mind.by_resident": minds,
        }
        configuration = RunConfig.from_keys({**self.run, **own})
        parts = [scenario.name, role, _slug(mind), *([_slug(host)] if host else []), f"seed{seed}"]
        cell = Cell(name="-".join(parts), configuration=configuration)
        return Entry(cell=cell, scenario=name, role=role, mind=mind, host=host)

    def to_json(self) -> dict[str, Any]:
        """Return the arena as JSON-ready data."""
        return {
            one.name: value if isinstance(value := getattr(self, one.name), int | Mapping) else list(value)
            for one in fields(self)
        }


def read_arena(path: Path) -> Arena:
    """Read an arena file; a single value counts as a list of one.

    Raises:
        ValueError: for a file that is missing, is not TOML, or declares an invalid arena.
    """
    try:
        data = read_toml(path)
    except (OSError, ValueError) as error:
        raise ValueError(f"{path} is no arena: {error}") from error
    own = [one.name for one in fields(Arena) if one.name != "run"]
    run: dict[str, Any] = {}
    try:
        run = flatten(
            {key: data.pop(key) for key in list(data) if key not in own}, {**_RUN_KEYS, **dict.fromkeys(own, str)}
        )
        if "minds" not in data:
            raise ValueError("it lacks 'minds'")
        if isinstance(seeds := data.get("seeds"), str):
            if (found := re.fullmatch(r"(\d{1,6})-(\d{1,6})", seeds)) is None or int(found[2]) < int(found[1]):
                raise ValueError(f"seeds must be whole numbers or a range such as 0-9, got {seeds!r}")
            data["seeds"] = list(range(int(found[1]), int(found[2]) + 1))
        for key in ("minds", "baselines", "scenarios", "roles_of_minds"):
            if isinstance(data.get(key), str):
                data[key] = [data[key]]
        if isinstance(seeds := data.get("seeds"), int) and not isinstance(seeds, bool):
            data["seeds"] = [seeds]
        return Arena(**data, run=run)
    except (ValueError, TypeError, AttributeError) as error:
        raise ValueError(f"{path} is no arena: {error}") from error


def _slug(mind: str) -> str:
    return short_name(mind.replace(":", "-").replace("/", "-"))
