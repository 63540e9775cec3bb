"""The page about minds: what it builds works, and its table has every name."""

import re
import shlex

import pytest
from project import DOCS

from evaluation.commands.cli import main
from evaluation.records.run_directory import RunDirectory
from minds.kinds import listed

TEXT = (DOCS / "minds.md").read_text(encoding="utf-8")


@pytest.mark.usefixtures("no_figures")
def test_the_mind_of_the_page_lives(tmp_path, monkeypatch):
    code = re.search(r"```python\n(.*?)```", TEXT, re.DOTALL)[1]
    assert len([line for line in code.splitlines() if line.strip()]) <= 30
    (tmp_path / "wanderer.py").write_text(code)
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    command = shlex.split(re.search(r"^irollan (run .*wanderer.*)$", TEXT, re.MULTILINE)[1])
    assert main([*command, "--model", "scripted", "--out", "run"]) == 0
    records = [one for one in RunDirectory(tmp_path / "run").records() if one["resident"] in ("LL", "SG")]
    assert {one["failure"] for one in records} == {None}
    assert {one["outcome"] for one in records} <= {"executed", "filtered", "inadmissible"}
    assert len({one["place"] for one in records}) > 3
    assert any(one["calls"] for one in records)


def test_every_name_is_in_the_table():
    table = re.findall(r"`([\w:+-]+)`", "\n".join(line for line in TEXT.splitlines() if line.startswith("|")))
    assert {one.name + (f":{one.argument}" if one.argument else "") for one in listed()} <= set(table)
