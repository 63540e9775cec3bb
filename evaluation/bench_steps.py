"""What a step of a mind costs beside the language model: of one resident, and of a thousand together."""

from __future__ import annotations

import asyncio
import gc
import tracemalloc
from collections.abc import Awaitable, Callable, Iterator, Sequence
from time import process_time
from typing import Any, TypeVar

import numpy as np

from evaluation.bench_life import played, repeated
from evaluation.benchmark import Measurement, milliseconds
from irollan_env import generate_towns
from irollan_env.world import World
from itcma_s.long_term_memory import LongTermMemory
from itcma_s.memory import Memory
from itcma_s.names import NameTable
from itcma_s.resident import ItcmaResident
from itcma_s.story_page import vocabulary
from language_models.protocol import Choice, Embedder, FloatArray, Generation, LanguageModel, Scores
from language_models.scripted import ScriptedModel

SOCIETY = 1_000

AnswerT = TypeVar("AnswerT", Generation, Choice, Scores)


def steps(embeds: Embedder, tell: Callable[[str], None]) -> Iterator[Measurement]:
    """Steps of minds in the valley and in towns, the language model's and the embedder's time taken out."""
    for residents, count, goal in ((1, 60, 2.0), (SOCIETY, 4, 1.0)):
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
        tell(f"{residents:,} resident{'s' * (residents > 1)}: {count} steps")
        alone, embedding = asyncio.run(_live(world, minds, count, model, embedder))
        what = "a step of one resident" if valley else f"a step of {residents:,} residents together, each"
        yield milliseconds(f"{what}, without the language model", alone, goal)
        yield milliseconds(f"{what}, embedding its new sentences", embedding)
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
        begin = process_time()
        acts = await asyncio.gather(*(mind.act(now) for mind, now in zip(minds, seen, strict=True)))
        seconds = process_time() - begin
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
        begin = process_time()
        try:
            return await answer
        finally:
            self.seconds += process_time() - begin


class _TimedEmbedder:
    """An embedder, and the seconds spent in it."""

    def __init__(self, embedder: Embedder) -> None:
        self.name, self.dimension = embedder.name, embedder.dimension
        self.seconds = 0.0
        self._embedder = embedder

    def embed(self, texts: Sequence[str]) -> FloatArray:
        begin = process_time()
        try:
            return self._embedder.embed(texts)
        finally:
            self.seconds += process_time() - begin
