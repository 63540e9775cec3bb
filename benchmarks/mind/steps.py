"""Cost of a mind's step without the language model, for one resident and for a thousand together.

A stand-in model answers at once; its time and the embedder's are subtracted. Minds have memories of random play, and
are exempt from garbage collection, as in a run.
"""

from __future__ import annotations

import asyncio
import gc
import tracemalloc
from collections.abc import Callable, Iterator, Sequence
from time import process_time

import numpy as np

from benchmarks.mind.sample_life import memories_of_random_play, repeat_memories
from benchmarks.reporting import Measurement, milliseconds
from evaluation.runs.process import less_garbage_collection
from irollan_env import generate_towns
from irollan_env.world.world import World
from itcma_s import make_mind
from itcma_s.fields.name_table import NameTable
from itcma_s.memory.long_term_memory import LongTermMemory
from itcma_s.memory.memory import Memory
from itcma_s.resident import ItcmaResident
from itcma_s.vocabulary import vocabulary
from language_models.base_model import BaseModel
from language_models.grammar_sampling import PASSAGE
from language_models.protocol import (
    Embedder,
    FloatArray,
    GenerateRequest,
    Generation,
    LanguageModel,
    Usage,
)
from language_models.scripted import stable_hash

SOCIETY = 1_000
"""Number of residents stepped together."""

MOST, IN_ALL = 60, 8_000
"""Maximum number of steps, and agent-steps that bound it for many residents."""

PLAYED = {1: 600}
"""Time steps of random play in memory, by number of residents; 60 for others."""

_WEIGHED = 50  # number of minds whose memory is measured


def steps(embeds: Embedder, tell: Callable[[str], None], *, society: int = SOCIETY) -> Iterator[Measurement]:
    """Measure the steps of one mind in the valley, and of many in towns.

    Args:
        embeds: Embedder of names and sentences.
        tell: Takes a line about the progress.
        society: Number of residents stepped together, at least 2.
    """
    for residents, goal in ((1, 2.0), (society, 1.0)):
        count = max(8, min(MOST, IN_ALL // residents))
        who = f"{residents:,} resident{'s' * (residents > 1)}"
        tell(f"{who} remembering 1,000 frames each")
        embedder = _TimedEmbedder(embeds)
        world = World(generate_towns(residents, seed=0) if residents > 1 else None, seed=0)
        model = _Writer()
        minds, taken = _minds(world, list(world.residents)[:residents], model, embedder)
        tell(f"{who}: {count} steps")
        with less_garbage_collection():
            alone, embedding = asyncio.run(_take_steps(world, minds, count, model, embedder))
        what = "one resident" if residents == 1 else f"{who} together, each"
        yield milliseconds(f"a step of {what}, without the language model", alone, goal)
        yield milliseconds(f"a step of {what}, embedding its new sentences", embedding)
        yield Measurement(name=f"memory of {what}", value=taken / 1e6, unit="MB")


def _minds(
    world: World, names: list[str], model: LanguageModel, embedder: Embedder
) -> tuple[list[ItcmaResident], float]:
    """Build minds with memories of random play in a world, and measure the bytes per mind."""
    table = NameTable(embedder)
    memories = memories_of_random_play(world, names, PLAYED.get(len(names), 60), table)
    words = vocabulary(table.names)

    def mind_of(number: int) -> ItcmaResident:
        mind = make_mind(
            names[number],
            model=model,
            embedder=embedder,
            table=table,
            generator=np.random.default_rng(number),
            vocabulary=words,
        )
        memory = LongTermMemory(table)
        for one in _frames(memories.pop(names[number]), 1_000):
            memory.append(one)
        mind.set_state({**mind.get_state(), "memory": memory.get_state()})
        return mind

    gc.collect()
    tracemalloc.start()
    before = tracemalloc.get_traced_memory()[0]
    minds = [mind_of(number) for number in range(min(len(names), _WEIGHED))]
    taken = (tracemalloc.get_traced_memory()[0] - before) / len(minds)
    tracemalloc.stop()
    return [*minds, *(mind_of(number) for number in range(len(minds), len(names)))], taken


def _frames(memories: list[Memory], count: int) -> list[Memory]:
    """Repeat memories until they cover at least this number of frames."""
    return repeat_memories(memories, -(-count * len(memories) // sum(memory.frames for memory in memories)))


async def _take_steps(
    world: World, minds: list[ItcmaResident], steps: int, model: _Writer, embedder: _TimedEmbedder
) -> tuple[list[float], list[float]]:
    """Measure seconds per resident and step of the mind alone and of embedding, after a quarter as warm-up."""
    alone, embedding = [], []
    for step in range(steps):
        seen = [world.observe(mind.name) for mind in minds]
        model.seconds = embedder.seconds = 0.0
        begin = process_time()
        acts = await asyncio.gather(*(mind.act(now) for mind, now in zip(minds, seen, strict=True)))
        seconds = process_time() - begin
        if step >= steps // 4:
            alone.append((seconds - embedder.seconds - model.seconds) / len(minds))
            embedding.append(embedder.seconds / len(minds))
        failures = [act.failure for act in acts if act.failure is not None]
        if failures:
            raise RuntimeError(f"a step of the benchmark failed: {failures[0]}")
        world.step({mind.name: act.action for mind, act in zip(minds, acts, strict=True)})
    return alone, embedding


class _Writer(BaseModel):
    """Stand-in for a language model that writes thoughts and lines of plain words, and times itself."""

    name = "stand-in"
    seconds = 0.0

    async def generate(self, request: GenerateRequest) -> Generation:
        begin = process_time()
        texts = tuple(self._text(request.prompt, request.caller.resident, sample) for sample in range(request.samples))
        self.seconds += process_time() - begin
        return Generation(text=texts[0], alternatives=texts[1:], usage=Usage())

    @staticmethod
    def _text(prompt: str, resident: str, sample: int) -> str:
        words = PASSAGE.split()
        start = stable_hash("bench", prompt, str(sample)) % len(words)
        some = [*words, *words][start : start + 12]
        return f', and {" ".join(some[:6])}.\n{resident}: "{" ".join(some[6:]).capitalize()}."\n'


class _TimedEmbedder:
    """Embedder that records the seconds spent in it."""

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
