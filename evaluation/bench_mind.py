"""``irollan bench mind``: what a mind costs beside the language model, and what runs cost in calls and tokens.

Times are medians of single calls on one core. Queries of memory are the present of the same life that was remembered,
some steps later.
"""

from __future__ import annotations

import asyncio
import gc
import tracemalloc
from collections.abc import Awaitable, Callable, Iterator, Sequence
from functools import partial
from itertools import islice
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import Any, TypeVar

import numpy as np

from evaluation.bench_life import life, played, remembered, repeated
from evaluation.benchmark import Measurement, machine
from evaluation.outcome import usage
from evaluation.run_directory import RunDirectory
from irollan_env import generate_towns
from irollan_env.world import World
from itcma_s.blending import blend, blend_plain
from itcma_s.compression import mblend
from itcma_s.levenshtein import best_window, best_window_plain
from itcma_s.long_term_memory import LongTermMemory
from itcma_s.memory import Memory
from itcma_s.names import NameTable
from itcma_s.phenomenal_field import Field, FieldBatch
from itcma_s.resident import ItcmaResident
from itcma_s.writing import vocabulary
from language_models.protocol import Choice, Embedder, FloatArray, Generation, LanguageModel, Scores
from language_models.registry import resolve_embedder
from language_models.scripted import ScriptedModel

CHANNEL = 5
"""Frames of the channel that memory is asked with."""

ACTIVATION = {1_000: 1.0, 10_000: 5.0, 100_000: 30.0}
"""Memories -> milliseconds that one activation may take."""

QUERIES, _APART = 40, 7  # how often memory is asked; steps of life from one query to the next
_EXHAUSTIVE = {100_000: 20}  # fewer of them are compared with every memory, which takes seconds each
SOCIETY = 1_000

AnswerT = TypeVar("AnswerT", Generation, Choice, Scores)
ResultT = TypeVar("ResultT")


def measure(
    runs: Sequence[Path], tell: Callable[[str], None], *, embedder: str = "hash"
) -> tuple[list[Measurement], dict[str, Any]]:
    """Measure everything; returns the numbers, and the machine that they were measured on.

    Args:
        runs: Run directories whose calls and tokens are wanted.
        tell: Takes a line about the progress.
        embedder: Name of what embeds names and sentences.

    Raises:
        ValueError: for an unknown embedder, or a directory that is no run.
        OSError: if weights or a run cannot be read.
    """
    costs = [*spent(runs)]
    embeds = resolve_embedder(embedder).build()
    return [
        *_activation(embeds, tell),
        *_blending(embeds, tell),
        *_steps(embeds, tell),
        *costs,
    ], {"embedder": embedder, **machine()}


def _activation(embeds: Embedder, tell: Callable[[str], None]) -> Iterator[Measurement]:
    for count, goal in ACTIVATION.items():
        tell(f"remembering {count:,} frames")
        table, generator = NameTable(embeds), np.random.default_rng(0)
        lived = life(count + QUERIES * _APART + CHANNEL, table, generator)
        memory = LongTermMemory(table)
        gc.collect()
        tracemalloc.start()
        before = tracemalloc.get_traced_memory()[0]
        for time, (place, field) in enumerate(islice(lived, count)):
            memory.append(remembered(place, field, time, generator))
        taken = tracemalloc.get_traced_memory()[0] - before
        tracemalloc.stop()
        tell(f"activating {QUERIES} times among {count:,}")
        later = [field for _, field in lived]
        channels = [later[start : start + CHANNEL] for start in range(0, QUERIES * _APART, _APART)]
        times = _times(partial(_activate, memory), [(channel,) for channel in channels])
        compared = channels[: _EXHAUSTIVE.get(count, QUERIES)]
        found = sum(
            _activate(memory, channel)[0][0].id == memory.activate_exhaustively(channel[-1], channel[:-1])[0][0].id
            for channel in compared
        )
        yield _milliseconds(f"activation among {count:,} frames", times, goal)
        yield Measurement(
            name=f"exact best of {count:,} frames found", value=found / len(compared), unit="of queries", goal=0.95
        )
        if count == max(ACTIVATION):
            yield Measurement(
                name=f"{count:,} compressed frames", value=taken / 1e6, unit="MB", goal=600.0, at_least=False
            )


