"""Cost of model calls, recording, replay and resume, and survival of kills, each against its goal."""

from __future__ import annotations

import io
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Annotated

import typer

from benchmarks.models.kills import kill_runs
from benchmarks.models.recording import recording
from benchmarks.models.serving import server
from benchmarks.reporting import AsJson, Measurement, check_known, machine, progress, show
from evaluation.records.run_directory import RunDirectory
from evaluation.report import run_report
from evaluation.runs import checkpoints
from evaluation.runs.build_society import build_society
from evaluation.runs.config_parts import ModelConfig
from evaluation.runs.progress import progress_on
from evaluation.runs.replay import replay
from evaluation.runs.run_config import RunConfig
from evaluation.runs.start import start
from language_models.embedders.hash_embedder import HashEmbedder
from language_models.scripted import ScriptedModel
from language_models.transcript.transcript import Transcript

STEPS = 75
SCRIPTED = RunConfig(model=ModelConfig(name="scripted"), steps=STEPS)


def command(
    part: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME",
            help="Measure this only: server, recording, replay or kills. Again for more.",
        ),
    ] = None,
    kills: Annotated[int, typer.Option(metavar="N", help="How many runs to kill.")] = 200,
    as_json: AsJson = False,
) -> None:
    """Measure how long a society waits for a server, what recording, replay and resume cost, and whether kills do harm.

    All of it takes some minutes; --part NAME is quicker.
    """
    show(measure(part or (), kills, progress("models")), machine(), as_json=as_json)


def measure(parts: Sequence[str], kills: int, tell: Callable[[str], None]) -> list[Measurement]:
    """Run the chosen measurements.

    Args:
        parts: Names of the measurements; all if empty.
        kills: Number of kills.
        tell: Takes a line about the progress.

    Raises:
        ValueError: for an unknown part, or less than one kill.
    """
    known: dict[str, Callable[[], Iterator[Measurement]]] = {
        "server": server,
        "recording": lambda: recording(SCRIPTED, tell),
        "replay": replay_and_resume,
        "kills": lambda: survived(kills, tell),
    }
    check_known("part", parts, known)
    if kills < 1:
        raise ValueError(f"kills must be at least 1, got {kills}")
    found: list[Measurement] = []
    for part, measured in known.items():
        if part in parts or not parts:
            tell(part)
            found += measured()
    return found


def replay_and_resume() -> Iterator[Measurement]:
    """Measure the seconds of a replay and of restoring a checkpoint.

    The second excludes what `irollan resume` does before: starting the command, hashing weights and loading models.
    """
    with tempfile.TemporaryDirectory() as folder:
        directory, silent = RunDirectory(Path(folder) / "run"), progress_on(io.StringIO())
        if start(SCRIPTED, silent, out=directory.path, write_report=run_report.write_report).status != "finished":
            raise RuntimeError("the run did not come to its end")
        seconds = replay(directory, silent).seconds
        name = f"replay of {STEPS} steps, six residents"
        yield Measurement(name=name, value=seconds, unit="s", goal=5, at_least=False)
        began = time.perf_counter()
        checkpoint, _ = checkpoints.latest(directory.checkpoints_path)
        if checkpoint is None:
            raise RuntimeError("the run left no checkpoint")
        build_society(SCRIPTED, ScriptedModel(), HashEmbedder()).set_state(checkpoint.society)
        with Transcript(directory.transcript_path) as transcript:
            transcript.rewind(checkpoint.transcript)
        seconds = time.perf_counter() - began
        yield Measurement(
            name=f"taking on a checkpoint after {STEPS} steps", value=seconds, unit="s", goal=1, at_least=False
        )


def survived(kills: int, tell: Callable[[str], None]) -> Iterator[Measurement]:
    """Count what is different or unreadable after kill -9 at random moments."""
    with tempfile.TemporaryDirectory() as folder:
        found = kill_runs(kills, Path(folder), tell)
    tell(
        f"{found.runs} runs, {found.kills} kills, {found.resumes} of them of a resume; steps done at a kill of a run: "
        f"{sorted(found.steps_of_runs)}, of a resume: {sorted(found.steps_of_resumes)}"
    )
    for what, count, unit in (
        (f"of {found.runs} killed runs, ended otherwise", found.different, "runs"),
        (f"of {kills} kills, left something unreadable", found.unreadable, "kills"),
        (f"after {kills} kills, another exit status than expected", found.unexpected, "processes"),
    ):
        yield Measurement(name=what, value=float(count), unit=unit, goal=0, at_least=False)
