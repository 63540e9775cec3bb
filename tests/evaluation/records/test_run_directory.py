import json
import os
import shutil
from dataclasses import asdict
from pathlib import Path

import numpy as np
import pytest
from made_up_runs import made_up_manifest, made_up_run, signed

from evaluation.commands.cli import main
from evaluation.records.checksums import DamageError, read_chain
from evaluation.records.directories import DirectoryError
from evaluation.records.metrics import Metric, to_csv
from evaluation.records.records import parse_jsonl, to_jsonl
from evaluation.records.run_directory import RunDirectory, RunWriter

MANIFEST = made_up_manifest(status="running")
ROWS = [Metric(0, "AY", "driver", 0.1 + 0.2), Metric(0, "LL's Home", "topic", -1.0)]


def begin(path, **options):
    writer = RunWriter(RunDirectory(path), **options)
    writer.directory.write_manifest(MANIFEST)
    return writer


def test_what_is_appended_is_read(tmp_path):
    records = [{"time": 0, "thought": "é\u2028 \ud800 \n"}, {"time": 1, "driver": 0.1 + 0.2}]
    with begin(tmp_path / "runs" / "one") as writer:
        writer.append(records, ROWS)
        directory = writer.directory
    assert directory.records() == records
    assert directory.metrics()[0] == {"time": 0, "subject": "AY", "quantity": "driver", "value": 0.1 + 0.2}
    assert directory.metrics_path.read_text().splitlines()[0] == "time,subject,quantity,value"
    directory.events_path.read_text(encoding="utf-8")
    assert directory.read_manifest() == MANIFEST


def test_what_a_killed_run_did_not_finish_is_left_out_and_damage_is_named(tmp_path):
    with begin(tmp_path) as writer:
        writer.append([{"time": 0}], ROWS)
    directory = writer.directory
    with directory.events_path.open("ab") as file:
        file.write(b'{"time": 1}\n{"ti')
    with directory.metrics_path.open("ab") as file:
        file.write(b"1,AY,dri")
    assert directory.records() == [{"time": 0}]
    assert len(directory.metrics()) == 2
    assert directory.whole("events.jsonl").left == 16
    for path, read in ((directory.events_path, directory.records), (directory.metrics_path, directory.metrics)):
        path.write_bytes(path.read_bytes().replace(b"0", b"1", 1))
        with pytest.raises(DamageError, match=rf"{path.name} is damaged; irollan check .* says what is whole"):
            read()


def test_a_run_that_grows_while_it_is_read_is_whole_and_lost_checksums_are_damage(tmp_path):
    with begin(tmp_path) as writer:
        writer.append([{"time": 0}], ROWS)
        chain = read_chain(tmp_path)
        for time in (1, 2):
            writer.append([{"time": time}], ROWS)
    assert chain.prefix("events.jsonl", closed=False).fault == ""
    path = writer.directory.checksums_path
    path.write_bytes(path.read_bytes().splitlines(keepends=True)[0])
    assert "more than one step" in read_chain(tmp_path).prefix("events.jsonl", closed=False).fault


def test_values_of_numpy_are_written_as_numbers():
    assert to_csv([Metric(0, "AY", "driver", np.float64(1.5))]) == "0,AY,driver,1.5\n"


@pytest.mark.parametrize(
    ("name", "line", "reason"),
    [
        ("events.jsonl", b"junk\n", "events.jsonl, line 3 is not JSON"),
        ("metrics.csv", b"x,AY,driver,1.0\n", "metrics.csv, line 4: .* got 'x'"),
    ],
)
def test_accepting_names_the_damaged_line(tmp_path, name, line, reason):
    directory = made_up_run(tmp_path, [{"time": 0}, {"time": 1}], [asdict(row) for row in ROWS])
    with (tmp_path / name).open("ab") as file:
        file.write(line)
    with pytest.raises(ValueError, match=reason):
        signed(directory)


@pytest.mark.parametrize(
    ("line", "fault"),
    [
        ("[1]", "no record: Input should be a valid dictionary"),
        ("{}", "no record: time: Field required"),
        ('{"time": "0"}', "no record: time: Input should be a valid integer"),
        ('{"time": 0, "admissible": "all"}', "no record: admissible: Input should be a valid list"),
        ('{"time": 0, "driver": "0.5"}', "no record: driver: Input should be a valid number"),
        ("[" * 100_000, "not JSON: maximum recursion"),
    ],
)
def test_a_line_of_another_shape_is_named(line, fault):
    with pytest.raises(ValueError, match=f"events.jsonl, line 2 is {fault}"):
        parse_jsonl(Path("events.jsonl"), f'{{"time": 0}}\n{line}\n'.encode())


