"""Runs on other maps than the paper's, with other residents; every command reads the map that the run keeps."""

import json
import re
import shutil
from dataclasses import replace

import pytest
from lived_runs import lived

import evaluation
from evaluation.commands.cli import main
from evaluation.commands.minds import read_minds
from evaluation.records.map_file import map_bytes
from evaluation.records.run_directory import RunDirectory
from irollan_env import ValleyMap, load_map
from irollan_env.map.loading import TEMPLATE

PEOPLE = ["Anna Berg", "Ö", "Third"]
"""Names that nobody has in the paper's valley, and that are no two capital letters."""


def renamed(valley_map):
    names = dict(zip([one.name for one in valley_map.residents], PEOPLE, strict=True))
    return replace(
        valley_map,
        name="mine",
        residents=tuple(replace(one, name=names[one.name]) for one in valley_map.residents),
    )


@pytest.fixture(scope="module")
def lost_file(tmp_path_factory):
    """A run of two of three residents on a map whose file is gone."""
    folder = tmp_path_factory.mktemp("own")
    (folder / "mine.json").write_bytes(map_bytes(renamed(load_map("towns:3"))))
    options = ["--map", str(folder / "mine.json"), "--residents", "2"]
    assert main(["run", "--model", "scripted", "--steps", "2", "--out", str(folder / "run"), *options]) == 0
    (folder / "mine.json").unlink()
    return folder / "run"


@pytest.fixture
def run(lost_file, tmp_path):
    return shutil.copytree(lost_file, tmp_path / "run")


def test_a_run_lives_on_its_map_and_keeps_it(lost_file):
    directory = RunDirectory(lost_file)
    assert {record["resident"] for record in directory.records()} == set(PEOPLE[:2])
    assert directory.read_map() == load_map(renamed(load_map("towns:3")), 2)
    manifest = directory.read_manifest()
    assert set(manifest["seeds"]) == {"world", "ltrha", *(f"resident {name}" for name in PEOPLE[:2])}
    assert manifest["configuration"]["effective"]["world"]["residents"] == 2
    assert load_map(directory.map_path) == directory.read_map()


@pytest.mark.parametrize(
    "command",
    [
        "replay {run}",
        "check {run}",
        "resume {run} --steps 3",
        "branch {run} --at 1 --set seed=4 --out {run}-branch",
        "branch {run} --at 0 --set ltrha.rank_by=company --out {run}-branch",
        "report {run}",
        "view {run} --out {run}.html",
        "measures {run} --json",
        "social {run} --json",
        "interview {run} hello --who Third --model scripted",
        "beliefs {run} --model scripted",
        "bench mechanisms {run} --only driver",
        "judge {run} --model scripted --draws 1 --out {run}-judged",
    ],
)
def test_no_command_needs_more_than_the_directory(command, run, capsys):
    if "--who Third" in command:
        assert main(command.format(run=run).split()) == 2
        assert "must be one of Anna Berg, Ö" in capsys.readouterr().err
        command = command.replace("Third", "Ö")
    assert main(command.format(run=run).split()) == 0, capsys.readouterr().err
    if command.startswith("branch"):
        assert RunDirectory(f"{run}-branch").read_map() == RunDirectory(run).read_map()
        assert main(["replay", f"{run}-branch"]) == 0


def test_two_runs_on_different_maps_are_drawn_side_by_side(run, tmp_path):
    twenty = lived(tmp_path / "twenty", map="towns:20", steps=1)
    assert main(["view", str(run), str(twenty.path), "--out", str(tmp_path / "two.html")]) == 0
    page = (tmp_path / "two.html").read_text()
    assert "<title>A society in mine and 1 town of 20, step by step</title>" in page
    drawn = json.loads(re.search(r'<script[^>]*id="data"[^>]*>(.*?)</script>', page, re.DOTALL)[1])["runs"]
    assert [len(one["residents"]) for one in drawn] == [2, 20]
    towns = load_map("towns:20")
    assert [area["name"] for area in drawn[1]["valley"]["areas"]] == [area.name for area in towns.areas]


