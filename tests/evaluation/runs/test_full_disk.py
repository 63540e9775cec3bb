"""A disk that is full: a run stops in one line, and goes on, as if nothing had been, once there is room."""

import errno
import io
import multiprocessing
import re
import resource
import sqlite3
from functools import partial

import numpy as np
import pytest

from benchmarks.models.kills import STEPS, readable, run_command, same
from evaluation.commands.cli import main
from evaluation.records.run_directory import RunWriter
from evaluation.runs import checkpoints
from evaluation.runs.full_disk import describe_write_failure
from itcma_s.resident import ItcmaResident
from language_models.disk_error import DiskError
from language_models.embedders.embedding_cache import EmbeddingCache


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    path = tmp_path_factory.mktemp("full_disk") / "whole"
    assert main(["run", "--model", "scripted", "--steps", str(STEPS), "--out", str(path)]) == 0
    return path


def command_on_a_full_disk(most, said, *arguments):
    """Run the command with no file allowed to grow beyond so many bytes; what it says goes to a file."""
    unlimited = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (most, unlimited[1]))
    try:
        run_command(*arguments, errors=(errors := io.StringIO()))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, unlimited)
        said.write_text(errors.getvalue())


def on_a_full_disk(most, folder, *arguments):
    """The exit status of a command on a full disk, and the last line of what it said."""
    said = folder / "said.txt"
    process = multiprocessing.get_context("forkserver").Process(
        target=command_on_a_full_disk, args=(most, said, *arguments)
    )
    process.start()
    process.join()
    text = said.read_text()
    assert "Traceback" not in text
    return process.exitcode, text.splitlines()[-1]


# The transcript cannot be begun, or take the calls of a later step.
@pytest.mark.parametrize("most", [pytest.param(most, marks=pytest.mark.slow) for most in (20_000, 150_000)])
def test_a_run_that_fills_the_disk_ends_in_one_line_and_goes_on_when_there_is_room(tmp_path, whole, most):
    path = tmp_path / "run"
    status, last = on_a_full_disk(most, tmp_path, "run", "--model", "scripted", "--steps", STEPS, "--out", path)
    assert status == 1
    assert re.fullmatch(
        rf"irollan: cannot (write|use) {path}/transcript.sqlite: .*; if the disk is full, make room first "
        rf"\(stopped after step \d of {STEPS}\); resume with: irollan resume {path}",
        last,
    )
    assert readable(path)
    if most < 100_000:
        # As long as there is no room, it says so again, and nothing is lost.
        status, last = on_a_full_disk(most, tmp_path, "resume", path)
        assert status == 1
        assert "; if the disk is full, make room first" in last
    assert main(["resume", str(path)]) == 0
    assert same(path, whole)


@pytest.mark.parametrize("what", ["checkpoint", "records"])
def test_what_is_cut_short_by_a_full_disk_is_taken_back(tmp_path, whole, capsys, monkeypatch, what):
    save, append = checkpoints.save, RunWriter._append

    def full_save(folder, checkpoint, **options):
        if checkpoint.step == 2:
            raise OSError(errno.ENOSPC, "No space left on device")
        return save(folder, checkpoint, **options)

    def full_append(self, name, data):
        if data.startswith(b'{"time":1,'):
            append(self, name, data[:16])
            raise OSError(errno.ENOSPC, "No space left on device")
        append(self, name, data)

    path = tmp_path / "run"
    with monkeypatch.context() as patch:
        if what == "checkpoint":
            patch.setattr(checkpoints, "save", full_save)
        else:
            patch.setattr(RunWriter, "_append", full_append)
        assert main(["run", "--model", "scripted", "--steps", str(STEPS), "--out", str(path)]) == 1
    done = 2 if what == "checkpoint" else 1
    assert capsys.readouterr().err.splitlines()[-1] == (
        f"irollan: cannot write {path}: No space left on device; if the disk is full, make room first (stopped after "
        f"step {done} of {STEPS}); resume with: irollan resume {path}"
    )
    assert main(["resume", str(path)]) == 0
    assert same(path, whole)


def test_a_run_that_cannot_even_begin_is_begun_again(tmp_path, whole):
    path = tmp_path / "run"
    arguments = ("run", "--model", "scripted", "--steps", STEPS, "--out", path)
    status, last = on_a_full_disk(100, tmp_path, *arguments)
    assert status == 1
    assert last.startswith(f"irollan: cannot write {path / 'map.json'}: File too large; if the disk is full, make")
    assert "resume" not in last
    assert main([*map(str, arguments)]) == 0
    assert same(path, whole)


def test_a_branch_that_fills_the_disk_is_begun_again(tmp_path, whole, capsys):
    path = tmp_path / "branch"
    arguments = ("branch", whole, "--at", 3, "--out", path)
    status, last = on_a_full_disk(60_000, tmp_path, *arguments)
    assert status == 1
    assert last.endswith("if the disk is full, make room first, and then begin again with irollan branch --force")
    assert main([*map(str, arguments), "--force"]) == 0
    assert same(path, whole)


