"""What irollan check says of a run, and what reads a run without writing to it."""

import json
import os
import re
import shutil

import pytest

from evaluation.commands.cli import main
from evaluation.records.run_directory import RunDirectory
from evaluation.runs import execution
from evaluation.runs.identities import read_identities
from evaluation.runs.process import Interrupts
from irollan_env.map.valley_map import ValleyMap
from language_models.embedders.embedding_cache import EmbeddingCache
from language_models.prices import read_prices

STEPS = 3


@pytest.fixture(scope="module")
def lived(tmp_path_factory):
    path = tmp_path_factory.mktemp("check") / "run"
    assert main(["run", "--model", "scripted", "--steps", str(STEPS), "--out", str(path)]) == 0
    EmbeddingCache(path / "embeddings.sqlite").close()
    RunDirectory(path).write_manifest(RunDirectory(path).read_manifest())
    return path


@pytest.fixture
def copied(lived, tmp_path):
    return shutil.copytree(lived, tmp_path / "run")


def listing(path):
    return {one.relative_to(path): one.read_bytes() for one in path.rglob("*") if one.is_file()}


def checked(path, capsys):
    capsys.readouterr()
    status = main(["check", str(path), "--json"])
    found = json.loads(capsys.readouterr().out)
    assert status == (0 if found["whole"] else 1)
    return found


def test_a_whole_run_is_said_to_be_whole_and_left_as_it_is(copied, capsys):
    before = listing(copied)
    assert main(["check", str(copied)]) == 0
    said = capsys.readouterr().out.splitlines()
    assert {line.split()[0] for line in said} == {
        *("checksums.jsonl", "events.jsonl", "metrics.csv", "transcript.sqlite", "embeddings.sqlite", "map.json"),
        *(f"checkpoints/step-000000{step}.json" for step in (2, 3)),
    }
    assert all(line.endswith(" whole") for line in said)
    assert listing(copied) == before


@pytest.mark.parametrize(
    ("name", "damaged", "steps", "resumed", "branched"),
    [
        ("events.jsonl", lambda data: data[:-9], 2, 2, 2),
        ("metrics.csv", lambda data: data.replace(b"2,AY", b"2,AX"), 2, 2, 2),
        ("events.jsonl", lambda data: data + b"{}\n", 3, 3, 2),
        ("transcript.sqlite", lambda data: data[:4096], 0, None, 0),
        ("checksums.jsonl", lambda data: b"x" + data, 0, None, 0),
    ],
)
def test_the_remedies_for_a_damaged_run_work(copied, lived, capsys, name, damaged, steps, resumed, branched):
    (copied / name).write_bytes(damaged((copied / name).read_bytes()))
    found = checked(copied, capsys)
    (fault,) = [one for one in found["files"] if one["fault"]]
    assert (fault["file"], fault["steps"]) == (name, steps)
    *going_on, branching = found["remedies"]
    assert going_on == ([] if resumed is None else [f"resume from step {resumed} with: irollan resume {copied}"])
    assert branching.endswith(f"irollan branch {copied} --at {branched}")
    expected = (lived / "events.jsonl").read_bytes()
    for remedy in found["remedies"][::-1]:
        command = remedy.partition("irollan ")[2].split()
        made = copied.parent / "new" if command[0] == "branch" else copied
        assert main([*command, *(["--out", str(made)] if made != copied else [])]) == 0
        assert (made / "events.jsonl").read_bytes() == expected
        assert checked(made, capsys)["whole"]


def test_a_run_without_its_transcript_is_not_begun_from_it(copied, capsys):
    (copied / "transcript.sqlite").unlink()
    back, anew = checked(copied, capsys)["remedies"]
    assert back == "put transcript.sqlite back from a copy"
    assert "models are asked for everything" in anew
    assert anew.endswith(f"irollan branch {copied} --at 0")
    assert main(["resume", str(copied)]) == 2
    assert "of its transcript" not in capsys.readouterr().err


@pytest.mark.parametrize("name", ["embeddings.sqlite", "checkpoints/step-0000003.json"])
def test_damage_that_no_step_has_is_named(copied, capsys, name):
    data = bytearray((copied / name).read_bytes())
    data[len(data) // 2] ^= 1
    (copied / name).write_bytes(data)
    assert [one["file"] for one in checked(copied, capsys)["files"] if one["fault"]] == [name]
    (copied / name).unlink()
    found = checked(copied, capsys)
    assert found["whole"] == (name == "embeddings.sqlite")


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("null", "must be a JSON object"),
        ('"a run"', "must be a JSON object"),
        ("[" * 100_000, "recursion"),
        (("cr)terion", "steps_done"), "does not have the sha256"),
        (("criterion", "steps_done"), "does not have the sha256"),
    ],
)
def test_a_damaged_manifest_is_one_line_and_nothing_is_touched(copied, capsys, text, reason):
    file = copied / "manifest.json"
    file.write_text(text if isinstance(text, str) else file.read_text().replace(text[1], text[0]))
    before = listing(copied)
    for command in ("check", "resume", "report", "measures", "replay", "view"):
        more = ["--out", str(copied.parent / "page.html")] if command == "view" else []
        assert main([command, str(copied), *more]) in (1, 2)
        said = capsys.readouterr().err
        assert re.fullmatch(rf"irollan: .*{reason}.*\n", said), said
    assert listing(copied) == before