def test_it_resumes_to_the_same_bytes_as_if_it_had_never_stopped(tmp_path):
    whole = lived(tmp_path / "whole", map="towns:3", steps=3)
    lived(tmp_path / "stopped", map="towns:3", steps=2)
    assert main(["resume", str(tmp_path / "stopped"), "--steps", "3"]) == 0
    assert (tmp_path / "stopped" / "events.jsonl").read_bytes() == whole.events_path.read_bytes()


def test_a_run_from_before_maps_were_kept_is_in_the_papers_valley(tmp_path):
    directory = lived(tmp_path / "run", steps=1)
    manifest = directory.read_manifest()
    for key in ("map", "residents"):
        del manifest["configuration"]["effective"]["world"][key]
    del manifest["map"]
    directory.map_path.unlink()
    directory.write_manifest(manifest)
    assert directory.read_map() == ValleyMap.default()
    assert main(["replay", str(directory.path)]) == 0
    assert main(["resume", str(directory.path), "--steps", "2"]) == 0
    assert not directory.map_path.exists()


@pytest.mark.parametrize("command", ["replay {run}", "resume {run} --steps 3", "view {run} --out {run}.html"])
@pytest.mark.parametrize("damage", ["missing", "damaged"])
def test_a_lost_or_damaged_map_is_one_line_with_the_remedy(command, damage, run, capsys):
    path = run / "map.json"
    if damage == "missing":
        path.unlink()
    else:
        path.write_text(path.read_text().replace("chair", "chain"))
    assert main(command.format(run=run).split()) == 2
    said = capsys.readouterr().err.strip().splitlines()[-1]
    assert re.search(rf"map.json is {damage}.*; put it back from a copy, or from another run on this map", said)
    assert main(["check", str(run)]) == 1
    assert "You can put map.json back" in capsys.readouterr().out
    assert main(["measures", str(run)]) == 0


def test_the_copied_map_makes_the_same_run(run, tmp_path):
    again = evaluation.run(
        evaluation.RunConfig(
            steps=2,
            model=evaluation.ModelConfig(name="scripted"),
            world=evaluation.WorldConfig(map=str(run / "map.json")),
        ),
        tmp_path / "again",
    )
    assert (again.path / "events.jsonl").read_bytes() == (run / "events.jsonl").read_bytes()


def test_force_replaces_a_run_with_its_map_and_no_file_of_the_user(run, tmp_path, capsys):
    assert main(["run", "--model", "scripted", "--steps", "1", "--out", str(run), "--force"]) == 0
    assert RunDirectory(run).read_map() == ValleyMap.default()
    own = tmp_path / "own"
    own.mkdir()
    (own / "map.json").write_text("mine")
    assert main(["run", "--model", "scripted", "--steps", "1", "--out", str(own)]) == 2
    assert "which are not replaced" in capsys.readouterr().err
    assert (own / "map.json").read_text() == "mine"


REFUSED = {
    "--map nowhere": "unknown map 'nowhere'; give irollan_valley",
    "--map nowhere.toml": "there is no map file nowhere.toml",
    "--map towns:0": "needs a whole number from 1 to 10,000",
    "--residents 0": "world.residents must be a whole number from 1, got 0",
    "--residents 10000000": "residents must be at most 6",
    "--residents six": "'six' is not a whole number",
    "--map towns:3 --residents 4": "at most 3, which is what the map '1 town of 3' has, got 4; for more, take the map",
    "--map towns:3 --scenario news": "the scenario news does not fit the map '1 town of 3': unknown",
    "--map towns:3 --mind AY=scripted": "mind.by_resident: unknown resident 'AY'; known are ",
    "--set world.map=towns:3 --residents 9": "at most 3",
}


