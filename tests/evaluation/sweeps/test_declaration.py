"""Tests of valid and invalid declarations; errors are one line, and nothing is written."""

import json
import re

import pytest

from evaluation.commands.cli import main
from evaluation.sweeps import SweepDirectory, read_declaration


def test_every_combination_is_a_cell_seed_by_seed(tmp_path):
    file = tmp_path / "a.toml"
    file.write_text(
        'architecture = ["itcma", "ltrha"]\nseed = ["0-1", 7]\nsteps = 5\n'
        'recording.checkpoint-every = [1, 5]\nmodel.name = "scripted"\n'
    )
    cells = read_declaration(file).cells()
    assert len(cells) == 12
    assert [cell.configuration.seed for cell in cells] == [0] * 4 + [1] * 4 + [7] * 4
    assert cells[0].name == "itcma-scripted-seed0-checkpointevery1"
    assert {cell.configuration.steps for cell in cells} == {5}
    assert len({json.dumps(cell.configuration.to_json()) for cell in cells}) == 12


def test_settings_replace_what_the_file_says(tmp_path):
    file = tmp_path / "a.toml"
    file.write_text('architecture = ["itcma", "ltrha"]\nseed = "0-9"\n')
    declaration = read_declaration(file, ["seed=3-4", "model.name=scripted"])
    assert declaration.to_json() == {"architecture": ["itcma", "ltrha"], "seed": [3, 4], "model.name": ["scripted"]}
    assert declaration.varied == ["architecture", "seed"]


def test_roles_and_models_make_names_that_differ(tmp_path):
    file = tmp_path / "a.toml"
    file.write_text('model.name = ["a/m.gguf", "b/m.gguf"]\nmodel.roles = [{}, {matrix = "scripted"}]\n')
    names = [cell.name for cell in read_declaration(file).cells()]
    assert len(set(names)) == 4
    assert all(name.startswith("itcma-s-m-") for name in names)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("seeds = [1]", "unknown key 'seeds'; did you mean 'seed'\\?$"),
        ("seed = []", "seed has no value: an empty axis leaves nothing to run"),
        ("seed = [1, 1]", "seed has the value 1 twice"),
        ('seed = ["0-1", 1]', "seed has the value 1 twice"),
        ('seed = "3-1"', "seed must be a range from low to high"),
        ('seed = "many"', "seed must be whole numbers or a range such as 0-9, got 'many'"),
        ("seed = true", "seed must be a whole number, got True"),
        ("seed = -1", "seed must be a whole number from 0 to"),
        ("steps = 2.5", "steps must be a whole number, got 2.5"),
        ('architecture = ["itcma", "itcmas"]', "unknown architecture 'itcmas': .*did you mean 'itcma-s'\\?"),
        ('mind.name = ["react", "me"]', "mind.name must name minds that need no person, got 'me'"),
        ('mind.by_resident = {LL = "me"}', "mind.by_resident must name minds that need no person"),
        ("architecture = [1]", "architecture must be a text, got 1"),
        ('model.name = "smolm2"', "unknown model 'smolm2': .*did you mean 'smollm2'\\?"),
        ('model.name = ""', "model.name must not be empty"),
        ('model.embedder = "miniln"', "unknown embedder 'miniln'"),
        ('model.roles = {matrx = "scripted"}', "unknown role 'matrx': .*did you mean 'matrix'\\?"),
        ("model.roles = {matrix = 3}", "model.roles must name a model for each role"),
        ('model.options = {"openai:http://127.0.0.1:1/v1#x" = {retry = 1}}', "unknown option 'retry'"),
        ('seed = "0-99999"\narchitecture = ["itcma", "ltrha"]', "a sweep has at most 100,000 runs, got 200,000"),
        ("seed = [1", "a.toml declares no sweep: it is not TOML"),
        ('architecture = ["itcma", "driver"]\nltrha.rank_by = "company"', "ltrha.rank_by has no effect"),
    ],
)
def test_what_no_sweep_can_be_is_one_line_and_nothing_written(tmp_path, capsys, text, message):
    file = tmp_path / "a.toml"
    file.write_text(text)
    assert main(["sweep", str(file), "--out", str(tmp_path / "out")]) == 2
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == 1
    assert re.search(message, lines[0])
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "say what to run: a FILE, or --set KEY=VALUES"),
        (["no.toml"], "there is no file no.toml"),
        (["--set", "seed"], "--set takes KEY=VALUE"),
        (["--set", "seed="], "seed has no value"),
        (["--set", "seed=1.5"], "seed must be whole numbers or a range such as 0-9, got '1.5'"),
        (["--set", "model.roles=x"], "model.roles is a table, which only a file can give"),
        (["--set", "model.name=scripted", "--at-once", "0"], "at-once must be at least 1 run, got 0"),
        (
            ["--set", "model.name=scripted", "--max-tokens", "0"],
            "limits.max_tokens must be a finite number above 0, got 0",
        ),
    ],
)
def test_wrong_usage_is_one_line_and_nothing_written(tmp_path, monkeypatch, capsys, arguments, message):
    monkeypatch.chdir(tmp_path)
    assert main(["sweep", *arguments]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert message in line
    assert not list(tmp_path.iterdir())


def test_a_directory_of_something_else_is_left_alone(tmp_path, capsys):
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "thesis.txt").write_text("mine")
    assert main(["sweep", "--set", "model.name=scripted", "--out", str(tmp_path / "out")]) == 2
    assert "holds files that are not a sweep's" in capsys.readouterr().err
    assert [path.name for path in (tmp_path / "out").iterdir()] == ["thesis.txt"]


@pytest.mark.parametrize(
    ("here", "asked", "message"),
    [
        (["steps=75"], ["steps=20"], "is of another declaration: steps was 75 and is 20 now; give another --out"),
        (["seed=0-1"], ["seed=0"], "it has the run itcma-s-scripted-seed1, which is not in this one"),
        (["architecture=itcma"], ["architecture=driver"], "it has the run itcma-scripted-seed0"),
    ],
)
def test_a_sweep_of_another_declaration_is_left_alone(tmp_path, capsys, here, asked, message):
    declaration = read_declaration(None, ["model.name=scripted", *here])
    with SweepDirectory(tmp_path).open(declaration.to_json(), declaration.cells()):
        pass
    before = (tmp_path / "sweep.json").read_bytes()
    arguments = [part for one in ("model.name=scripted", *asked) for part in ("--set", one)]
    assert main(["sweep", "--out", str(tmp_path), *arguments]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert message in line
    assert (tmp_path / "sweep.json").read_bytes() == before
    assert not list((tmp_path / "runs").iterdir())
