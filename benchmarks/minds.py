"""``irollan bench mind``: what a mind costs beside the language model, and what runs cost in calls and tokens.

Times are medians of single calls, in processor time, so that waiting for other programs is left out. Memory is asked
with the present of the same life that was remembered, some steps later.
"""

from __future__ import annotations

import gc
import tracemalloc
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import islice
from pathlib import Path
from statistics import median
from time import process_time
from typing import Any, TypeVar

import numpy as np

from benchmarks.benchmark import Measurement, machine, milliseconds
from benchmarks.sample_life import life, remembered
from benchmarks.steps import SOCIETY, steps
from benchmarks.tokens import prompted
from evaluation.records.run_directory import RunDirectory
from evaluation.runs.costs import usage_of_run
from irollan_env.hints import did_you_mean
from itcma_s.emotion.emotion import linear_weights
from itcma_s.fields.blending import blend, blend_plain
from itcma_s.fields.name_table import NameTable
from itcma_s.fields.phenomenal_field import Field, FieldBatch
from itcma_s.memory.compression import compress
from itcma_s.memory.levenshtein import best_window, best_window_plain
from itcma_s.memory.long_term_memory import LongTermMemory
from itcma_s.memory.memory import Memory
from language_models.protocol import Embedder, FloatArray
from language_models.registry import resolve_embedder

CHANNEL = 5
"""Frames of the channel that memory is asked with."""

ACTIVATION = {1_000: 1.0, 10_000: 5.0, 100_000: 30.0}
"""Memories -> milliseconds that one activation may take."""

POOLED = 10_000
"""Memories among which another way to make a shortlist is tried: by pooled embeddings of names."""

QUERIES, _APART = 80, 7  # how often memory is asked; steps of life from one query to the next

PARTS = ("activation", "blending", "steps", "tokens")
"""What can be measured by itself."""

ResultT = TypeVar("ResultT")


def measure(
    runs: Sequence[Path],
    tell: Callable[[str], None],
    *,
    embedder: str = "hash",
    parts: Sequence[str] = (),
    society: int = SOCIETY,
) -> tuple[list[Measurement], dict[str, Any]]:
    """Measure everything; returns the numbers, and the machine that they were measured on.

    Args:
        runs: Run directories whose own calls and tokens are wanted too.
        tell: Takes a line about the progress.
        embedder: Name of what embeds names and sentences.
        parts: Some of ``PARTS``; empty for all of them.
        society: How many residents are stepped together, at least 2.

    Raises:
        ValueError: for an unknown embedder or part, a directory that is no run, or too few residents.
        OSError: if weights or a run cannot be read.
    """
    for part in parts:
        if part not in PARTS:
            raise ValueError(f"part must be one of {', '.join(PARTS)}, got {part!r}{did_you_mean(part, PARTS)}")
    if society < 2:
        raise ValueError(f"at least 2 residents are stepped together, got {society}")
    costs = [*spent(runs)]
    embeds = resolve_embedder(embedder).build()
    doing: dict[str, Callable[[], Iterator[Measurement]]] = {
        "activation": lambda: _activation(embeds, tell),
        "blending": lambda: _blending(embeds, tell),
        "steps": lambda: steps(embeds, tell, society=society),
        "tokens": lambda: prompted(tell),
    }
    measured = [one for part in PARTS if not parts or part in parts for one in doing[part]()]
    return [*measured, *costs], {"embedder": embedder, **machine()}


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
        tell(f"comparing {QUERIES} channels with every one of {count:,}")
        best = [memory.activate_exhaustively(channel[-1], channel[:-1])[0][0].id for channel in channels]
        found = sum(_activate(memory, channel)[0][0].id == id for channel, id in zip(channels, best, strict=True))
        yield milliseconds(f"activation among {count:,} frames", times, goal)
        yield Measurement(
            name=f"exact best of {count:,} frames found", value=found / len(channels), unit="of queries", goal=0.95
        )
        if count == POOLED:
            shortlisted = _pooled(memory, table, channels)
            yield Measurement(
                name=f"exact best of {count:,} frames among the best 32 by pooled embeddings",
                value=sum(id in ids for id, ids in zip(best, shortlisted, strict=True)) / len(channels),
                unit="of queries",
            )
        if count == max(ACTIVATION):
            yield Measurement(
                name=f"{count:,} compressed frames", value=taken / 1e6, unit="MB", goal=600.0, at_least=False
            )


def _pooled(memory: LongTermMemory, table: NameTable, channels: Sequence[Sequence[Field]]) -> list[set[int]]:
    """Ids of the 32 memories whose mean embedding is nearest to the channel's: another way to make a shortlist."""

    def pooled(field: Field) -> FloatArray:
        mean: FloatArray = table.vectors[field.ids].mean(axis=0)
        return mean / np.linalg.norm(mean)

    remembered_ones = list(memory)
    vectors = np.stack([pooled(one.field) for one in remembered_ones])
    factors = np.array([1.0 + 0.2 * one.weight for one in remembered_ones])
    nearest = []
    for channel in channels:
        query = linear_weights(len(channel)) @ np.stack([pooled(field) for field in channel])
        order = np.argsort(-(vectors @ query) * factors)[:32]
        nearest.append({remembered_ones[n].id for n in order.tolist()})
    return nearest


def _activate(memory: LongTermMemory, channel: Sequence[Field]) -> list[tuple[Memory, float]]:
    return memory.activate(channel[-1], channel[:-1])


def _blending(embeds: Embedder, tell: Callable[[str], None]) -> Iterator[Measurement]:
    tell("blending and compressing")
    table, generator = NameTable(embeds), np.random.default_rng(0)
    lived = list(life(1_000, table, generator))
    fields = [field for _, field in lived]
    pairs = [(fields[n], fields[n + 1]) for n in range(0, 400)]
    yield milliseconds(
        "blend of two fields of 30 objects", _times(lambda x, y: blend(x, y, table, generator), pairs), 0.1
    )
    yield milliseconds(
        "the same by the printed loops", _times(lambda x, y: blend_plain(x, y, table, generator), pairs[:3])
    )
    frames = [remembered(place, field, time, generator) for time, (place, field) in enumerate(lived[:400])]
    segments = [(frames[n : n + 20],) for n in range(0, 400, 20)]
    yield milliseconds("compressing 20 frames", _times(lambda some: compress(some, table, generator), segments), 3.0)
    channel, remembered_fields = fields[-CHANNEL:], fields[: 100 - CHANNEL]
    batch = FieldBatch.of(remembered_fields)
    yield milliseconds(
        "ITCMA's Levenshtein scan of 95 frames", _times(lambda: best_window(channel, batch, table), [()] * 20)
    )
    yield milliseconds(
        "the same in plain loops", _times(lambda: best_window_plain(channel, remembered_fields, table), [()] * 2)
    )


def spent(runs: Sequence[Path]) -> Iterator[Measurement]:
    """Calls and tokens per resident and step, and how much dearer the dearest architecture is."""
    tokens: dict[str, list[float]] = {}
    for path in runs:
        directory = RunDirectory(path)
        effective = directory.read_manifest()["configuration"]["effective"]
        used = usage_of_run(directory)
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
    begin = process_time()
    result = do()
    return process_time() - begin, result


def _times(do: Callable[..., object], arguments: Sequence[tuple[Any, ...]]) -> list[float]:
    return [_timed(lambda: do(*one))[0] for one in arguments]  # noqa: B023