@pytest.mark.parametrize("options", REFUSED)
@pytest.mark.parametrize("command", ["run --out {out}", "run --estimate"])
def test_bad_maps_and_numbers_of_residents_are_one_line(command, options, tmp_path, capsys):
    arguments = f"{command} --model scripted --steps 1 {options}".format(out=tmp_path / "run").split()
    assert main(arguments) == 2
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err.count("\n") == 1
    assert REFUSED[options] in said.err
    assert not (tmp_path / "run").exists()


def test_a_mind_is_named_for_a_resident_of_any_name():
    named = read_minds(["Ö=scripted", "Anna Berg=random", "package.module:Class", "x:y=z"], None, ValleyMap.default())
    assert named == {"mind.name": "x:y=z", "mind.by_resident": {"Ö": "scripted", "Anna Berg": "random"}}


def test_the_estimate_is_of_the_map(capsys):
    def calls(*options):
        assert main(["run", "--model", "scripted", "--steps", "1", "--estimate", "--json", *options]) == 0
        return json.loads(capsys.readouterr().out)["calls"]

    assert calls("--residents", "1") < calls("--residents", "3") < calls()


def test_a_branch_keeps_the_map(run, capsys):
    for key in ("map=hamlet", "residents=1"):
        assert main(["branch", str(run), "--at", "1", "--set", f"world.{key}"]) == 2
        assert "cannot change within a run" in capsys.readouterr().err


@pytest.fixture(scope="module")
def two_villages(tmp_path_factory):
    """A run on a map with mechanics, of which a scenario changes one; neither file is there any more."""
    folder = tmp_path_factory.mktemp("villages")
    map_file, scenario = (folder / name for name in ("villages.toml", "drought.toml"))
    map_file.write_text(TEMPLATE.read_text())
    scenario.write_text('description = "Drought."\n[mechanics.needs.thirst]\nrises = 0.25\n')
    options = ["--map", str(map_file), "--residents", "3", "--scenario", str(scenario)]
    for out, steps in (("run", "3"), ("stopped", "2")):
        arguments = ["run", "--model", "scripted", "--steps", steps, "--out", str(folder / out), *options]
        assert main(arguments) == 0
    map_file.unlink()
    return folder


def test_the_mechanics_of_a_map_and_of_a_scenario_live_on_in_the_directory(two_villages, capsys):
    directory = RunDirectory(two_villages / "run")
    assert directory.read_map().mechanics["needs"]["thirst"]["rises"] == 0.06
    records = directory.records()
    assert [record["needs"]["thirst"] for record in records if record["resident"] == "Ada"] == [0.0, 0.25, 0.5]
    assert main(["replay", str(directory.path)]) == 0
    assert main(["resume", str(two_villages / "stopped"), "--steps", "3"]) == 0
    assert (two_villages / "stopped" / "events.jsonl").read_bytes() == directory.events_path.read_bytes()
    branch = two_villages / "branch"
    assert main(["branch", str(directory.path), "--at", "2", "--set", "steps=4", "--out", str(branch)]) == 0
    assert main(["replay", str(branch)]) == 0
    felt = [record["needs"]["thirst"] for record in RunDirectory(branch).records() if record["resident"] == "Ada"]
    assert felt == [0.0, 0.25, 0.5, 0.75]
    assert main(["view", str(directory.path), "--out", str(two_villages / "view.html")]) == 0


def test_mechanics_that_do_not_fit_are_one_line(tmp_path, capsys):
    path = tmp_path / "mine.toml"
    path.write_text(TEMPLATE.read_text().replace('on = "well 1"', 'on = "well 2"'))
    for command in (["run", "--model", "scripted", "--out", str(tmp_path / "run")], ["serve", "--port", "0"]):
        assert main([*command, "--map", str(path)]) == 2
        said = capsys.readouterr().err
        assert said.count("\n") == 1
        assert "growth.spring" in said
        assert "'well 2'" in said
    assert not (tmp_path / "run").exists()
