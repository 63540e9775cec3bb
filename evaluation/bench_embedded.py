"""How busy a society keeps llama.cpp in this process: tokens a second, beside llama.cpp by itself."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from statistics import median
from typing import Any

from evaluation.assembly import build_society
from evaluation.bench_recording import RecordingTimed
from evaluation.benchmark import Measurement
from evaluation.configuration import Configuration
from evaluation.society import Society
from language_models.embedded import EmbeddedModel
from language_models.registry import resolve_embedder
from language_models.transcript import Transcript
from language_models.weights import smollm2_path

STEPS, TURNS, SLOTS = 2, 3, (6, 12, 18)
"""Time steps in a turn, turns, and numbers of slots to try llama.cpp by itself with."""


class _Noting(EmbeddedModel):
    """Notes what llama.cpp is asked, and how many tokens that took."""

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.asked: list[tuple[dict[str, Any], str]] = []
        self.tokens = 0

    async def _complete(self, body: dict[str, Any], bias: str = "") -> dict[str, Any]:
        self.asked.append((body, bias))
        answer = await super()._complete(body, bias)
        self.tokens += int(answer["usage"]["total_tokens"])
        return answer


def embedded(tell: Callable[[str], None]) -> Iterator[Measurement]:
    """Tokens a second of a society of six, beside llama.cpp by itself with the same requests all at once, in turns.

    Each llama.cpp has read the prompts of the first time step, so that what they begin with is in the cache of all.
    Recording is timed with a transcript in memory, without records and checkpoints: what the disk takes is not in it.

    Args:
        tell: Takes a line about the progress.
    """
    embedder = resolve_embedder("minilm").build()
    shares, lived, seconds = [], [], 0.0
    bare: dict[int, list[float]] = {slots: [] for slots in SLOTS}
    model = _noting(embedder=embedder)
    timed = RecordingTimed(model, ":memory:")
    with timed.transcript, ExitStack() as stack:
        stack.callback(model.close)
        society = build_society(Configuration(), timed.model, embedder)
        tell(f"the first step took {_live(society, timed.transcript):.0f} s")
        others = {slots: _noting(slots=slots) for slots in SLOTS}
        for other in others.values():
            stack.callback(other.close)
        for slots, other in others.items():
            tell(f"reading {len(model.asked)} prompts of the first step with {slots} slots")
            _all_at_once(other, [({**body, "max_tokens": 1}, bias) for body, bias in model.asked])
        recording = timed.seconds
        for turn in range(1, TURNS + 1):
            model.asked.clear()
            model.tokens = 0
            took = sum(_live(society, timed.transcript) for _ in range(STEPS))
            seconds += took
            lived.append(model.tokens / took)
            for slots, other in others.items():
                bare[slots].append(_all_at_once(other, model.asked))
            shares.append(lived[-1] / max(rates[-1] for rates in bare.values()))
            rates = ", ".join(f"{rates[-1]:.0f} with {slots} slots" for slots, rates in bare.items())
            tell(f"turn {turn} of {TURNS}: {lived[-1]:.0f} tokens/s in {took:.0f} s, by itself {rates}")
        recording = timed.seconds - recording
    medians = {slots: median(rates) for slots, rates in bare.items()}
    best = max(medians, key=medians.__getitem__)
    yield Measurement(name=f"embedded model, society of six, {model.slots} slots", value=median(lived), unit="tokens/s")
    for slots, rate in medians.items():
        yield Measurement(name=f"llama.cpp by itself, {slots} slots", value=rate, unit="tokens/s")
    yield Measurement(
        name=f"society / llama.cpp by itself, best slots ({best})", value=median(shares), unit="times", goal=0.9
    )
    yield Measurement(
        name="recording in memory / time of steps with the embedded model",
        value=100 * recording / seconds,
        unit="per cent",
        goal=2,
        at_least=False,
    )


def _noting(**options: Any) -> _Noting:
    return _Noting(smollm2_path(), name="smollm2", **options)


def _live(society: Society, transcript: Transcript) -> float:
    """Seconds of one time step."""
    began = time.perf_counter()
    asyncio.run(society.step())
    transcript.commit()
    return time.perf_counter() - began


def _all_at_once(model: EmbeddedModel, asked: list[tuple[dict[str, Any], str]]) -> float:
    """Tokens a second of llama.cpp with all requests in its queue."""

    def ask(body: dict[str, Any]) -> int:
        answer = model.server.handle_completions({**body, "cache_prompt": True})
        return int(answer["usage"]["total_tokens"])

    bodies = [{**body, **({"logit_bias": json.loads(bias)} if bias else {})} for body, bias in asked]
    began = time.perf_counter()
    with ThreadPoolExecutor(len(bodies)) as threads:
        tokens = sum(threads.map(ask, bodies))
    return tokens / (time.perf_counter() - began)
