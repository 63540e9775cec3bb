"""Runs killed with kill -9 at random moments, each gone on with afterwards.

20 kills; IROLLAN_KILLS=200 in the environment makes it 200.
"""

import multiprocessing
import os
import random
import resource
import time

import pytest

from evaluation import living
from evaluation.checkpoints import load, paths
from evaluation.cli import main
from language_models.transcript import Transcript

KILLS = int(os.environ.get("IROLLAN_KILLS", "20"))
STEPS = 4


def command(*arguments):
    """Run the command in this process, which is to be killed; no figures, which take longer than all the rest."""
    living.write_outcome = lambda directory, progress, embedder: directory.report_path.touch()
    with open(os.devnull, "w") as nowhere:
        os.dup2(nowhere.fileno(), 1)
        os.dup2(nowhere.fileno(), 2)
    raise SystemExit(main([str(argument) for argument in arguments]))


def command_on_a_full_disk(most, *arguments):
    """The same, with no file allowed to grow beyond so many bytes."""
    resource.setrlimit(resource.RLIMIT_FSIZE, (most, resource.RLIM_INFINITY))
    command(*arguments)


def spawn(*arguments):
    process = context.Process(target=command, args=arguments)
    process.start()
    return process


context = multiprocessing.get_context("forkserver")
context.set_forkserver_preload(["evaluation.cli", "evaluation.runs"])


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    path = tmp_path_factory.mktemp("kills") / "whole"
    begin(path).join()
    return path


def begin(path):
    return spawn("run", "--model", "scripted", "--steps", STEPS, "--out", path)


def calls(path):
    with Transcript(path / "transcript.sqlite") as transcript:
        return list(transcript.calls())


def check_readable(path):
    """Whatever was killed when: all calls and all checkpoints can be read."""
    if (path / "transcript.sqlite").exists():
        with Transcript(path / "transcript.sqlite") as transcript:
            assert transcript._rows("PRAGMA integrity_check") == [("ok",)]
    if (path / "checkpoints").exists():
        for checkpoint in paths(path / "checkpoints"):
            load(checkpoint)


def steps(events):
    return events.read_bytes().count(b"\n") // 6 if events.exists() else -1


def wait(process, events, least, seconds):
    """Until so many steps are done, and then some more time; or until the process has ended."""
    while process.is_alive() and steps(events) < least:
        time.sleep(0.001)
    process.join(seconds)


def test_a_killed_run_ends_as_if_it_had_not_been_killed(tmp_path, whole):
    rng = random.Random(0)
    reached = set()
    for kill in range(KILLS):
        path = tmp_path / str(kill)
        process = begin(path)
        wait(process, path / "events.jsonl", rng.randint(0, STEPS), rng.uniform(0, 0.1))
        process.kill()
        process.join()
        check_readable(path)
        reached.add(steps(path / "events.jsonl"))
        again = spawn("resume", path) if (path / "manifest.json").exists() else begin(path)
        again.join()
        assert again.exitcode in (0, 2)
        for name in ("events.jsonl", "metrics.csv"):
            assert (path / name).read_bytes() == (whole / name).read_bytes()
        assert calls(path) == calls(whole)
    # The moments were spread over the run, or the test shows little.
    assert len(reached) >= min(4, KILLS)


@pytest.mark.parametrize("most", [30_000, 70_000, 110_000])
def test_a_run_that_fills_the_disk_ends_and_goes_on_when_there_is_room(tmp_path, whole, most):
    path = tmp_path / "run"
    arguments = (most, "run", "--model", "scripted", "--steps", STEPS, "--out", path)
    process = context.Process(target=command_on_a_full_disk, args=arguments)
    process.start()
    process.join()
    assert process.exitcode == 1
    check_readable(path)
    again = spawn("resume", path)
    again.join()
    assert again.exitcode == 0
    for name in ("events.jsonl", "metrics.csv"):
        assert (path / name).read_bytes() == (whole / name).read_bytes()
    assert calls(path) == calls(whole)
