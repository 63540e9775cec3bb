"""What an install rests on: versions that were tested, a Makefile that installs once, and what a wheel has."""

import os
import re
import shutil
import subprocess
import sys
import tomllib
import venv
import zipfile

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from project import ROOT

import irollan_env

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]


def named(lines):
    return {canonicalize_name(one.name): one for one in map(Requirement, lines)}


def test_every_direct_dependency_is_pinned_to_a_version_that_it_allows():
    extras = [one for group in PROJECT["optional-dependencies"].values() for one in group]
    direct = named([*PROJECT["dependencies"], *extras])
    del direct[canonicalize_name(PROJECT["name"])]  # Extras are made of each other.
    lines = (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()
    pins = named(line for line in lines if not line.startswith("#"))
    assert pins.keys() == direct.keys()
    for name, pin in pins.items():
        ((operator, version),) = ((one.operator, one.version) for one in pin.specifier)
        assert operator == "=="
        assert direct[name].specifier.contains(version), f"{name} {version} is not {direct[name].specifier}"


def test_torch_comes_with_its_extra_alone():
    assert named(PROJECT["dependencies"]).keys() == {"numpy", "gymnasium", "pettingzoo", "pydantic"}
    extras = PROJECT["optional-dependencies"]
    assert [name for name, group in extras.items() if "torch" in named(group)] == ["torch"]
    assert extras["society"] == ["irollan-valley[light,torch]"]


def test_the_citation_and_the_changelog_have_the_version_of_the_package():
    version = irollan_env.__version__
    assert f"\nversion: {version}\n" in (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    assert f"## [{version}]" in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")


@pytest.fixture
def clone(tmp_path):
    """The files that make looks at, in a folder where nothing is installed."""
    if shutil.which("make") is None:
        pytest.skip("make is not installed")
    for name in ("Makefile", "pyproject.toml", "constraints.txt", "requirements-models.txt"):
        shutil.copy(ROOT / name, tmp_path / name)
    return tmp_path


def make(folder, *arguments):
    done = subprocess.run(
        ["make", "--no-print-directory", "-C", str(folder), *arguments], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def script(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)


def test_a_second_make_run_installs_nothing_and_hands_its_options_over_in_one_piece(clone):
    assert "-m pip install" in make(clone, "-n", "run")
    script(clone / ".venv" / "bin" / "irollan", r"""printf '%s\n' "$@" """)
    (clone / ".venv" / ".run-ready").touch()
    options = make(clone, "run", "MODEL=openai:http://127.0.0.1:1/v1#a b", "OUT=runs/one two").splitlines()
    assert options[0] == "run"
    assert dict(zip(options[1::2], options[2::2], strict=True)) == {
        "--steps": "20",
        "--seed": "0",
        "--architecture": "itcma-s",
        "--model": "openai:http://127.0.0.1:1/v1#a b",
        "--out": "runs/one two",
    }
    os.utime(clone / "constraints.txt", (2**32, 2**32))
    assert "-m pip install" in make(clone, "-n", "run")


def test_a_half_made_environment_is_made_anew_and_a_whole_one_is_kept(clone):
    """A stand-in for Python writes down how it is called, and makes an environment whose pip does the same."""
    log = clone / "calls"
    script(clone / "with-pip", f'echo "pip: $*" >> "{log}"')
    script(clone / "python", f'echo "python: $*" >> "{log}"; mkdir -p .venv/bin && cp -f with-pip .venv/bin/python')
    script(clone / ".venv" / "bin" / "python", "exit 1")  # There is a Python, but no pip.
    make(clone, ".venv/.run-ready", f"PYTHON={clone}/python")
    made = log.read_text().splitlines()
    assert made[0] == "python: -m venv --clear --upgrade-deps .venv"
    assert [line.split()[:4] for line in made[1:]] == [["pip:", "-m", "pip", "install"]] * 2
    (clone / ".venv" / ".run-ready").unlink()
    log.unlink()
    make(clone, ".venv/.run-ready", f"PYTHON={clone}/python")
    assert not [line for line in log.read_text().splitlines() if line.startswith("python:")]


def test_another_python_has_an_environment_of_its_own_without_torch(clone):
    said = make(clone, "-n", "test-plain", "PYTHON=/somewhere/bin/python3.13")
    assert "/somewhere/bin/python3.13 -m venv --clear --upgrade-deps .venv-plain-python3.13" in said
    assert "-e '.[light,dev]'" in said
    assert ".venv-plain-python3.13/bin/python -m pytest" in said


@pytest.fixture(scope="module")
def tracked():
    """The files of the packages that git knows, from the root of the project."""
    if not (ROOT / ".git").exists() or shutil.which("git") is None:
        pytest.skip("what belongs to the project is known from git, and this is no clone")
    packages = ("irollan_env", "language_models", "itcma_s", "minds", "ltrha", "evaluation")
    listed = subprocess.run(["git", "ls-files", "-z", *packages], cwd=ROOT, capture_output=True, text=True, check=True)
    return {name for name in listed.stdout.split("\0") if name and (ROOT / name).exists()}


@pytest.fixture(scope="module")
def wheel(tracked, tmp_path_factory):
    """A wheel of those files, built where nothing is left of an older one."""
    source = tmp_path_factory.mktemp("source")
    for name in (*tracked, "pyproject.toml", "README.md", "LICENSE"):
        (source / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, source / name)
    (source / "benchmarks").mkdir()
    (source / "benchmarks" / "__init__.py").touch()
    out = tmp_path_factory.mktemp("wheel")
    pip(sys.executable, "wheel", "--no-deps", "--wheel-dir", str(out), str(source))
    (built,) = out.glob("*.whl")
    return built


def outside():
    """The environment of a process that has nothing of this checkout in sight."""
    return {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}


def pip(python, *arguments):
    command = [python, "-m", "pip", "--disable-pip-version-check", *arguments]
    done = subprocess.run(command, env=outside(), capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


# It builds a wheel in an environment of its own.
@pytest.mark.slow
def test_a_wheel_has_all_files_of_the_packages_and_nothing_else(wheel, tracked):
    with zipfile.ZipFile(wheel) as archive:
        inside = {name for name in archive.namelist() if ".dist-info/" not in name}
    assert inside == tracked
    assert wheel.name.startswith(f"irollan_valley-{irollan_env.__version__}-")


@pytest.fixture(scope="module")
def plain(wheel, tmp_path_factory):
    """An environment with what comes with the plain package, as the folder of its programs."""
    folder = tmp_path_factory.mktemp("plain")
    venv.create(folder, with_pip=True)
    programs = folder / ("Scripts" if os.name == "nt" else "bin")
    pip(str(programs / "python"), "install", "--no-compile", "-c", str(ROOT / "constraints.txt"), str(wheel))
    return programs


def run_in(plain, folder, program, *arguments):
    """Run a program of the environment."""
    command = [str(plain / program), *arguments]
    return subprocess.run(command, cwd=folder, env=outside(), capture_output=True, text=True, check=False)


# It installs the wheel in an environment of its own.
@pytest.mark.slow
def test_the_plain_package_is_the_environment_alone_and_says_what_else_takes(plain, tmp_path):
    code = """
import importlib.util
import gymnasium
import irollan_env
env = gymnasium.make("irollan_env:IrollanValley-v0", resident="LL", others="scripted")
observation, info = env.reset(seed=0)
env.step(info["admissible_actions"][0])
society = irollan_env.parallel_env(max_steps=2, task="random")
observations, infos = society.reset(seed=0)
society.step({name: society.action_space(name).sample(observations[name]["action_mask"]) for name in society.agents})
heavy = ("torch", "transformers", "xllamacpp", "pandas", "scipy", "matplotlib", "fastapi", "aiohttp")
assert not [name for name in heavy if importlib.util.find_spec(name)]
for module, package, extra in (
    ("irollan_env.server.app", "fastapi", "server"),
    ("irollan_env.client", "httpx", "server"),
    ("language_models.registry", "aiohttp", "society"),
):
    try:
        importlib.import_module(module)
    except ImportError as error:
        assert f"the package {package}, which is not installed" in str(error), error
        assert f"'irollan-valley[{extra}]'" in str(error), error
    else:
        raise AssertionError(f"{module} needs no {package}")
"""
    done = run_in(plain, tmp_path, "python", "-c", code)
    assert (done.returncode, done.stderr) == (0, "")
    done = run_in(plain, tmp_path, "irollan", "run")
    assert (done.returncode, done.stdout) == (1, "")
    (line,) = done.stderr.splitlines()
    assert "the package typer is not installed" in line
    assert line.endswith("'irollan-valley[society]'")
    assert not list(tmp_path.iterdir())


def test_contributing_names_files_that_are_there():
    """A page for whoever carries on that leads nowhere is worse than none."""
    page = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    named = {path for path in re.findall(r"`([\w./-]+)`", page) if "/" in path and not path.startswith("site/")}
    assert len(named) > 10
    assert {path for path in named if not (ROOT / path).exists()} == set()
