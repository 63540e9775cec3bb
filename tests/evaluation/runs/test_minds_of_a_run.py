"""Runs with other minds, from the command to the report."""

import json
from importlib.metadata import EntryPoint

import pytest

from evaluation.commands.cli import main
from evaluation.records.failures import failure_rates
from evaluation.records.run_directory import RunDirectory
from evaluation.report.facts import other_minds
from language_models.transcript.transcript import Transcript
from minds import contained, list_minds, mind_specs

MIXED = ("--mind", "react", "--mind", "LL=itcma-s", "--mind", "SG=odd_minds:Well", "--mind", "WM=random")
SAME = ("events.jsonl", "metrics.csv")


def run(path, *arguments, steps=4):
    return main(["run", "--model", "scripted", "--steps", str(steps), "--out", str(path), *arguments])


def test_a_mixed_society_resumes_byte_for_byte_and_replays(tmp_path, capsys):
    assert run(tmp_path / "whole", *MIXED) == 0
    assert run(tmp_path / "begun", *MIXED, steps=2) == 0
    assert main(["resume", str(tmp_path / "begun"), "--steps", "4"]) == 0
    for name in SAME:
        assert (tmp_path / "begun" / name).read_bytes() == (tmp_path / "whole" / name).read_bytes()
    assert main(["replay", str(tmp_path / "whole")]) == 0
    assert main(["branch", str(tmp_path / "whole"), "--at", "2", "--set", "seed=5", "--out", str(tmp_path / "b")]) == 0
    relevance = {one["resident"] for one in RunDirectory(tmp_path / "whole").records() if one["relevance"] is not None}
    assert relevance == {"LL"}


# Of those that need nothing; concordia and remote are in tests of their own.
ANY = [one.name for one in list_minds() if one.source and not one.package and not one.argument and one.name != "me"]


@pytest.mark.parametrize("mind", [*ANY, "piano", "company:neighbour"])
def test_six_of_any_kind_resume_byte_for_byte(tmp_path, mind):
    assert run(tmp_path / "whole", "--mind", mind, steps=2) == 0
    assert run(tmp_path / "begun", "--mind", mind, steps=1) == 0
    assert main(["resume", str(tmp_path / "begun"), "--steps", "2"]) == 0
    for name in SAME:
        assert (tmp_path / "begun" / name).read_bytes() == (tmp_path / "whole" / name).read_bytes()


def test_what_minds_ask_counts_for_the_budget(tmp_path, capsys):
    assert run(tmp_path / "run", "--mind", "react", "--mind", "LL=piano", "--max-tokens", "9000") == 1
    assert "a larger limit" in capsys.readouterr().err
    with Transcript(tmp_path / "run" / "transcript.sqlite") as transcript:
        spent = {row.module: row.tokens for row in transcript.costs.by_module()}
    assert {"action", "controller", "skills"} <= set(spent)
    assert 3000 < sum(spent.values()) <= 9000


def test_failures_are_counted_by_mind(tmp_path, with_page):
    odd = ("--mind", "random", "--mind", "LL=odd_minds:Raises", "--mind", "SG=odd_minds:Inadmissible", "--in-process")
    assert run(tmp_path / "run", "--architecture", "itcma", *odd) == 0
    directory = RunDirectory(tmp_path / "run")
    minds = other_minds(directory.read_manifest(), ["AY", "LL", "SG"])
    assert minds == {"AY": "random", "LL": "odd_minds:Raises", "SG": "odd_minds:Inadmissible"}
    records = directory.records()
    rows = {(module, what): (n, of) for module, what, n, of in failure_rates(records, [], minds, threshold=3.0)}
    assert rows["mind odd_minds:Raises", "steps in which it failed, and its resident waited"] == (4, 4)
    assert rows["mind odd_minds:Inadmissible", "answers that were not admissible"] == (4, 4)
    assert rows["mind random", "answers that were not admissible"] == (0, 4)
    assert "mind odd_minds:Raises" in directory.report_path.read_text()


@pytest.mark.slow
def test_foreign_minds_that_end_their_process_or_close_its_output_change_nothing_else(tmp_path, capsys):
    odd = ("--mind", "random", "--mind", "LL=zoo:EndsAtOnce", "--mind", "SG=zoo:ClosesOutput", "--json")
    assert run(tmp_path / "whole", *odd, steps=2) == 0
    assert json.loads(capsys.readouterr().out)["status"] == "finished"
    assert run(tmp_path / "begun", *odd, steps=1) == 0
    assert main(["resume", str(tmp_path / "begun"), "--steps", "2"]) == 0
    for name in SAME:
        assert (tmp_path / "begun" / name).read_bytes() == (tmp_path / "whole" / name).read_bytes()