def test_numbers_that_are_not_finite_are_refused():
    with pytest.raises(ValueError, match="a record must hold finite numbers only"):
        to_jsonl([{"driver": float("inf")}])


def test_rewind_takes_the_files_back(tmp_path):
    with begin(tmp_path) as writer:
        directory, paths = writer.directory, (tmp_path / name for name in ("events.jsonl", "metrics.csv"))
        writer.append([{"time": 0}], ROWS)
        before = [path.read_bytes() for path in paths]
        writer.append([{"time": 1}], ROWS)
        writer.rewind(read_chain(tmp_path), 1)
        assert [directory.events_path.read_bytes(), directory.metrics_path.read_bytes()] == before
        writer.append([{"time": 7}], [])
        assert [record["time"] for record in directory.records()] == [0, 7]
        writer.rewind(read_chain(tmp_path), 0)
        assert (directory.records(), directory.metrics()) == ([], [])


def test_only_one_process_writes(tmp_path):
    with begin(tmp_path), pytest.raises(DirectoryError, match="another process is writing to"):
        RunWriter(RunDirectory(tmp_path))
    RunWriter(RunDirectory(tmp_path)).close()


def test_a_run_is_replaced_by_force_only_and_other_files_never(tmp_path):
    path = tmp_path / "run"
    RunDirectory(path).check_free(force=False)
    path.mkdir()
    RunDirectory(path).check_free(force=False)
    with begin(path) as writer:
        writer.append([{"time": 0}], ROWS)
    (path / "notes.txt").write_text("mine")
    with pytest.raises(DirectoryError, match="holds a run already; give another --out, or --force to replace it"):
        RunDirectory(path).check_free(force=False)
    RunDirectory(path).check_free(force=True)
    with begin(path, replace=True) as writer:
        assert writer.directory.records() == []
    assert (path / "notes.txt").read_text() == "mine"
    with pytest.raises(DirectoryError, match=r"notes.txt exists and is no directory"):
        RunDirectory(path / "notes.txt").check_free(force=True)


@pytest.mark.parametrize(
    ("manifest", "says"),
    [
        (b'{"name": "a web application", "version": 1}', "does not have the format"),
        (b"[]", "is damaged"),
        (b"{", "is damaged"),
        (b'{"format": "irollan run", "version": 2}', "of version 2"),
        (None, "files that are not a run's"),
    ],
)
def test_files_of_another_program_are_never_replaced(tmp_path, manifest, says):
    theirs = {"checkpoints/model.bin": b"weights", "figures/fig1.png": b"drawn", "report.html": b"<p>"}
    theirs |= {"manifest.json": manifest} if manifest is not None else {}
    for name, content in theirs.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes(content)
    for force in (False, True):
        with pytest.raises(DirectoryError, match=says) as caught:
            RunDirectory(tmp_path).check_free(force=force)
        assert "--force" not in str(caught.value)
    with pytest.raises(DirectoryError):
        RunWriter(RunDirectory(tmp_path), replace=True)
    kept = {str(one.relative_to(tmp_path)): one.read_bytes() for one in tmp_path.rglob("*") if one.is_file()}
    kept.pop(".lock", None)
    assert kept == theirs


