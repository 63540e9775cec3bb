"""What writing every call down costs: the same run with a transcript and without one, in turns."""

from __future__ import annotations

import asyncio
import contextlib
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from evaluation.assembly import build_society
from evaluation.benchmark import Measurement
from evaluation.configuration import Configuration
from evaluation.rollout import rollout
from evaluation.run_directory import RunDirectory, RunWriter
from language_models.embedder import HashEmbedder
from language_models.recording import Recorded
from language_models.scripted import ScriptedModel
from language_models.transcript import Transcript

TURNS = 5


def recording(configuration: Configuration, tell: Callable[[str], None]) -> Iterator[Measurement]:
    """What writing calls down adds to a run of the scripted model, which takes less time than any other.

    The run is done in turns with a transcript and without one. It is the same run to the byte each time, so what a step
    takes is the least that it took in any turn; what comes before the first step and after the last counts as one each.

    Args:
        configuration: Of the run.
        tell: Takes a line about the progress.
    """
    plain, recorded, calls = [], [], 0
    for number in range(1, TURNS + 1):
        without, _ = _run(configuration, recorded=False)
        with_, calls = _run(configuration, recorded=True)
        plain.append(without)
        recorded.append(with_)
        tell(f"turn {number} of {TURNS}: {sum(without):.2f} s, recorded {sum(with_):.2f} s")
    whole = sum(map(min, zip(*plain, strict=True)))
    spent = sum(map(min, zip(*recorded, strict=True))) - whole
    yield Measurement(
        name="recording / time of a scripted run", value=100 * spent / whole, unit="per cent", goal=2, at_least=False
    )
    yield Measurement(name="recording one call", value=1000 * spent / calls, unit="ms")


def _run(configuration: Configuration, *, recorded: bool) -> tuple[list[float], int]:
    """Seconds until the first step, of each step, and after the last; and how many calls were recorded."""
    model = ScriptedModel()
    moments = [time.perf_counter()]
    with tempfile.TemporaryDirectory() as folder, contextlib.ExitStack() as stack:
        writer = stack.enter_context(RunWriter(RunDirectory(Path(folder) / "run")))
        transcript = stack.enter_context(Transcript(writer.directory.transcript_path))
        society = build_society(configuration, Recorded(model, transcript) if recorded else model, HashEmbedder())
        moments.append(time.perf_counter())
        asyncio.run(
            rollout(
                society,
                writer,
                transcript,
                steps=configuration.steps,
                checkpoint_every=configuration.checkpoint_every,
                prices={},
                on_step=lambda step: moments.append(time.perf_counter()),
            )
        )
        calls = len(transcript)
        stack.close()
        moments.append(time.perf_counter())
    return [after - before for before, after in zip(moments, moments[1:], strict=False)], calls
