"""Runs killed with kill -9 at random moments, then resumed and compared with an uninterrupted run."""

from __future__ import annotations

import io
import multiprocessing
import random
import shutil
import signal
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass, field
from multiprocessing.context import ForkServerProcess
from pathlib import Path
from unittest import mock

from evaluation.records.run_directory import RunDirectory
from evaluation.runs import checkpoints
from evaluation.runs.checkpoints import CheckpointError
from language_models.transcript.calls import Call
from language_models.transcript.transcript import Transcript
from language_models.transcript.transcript_file import TranscriptError

STEPS = 4
RESUMES_KILLED = 0.5
"""Probability that a resume is killed too."""
COMPARED = ("events.jsonl", "metrics.csv")

REPORTING = "evaluation.report.run_report.write_report"
"""Function that writes the report of a run, replaced because it takes longer than the run."""

_context = multiprocessing.get_context("forkserver")
# Hundreds of commands run in forked processes, which share modules loaded once.
_context.set_forkserver_preload(["benchmarks.models.warm_command"])


@dataclass(kw_only=True, slots=True)
class Kills:
    """Counts of killed runs and of their results.

    Attributes:
        runs: Number of runs.
        kills: Number of kills, of runs and of resumes.
        resumes: Number of kills of a resume.
        steps_of_runs: Time steps done when a run was killed, each number once; -1 before there were records.
        steps_of_resumes: Time steps done when a resume was killed.
        unexpected: Number of processes that were not killed and ended with an unexpected exit status.
        different: Number of runs whose results differ from the uninterrupted run.
        unreadable: Number of times that a transcript or a checkpoint could not be read.
    """

    runs: int = 0
    kills: int = 0
    resumes: int = 0
    steps_of_runs: set[int] = field(default_factory=set)
    steps_of_resumes: set[int] = field(default_factory=set)
    unexpected: int = 0
    different: int = 0
    unreadable: int = 0


def kill_runs(kills: int, folder: Path, tell: Callable[[str], None] = lambda line: None) -> Kills:
    """Kill runs and resumes with the scripted model at random moments, and resume each run to its end.

    Args:
        kills: Number of kills, at least 1.
        folder: An empty folder for the runs.
        tell: Takes a line about the progress.
    """
    if kills < 1:
        raise ValueError(f"kills must be at least 1, got {kills}")
    rng = random.Random(0)
    whole, found = folder / "whole", Kills()
    start_run(whole).join()
    seconds = 0.5
    while found.kills < kills:
        path = folder / str(found.runs)
        found.runs += 1
        run = start_run(path)
        _wait(run, path / "events.jsonl", rng.randint(-1, STEPS), rng.uniform(0, 0.03))  # a step takes about as long
        _kill(run, path, found)
        while found.kills < kills and rng.random() < RESUMES_KILLED:
            state = {"resumed": (path / "manifest.json").exists(), "finished": _finished(path)}
            again = resume_run(path)
            again.join(rng.uniform(0, seconds))
            _kill(again, path, found, **state)
        # A resume of a finished run is refused with exit status 2.
        expected = 2 if _finished(path) else 0
        began, last = time.perf_counter(), resume_run(path)
        last.join()
        seconds = time.perf_counter() - began
        found.unexpected += last.exitcode != expected
        found.unreadable += not readable(path)
        found.different += not same(path, whole)
        if found.runs % 10 == 0:
            tell(f"{found.kills} of {kills} kills, {found.resumes} of them of a resume")
    return found


def _kill(
    process: ForkServerProcess, path: Path, found: Kills, *, resumed: bool = False, finished: bool = False
) -> None:
    """Kill a run or a resume, and count whether what it leaves can be read."""
    process.kill()
    process.join()
    if process.exitcode == -signal.SIGKILL:
        found.kills += 1
        found.resumes += resumed
        (found.steps_of_resumes if resumed else found.steps_of_runs).add(steps_done(path / "events.jsonl"))
    else:
        found.unexpected += process.exitcode != (2 if finished else 0)
    found.unreadable += not readable(path)


def start_run(path: Path) -> ForkServerProcess:
    """Start a short run in another process."""
    return spawn("run", "--model", "scripted", "--steps", STEPS, "--out", path)


def resume_run(path: Path) -> ForkServerProcess:
    """Resume a run in another process, or start it again if it was killed before it had a manifest."""
    return spawn("resume", path) if (path / "manifest.json").exists() else start_run(path)


def spawn(*arguments: object) -> ForkServerProcess:
    """Run ``irollan`` in another process."""
    process = _context.Process(target=run_command, args=arguments)
    process.start()
    return process


def run_command(*arguments: object, errors: io.StringIO | None = None) -> None:
    """Run ``irollan`` in this process with an empty report, and exit with its status.

    Args:
        arguments: Arguments of the command.
        errors: Receives standard error.
    """
    from evaluation.__main__ import main

    with (
        mock.patch(REPORTING, _empty_report),
        mock.patch.object(sys, "argv", ["irollan", *map(str, arguments)]),
        redirect_stdout(io.StringIO()),
        redirect_stderr(errors or io.StringIO()),
    ):
        status = main()
    raise SystemExit(status)


def readable(path: Path) -> bool:
    """Check that all calls and all checkpoints of a run can be read.

    Calls are read from a copy: opening a transcript recovers it, and the next resume should find what the kill left.
    """
    try:
        with tempfile.TemporaryDirectory() as folder:
            for file in path.glob("transcript.sqlite*"):
                shutil.copy(file, folder)
            if (copy := Path(folder) / "transcript.sqlite").exists():
                with Transcript(copy) as transcript:
                    transcript.check_integrity()
        if (path / "checkpoints").exists():
            for checkpoint in checkpoints.paths(path / "checkpoints"):
                checkpoints.load(checkpoint)
    except (TranscriptError, CheckpointError, OSError):
        return False
    return True


def same(one: Path, other: Path) -> bool:
    """Check that two runs have the same records, metrics and calls."""
    files = [(one / name, other / name) for name in COMPARED]
    return all(a.is_file() and a.read_bytes() == b.read_bytes() for a, b in files) and _calls(one) == _calls(other)


def steps_done(events: Path) -> int:
    """Count the recorded time steps of six residents; -1 if there are no records yet."""
    return events.read_bytes().count(b"\n") // 6 if events.exists() else -1


def _finished(path: Path) -> bool:
    """Check whether a run has all records and a report."""
    return steps_done(path / "events.jsonl") == STEPS and (path / "report.html").exists()


def _calls(path: Path) -> list[Call]:
    with Transcript(path / "transcript.sqlite") as transcript:
        return list(transcript.calls())


def _wait(process: ForkServerProcess, events: Path, least: int, seconds: float) -> None:
    """Wait for a number of steps and then some seconds, or until the process has ended."""
    while process.is_alive() and steps_done(events) < least:
        time.sleep(0.001)
    process.join(seconds)


def _empty_report(directory: RunDirectory, *_: object) -> Path:
    directory.report_path.touch()
    return directory.report_path
