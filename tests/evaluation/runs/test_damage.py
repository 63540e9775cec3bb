"""Runs whose files were damaged: it is noticed, said in one line, and never used."""

import random
import shutil
import sqlite3
from contextlib import closing

import pytest

from evaluation.commands.cli import main
from evaluation.records.recorded_run import read_run
from evaluation.records.run_directory import RunDirectory

STEPS = 4
DAMAGED = ("events.jsonl", "metrics.csv", "transcript.sqlite", "checksums.jsonl", "manifest.json", "checkpoints")


def run(path, *arguments, steps=STEPS):
    return main(["run", "--model", "scripted", "--steps", str(steps), "--out", str(path), *arguments])


def content(path):
    """What the records and the transcript of a run hold."""
    directory = RunDirectory(path)
    with directory.transcript() as transcript:
        return read_run(path).records, directory.metrics(), list(transcript.calls())


def read(path):
    """The same, or why it cannot be read."""
    try:
        return content(path)
    except ValueError as error:
        return str(error)


def files(path):
    return {one.relative_to(path): one.read_bytes() for one in path.rglob("*") if one.is_file() and one.name != ".lock"}


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """A run, and the same one with another step."""
    path, longer = (tmp_path_factory.mktemp("damage") / name for name in ("run", "longer"))
    assert run(path) == 0
    shutil.copytree(path, longer)
    assert main(["resume", str(longer), "--steps", str(STEPS + 1)]) == 0
    return path, longer


@pytest.fixture
def copied(whole, tmp_path):
    return shutil.copytree(whole[0], tmp_path / "run")


def flip(data, rng):
    place = rng.randrange(len(data))
    data[place] ^= 1 << rng.randrange(8)


def garble(data, rng):
    for _ in range(20):
        data[rng.randrange(len(data))] = rng.randrange(256)


def cut(data, rng):
    del data[rng.randrange(len(data)) :]


def zero(data, rng):
    begin = rng.randrange(0, len(data), 4096)
    data[begin : begin + 4096] = bytes(len(data[begin : begin + 4096]))


def drop(data, rng):
    begin = rng.randrange(len(data))
    del data[begin : begin + rng.randrange(1, 100)]


HARMS = (flip, garble, cut, zero, drop)


def damage(path, case):
    """Damage one file of a run in some way, and return the file."""
    rng = random.Random(case)
    name = DAMAGED[case % len(DAMAGED)]
    file = rng.choice(sorted((path / name).iterdir())) if name == "checkpoints" else path / name
    data = bytearray(file.read_bytes())
    while bytes(data) == file.read_bytes():
        HARMS[case // len(DAMAGED) % len(HARMS)](data, rng)
    file.write_bytes(data)
    return file


@pytest.mark.parametrize("case", [*range(0, 48, 3), *(pytest.param(n, marks=pytest.mark.slow) for n in range(48, 332))])
def test_damage_is_noticed_or_changes_nothing(copied, whole, capsys, case):
    """Some damage changes nothing that is read: a byte of white space, or of a page that SQLite does not use."""
    file = damage(copied, case)
    found = read(copied)
    assert found == content(whole[0]) or str(copied) in found
    capsys.readouterr()
    for command in (["replay", str(copied)], ["resume", str(copied), "--steps", str(STEPS + 1)]):
        before = files(copied)
        status = main(command)
        said = capsys.readouterr().err
        assert "Traceback" not in said
        if status:
            assert said.splitlines()[-1].startswith("irollan: ")
            assert str(copied) in said
            assert files(copied) == before
    if not status:
        assert content(copied) == content(whole[1])
        noticed = "damaged, and not used" in said or "passing over a checkpoint" in said
        assert noticed or file.name in ("step-0000003.json", "manifest.json")


def without_calls(path):
    with closing(sqlite3.connect(path / "transcript.sqlite")) as database, database:
        database.execute("DELETE FROM calls WHERE time = 3")


@pytest.mark.parametrize(
    ("name", "spoil"),
    [
        ("events.jsonl", lambda path: path.write_bytes(path.read_bytes()[:-100])),
        ("metrics.csv", lambda path: path.write_bytes(path.read_bytes()[:-3] + b"1.\n")),
        ("transcript.sqlite", lambda path: without_calls(path.parent)),
        ("checksums.jsonl", lambda path: path.write_bytes(path.read_bytes()[:-5])),
        ("checkpoints/step-0000004.json", lambda path: path.write_text("[" * 100_000)),
    ],
)
def test_a_resume_goes_back_to_the_last_whole_checkpoint(copied, whole, capsys, name, spoil):
    spoil(copied / name)
    assert main(["resume", str(copied), "--steps", str(STEPS + 1)]) == 0
    said = capsys.readouterr().err
    assert str(copied / name) in said
    assert "resuming from the checkpoint before, with 3 steps done" in said
    assert content(copied) == content(whole[1])


@pytest.mark.parametrize(
    ("name", "at"),
    [("transcript.sqlite", 0), ("events.jsonl", 0), ("metrics.csv", STEPS - 1), ("checksums.jsonl", None)],
)
@pytest.mark.parametrize("lost", [True, False])
def test_without_a_whole_checkpoint_a_resume_is_refused_and_names_a_way_that_works(
    copied, whole, capsys, name, at, lost
):
    (copied / name).unlink() if lost else (copied / name).write_bytes(b"")
    before = files(copied)
    assert main(["resume", str(copied), "--steps", "9"]) == 2
    said = capsys.readouterr().err
    assert said.startswith(f"irollan: {copied / name} ") or at is None
    assert files(copied) == before
    if at is not None:
        assert said.endswith(f"irollan branch {copied} --at {at}\n")
        assert main(["branch", str(copied), "--at", str(at), "--out", str(copied.parent / "saved")]) == 0
        assert content(copied.parent / "saved")[0] == content(whole[0])[0]