def test_a_mind_that_cannot_be_made_ends_the_run_in_one_line(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(contained, "START", 3.0)
    assert run(tmp_path / "run", "--mind", "random", "--mind", "LL=zoo:NeverMade") == 1
    told = capsys.readouterr().err.strip()
    assert "the mind zoo:NeverMade of LL cannot be made: gave no answer for 3 s" in told
    assert RunDirectory(tmp_path / "run").read_manifest()["status"] == "failed"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--mind", "react", "--in-process"], "mind.in_process has no effect"),
        (["--mind", "reat"], "did you mean 'react'?"),
        (["--mind", "XY=react"], "unknown resident 'XY'; known are ['AY', 'SG'"),
        (["--mind", "LL="], "--mind takes NAME or RESIDENT=NAME, got 'LL='"),
        (
            ["--mind", "odd_minds:NoMind"],
            "irollan: the mind 'odd_minds:NoMind' is <class 'odd_minds.NoMind'>, which",
        ),
        (["--mind", "nowhere:Mind"], "irollan: the mind 'nowhere:Mind' cannot be imported: ModuleNotFoundError"),
    ],
)
def test_wrong_names_are_one_line_and_nothing_is_written(tmp_path, capsys, arguments, message):
    assert run(tmp_path / "run", *arguments) == 2
    told = capsys.readouterr().err.strip()
    assert message in told
    assert "\n" not in told
    assert not (tmp_path / "run").exists()


def test_an_entry_point_that_does_not_import_is_one_line(tmp_path, capsys, monkeypatch):
    installed = EntryPoint("mine", "no_such_module:Mine", mind_specs.ENTRY_POINTS)
    monkeypatch.setattr(mind_specs.metadata, "entry_points", lambda group: [installed] if "minds" in group else [])
    assert run(tmp_path / "run", "--mind", "mine") == 2
    told = capsys.readouterr().err.strip()
    assert told.endswith("the mind 'mine' cannot be imported: ModuleNotFoundError: No module named 'no_such_module'")
    assert "\n" not in told
    assert not (tmp_path / "run").exists()
    assert main(["minds"]) == 0
    assert "installed: no_such_module:Mine" in capsys.readouterr().out


def test_a_scenario_with_a_wrong_key_is_one_line(tmp_path, capsys):
    (tmp_path / "mine.toml").write_text('description = "x"\nplaecs = 3\n')
    (tmp_path / "arena.toml").write_text(f'minds = ["idle"]\nscenarios = ["{tmp_path / "mine.toml"}"]\n')
    for command in (["run", "--scenario", str(tmp_path / "mine.toml")], ["arena", str(tmp_path / "arena.toml")]):
        assert main([*command, "--out", str(tmp_path / "out")]) == 2
        told = capsys.readouterr().err.strip()
        assert "unknown key 'plaecs'" in told
        assert "did you mean 'places'?" in told
        assert "\n" not in told
        assert not (tmp_path / "out").exists()


def test_nobody_changes_minds_within_a_run(tmp_path, capsys):
    assert run(tmp_path / "run", "--mind", "idle", "--architecture", "itcma", steps=2) == 0
    assert main(["branch", str(tmp_path / "run"), "--at", "1", "--set", "mind.name=random"]) == 2
    assert "mind.name cannot change within a run" in capsys.readouterr().err
    assert main(["bench", "mechanisms", str(tmp_path / "run")]) == 2
    assert "other minds than itcma-s" in capsys.readouterr().err


def test_the_command_lists_them(capsys):
    assert main(["minds", "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)
    assert rows[0]["name"] == "itcma-s"
    assert {"model", "react", "remote"} <= {row["name"] for row in rows}
    assert main(["minds"]) == 0
    assert "remote:URL" in capsys.readouterr().out


def test_where_a_failure_is_to_stop_the_run_it_says_whose_mind_failed(tmp_path, capsys):
    odd = ("--mind", "random", "--mind", "LL=odd_minds:Raises", "--on-failure", "stop", "--in-process")
    assert run(tmp_path / "run", "--architecture", "itcma", *odd) == 1
    assert "LL did not decide in step 1: the mind odd_minds:Raises raised KeyError" in capsys.readouterr().err