def _activate(memory: LongTermMemory, channel: Sequence[Field]) -> list[tuple[Memory, float]]:
    return memory.activate(channel[-1], channel[:-1])


def _blending(embeds: Embedder, tell: Callable[[str], None]) -> Iterator[Measurement]:
    tell("blending and compressing")
    table, generator = NameTable(embeds), np.random.default_rng(0)
    fields = [field for _, field in life(1_000, table, generator)]
    pairs = [(fields[n], fields[n + 1]) for n in range(0, 400)]
    yield _milliseconds(
        "blend of two fields of 30 objects", _times(lambda x, y: blend(x, y, table, generator), pairs), 0.1
    )
    yield _milliseconds(
        "the same by the printed loops", _times(lambda x, y: blend_plain(x, y, table, generator), pairs[:3])
    )
    segments = [(fields[n], fields[n : n + 20]) for n in range(0, 400, 20)]
    yield _milliseconds(
        "compressing 20 frames", _times(lambda key, some: mblend(key, some, table, generator), segments), 3.0
    )
    channel, remembered_fields = fields[-CHANNEL:], fields[: 100 - CHANNEL]
    batch = FieldBatch.of(remembered_fields)
    yield _milliseconds(
        "ITCMA's Levenshtein scan of 95 frames", _times(lambda: best_window(channel, batch, table), [()] * 20)
    )
    yield _milliseconds(
        "the same in plain loops", _times(lambda: best_window_plain(channel, remembered_fields, table), [()] * 2)
    )


def _steps(embeds: Embedder, tell: Callable[[str], None]) -> Iterator[Measurement]:
    """Steps of minds in the valley and in towns, the language model's and the embedder's time taken out."""
    for residents, steps, goal in ((1, 60, 2.0), (SOCIETY, 4, 1.0)):
        tell(f"{residents:,} resident{'s' * (residents > 1)} remembering 1,000 frames each")
        valley = residents == 1
        world = World(seed=0) if valley else World(generate_towns(residents, seed=0), seed=0)
        names = list(world.residents)[:residents]
        model, embedder = _TimedModel(ScriptedModel()), _TimedEmbedder(embeds)
        table = NameTable(embedder)
        lived = played(world, names, 600 if valley else 60, table)
        memories = {name: _frames(some, 1_000) for name, some in lived.items()}
        gc.collect()
        tracemalloc.start()
        before = tracemalloc.get_traced_memory()[0]
        minds = [_mind(name, model, embedder, table, memories[name], number) for number, name in enumerate(names[:50])]
        taken = (tracemalloc.get_traced_memory()[0] - before) / len(minds)
        tracemalloc.stop()
        minds += [
            _mind(name, model, embedder, table, memories[name], number)
            for number, name in enumerate(names[50:], len(minds))
        ]
        tell(f"{residents:,} resident{'s' * (residents > 1)}: {steps} steps")
        alone, embedding = asyncio.run(_live(world, minds, steps, model, embedder))
        what = "a step of one resident" if valley else f"a step of {residents:,} residents together, each"
        yield _milliseconds(f"{what}, without the language model", alone, goal)
        yield _milliseconds(f"{what}, embedding its new sentences", embedding)
        yield Measurement(name=f"memory of {what.removeprefix('a step of ')}", value=taken / 1e6, unit="MB")