def test_force_removes_what_a_run_wrote_and_keeps_what_others_put_beside_it(tmp_path):
    with begin(tmp_path) as writer:
        writer.append([{"time": 0}], ROWS)
    ours = ["checkpoints/step-0000001.json", "figures/driver.png", "report.html", "transcript.sqlite", "view.html"]
    for name in (*ours, "checkpoints/model.bin", "figures/fig1.png"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes(b"")
    begin(tmp_path, replace=True).close()
    assert not [name for name in ours if (tmp_path / name).exists()]
    assert (tmp_path / "checkpoints/model.bin").exists()
    assert (tmp_path / "figures/fig1.png").exists()


def test_what_a_run_leaves_that_is_killed_before_its_manifest_is_free(tmp_path):
    RunWriter(RunDirectory(tmp_path)).close()
    (tmp_path / "metrics.csv").write_text("time,sub")
    RunDirectory(tmp_path).check_free(force=False)
    (tmp_path / "metrics.csv").write_text("time,price\n0,1\n")
    with pytest.raises(DirectoryError, match="files that are not a run's"):
        RunDirectory(tmp_path).check_free(force=True)


WRITTEN = (
    "events.jsonl",
    "metrics.csv",
    "transcript.sqlite",
    "view.html",
    ".report.html.new",
    ".lock",
    "figures/driver.png",
)


@pytest.mark.parametrize("name", [*WRITTEN, "checkpoints", "figures"])
@pytest.mark.parametrize("target", ["precious.txt", "missing.txt"])
def test_nothing_is_written_through_a_link(tmp_path, name, target):
    run = tmp_path / "run"
    with begin(run) as writer:
        writer.append([{"time": 0}], ROWS)
    (tmp_path / "precious.txt").write_text("mine")
    (run / name).parent.mkdir(exist_ok=True)
    (run / name).unlink(missing_ok=True)
    (run / name).symlink_to(tmp_path / target)
    for replace in (False, True):
        with pytest.raises(ValueError, match="is a link, through which nothing is written"):
            RunWriter(RunDirectory(run), replace=replace)
    assert (run / name).is_symlink()
    assert sorted(one.name for one in tmp_path.iterdir()) == ["precious.txt", "run"]
    assert (tmp_path / "precious.txt").read_text() == "mine"
    (run / name).unlink()
    begin(run).close()


def test_report_and_resume_write_through_no_link_and_force_removes_a_whole_run(tmp_path, capsys, with_report):
    run = tmp_path / "run"
    assert main(["run", "--model", "scripted", "--steps", "1", "--out", str(run)]) == 0
    precious = tmp_path / "precious"
    precious.write_text("mine")
    for name in ("view.html", "metrics.csv", "figures/network.png"):
        kept = (run / name).read_bytes()
        (run / name).unlink()
        (run / name).symlink_to(precious)
        assert main(["report", str(run)]) == 2
        assert main(["resume", str(run), "--steps", "2"]) == 2
        (run / name).unlink()
        (run / name).write_bytes(kept)
    other = shutil.copytree(run, tmp_path / "other")
    (run / "comparison.html").symlink_to(precious)
    assert main(["report", str(other), str(run)]) == 0
    assert precious.read_text() == "mine"
    RunDirectory(run).remove_run()
    assert [one.name for one in run.iterdir()] == [".lock"]


def test_a_place_where_no_run_can_be_made(tmp_path, monkeypatch):
    (tmp_path / "notes.txt").write_text("mine")
    (tmp_path / "astray").symlink_to(tmp_path / "nowhere")
    for name in ("notes.txt", "astray"):
        path = tmp_path / name / "deep" / "run"
        with pytest.raises(DirectoryError, match=rf"run cannot be made: .*/{name} is no directory; give another --out"):
            RunDirectory(path).check_free(force=True)
    monkeypatch.chdir(tmp_path)
    RunDirectory("deep/run").check_free(force=False)
    monkeypatch.setattr(os, "access", lambda path, mode: not Path(path).samefile(tmp_path))
    for path in ("deep/run", tmp_path):
        with pytest.raises(DirectoryError, match="is not yours to write to; give another --out"):
            RunDirectory(path).check_free(force=True)
    assert sorted(one.name for one in tmp_path.iterdir()) == ["astray", "notes.txt"]


def test_a_folder_that_takes_none_although_it_seems_to(tmp_path, monkeypatch):
    def refuse(*_, **__):
        raise FileNotFoundError(2, "No such file or directory")

    RunDirectory(tmp_path / "a" / "b").check_free(force=False)
    assert list(tmp_path.iterdir()) == []
    monkeypatch.setattr("tempfile.mkdtemp", refuse)
    reason = rf"{tmp_path}/a/b cannot be made: {tmp_path} takes no folder \(No such file or directory\); give another"
    with pytest.raises(DirectoryError, match=reason):
        RunDirectory(tmp_path / "a" / "b").check_free(force=False)


def test_what_is_no_run(tmp_path):
    with pytest.raises(DirectoryError, match=r"it has no manifest.json"):
        RunDirectory(tmp_path).check_run()
    (tmp_path / "first-run").mkdir()
    RunDirectory(tmp_path / "first-run").write_manifest({})
    (tmp_path / "frist-rum").mkdir()
    with pytest.raises(DirectoryError, match=r"there is no run directory .*; did you mean .*/first-run?"):
        RunDirectory(tmp_path / "frist-run").check_run()
    with pytest.raises(DirectoryError, match="give one that irollan run has made"):
        RunDirectory(tmp_path / "zzz" / "zzz").check_run()
    (tmp_path / "manifest.json").write_text("{")
    with pytest.raises(DirectoryError, match=r"manifest.json is damaged"):
        RunDirectory(tmp_path).read_manifest()
    (tmp_path / "manifest.json").write_text(json.dumps([1]))
    with pytest.raises(DirectoryError, match="it must be a JSON object"):
        RunDirectory(tmp_path).read_manifest()
