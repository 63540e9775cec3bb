"""How busy societies keep llama.cpp in this process: tokens a second, beside llama.cpp by itself."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from statistics import median
from typing import Any

from benchmarks.models.recording import RecordingTimed
from benchmarks.reporting import Measurement
from evaluation.runs.build_society import build_society
from evaluation.runs.run_config import RunConfig
from evaluation.runs.society import Society
from language_models.local.embedded import EmbeddedModel
from language_models.protocol import Embedder
from language_models.registry import find_embedder
from language_models.transcript.transcript import Transcript
from language_models.weights import smollm2_path

STEPS, TURNS, TRIED_SLOTS = 2, 3, (6, 12, 18)
"""Time steps in a turn, turns, and numbers of slots to try llama.cpp by itself with."""


Asked = list[tuple[dict[str, Any], str]]
"""Requests and their biases, as ``EmbeddedModel._complete`` takes them."""


class _RequestLog(EmbeddedModel):
    """Notes what llama.cpp is asked, and how many tokens that took."""

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.asked: Asked = []
        self.tokens = 0

    async def _complete(self, body: dict[str, Any], bias: str = "") -> dict[str, Any]:
        self.asked.append((body, bias))
        answer = await super()._complete(body, bias)
        self.tokens += int(answer["usage"]["total_tokens"])
        return answer


class _Societies:
    """Societies that run at once on one model, each recorded in memory, and llama.cpp by itself beside them.

    Attributes:
        seconds: What the turns took.
        rates: Tokens a second, by turn.
        alone: Those of llama.cpp by itself with the same requests, by number of slots and turn.
    """

    def __init__(self, model: _RequestLog, embedder: Embedder, seeds: Sequence[int], stack: ExitStack) -> None:
        self._model = model
        self._timed = [RecordingTimed(model, ":memory:") for _ in seeds]
        self._members = [
            (build_society(RunConfig(seed=seed), timed.model, embedder), stack.enter_context(timed.transcript))
            for seed, timed in zip(seeds, self._timed, strict=True)
        ]
        self.seconds = 0.0
        self.rates: list[float] = []
        self.alone: dict[int, list[float]] = {}

    @property
    def recording(self) -> float:
        """Seconds that recording took so far."""
        return sum(timed.seconds for timed in self._timed)

    @property
    def best(self) -> int:
        """The number of slots with which llama.cpp by itself is the fastest, by the median turn."""
        return max(self.alone, key=lambda slots: median(self.alone[slots]))

    @property
    def shares(self) -> list[float]:
        """Tokens a second, by the most that llama.cpp by itself reached, by turn."""
        return [own / max(rates) for own, *rates in zip(self.rates, *self.alone.values(), strict=True)]

    def take_steps(self, steps: int) -> float:
        """Go on, no society waiting for the other's step to end; gives the seconds."""
        self._model.asked.clear()
        self._model.tokens = 0
        began = time.perf_counter()
        asyncio.run(_together(self._members, steps))
        return time.perf_counter() - began

    def turn(self, others: Mapping[int, EmbeddedModel]) -> str:
        """Go on, and ask llama.cpp by itself the same; gives what came of it in words."""
        took = self.take_steps(STEPS)
        self.seconds += took
        self.rates.append(self._model.tokens / took)
        for slots, other in others.items():
            self.alone.setdefault(slots, []).append(_all_at_once(other, self._model.asked))
        rates = "".join(f", by itself {rates[-1]:.0f} with {slots} slots" for slots, rates in self.alone.items())
        return f"{self.rates[-1]:.0f} tokens/s in {took:.0f} s{rates}"