def test_a_run_of_another_shape_is_refused_although_its_sha256_is_right(copied, capsys):
    directory = RunDirectory(copied)
    manifest = directory.read_manifest()
    for changes in ({"criterion": 1}, {"steps_done": "3"}, {"models": []}, {"configuration": {"effective": {}}}):
        directory.write_manifest({**manifest, **changes})
        assert main(["report", str(copied)]) == 2
        assert f"not the manifest of a run: {next(iter(changes))}" in capsys.readouterr().err


def test_a_run_from_before_checksums_is_taken_as_it_is_on_request(copied, lived, capsys):
    (copied / "checksums.jsonl").unlink()
    manifest = json.loads((copied / "manifest.json").read_text())
    (copied / "manifest.json").write_text(
        json.dumps({key: one for key, one in manifest.items() if key not in ("format", "version", "sha256", "files")})
    )
    assert main(["report", str(copied)]) == 2
    assert f"irollan check {copied} --accept" in capsys.readouterr().err
    assert main(["check", str(copied), "--accept"]) == 0
    assert (copied / "checksums.jsonl").read_bytes() == (lived / "checksums.jsonl").read_bytes()
    assert main(["check", str(copied), "--accept"]) == 2
    assert main(["replay", str(copied)]) == 0


def test_reading_needs_no_writing(copied, capsys, monkeypatch):
    """Of a run that has ended; test_sqlite_files.py has one that was killed."""
    before, pages = listing(copied), copied.parent / "pages"
    real = os.access
    refused = lambda path, mode: mode & os.W_OK and str(path).startswith(str(copied))  # noqa: E731
    monkeypatch.setattr(os, "access", lambda path, mode: real(path, mode) and not refused(path, mode))
    assert main(["report", str(copied)]) == 2
    assert f"{copied} cannot be written to; name a folder for the pages with --out DIR" in capsys.readouterr().err
    for command in (
        ["report", "--out", str(pages)],
        ["view", "--out", str(copied.parent / "view.html")],
        ["replay"],
        ["measures"],
        ["branch", "--at", "1", "--out", str(copied.parent / "branch")],
        ["interview", "--who", "LL", "How are you?"],
    ):
        assert main([command[0], str(copied), *command[1:]]) == 0
        assert listing(copied) == before
    assert (pages / "report.html").is_file()


def test_a_folder_that_is_moved_while_the_run_writes_to_it(tmp_path, capsys, monkeypatch):
    to, path = tmp_path / "moved", tmp_path / "run"
    save = execution.run_loop

    async def moving(*given, **options):
        path.rename(to)
        return await save(*given, **options)

    monkeypatch.setattr(execution, "run_loop", moving)
    assert main(["run", "--model", "scripted", "--steps", "2", "--out", str(path)]) == 1
    said = capsys.readouterr().err.splitlines()[-1]
    assert said.startswith(f"irollan: {path} was moved to {to} while the run wrote to it (stopped after step ")
    assert said.endswith(f"resume with: irollan resume {to}")
    monkeypatch.undo()
    assert main(["resume", str(to)]) == 0
    assert main(["check", str(to)]) == 0


def test_a_folder_that_is_removed_while_the_run_writes_to_it(tmp_path, capsys, monkeypatch):
    real = execution.run_loop

    async def removing(*given, **options):
        shutil.rmtree(tmp_path / "run")
        return await real(*given, **options)

    monkeypatch.setattr(execution, "run_loop", removing)
    assert main(["run", "--model", "scripted", "--steps", "2", "--out", str(tmp_path / "run")]) == 1
    said = capsys.readouterr().err
    assert "Traceback" not in said
    assert f"{tmp_path / 'run'} was moved or removed while the run wrote to it" in said.splitlines()[-1]


def test_a_second_interrupt_names_the_command_that_goes_on(monkeypatch, capsys):
    ended = []
    monkeypatch.setattr(os, "_exit", ended.append)
    interrupts = Interrupts(lambda text: None, "irollan resume runs/mine")
    for _ in range(2):
        interrupts._handle(2, None)
    assert ended == [1]
    assert capsys.readouterr().err == "\nirollan: stopped at once; resume with: irollan resume runs/mine\n"


@pytest.mark.parametrize(
    "read",
    [
        read_identities,
        ValleyMap.from_toml,
        read_prices,
    ],
)
def test_a_deeply_nested_file_is_an_error_in_one_line(tmp_path, read):
    path = tmp_path / "deep.toml"
    path.write_text("a = " + "[" * 100_000)
    with pytest.raises(ValueError, match=r"recursion|unhashable|deep"):
        read(path)
