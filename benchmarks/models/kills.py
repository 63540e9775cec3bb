"""Runs killed with kill -9 at random moments, each gone on with afterwards and held against one that was not killed."""

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
"""The share of resumes that are killed, too."""
COMPARED = ("events.jsonl", "metrics.csv")

REPORTING = "evaluation.report.run_report.write_report"
"""What draws the figures and writes the report at the end of a run, which takes longer than all the rest of it."""

_context = multiprocessing.get_context("forkserver")
# A process for each of hundreds of commands: what they all load is loaded once.
_context.set_forkserver_preload(["benchmarks.models.warm_command"])


@dataclass(kw_only=True, slots=True)
class Kills:
    """What became of runs that were killed.

    Attributes:
        runs: How many runs were begun.
        kills: How many kills there were, of runs and of resumes.
        resumes: How many of them hit a resume.
        steps_of_runs: How many time steps were done at a kill of a run, each number once; -1 before there were records.
        steps_of_resumes: The same for resumes.
        unexpected: How many processes that were not killed ended with another exit status than they should.
        different: How many runs ended other than the one that was not killed.
        unreadable: How many kills left a transcript or a checkpoint that could not be read.
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
    """Kill so many processes that run the scripted model, or go on with such a run, and go on with each to its end.

    Args:
        kills: At least 1.
        folder: An empty one, for the runs.
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
        # What a kill left whole is refused, in words.
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
    """Kill a run or a resume, and look at what it leaves."""
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
    """Begin a short run in a process of its own."""
    return spawn("run", "--model", "scripted", "--steps", STEPS, "--out", path)


def resume_run(path: Path) -> ForkServerProcess:
    """Go on with a run in a process of its own; one that was killed before it had a manifest begins again."""
    return spawn("resume", path) if (path / "manifest.json").exists() else start_run(path)


def spawn(*arguments: object) -> ForkServerProcess:
    """Run the command in a process of its own."""
    process = _context.Process(target=run_command, args=arguments)
    process.start()
    return process


def run_command(*arguments: object, errors: io.StringIO | None = None) -> None:
    """Run ``irollan`` in this process, which is to be killed; with an empty file for a report.

    Args:
        arguments: Of the command.
        errors: Takes what it says on standard error.
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
    """Whether all calls and all checkpoints of a run can be read, whatever was killed when.

    Those of a copy: opening a transcript recovers it, and whoever goes on with the run is to meet what the kill left.
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
    """Whether two runs have the same records, metrics and calls."""
    files = [(one / name, other / name) for name in COMPARED]
    return all(a.is_file() and a.read_bytes() == b.read_bytes() for a, b in files) and _calls(one) == _calls(other)


def steps_done(events: Path) -> int:
    """How many time steps of six residents are recorded; -1 where there are no records yet."""
    return events.read_bytes().count(b"\n") // 6 if events.exists() else -1


def _finished(path: Path) -> bool:
    """Whether a run has nothing left to do."""
    return steps_done(path / "events.jsonl") == STEPS and (path / "report.html").exists()


def _calls(path: Path) -> list[Call]:
    with Transcript(path / "transcript.sqlite") as transcript:
        return list(transcript.calls())


def _wait(process: ForkServerProcess, events: Path, least: int, seconds: float) -> None:
    """Until so many steps are done, and then some more time; or until the process has ended."""
    while process.is_alive() and steps_done(events) < least:
        time.sleep(0.001)
    process.join(seconds)


def _empty_report(directory: RunDirectory, *_: object) -> Path:
    directory.report_path.touch()
    return directory.report_path
