"""The world class of docs/worlds.md is lived in, killed, resumed, branched and replayed."""

import os
import re
import subprocess
import sys

import pytest
from project import DOCS, ROOT

import evaluation
from evaluation.commands.cli import main

PAGE = (DOCS / "worlds.md").read_text(encoding="utf-8")
TOWN, _ = re.findall(r"^```python\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)
MORTAL = """
import os, pathlib

class Mortal(Town):
    def after_step(self, world):
        super().after_step(world)
        if world.time == 6 and pathlib.Path("kill").exists():
            os._exit(9)
"""
STEPS = 10
RUN = ["run", "--model", "scripted", "--world", "docs_town:Mortal", "--steps", str(STEPS)]


@pytest.fixture
def town(tmp_path, monkeypatch):
    (tmp_path / "docs_town.py").write_text(TOWN + MORTAL)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path, str(tmp_path)])
    yield tmp_path
    sys.modules.pop("docs_town", None)


# It runs, resumes, branches and replays.
@pytest.mark.slow
@pytest.mark.usefixtures("no_figures")
def test_the_world_of_the_page_is_killed_resumed_branched_and_replayed(town):
    assert 10 <= len([line for line in TOWN.splitlines() if line.strip()]) <= 25
    assert main([*RUN, "--out", "whole"]) == 0
    whole = evaluation.load_run("whole")
    assert whole.variables.groupby("quantity")["value"].max()["toll"] > 0
    assert list(whole.changes["origin"]) == ["town crier", "town crier"]

    (town / "kill").touch()
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT), str(town)])}
    killed = subprocess.run(
        [sys.executable, "-m", "evaluation", *RUN, "--out", "killed"], env=environment, capture_output=True, check=False
    )
    assert killed.returncode == 9
    (town / "kill").unlink()
    assert main(["resume", "killed"]) == 0
    assert main(["branch", "killed", "--at", "4", "--out", "branched"]) == 0
    assert main(["replay", "branched"]) == 0
    for name in ("killed", "branched"):
        assert (town / name / "events.jsonl").read_bytes() == (town / "whole" / "events.jsonl").read_bytes()
