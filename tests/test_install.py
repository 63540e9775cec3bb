"""What an install rests on: versions that were tested, and a Makefile that installs once."""

import os
import shutil
import subprocess
import tomllib

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from project import ROOT


def named(lines):
    return {canonicalize_name(one.name): one for one in map(Requirement, lines)}


def test_every_direct_dependency_is_pinned_to_a_version_that_it_allows():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = [one for group in project["optional-dependencies"].values() for one in group]
    direct = named([*project["dependencies"], *extras])
    del direct[canonicalize_name(project["name"])]  # Extras are made of each other.
    lines = (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()
    pins = named(line for line in lines if not line.startswith("#"))
    assert pins.keys() == direct.keys()
    for name, pin in pins.items():
        ((operator, version),) = ((one.operator, one.version) for one in pin.specifier)
        assert operator == "=="
        assert direct[name].specifier.contains(version), f"{name} {version} is not {direct[name].specifier}"


@pytest.fixture
def clone(tmp_path):
    """The files that make looks at, in a folder where nothing is installed."""
    if shutil.which("make") is None:
        pytest.skip("make is not installed")
    for name in ("Makefile", "pyproject.toml", "constraints.txt", "requirements-models.txt"):
        shutil.copy(ROOT / name, tmp_path / name)
    return tmp_path


def make(folder, *arguments):
    done = subprocess.run(["make", "-C", str(folder), *arguments], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def script(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)


def test_a_second_make_run_installs_nothing(clone):
    assert "-m pip install" in make(clone, "-n", "run")
    (clone / ".venv").mkdir()
    (clone / ".venv" / ".run-ready").touch()
    again = make(clone, "-n", "run")
    assert "pip" not in again
    assert "irollan run --steps 20 --seed 0" in again
    os.utime(clone / "constraints.txt", (2**32, 2**32))
    assert "-m pip install" in make(clone, "-n", "run")


def test_what_is_given_to_make_run_reaches_the_command_in_one_piece(clone):
    (clone / ".venv").mkdir()
    (clone / ".venv" / ".run-ready").touch()
    script(clone / ".venv" / "bin" / "irollan", r"""printf '%s\n' "$@" """)
    out = make(clone, "--no-print-directory", "run", "MODEL=openai:http://127.0.0.1:1/v1#a b", "OUT=runs/one two")
    assert out.splitlines() == [
        *("run", "--steps", "20", "--seed", "0", "--architecture", "itcma-s"),
        *("--model", "openai:http://127.0.0.1:1/v1#a b", "--out", "runs/one two"),
    ]
    assert "--out" not in make(clone, "--no-print-directory", "run")


def test_a_half_made_environment_is_made_anew_and_a_whole_one_is_kept(clone):
    """A stand-in for Python writes down how it is called, and makes an environment whose pip does the same."""
    log = clone / "calls"
    script(clone / "with-pip", f'echo "pip: $*" >> "{log}"')
    script(
        clone / "python",
        f'echo "python: $*" >> "{log}"; mkdir -p .venv/bin && cp -f with-pip .venv/bin/python',
    )
    script(clone / ".venv" / "bin" / "python", "exit 1")  # There is a Python, but no pip.
    make(clone, ".venv/.run-ready", f"PYTHON={clone}/python")
    made = log.read_text().splitlines()
    assert made[0] == "python: -m venv --clear --upgrade-deps .venv"
    assert [line.split()[:4] for line in made[1:]] == [["pip:", "-m", "pip", "install"]] * 2
    (clone / ".venv" / ".run-ready").unlink()
    log.unlink()
    make(clone, ".venv/.run-ready", f"PYTHON={clone}/python")
    assert not [line for line in log.read_text().splitlines() if line.startswith("python:")]
