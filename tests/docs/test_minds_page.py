"""The page about minds: what it builds works, and its table has every name."""

import re
import shlex
import subprocess
import sys

import pytest
from project import DOCS

from evaluation.commands.cli import main
from evaluation.records.run_directory import RunDirectory
from minds import list_minds

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


@pytest.mark.usefixtures("no_figures")
def test_the_mind_in_another_process_lives(tmp_path, monkeypatch):
    code = re.findall(r"```python\n(.*?)```", TEXT, re.DOTALL)[1]
    served = 'HTTPServer(("127.0.0.1", 9000), Elsewhere).serve_forever()'
    assert served in code
    free = 'server = HTTPServer(("127.0.0.1", 0), Elsewhere)\nprint(server.server_port, flush=True)\n'
    free += "server.serve_forever()"
    (tmp_path / "elsewhere.py").write_text(code.replace(served, free))
    settings, command = re.search(r"^(IROLLAN_\w+=\w+) irollan (run .*remote.*)$", TEXT, re.MULTILINE).groups()
    monkeypatch.setenv(*settings.split("="))
    with subprocess.Popen([sys.executable, tmp_path / "elsewhere.py"], stdout=subprocess.PIPE, text=True) as elsewhere:
        try:
            port = elsewhere.stdout.readline().strip()
            arguments = shlex.split(command.replace("9000", port))
            assert main([*arguments, "--mind", "idle", "--steps", "3", "--out", str(tmp_path / "run")]) == 0
        finally:
            elsewhere.terminate()
    own = [one for one in RunDirectory(tmp_path / "run").records() if one["resident"] == "LL"]
    assert {one["failure"] for one in own} == {None}
    assert all(one["action"] for one in own if one["outcome"] == "executed")
    assert any(one["outcome"] == "executed" for one in own)


def test_every_name_is_in_the_table():
    table = re.findall(r"`([\w:+-]+)`", "\n".join(line for line in TEXT.splitlines() if line.startswith("|")))
    assert {one.name + (f":{one.argument}" if one.argument else "") for one in list_minds()} <= set(table)
