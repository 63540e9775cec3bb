"""What an install rests on: versions that were tested, and a Makefile that installs once."""

import tomllib
from pathlib import Path

from packaging.requirements import Requirement

ROOT = Path(__file__).parents[1]


def requirements(path: Path) -> dict[str, Requirement]:
    lines = (line.partition("#")[0].strip() for line in path.read_text(encoding="utf-8").splitlines())
    found = map(Requirement, filter(None, lines))
    return {one.name: one for one in found}


def test_every_direct_dependency_is_pinned_to_a_version_that_it_allows():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = [one for group in project["optional-dependencies"].values() for one in group]
    direct = {one.name: one for one in map(Requirement, [*project["dependencies"], *extras])}
    pins = requirements(ROOT / "constraints.txt")
    assert pins.keys() == direct.keys()
    for name, pin in pins.items():
        ((operator, version),) = ((one.operator, one.version) for one in pin.specifier)
        assert operator == "=="
        assert direct[name].specifier.contains(version), f"{name} {version} is not {direct[name].specifier}"
