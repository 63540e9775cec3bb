"""Cost of recording every model call: timed within a run, and by comparing runs with and without a transcript."""

from __future__ import annotations

import asyncio
import contextlib
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from statistics import median
from typing import Any

from benchmarks.reporting import Measurement
from evaluation.records.run_directory import RunDirectory, RunWriter
from evaluation.runs.build_society import build_society
from evaluation.runs.run_config import RunConfig
from evaluation.runs.run_loop import run_loop
from language_models.embedders.hash_embedder import HashEmbedder
from language_models.protocol import Choice, GenerateRequest, Generation, LanguageModel, Scores
from language_models.scripted import ScriptedModel
from language_models.transcript.calls import ModuleUsage
from language_models.transcript.recording import RecordedModel
from language_models.transcript.transcript import Transcript

TURNS = 5


class RecordingTimed:
    """A recorded model that times the recording separately from the answers.

    The times are exact with concurrent calls too, as recording itself never awaits.

    Attributes:
        model: The recorded and timed model.
        transcript: Its transcript, timed too.
    """

    def __init__(self, model: LanguageModel, path: str | Path) -> None:
        self.transcript = _TimedTranscript(path)
        self._inner = _Timed(model)
        self.model = _Timed(RecordedModel(self._inner, self.transcript))

    @property
    def seconds(self) -> float:
        """Seconds spent on recording so far."""
        return self.model.seconds - self._inner.seconds + self.transcript.seconds


class _Timed:
    """A model whose answers are timed; reading the clock counts as recording."""

    def __init__(self, model: LanguageModel) -> None:
        self.name, self.seconds, self._model = model.name, 0.0, model

    async def generate(self, request: GenerateRequest) -> Generation:
        began = time.perf_counter()
        try:
            return await self._model.generate(request)
        finally:
            self.seconds += time.perf_counter() - began

    async def choose(self, prompt: str, options: Sequence[str], **more: Any) -> Choice:
        began = time.perf_counter()
        try:
            return await self._model.choose(prompt, options, **more)
        finally:
            self.seconds += time.perf_counter() - began

    async def score(self, prompt: str, continuations: Sequence[str], **more: Any) -> Scores:
        began = time.perf_counter()
        try:
            return await self._model.score(prompt, continuations, **more)
        finally:
            self.seconds += time.perf_counter() - began


class _TimedTranscript(Transcript):
    """A transcript that times the methods that `RecordedModel` does not call."""

    seconds = 0.0

    def commit(self) -> None:
        with self._counted():
            super().commit()

    def sync(self) -> None:
        with self._counted():
            super().sync()

    def take_usage(self) -> list[ModuleUsage]:
        with self._counted():
            return super().take_usage()

    def close(self) -> None:
        with self._counted():
            super().close()

    @contextlib.contextmanager
    def _counted(self) -> Iterator[None]:
        before, began = self.seconds, time.perf_counter()
        try:
            yield
        finally:
            # Nested calls are part of the outer one.
            self.seconds = before + time.perf_counter() - began


def recording(configuration: RunConfig, tell: Callable[[str], None]) -> Iterator[Measurement]:
    """Measure the time that recording adds to a run of the scripted model, the fastest of all.

    Runs with and without a transcript alternate; both write everything else that a run writes. All are identical to
    the byte, so that the duration of each step is taken as its minimum over the runs.

    Args:
        configuration: Configuration of the run.
        tell: Takes a line about the progress.
    """
    plain, recorded, shares, spent, calls = [], [], [], [], 1
    for number in range(1, TURNS + 1):
        without, _, _ = _run(configuration, recorded=False)
        with_, seconds, calls = _run(configuration, recorded=True)
        plain.append(without)
        recorded.append(with_)
        shares.append(100 * seconds / sum(with_))
        spent.append(1000 * seconds / calls)
        tell(f"turn {number} of {TURNS}: {sum(without):.2f} s, recorded {sum(with_):.2f} s, {shares[-1]:.1f} per cent")
    yield Measurement(
        name="recording / time of a scripted run", value=median(shares), unit="per cent", goal=2, at_least=False
    )
    yield Measurement(name="recording one call", value=median(spent), unit="ms")
    least, most = (sum(map(min, zip(*turns, strict=True))) for turns in (plain, recorded))
    yield Measurement(name="scripted run, recorded / not recorded", value=most / least, unit="times")


def _run(configuration: RunConfig, *, recorded: bool) -> tuple[list[float], float, int]:
    """Time one run: seconds of setup, of each step and of closing; seconds of recording; number of calls."""
    moments = [time.perf_counter()]
    with tempfile.TemporaryDirectory() as folder, contextlib.ExitStack() as stack:
        writer = stack.enter_context(RunWriter(RunDirectory(Path(folder) / "run")))
        timed = RecordingTimed(ScriptedModel(), writer.directory.transcript_path)
        transcript = stack.enter_context(timed.transcript)
        society = build_society(configuration, timed.model if recorded else ScriptedModel(), HashEmbedder())
        moments.append(time.perf_counter())
        asyncio.run(
            run_loop(
                society,
                writer,
                transcript,
                steps=configuration.steps,
                checkpoint_every=configuration.recording.checkpoint_every,
                prices={},
                on_step=lambda step: moments.append(time.perf_counter()),
            )
        )
        calls = len(transcript)
        stack.close()
        moments.append(time.perf_counter())
    return [after - before for before, after in pairwise(moments)], timed.seconds, calls