def test_where_the_report_finds_no_room_the_run_is_whole_and_resume_writes_it(tmp_path, capsys, monkeypatch):
    def full(*_):
        raise OSError(errno.ENOSPC, "No space left on device")

    path = tmp_path / "run"
    with monkeypatch.context() as patch:
        patch.setattr("evaluation.report.run_report.write_report", full)
        assert main(["run", "--model", "scripted", "--steps", "1", "--out", str(path)]) == 1
    assert capsys.readouterr().err.splitlines()[-1] == (
        f"irollan: cannot write {path}: No space left on device; if the disk is full, make room first (stopped after "
        f"step 1 of 1); resume with: irollan resume {path}"
    )
    assert main(["resume", str(path)]) == 0
    assert (path / "report.html").is_file()


def test_a_defect_is_told_where_its_trace_finds_no_room(tmp_path, capsys, monkeypatch):
    path = tmp_path / "run"

    async def broken(self, observation):
        (path / "error.txt").unlink(missing_ok=True)
        (path / "error.txt").symlink_to("/dev/full")
        raise ZeroDivisionError("a defect")

    monkeypatch.setattr(ItcmaResident, "act", broken)
    assert main(["run", "--model", "scripted", "--steps", "1", "--out", str(path)]) == 1
    lines = capsys.readouterr().err.splitlines()
    assert f"where in the program is not written down: [Errno 28] No space left on device: '{path}/error.txt'" in lines
    assert lines[-1].endswith(
        f"ZeroDivisionError: a defect (stopped after step 0 of 1); resume with: irollan resume {path}"
    )


def test_what_a_full_disk_took_of_a_file_does_not_stay(tmp_path, monkeypatch):
    def full(_):
        raise OSError(errno.ENOSPC, "No space left on device")

    (tmp_path / "checkpoints").mkdir()
    monkeypatch.setattr("os.fsync", full)
    checkpoint = checkpoints.Checkpoint(step=1, society={}, transcript={}, checksum="")
    with pytest.raises(OSError, match="No space left"):
        checkpoints.save(tmp_path / "checkpoints", checkpoint)
    assert list((tmp_path / "checkpoints").iterdir()) == []


def test_a_transcript_that_another_process_holds_ends_the_run_in_a_line_that_says_so(
    tmp_path, whole, capsys, monkeypatch
):
    path, holders = tmp_path / "run", []
    append = RunWriter.append

    def hold(self, new, *rest):
        append(self, new, *rest)
        if new[0]["time"] == 1:
            holders.append(holder := sqlite3.connect(path / "transcript.sqlite", isolation_level=None))
            holder.execute("BEGIN IMMEDIATE")

    with monkeypatch.context() as patch:
        patch.setattr(RunWriter, "append", hold)
        patch.setattr(sqlite3, "connect", partial(sqlite3.connect, timeout=0))
        assert main(["run", "--model", "scripted", "--steps", str(STEPS), "--out", str(path)]) == 1
    assert capsys.readouterr().err.splitlines()[-1] == (
        f"irollan: cannot write {path}/transcript.sqlite: database is locked; another process holds the file, let that "
        f"end first (stopped after step 2 of {STEPS}); resume with: irollan resume {path}"
    )
    holders[0].close()
    assert main(["resume", str(path)]) == 0
    assert same(path, whole)


def test_what_is_of_a_disk_and_what_is_not(tmp_path):
    full = OSError(errno.ENOSPC, "No space left on device")
    assert describe_write_failure(full, tmp_path).startswith(f"cannot write {tmp_path}: No space left on device; ")
    by_name = OSError(errno.EROFS, "Read-only file system", "/mnt/events.jsonl")
    assert describe_write_failure(by_name, tmp_path).startswith(
        "cannot write /mnt/events.jsonl: Read-only file system; "
    )
    defect = RuntimeError("resident MD")
    assert describe_write_failure(defect, tmp_path) == ""
    with EmbeddingCache(tmp_path / "e.sqlite") as cache:
        cache._database.execute("PRAGMA max_page_count = 1")
        with pytest.raises(DiskError) as raised:
            cache.keep("model", {"bed": np.ones(100_000, dtype=np.float32)})
    defect.__cause__ = raised.value
    assert describe_write_failure(defect, tmp_path) == (
        f"cannot write {tmp_path}/e.sqlite: database or disk is full; if the disk is full, make room first"
    )
    for other in (
        OSError("Multiple exceptions: [Errno 111] Connect call failed ('::1', 9), [Errno 111] Connect call failed"),
        TimeoutError(),
        ConnectionResetError(),
        FileNotFoundError(errno.ENOENT, "no"),
        OSError(errno.EPERM, ""),
    ):
        assert describe_write_failure(other, tmp_path) == ""
