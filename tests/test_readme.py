"""The commands of the README work, and its examples run."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest
from project import ROOT

from evaluation.commands.cli import main
from language_models.registry import find_model

TEXT = (ROOT / "README.md").read_text(encoding="utf-8")


def blocks(language):
    return re.findall(rf"^```{language}\n(.*?)^```$", TEXT, re.MULTILINE | re.DOTALL)


def viewed(run):
    """Write the page instead of serving it, of a copy."""
    path = shutil.copytree(ROOT / run, Path("copies") / run)
    assert main(["view", str(path), "--out", "view.html"]) == 0


def model_exists(name):
    assert find_model(name).name == name


COMMANDS = {
    "make run": lambda: None,
    ". .venv/bin/activate": lambda: None,
    "irollan view examples/recorded_life": lambda: viewed("examples/recorded_life"),
    "irollan run --model openai:http://127.0.0.1:8000/v1#qwen": lambda: model_exists(
        "openai:http://127.0.0.1:8000/v1#qwen"
    ),
}
"""How each command is tried; one that is not here fails, so that none stands in the README untried."""


def test_every_command_works(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    found = [line for block in blocks("sh") for line in block.splitlines() if line]
    assert set(found) == set(COMMANDS)
    for command in found:
        COMMANDS[command]()


@pytest.mark.parametrize("target", sorted(set(re.findall(r"`?make ([a-z][a-z-]*)", TEXT))))
def test_make_knows_every_target(target):
    if (program := shutil.which("make")) is None:
        pytest.skip("make is not installed")
    done = subprocess.run([program, "-n", "-C", str(ROOT), target], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_ci_runs_what_the_readme_names():
    assert {"check", "test", "run", "docs"} <= set(re.findall(r"`?make ([a-z][a-z-]*)", TEXT))


def test_every_example_runs(monkeypatch, capsys):
    monkeypatch.chdir(ROOT)
    examples = blocks("python")
    assert len(examples) == 2
    for example in examples:
        exec(compile(example, "README.md", "exec"), {})
    printed = capsys.readouterr().out
    assert "You are in " in printed
    assert "time" in printed
