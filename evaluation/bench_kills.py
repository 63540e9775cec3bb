"""Runs killed with kill -9 at random moments, each gone on with afterwards and held against one that was not killed."""

from __future__ import annotations

import io
import multiprocessing
import random
import time
from collections.abc import Callable
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from multiprocessing.context import ForkServerProcess
from pathlib import Path

from evaluation import checkpoints, living
from evaluation.checkpoints import CheckpointError
from evaluation.run_directory import RunDirectory
from language_models.calls import Call
from language_models.transcript import Transcript
from language_models.transcript_file import TranscriptError

STEPS = 4
COMPARED = ("events.jsonl", "metrics.csv")

_context = multiprocessing.get_context("forkserver")
_context.set_forkserver_preload(["evaluation.cli", "evaluation.runs"])


@dataclass(frozen=True, kw_only=True, slots=True)
class Kills:
    """What became of runs that were killed.

    Attributes:
        kills: How many there were.
        moments: How many time steps were done at a kill, each number once; -1 before there were records.
        different: How many ended other than the run that was not killed.
        unreadable: How many left a transcript or a checkpoint that could not be read.
    """

    kills: int
    moments: frozenset[int]
    different: int
    unreadable: int


def kill_runs(kills: int, folder: Path, tell: Callable[[str], None] = lambda line: None) -> Kills:
    """Kill so many runs of the scripted model, and go on with each.

    Args:
        kills: At least 1.
        folder: An empty one, for the runs.
        tell: Takes a line about the progress.
    """
    if kills < 1:
        raise ValueError(f"kills must be at least 1, got {kills}")
    rng = random.Random(0)
    whole = folder / "whole"
    begin(whole).join()
    moments: set[int] = set()
    different = unreadable = 0
    for number in range(kills):
        path = folder / str(number)
        process = begin(path)
        _wait(process, path / "events.jsonl", rng.randint(0, STEPS), rng.uniform(0, 0.1))
        process.kill()
        process.join()
        moments.add(steps_done(path / "events.jsonl"))
        unreadable += not readable(path)
        again = spawn("resume", path) if (path / "manifest.json").exists() else begin(path)
        again.join()
        different += not same(path, whole)
        if (number + 1) % 20 == 0:
            tell(f"{number + 1} of {kills} runs killed")
    return Kills(kills=kills, moments=frozenset(moments), different=different, unreadable=unreadable)


def begin(path: Path) -> ForkServerProcess:
    """Begin a short run in a process of its own."""
    return spawn("run", "--model", "scripted", "--steps", STEPS, "--out", path)


def spawn(*arguments: object) -> ForkServerProcess:
    """Run the command in a process of its own."""
    process = _context.Process(target=command, args=arguments)
    process.start()
    return process


def command(*arguments: object) -> None:
    """Run the command in this process, which is to be killed; no figures, which take longer than all the rest."""
    from evaluation.cli import main

    setattr(living, "write_outcome", _no_figures)  # noqa: B010
    with redirect_stdout(io.StringIO()), redirect_stderr(io.StringIO()):
        status = main([str(argument) for argument in arguments])
    raise SystemExit(status)


def readable(path: Path) -> bool:
    """Whether all calls and all checkpoints of a run can be read, whatever was killed when."""
    try:
        if (path / "transcript.sqlite").exists():
            with Transcript(path / "transcript.sqlite") as transcript:
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
    """How many time steps six residents have lived; -1 where there are no records yet."""
    return events.read_bytes().count(b"\n") // 6 if events.exists() else -1


def _calls(path: Path) -> list[Call]:
    with Transcript(path / "transcript.sqlite") as transcript:
        return list(transcript.calls())


def _wait(process: ForkServerProcess, events: Path, least: int, seconds: float) -> None:
    """Until so many steps are done, and then some more time; or until the process has ended."""
    while process.is_alive() and steps_done(events) < least:
        time.sleep(0.001)
    process.join(seconds)


def _no_figures(directory: RunDirectory, *_: object) -> Path:
    directory.report_path.touch()
    return directory.report_path