def _frames(memories: list[Memory], count: int) -> list[Memory]:
    """So many memories, over and over, that they stand for at least this number of frames."""
    return repeated(memories, -(-count * len(memories) // sum(memory.frames for memory in memories)))


def _mind(
    name: str, model: LanguageModel, embedder: Embedder, table: NameTable, memories: list[Memory], number: int
) -> ItcmaResident:
    """A resident with memories."""
    mind = ItcmaResident(
        name,
        model=model,
        table=table,
        embedder=embedder,
        generator=np.random.default_rng(number),
        vocabulary=vocabulary(table.names),
    )
    memory = LongTermMemory(table)
    for one in memories:
        memory.append(one)
    mind.set_state({**mind.get_state(), "memory": memory.get_state()})
    return mind


async def _live(
    world: World, minds: list[ItcmaResident], steps: int, model: _TimedModel, embedder: _TimedEmbedder
) -> tuple[list[float], list[float]]:
    """Seconds per resident and step: of the mind alone, and of embedding; the first quarter warms up."""
    alone, embedding = [], []
    for step in range(steps):
        seen = [world.observe(mind.name) for mind in minds]
        model.seconds = embedder.seconds = 0.0
        begin = perf_counter()
        acts = await asyncio.gather(*(mind.act(now) for mind, now in zip(minds, seen, strict=True)))
        seconds = perf_counter() - begin
        if step >= steps // 4:
            alone.append((seconds - model.seconds - embedder.seconds) / len(minds))
            embedding.append(embedder.seconds / len(minds))
        failures = [act.failure for act in acts if act.failure is not None]
        if failures:
            raise RuntimeError(f"a step of the benchmark failed: {failures[0]}")
        world.step({mind.name: act.action for mind, act in zip(minds, acts, strict=True)})
    return alone, embedding


class _TimedModel:
    """A model, and the seconds spent in it."""

    def __init__(self, model: LanguageModel) -> None:
        self.name = model.name
        self.seconds = 0.0
        self._model = model

    async def generate(self, *arguments: Any, **options: Any) -> Generation:
        return await self._timed(self._model.generate(*arguments, **options))

    async def choose(self, *arguments: Any, **options: Any) -> Choice:
        return await self._timed(self._model.choose(*arguments, **options))

    async def score(self, *arguments: Any, **options: Any) -> Scores:
        return await self._timed(self._model.score(*arguments, **options))

    async def _timed(self, answer: Awaitable[AnswerT]) -> AnswerT:
        begin = perf_counter()
        try:
            return await answer
        finally:
            self.seconds += perf_counter() - begin


class _TimedEmbedder:
    """An embedder, and the seconds spent in it."""

    def __init__(self, embedder: Embedder) -> None:
        self.name, self.dimension = embedder.name, embedder.dimension
        self.seconds = 0.0
        self._embedder = embedder

    def embed(self, texts: Sequence[str]) -> FloatArray:
        begin = perf_counter()
        try:
            return self._embedder.embed(texts)
        finally:
            self.seconds += perf_counter() - begin


def spent(runs: Sequence[Path]) -> Iterator[Measurement]:
    """Calls and tokens per resident and step, and how much dearer the dearest architecture is."""
    tokens: dict[str, list[float]] = {}
    for path in runs:
        directory = RunDirectory(path)
        effective = directory.read_manifest()["configuration"]["effective"]
        used = usage(directory)
        moments = len(directory.records())
        architecture = effective["architecture"]
        whole = architecture == "itcma-s"
        run = f"{architecture}, seed {effective['seed']}, {moments} resident-steps"
        calls, together = (
            sum(values) / moments for values in zip(*((row.calls, row.tokens) for row in used), strict=True)
        )
        prompts, cached = (sum(row.prompt_tokens for row in used), sum(row.cached_tokens for row in used))
        tokens.setdefault(architecture, []).append(together)
        yield Measurement(
            name=f"calls ({run})",
            value=calls,
            unit="per resident and step",
            goal=1.5 if whole else None,
            at_least=False,
        )
        yield Measurement(
            name=f"tokens ({run})",
            value=together,
            unit="per resident and step",
            goal=700 if whole else None,
            at_least=False,
        )
        yield Measurement(
            name=f"prompt tokens from the cache ({run})",
            value=cached / max(prompts, 1),
            unit="of all",
            goal=0.5 if whole else None,
        )
    if {"itcma", "itcma-s"} <= set(tokens):
        ratio = median(tokens["itcma"]) / median(tokens["itcma-s"])
        yield Measurement(name="tokens of itcma / itcma-s", value=ratio, unit="times", goal=10)


def _timed(do: Callable[[], ResultT]) -> tuple[float, ResultT]:
    begin = perf_counter()
    result = do()
    return perf_counter() - begin, result


def _times(do: Callable[..., object], arguments: Sequence[tuple[Any, ...]]) -> list[float]:
    return [_timed(lambda: do(*one))[0] for one in arguments]  # noqa: B023


def _milliseconds(name: str, seconds: Sequence[float], goal: float | None = None) -> Measurement:
    return Measurement(name=name, value=1000 * median(seconds), unit="ms", goal=goal, at_least=False)
