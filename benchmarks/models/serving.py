"""Waiting time of 64 residents for a slow model server, relative to the shortest possible."""

from __future__ import annotations

import asyncio
import contextlib
import math
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from statistics import median
from typing import Any

from benchmarks.models.slow_server import AT_ONCE, DELAY, slow_server
from benchmarks.reporting import Measurement
from evaluation.runs.build_society import build_society
from evaluation.runs.config_parts import ModelConfig
from evaluation.runs.process import less_garbage_collection
from evaluation.runs.run_config import RunConfig
from irollan_env import generate_towns
from language_models.embedders.hash_embedder import HashEmbedder
from language_models.protocol import Caller, Choice, GenerateRequest, Generation, LanguageModel, Scores
from language_models.remote.openai_compatible import OpenAICompatible
from language_models.transcript.recording import RecordedModel
from language_models.transcript.transcript import Transcript

ROUNDS, TOWNS = 10, 11


def server() -> Iterator[Measurement]:
    """Measure recorded steps of 64 residents on a server that answers 64 requests at once after 200 ms.

    The server gives no log-probabilities, so that each choice is one request with a schema.
    """
    with slow_server() as url:
        alone, processor, retries = asyncio.run(_calls_at_once(url))
        society, more = asyncio.run(_steps(url))
    yield Measurement(
        name="step of 64 residents, 200 ms server, choices by schema / ideal",
        value=society,
        unit="times",
        goal=1.3,
        at_least=False,
    )
    yield Measurement(name="64 calls at once / ideal", value=alone, unit="times", goal=1.3, at_least=False)
    yield Measurement(name="processor time of one call, recorded", value=processor, unit="ms")
    yield Measurement(
        name="calls that the server sent away", value=retries + more, unit="calls", goal=0, at_least=False
    )


async def _steps(url: str) -> tuple[float, float]:
    """Return the median ratio of a step of 64 residents to its ideal duration, and the number of retries.

    Initial objects are exempt from garbage collection, as in a run.
    """
    configuration = RunConfig(model=ModelConfig(name=f"openai:{url}", embedder="hash"))
    ratios = []
    options: dict[str, Any] = {"concurrency": AT_ONCE, "grammar_field": "grammar", "choosing": "structured"}
    async with OpenAICompatible(url, "m", api_key="", **options) as model:
        with tempfile.TemporaryDirectory() as folder, Transcript(Path(folder) / "t.sqlite") as transcript:
            counted = _InTurn(RecordedModel(model, transcript))
            society = build_society(
                configuration, counted, HashEmbedder(), generate_towns(AT_ONCE, towns=TOWNS, seed=0)
            )
            with less_garbage_collection():
                for number in range(ROUNDS + 1):
                    counted.clear()
                    began = time.perf_counter()
                    await society.step()
                    transcript.commit()
                    took = time.perf_counter() - began
                    if number > 0:  # The first step opens the connections.
                        ratios.append(took / counted.ideal())
            return median(ratios), float(transcript.costs.total().retries)


class _InTurn:
    """Counts each resident's model calls, and how many of them are sequential.

    Concurrent calls of a resident count as one sequential call.
    """

    def __init__(self, model: LanguageModel) -> None:
        self.name, self._model = model.name, model
        self._calls, self._turns, self._under_way = Counter[str](), Counter[str](), Counter[str]()

    def clear(self) -> None:
        """Reset all counts."""
        self._calls.clear()
        self._turns.clear()

    def ideal(self) -> float:
        """Return the least seconds that the counted calls can take.

        Three sequential calls of one resident take 600 ms, and so do 130 calls of all, 64 at once; calls of the matrix
        are added, as they follow everybody's actions.
        """
        of_all = math.ceil((self._calls.total() - self._calls[""]) / AT_ONCE)
        of_one = max(turns for resident, turns in self._turns.items() if resident)
        return DELAY * (max(of_one, of_all) + self._turns[""])

    async def generate(self, request: GenerateRequest) -> Generation:
        with self._counted(request.caller):
            return await self._model.generate(request)

    async def choose(self, prompt: str, options: Sequence[str], *, caller: Caller, **more: Any) -> Choice:
        with self._counted(caller):
            return await self._model.choose(prompt, options, caller=caller, **more)

    async def score(self, prompt: str, continuations: Sequence[str], *, caller: Caller) -> Scores:
        with self._counted(caller):
            return await self._model.score(prompt, continuations, caller=caller)

    @contextlib.contextmanager
    def _counted(self, caller: Caller) -> Iterator[None]:
        self._calls[caller.resident] += 1
        self._turns[caller.resident] += not self._under_way[caller.resident]
        self._under_way[caller.resident] += 1
        try:
            yield
        finally:
            self._under_way[caller.resident] -= 1


async def _calls_at_once(url: str) -> tuple[float, float, float]:
    """Measure 64 concurrent calls: median ratio to the ideal, processor time per call in ms, retries."""

    async def at_once(model: LanguageModel, time: int) -> None:
        callers = (Caller(module="writing", resident=f"R{n}", time=time) for n in range(AT_ONCE))
        await asyncio.gather(
            *(model.generate(GenerateRequest(prompt=f"{one.resident} thinks", caller=one)) for one in callers)
        )

    took = []
    async with OpenAICompatible(url, "m", api_key="", concurrency=AT_ONCE) as model:
        with tempfile.TemporaryDirectory() as folder, Transcript(Path(folder) / "t.sqlite") as transcript:
            recorded = RecordedModel(model, transcript)
            await at_once(recorded, 0)
            processor = time.process_time()
            for number in range(1, ROUNDS + 1):
                began = time.perf_counter()
                await at_once(recorded, number)
                took.append(time.perf_counter() - began)
            processor = time.process_time() - processor
            retries = sum(usage.retries for usage in transcript.costs.by_module())
    return median(took) / DELAY, 1000 * processor / (AT_ONCE * ROUNDS), float(retries)
