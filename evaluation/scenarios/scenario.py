"""Reader of scenario files."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields, replace
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Annotated, Any

from pydantic import Field, TypeAdapter, ValidationError

from evaluation.records.checksums import first_fault
from evaluation.records.files import read_toml
from evaluation.scenarios.outcomes import OUTCOMES, check_parameters, find_outcome
from irollan_env.hints import did_you_mean
from irollan_env.map.loading import load_map
from irollan_env.map.valley_map import ValleyMap
from irollan_env.world.mechanics.registry import make_mechanics
from minds.company.company import profiles


@dataclass(frozen=True, kw_only=True, slots=True)
class Scenario:
    """A scenario: how a run begins, and, where it is scored, company and outcome.

    Attributes:
        name: Its name for ``--scenario``.
        description: Description in one or two sentences.
        outcome: Its outcome, one of ``OUTCOMES`` or ``module:function``; empty where it is not scored.
        parameters: Parameters of the outcome.
        company: Profiles of the residents that are not evaluated, by resident.
        others: Profile of everybody else if a single visitor is evaluated.
        visitor: The resident who is evaluated alone.
        sha256: Checksum of each profile.
        goals: Goals by resident; "all" for everybody without one.
        places: Initial places by resident; "all" for everybody; home by default.
        items: Initial furniture or holder by item.
        regrows: Furniture on which eaten food regrows as long as some is left.
        every: Time steps for one piece of food to regrow.
        map: The map that it is made for, as ``--map`` takes one; empty for any map that has what it names.
        map_name: The name of that map, which no file gives.
        mechanics: Settings of mechanics by name, which add to those of the map and override them.
    """

    name: str
    description: str
    outcome: str = ""
    visitor: str = ""
    others: str = ""
    sha256: Mapping[str, str] = field(default_factory=dict)
    parameters: Mapping[str, Any] = field(default_factory=dict)
    company: Mapping[str, str] = field(default_factory=dict)
    goals: Mapping[str, str] = field(default_factory=dict)
    places: Mapping[str, str] = field(default_factory=dict)
    items: Mapping[str, str] = field(default_factory=dict)
    regrows: Sequence[str] = ()
    every: Annotated[int, Field(ge=1)] = 3
    map: str = ""
    map_name: str = ""
    mechanics: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)

    def check_scored(self) -> None:
        """Check that runs of it can be compared, as an arena does.

        Raises:
            ValueError: if it has no outcome.
        """
        if not self.outcome:
            raise ValueError(
                f"the scenario {self.name!r} has no outcome to compare minds by: give it {', '.join(_SCORED)}, or run "
                "it with irollan run --scenario"
            )

    def check_steps(self, steps: int) -> None:
        """Check that a run of so many time steps can be scored.

        Raises:
            ValueError: if the outcome is about a later step.
        """
        if self.outcome in OUTCOMES and (at := self.parameters.get("at", 0)) >= steps:
            raise ValueError(
                f"steps must be at least {at + 1} in the scenario {self.name!r}, whose outcome is about time step "
                f"{at}, got {steps}"
            )

    def check_map(self, valley_map: ValleyMap) -> None:
        """Check that a map has all that the scenario names.

        Raises:
            ValueError: if not.
        """
        if self.map and valley_map.name != self.map_name:
            raise ValueError(f"it is made for the map {self.map_name!r}; leave out --map, or give --map {self.map}")
        tables = valley_map.tables
        people = tables.resident_number
        _known("visitor", [self.visitor] if self.visitor else [], people)
        _known("resident in company", self.company, people)
        _known("resident in goals", self.goals, [*people, "all"])
        _known("resident in places", self.places, [*people, "all"])
        _known("place", self.places.values(), tables.place_number)
        _known("item", self.items, tables.item_number)
        _known("furniture or resident in items", self.items.values(), [*tables.furniture_number, *people])
        _known("furniture in regrows", self.regrows, tables.furniture_number)
        if self.outcome:
            check_parameters(self.outcome, self.parameters, tables)
        make_mechanics(valley_map.with_mechanics(self.mechanics))

    def goal_of(self, resident: str) -> str | None:
        """Return the goal of a resident, or None."""
        return self.goals.get(resident, self.goals.get("all"))

    def minds(self, mind: str, *, visitor_of: str | None = None) -> tuple[str, dict[str, str]]:
        """Assign minds to residents in a run that evaluates a mind.

        Args:
            mind: The mind to evaluate.
            visitor_of: Mind of all others if only the visitor is evaluated; None if everybody but the company is.

        Returns:
            The default mind, and minds by resident.
        """
        company = {name: f"company:{profile}" for name, profile in self.company.items()}
        if visitor_of is None:
            return mind, company
        return visitor_of, {**company, self.visitor: mind}

    def focal(self, residents: Sequence[str], *, visitor: bool) -> list[str]:
        """Return the residents whose minds are evaluated.

        Args:
            residents: All residents.
            visitor: Whether the visitor alone is evaluated.

        Returns:
            Their names, in order.
        """
        return [self.visitor] if visitor else [name for name in residents if name not in self.company]


@cache
def scenarios() -> dict[str, Scenario]:
    """Read the built-in scenarios by name."""
    folder = files(__package__) / "data"
    paths = sorted(Path(str(path)) for path in folder.iterdir() if path.name.endswith(".toml"))
    return {path.stem: read_scenario(path) for path in paths}


def find_scenario(name: str | Mapping[str, Any], valley_map: ValleyMap | None = None) -> Scenario:
    """Find a scenario by name, by the path of its file, or by its content.

    Args:
        name: One of ``scenarios``, a path that ends in ``.toml``, or what ``read_once`` gives.
        valley_map: The map of the run, which has to have all that the scenario names; not checked when None.

    Raises:
        ValueError: if the name is unknown, the file is no scenario, or it does not fit the map.
    """
    if isinstance(name, Mapping):
        scenario = _from_table(name)
    elif name.endswith(".toml"):
        scenario = read_scenario(Path(name).expanduser())
    elif name in scenarios():
        scenario = scenarios()[name]
    else:
        known = ", ".join(scenarios())
        raise ValueError(f"unknown scenario {name!r}: it must be one of {known}{did_you_mean(name, scenarios())}")
    if valley_map is not None:
        try:
            scenario.check_map(valley_map)
        except ValueError as error:
            raise ValueError(
                f"the scenario {scenario.name} does not fit the map {valley_map.name!r}: {error}"
            ) from error
    return scenario


def read_once(scenario: str | Mapping[str, Any]) -> str | Mapping[str, Any]:
    """Return the content of a scenario's file, so that a run keeps it.

    Args:
        scenario: A name, a path that ends in ``.toml``, or content.

    Returns:
        What is no path as it is; so is a path that cannot be read, of which whoever takes the scenario says why.
    """
    if isinstance(scenario, Mapping) or not scenario.endswith(".toml"):
        return scenario
    try:
        found = read_scenario(Path(scenario).expanduser())
    except ValueError:
        return scenario
    defaults = asdict(Scenario(name="", description=""))
    table = {key: value for key, value in asdict(found).items() if value != defaults[key]}
    kept: dict[str, Any] = json.loads(json.dumps(table, default=str))
    return kept


def map_named_by(scenario: str | Mapping[str, Any]) -> str:
    """Return the map that a scenario names for itself; empty for none, and for a scenario that cannot be read."""
    try:
        return find_scenario(scenario).map if scenario else ""
    except ValueError:
        return ""  # whoever takes the scenario says why


def read_scenario(path: Path) -> Scenario:
    """Read a scenario's file.

    Raises:
        ValueError: if the file is missing, is no TOML, or is inconsistent.
    """
    try:
        data = read_toml(path)
    except (OSError, ValueError) as error:
        raise ValueError(f"{path} is no scenario: {error}") from error
    keys = [one.name for one in fields(Scenario) if one.name not in ("name", "map_name")]
    try:
        for key in data:
            if key not in keys:
                raise ValueError(f"unknown key {key!r}: it must be one of {', '.join(keys)}{did_you_mean(key, keys)}")
        if "description" not in data:
            raise ValueError("it lacks 'description'")
        scenario = _ADAPTER.validate_python({**data, "name": path.stem})
        if scenario.map.endswith((".toml", ".json")):
            scenario = replace(scenario, map=str(path.parent / Path(scenario.map).expanduser()))
        if scenario.map:
            scenario = replace(scenario, map_name=load_map(scenario.map).name)
        _check(scenario)
    except ValidationError as error:
        given = error.errors()[0]["input"]
        raise ValueError(f"{path} is no scenario: {first_fault(error)}, got {given!r}") from error
    except ValueError as error:
        raise ValueError(f"{path} is no scenario: {error}") from error
    return scenario


def _from_table(table: Mapping[str, Any]) -> Scenario:
    """Restore a scenario from what ``read_once`` gives.

    Raises:
        ValueError: if it is none.
    """
    try:
        scenario = _ADAPTER.validate_python(table)
        _check(scenario)
    except ValidationError as error:
        raise ValueError(f"world.scenario is no scenario: {first_fault(error)}") from error
    except ValueError as error:
        raise ValueError(f"world.scenario is no scenario: {error}") from error
    return scenario


_ADAPTER = TypeAdapter(Scenario)
_SCORED = ("outcome", "visitor", "others", "sha256")


def _check(scenario: Scenario) -> None:
    """Check what does not depend on the map: the outcome with all that it needs, and the checksums of profiles.

    Raises:
        ValueError: if not.
    """
    if scenario.outcome:
        find_outcome(scenario.outcome)
    for key in _SCORED:
        if scenario.outcome and not getattr(scenario, key):
            raise ValueError(f"it lacks {key!r}, which a scenario with an outcome needs")
    for key in ("visitor", "others", "parameters"):
        if not scenario.outcome and getattr(scenario, key):
            raise ValueError(f"{key!r} is of no use without an outcome; add 'outcome', or take it out")
    if scenario.visitor in scenario.company:
        raise ValueError(f"the visitor {scenario.visitor} is among its company")
    used = {*([scenario.others] if scenario.others else []), *scenario.company.values()}
    _known("profile", used, profiles())
    for name in sorted(used if scenario.outcome else used & scenario.sha256.keys()):
        stated, found = scenario.sha256.get(name), profiles()[name].sha256
        if stated != found:
            raise ValueError(f"the profile {name!r} has the checksum {found}, and the scenario was made with {stated}")


def _known(what: str, names: Any, known: Any) -> None:
    for name in names:
        if name not in known:
            raise ValueError(f"unknown {what} {name!r}{did_you_mean(str(name), known)}")
