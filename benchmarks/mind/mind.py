"""Cost of a mind without its language model, and calls and tokens of whole runs.

Times are medians of single calls, in processor time, which excludes waiting for other programs. Memory is queried with
the present of the same life that was memorised, some steps later.
"""

from __future__ import annotations

import gc
import tracemalloc
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import islice
from pathlib import Path
from time import process_time
from typing import Annotated, Any, TypeVar

import numpy as np
import typer

from benchmarks.mind.memory_tokens import savings
from benchmarks.mind.model_costs import estimated_costs, recorded_costs
from benchmarks.mind.sample_life import sample_life, sample_memory
from benchmarks.mind.steps import SOCIETY, steps
from benchmarks.reporting import AsJson, Measurement, check_known, machine, milliseconds, progress, show
from itcma_s.fields.blending import blend, blend_plain
from itcma_s.fields.name_table import NameTable
from itcma_s.fields.phenomenal_field import Field, FieldBatch
from itcma_s.memory.compression import compress
from itcma_s.memory.levenshtein import best_window, best_window_plain
from itcma_s.memory.long_term_memory import LongTermMemory
from itcma_s.memory.memory import Memory
from language_models.protocol import Embedder
from language_models.registry import find_embedder

CHANNEL = 5
"""Frames of the retention channel in a memory query."""

ACTIVATION = {1_000: 1.0, 10_000: 5.0, 100_000: 30.0}
"""Goal for one activation in milliseconds, by number of memories."""

QUERIES, _APART = 80, 7  # number of memory queries; steps of life between queries

PARTS = ("activation", "blending", "steps", "memory", "tokens")
"""Parts that can be measured separately."""

ResultT = TypeVar("ResultT")


def command(
    runs: Annotated[
        list[Path] | None,
        typer.Argument(
            metavar="RUN",
            help="Runs whose calls and tokens are set beside each other; the part memory reads their moments.",
            show_default=False,
        ),
    ] = None,
    embedder: Annotated[
        str, typer.Option(metavar="NAME", help="What compares names and sentences; see irollan models.")
    ] = "hash",
    part: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME", help=f"Measure this only: {', '.join(PARTS)}. Again for more."),
    ] = None,
    residents: Annotated[int, typer.Option(metavar="N", help="How many residents are stepped together.")] = SOCIETY,
    as_json: AsJson = False,
) -> None:
    """Measure the mind: activation, blending, steps without a model, what memory saves in requests, what runs cost.

    All of it takes some minutes; --part NAME and fewer --residents are quicker.
    """
    measurements, where = measure(runs or [], progress("mind"), embedder=embedder, parts=part or (), society=residents)
    show(measurements, where, as_json=as_json)


def measure(
    runs: Sequence[Path],
    tell: Callable[[str], None],
    *,
    embedder: str = "hash",
    parts: Sequence[str] = (),
    society: int = SOCIETY,
) -> tuple[list[Measurement], dict[str, Any]]:
    """Run the measurements, and return them with a description of the machine.

    Args:
        runs: Run directories whose calls and tokens are reported too, and whose moments the part "memory" uses.
        tell: Takes a line about the progress.
        embedder: Name of the embedder of names and sentences.
        parts: Some of ``PARTS``; empty for all of them.
        society: Number of residents stepped together, at least 2.

    Raises:
        ValueError: for an unknown embedder or part, a directory that is no run, or too few residents.
        OSError: if weights or a run cannot be read.
    """
    check_known("part", parts, PARTS)
    if society < 2:
        raise ValueError(f"at least 2 residents are stepped together, got {society}")
    costs = [*recorded_costs(runs)]
    embeds = find_embedder(embedder).build()
    measures: dict[str, Callable[[], Iterator[Measurement]]] = {
        "activation": lambda: _activation(embeds, tell),
        "blending": lambda: _blending(embeds, tell),
        "steps": lambda: steps(embeds, tell, society=society),
        "memory": lambda: savings(tell, runs=runs),
        "tokens": lambda: estimated_costs(tell),
    }
    measured = [one for part in PARTS if not parts or part in parts for one in measures[part]()]
    return [*measured, *costs], {"embedder": embedder, **machine()}


def _activation(embeds: Embedder, tell: Callable[[str], None]) -> Iterator[Measurement]:
    for count, goal in ACTIVATION.items():
        tell(f"remembering {count:,} frames")
        table, generator = NameTable(embeds), np.random.default_rng(0)
        frames = sample_life(count + QUERIES * _APART + CHANNEL, table, generator)
        memory = LongTermMemory(table)
        gc.collect()
        tracemalloc.start()
        before = tracemalloc.get_traced_memory()[0]
        for time, (place, field) in enumerate(islice(frames, count)):
            memory.append(sample_memory(place, field, time, generator))
        taken = tracemalloc.get_traced_memory()[0] - before
        tracemalloc.stop()
        tell(f"activating {QUERIES} times among {count:,}")
        later = [field for _, field in frames]
        channels = [later[start : start + CHANNEL] for start in range(0, QUERIES * _APART, _APART)]
        times = _times(partial(_activate, memory), [(channel,) for channel in channels])
        tell(f"comparing {QUERIES} channels with every one of {count:,}")
        best = [memory.activate_exhaustively(channel[-1], channel[:-1])[0][0].id for channel in channels]
        found = sum(_activate(memory, channel)[0][0].id == id for channel, id in zip(channels, best, strict=True))
        yield milliseconds(f"activation among {count:,} frames", times, goal)
        yield Measurement(
            name=f"exact best of {count:,} frames found", value=found / len(channels), unit="of queries", goal=0.95
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
    life = list(sample_life(1_000, table, generator))
    fields = [field for _, field in life]
    pairs = [(fields[n], fields[n + 1]) for n in range(0, 400)]
    yield milliseconds(
        "blend of two fields of 30 objects", _times(lambda x, y: blend(x, y, table, generator), pairs), 0.1
    )
    yield milliseconds(
        "the same by the printed loops", _times(lambda x, y: blend_plain(x, y, table, generator), pairs[:3])
    )
    memories = [sample_memory(place, field, time, generator) for time, (place, field) in enumerate(life[:400])]
    segments = [(memories[n : n + 20],) for n in range(0, 400, 20)]
    yield milliseconds("compressing 20 frames", _times(lambda some: compress(some, table, generator), segments), 3.0)
    channel, retained = fields[-CHANNEL:], fields[: 100 - CHANNEL]
    batch = FieldBatch.of(retained)
    yield milliseconds(
        "ITCMA's Levenshtein scan of 95 frames", _times(lambda: best_window(channel, batch, table), [()] * 20)
    )
    yield milliseconds("the same in plain loops", _times(lambda: best_window_plain(channel, retained, table), [()] * 2))


def _timed(do: Callable[[], ResultT]) -> tuple[float, ResultT]:
    begin = process_time()
    result = do()
    return process_time() - begin, result


def _times(do: Callable[..., object], arguments: Sequence[tuple[Any, ...]]) -> list[float]:
    return [_timed(lambda: do(*one))[0] for one in arguments]  # noqa: B023
