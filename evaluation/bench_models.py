"""``irollan bench models``: what it takes to ask, record, replay, resume and survive, each against its goal."""

from __future__ import annotations

import asyncio
import contextlib
import io
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from evaluation import checkpoints, runs
from evaluation.assembly import build_society
from evaluation.bench_kills import kill_runs
from evaluation.bench_serving import embedded, server
from evaluation.benchmark import Measurement
from evaluation.configuration import Configuration
from evaluation.progress import progress_on
from evaluation.replay import replay
from evaluation.run_directory import RunDirectory
from irollan_env.names import did_you_mean
from language_models.embedder import HashEmbedder
from language_models.protocol import Choice, Generation, LanguageModel
from language_models.recording import Recorded
from language_models.scripted import ScriptedModel
from language_models.transcript import Transcript

STEPS = 75
SCRIPTED = Configuration(model="scripted", embedder="hash", steps=STEPS)


def measure(parts: Sequence[str], kills: int, tell: Callable[[str], None]) -> list[Measurement]:
    """Measure all, or some of it.

    Args:
        parts: Which ones; all when empty.
        kills: How many runs to kill.
        tell: Takes a line about the progress.

    Raises:
        ValueError: for a part that there is not, or less than one kill.
    """
    known: dict[str, Callable[[], Iterator[Measurement]]] = {
        "server": server,
        "recording": recording,
        "replay": replay_and_resume,
        "kills": lambda: survived(kills, tell),
        "embedded": lambda: embedded(tell),
    }
    for part in parts:
        if part not in known:
            raise ValueError(f"part must be one of {', '.join(known)}, got {part!r}{did_you_mean(part, known)}")
    if kills < 1:
        raise ValueError(f"kills must be at least 1, got {kills}")
    found: list[Measurement] = []
    for part, measured in known.items():
        if part in parts or not parts:
            tell(part)
            found += measured()
    return found


class _Timed:
    """A model whose answers are timed."""

    def __init__(self, model: LanguageModel) -> None:
        self.name, self.seconds, self.score, self._model = model.name, 0.0, model.score, model

    async def generate(self, prompt: str, **options: Any) -> Generation:
        began = time.perf_counter()
        answer = await self._model.generate(prompt, **options)
        self.seconds += time.perf_counter() - began
        return answer

    async def choose(self, prompt: str, options: Sequence[str], **more: Any) -> Choice:
        began = time.perf_counter()
        answer = await self._model.choose(prompt, options, **more)
        self.seconds += time.perf_counter() - began
        return answer


class _TimedTranscript(Transcript):
    seconds = 0.0

    def commit(self) -> None:
        began = time.perf_counter()
        super().commit()
        self.seconds += time.perf_counter() - began


def recording() -> Iterator[Measurement]:
    """What writing calls down adds to 75 steps of the scripted model, which takes less time than any other."""
    with (
        tempfile.TemporaryDirectory() as folder,
        contextlib.closing(_TimedTranscript(Path(folder) / "t.sqlite")) as transcript,
    ):
        model: Any = _Timed(ScriptedModel())
        recorded: Any = _Timed(Recorded(model, transcript))
        society = build_society(SCRIPTED, recorded, HashEmbedder())

        async def live() -> None:
            for _ in range(STEPS):
                await society.step()
                transcript.commit()

        began = time.perf_counter()
        asyncio.run(live())
        whole = time.perf_counter() - began
        spent = recorded.seconds - model.seconds + transcript.seconds
        calls = len(transcript)
    yield Measurement(
        name="recording / time of a scripted run", value=100 * spent / whole, unit="per cent", goal=2, at_least=False
    )
    yield Measurement(name="recording one call", value=1000 * spent / calls, unit="ms")


def replay_and_resume() -> Iterator[Measurement]:
    """What `irollan replay` takes, and what `irollan resume` takes before it goes on."""
    with tempfile.TemporaryDirectory() as folder:
        directory, silent = RunDirectory(Path(folder) / "run"), progress_on(io.StringIO())
        if runs.start(SCRIPTED, silent, out=directory.path).status != "finished":
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
        yield Measurement(name=f"resume after {STEPS} steps", value=seconds, unit="s", goal=1, at_least=False)


def survived(kills: int, tell: Callable[[str], None]) -> Iterator[Measurement]:
    """What is different or unreadable after kill -9 at random moments."""
    with tempfile.TemporaryDirectory() as folder:
        found = kill_runs(kills, Path(folder), tell)
    for what, count in (("ended otherwise", found.different), ("left something unreadable", found.unreadable)):
        yield Measurement(
            name=f"of {kills} killed runs, {what}", value=float(count), unit="runs", goal=0, at_least=False
        )