def embedded(slots: int, tell: Callable[[str], None]) -> Iterator[Measurement]:
    """Tokens a second of a society of six, beside llama.cpp by itself with the same requests all at once, in turns.

    Each llama.cpp has read the prompts of the first time step, so that what they begin with is in the cache of all.
    Recording is timed with a transcript in memory, without records and checkpoints: what the disk takes is not in it.

    Args:
        slots: Of the model that societies share.
        tell: Takes a line about the progress.
    """
    embedder = find_embedder("minilm").build()
    with ExitStack() as stack:
        model = _loaded(stack, embedder=embedder, slots=slots)
        society = _Societies(model, embedder, (0,), stack)
        tell(f"the first step took {society.take_steps(1):.0f} s")
        others = _read(stack, TRIED_SLOTS, model.asked, tell)
        recording = society.recording
        for turn in range(1, TURNS + 1):
            tell(f"turn {turn} of {TURNS}: {society.turn(others)}")
        recording = society.recording - recording
    yield Measurement(
        name=f"embedded model, society of six, {model.slots} slots", value=median(society.rates), unit="tokens/s"
    )
    for number, rates in society.alone.items():
        yield Measurement(name=f"llama.cpp by itself, {number} slots", value=median(rates), unit="tokens/s")
    yield Measurement(
        name=f"society / llama.cpp by itself, best slots ({society.best})",
        value=median(society.shares),
        unit="times",
        goal=0.9,
    )
    yield Measurement(
        name="recording in memory / time of steps with the embedded model",
        value=100 * recording / society.seconds,
        unit="per cent",
        goal=2,
        at_least=False,
    )


def societies(slots: int, tell: Callable[[str], None]) -> Iterator[Measurement]:
    """Tokens a second of two societies of six in one process, beside those of one, and llama.cpp by itself, in turns.

    Llama.cpp by itself gets the requests of the two, as in ``embedded``, with the most slots that are tried there, or
    as many as they share.

    Args:
        slots: Of the model that societies share.
        tell: Takes a line about the progress.
    """
    embedder = find_embedder("minilm").build()
    with ExitStack() as stack:
        model = _loaded(stack, embedder=embedder, slots=slots)
        one, two = (_Societies(model, embedder, seeds, stack) for seeds in ((0,), (1, 2)))
        for group, name in ((one, "one"), (two, "two")):
            tell(f"the first step of {name} took {group.take_steps(1):.0f} s")
        others = _read(stack, [max(slots, *TRIED_SLOTS)], model.asked, tell)
        for turn in range(1, TURNS + 1):
            tell(f"turn {turn} of {TURNS}, one society: {one.turn({})}")
            tell(f"turn {turn} of {TURNS}, two at once: {two.turn(others)}")
    for group, name in ((one, "one society of six"), (two, "two societies of six at once")):
        yield Measurement(name=f"{name}, {model.slots} slots", value=median(group.rates), unit="tokens/s")
    gains = [both / alone for both, alone in zip(two.rates, one.rates, strict=True)]
    yield Measurement(name="two societies at once / one", value=median(gains), unit="times")
    name = f"llama.cpp by itself with the prompts of two, {two.best} slots"
    yield Measurement(name=name, value=median(two.alone[two.best]), unit="tokens/s")
    yield Measurement(name="two societies at once / llama.cpp by itself", value=median(two.shares), unit="times")


def _loaded(stack: ExitStack, **options: Any) -> _RequestLog:
    model = _RequestLog(smollm2_path(), name="smollm2", **options)
    stack.callback(model.close)
    return model


def _read(
    stack: ExitStack, numbers: Sequence[int], asked: Asked, tell: Callable[[str], None]
) -> dict[int, _RequestLog]:
    """Llama.cpp by itself with each of some numbers of slots, which has read the prompts."""
    others = {slots: _loaded(stack, slots=slots) for slots in numbers}
    for slots, other in others.items():
        tell(f"reading {len(asked)} prompts of the first step with {slots} slots")
        _all_at_once(other, [({**body, "max_tokens": 1}, bias) for body, bias in asked])
    return others


async def _together(members: Sequence[tuple[Society, Transcript]], steps: int) -> None:
    async def take(society: Society, transcript: Transcript) -> None:
        for _ in range(steps):
            await society.step()
            transcript.commit()

    await asyncio.gather(*(take(*member) for member in members))


def _all_at_once(model: EmbeddedModel, asked: Asked) -> float:
    """Tokens a second of llama.cpp with all requests in its queue."""

    def ask(body: dict[str, Any]) -> int:
        answer = model.server.handle_completions({**body, "cache_prompt": True})
        return int(answer["usage"]["total_tokens"])

    bodies = [{**body, **({"logit_bias": json.loads(bias)} if bias else {})} for body, bias in asked]
    began = time.perf_counter()
    with ThreadPoolExecutor(len(bodies)) as threads:
        tokens = sum(threads.map(ask, bodies))
    return tokens / (time.perf_counter() - began)
