"""A scenario, read from its file and checked."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

from evaluation.scenarios.outcomes import OUTCOMES
from irollan_env.hints import did_you_mean
from irollan_env.map.valley_map import ValleyMap
from minds.company.company import profiles


@dataclass(frozen=True, kw_only=True, slots=True)
class Scenario:
    """One scenario.

    Attributes:
        name: As it is given to ``--scenario``.
        description: What it is about, in one or two sentences.
        outcome: What is computed at the end, one of ``OUTCOMES``.
        parameters: Of that.
        company: By resident the profiles of those who are never one of the minds that are measured.
        others: The profile of all others where a single visitor is measured.
        visitor: Who that visitor is.
        sha256: By profile, its checksum.
        goals: By resident, a goal that is set it; under "all" for everybody who has none of its own.
        places: By resident where it is at the beginning; under "all" for everybody; at home where nothing is said.
        items: By item, the furniture that it lies in or on at the beginning, or who holds it.
        regrows: Furniture whose eaten food grows back on it, one piece every so many steps, as long as some is left.
        every: So many.
    """

    name: str
    description: str
    outcome: str
    visitor: str
    others: str
    sha256: Mapping[str, str]
    parameters: Mapping[str, Any] = field(default_factory=dict)
    company: Mapping[str, str] = field(default_factory=dict)
    goals: Mapping[str, str] = field(default_factory=dict)
    places: Mapping[str, str] = field(default_factory=dict)
    items: Mapping[str, str] = field(default_factory=dict)
    regrows: Sequence[str] = ()
    every: int = 3

    def goal_of(self, resident: str) -> str | None:
        """The goal that is set a resident."""
        return self.goals.get(resident, self.goals.get("all"))

    def minds(self, mind: str, *, visitor_of: str | None = None) -> tuple[str, dict[str, str]]:
        """The keys ``mind`` and ``minds`` of a run in which a mind is measured.

        Args:
            mind: The mind.
            visitor_of: None where all residents have it who are not company; else it is the visitor's alone, and all
                others have this one.
        """
        company = {name: f"company:{profile}" for name, profile in self.company.items()}
        if visitor_of is None:
            return mind, company
        return visitor_of, {**company, self.visitor: mind}

    def focal(self, residents: Sequence[str], *, visitor: bool) -> list[str]:
        """The residents whose mind is measured."""
        return [self.visitor] if visitor else [name for name in residents if name not in self.company]


@cache
def scenarios() -> dict[str, Scenario]:
    """All scenarios that come with the valley, by name."""
    folder = files(__package__) / "data"
    paths = sorted(Path(str(path)) for path in folder.iterdir() if path.name.endswith(".toml"))
    return {path.stem: read_scenario(path) for path in paths}


def find_scenario(name: str) -> Scenario:
    """A scenario by name, or by the path of its file.

    Raises:
        ValueError: for a name that there is not, or a file that is no scenario.
    """
    if name.endswith(".toml"):
        return read_scenario(Path(name).expanduser())
    if name not in scenarios():
        known = ", ".join(scenarios())
        raise ValueError(f"unknown scenario {name!r}: it must be one of {known}{did_you_mean(name, scenarios())}")
    return scenarios()[name]


def read_scenario(path: Path) -> Scenario:
    """Read a scenario's file.

    Raises:
        ValueError: for a file that is not there, is no TOML, or says what cannot be.
    """
    try:
        data = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ValueError(f"{path} is no scenario: {error}") from error
    keys = [one.name for one in fields(Scenario) if one.name != "name"]
    try:
        for key in data:
            if key not in keys:
                raise ValueError(f"unknown key {key!r}: it must be one of {', '.join(keys)}{did_you_mean(key, keys)}")
        for key in ("description", "outcome", "visitor", "others", "sha256"):
            if key not in data:
                raise ValueError(f"it lacks {key!r}")
        scenario = Scenario(name=path.stem, **data)
        _check(scenario)
    except (ValueError, TypeError, AttributeError) as error:
        raise ValueError(f"{path} is no scenario: {error}") from error
    return scenario


def _check(scenario: Scenario) -> None:
    """Check that everything that is named exists, and that the company is the one that it was made with.

    Raises:
        ValueError: for what is not so.
    """
    tables = ValleyMap.default().tables
    people = tables.resident_number
    _known("outcome", [scenario.outcome], OUTCOMES)
    _known("visitor", [scenario.visitor], people)
    _known("resident in company", scenario.company, people)
    _known("resident in goals", scenario.goals, [*people, "all"])
    _known("resident in places", scenario.places, [*people, "all"])
    _known("place", scenario.places.values(), tables.place_number)
    _known("item", scenario.items, tables.item_number)
    _known("furniture or resident in items", scenario.items.values(), [*tables.furniture_number, *people])
    _known("furniture in regrows", scenario.regrows, tables.furniture_number)
    if scenario.visitor in scenario.company:
        raise ValueError(f"the visitor {scenario.visitor} is among its company")
    used = {scenario.others, *scenario.company.values()}
    _known("profile", used, profiles())
    for name in sorted(used):
        stated, found = scenario.sha256.get(name), profiles()[name].sha256
        if stated != found:
            raise ValueError(f"the profile {name!r} has the checksum {found}, and the scenario was made with {stated}")


def _known(what: str, names: Any, known: Any) -> None:
    for name in names:
        if name not in known:
            raise ValueError(f"unknown {what} {name!r}{did_you_mean(str(name), known)}")
