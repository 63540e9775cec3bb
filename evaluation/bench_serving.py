"""How busy a society keeps what serves its model: llama.cpp in this process, and a server that takes its time."""

from __future__ import annotations

import asyncio
import contextlib
import json
import multiprocessing
import tempfile
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from multiprocessing.connection import Connection
from pathlib import Path
from statistics import median
from typing import Any, TypeVar

from evaluation.assembly import build_society
from evaluation.benchmark import Measurement
from evaluation.configuration import Configuration
from irollan_env import generate_towns
from language_models.embedded import EmbeddedModel
from language_models.embedder import HashEmbedder
from language_models.grammar_sampling import sample_grammar
from language_models.openai_compatible import OpenAICompatible
from language_models.protocol import Caller, Choice, Generation, LanguageModel, Scores
from language_models.recording import Recorded
from language_models.registry import resolve_embedder
from language_models.transcript import Transcript

AnswerT = TypeVar("AnswerT", Generation, Choice, Scores)

DELAY, AT_ONCE, ROUNDS, TOWNS = 0.2, 64, 10, 11
STEPS, TURNS, SLOTS = 2, 3, (6, 12)
"""Of the embedded model: time steps in a turn, turns, and numbers of slots to try llama.cpp by itself with."""


def server() -> Iterator[Measurement]:
    """Steps of 64 residents, everything recorded, on a server that answers 64 at once after 200 ms."""
    with _stand_in() as url:
        alone, processor, retries = asyncio.run(_calls(url))
        society, more = asyncio.run(_steps(url))
    yield Measurement(
        name="step of 64 residents, 200 ms server / ideal", value=society, unit="times", goal=1.3, at_least=False
    )
    yield Measurement(name="64 calls at once / ideal", value=alone, unit="times", goal=1.3, at_least=False)
    yield Measurement(name="processor time of one call, recorded", value=processor, unit="ms")
    yield Measurement(
        name="calls that the server sent away", value=retries + more, unit="calls", goal=0, at_least=False
    )


async def _steps(url: str) -> tuple[float, float]:
    """Median step of a society of 64 against its ideal, and how often the server was asked again.

    A resident that makes three calls one after another needs 600 ms, however fast all else is, and the matrix asks when
    everyone has acted. So the ideal is the delay times the calls one after another of whoever made the most, and those
    of the matrix.
    """
    configuration = Configuration(model=f"openai:{url}", embedder="hash")
    ratios = []
    async with OpenAICompatible(url, "m", api_key="", concurrency=AT_ONCE, grammar_field="grammar") as model:
        with tempfile.TemporaryDirectory() as folder, Transcript(Path(folder) / "t.sqlite") as transcript:
            counted = _InTurn(Recorded(model, transcript))
            society = build_society(
                configuration, counted, HashEmbedder(), generate_towns(AT_ONCE, towns=TOWNS, seed=0)
            )
            for number in range(ROUNDS + 1):
                counted.turns.clear()
                began = time.perf_counter()
                await society.step()
                transcript.commit()
                took = time.perf_counter() - began
                of_matrix = counted.turns.pop("", 0)
                if number > 0:  # The first one makes the connections.
                    ratios.append(took / (DELAY * (max(counted.turns.values()) + of_matrix)))
            return median(ratios), float(transcript.usage().retries)


class _InTurn:
    """Counts for each resident the calls that it makes one after another: those under way together count once."""

    def __init__(self, model: LanguageModel) -> None:
        self.name, self.turns, self._model = model.name, Counter[str](), model
        self._under_way = Counter[str]()

    def generate(self, prompt: str, *, caller: Caller, **options: Any) -> Awaitable[Generation]:
        return self._count(caller, self._model.generate(prompt, caller=caller, **options))

    def choose(self, prompt: str, options: Sequence[str], *, caller: Caller, **more: Any) -> Awaitable[Choice]:
        return self._count(caller, self._model.choose(prompt, options, caller=caller, **more))

    def score(self, prompt: str, continuations: Sequence[str], *, caller: Caller) -> Awaitable[Scores]:
        return self._count(caller, self._model.score(prompt, continuations, caller=caller))

    async def _count(self, caller: Caller, answer: Awaitable[AnswerT]) -> AnswerT:
        self.turns[caller.resident] += not self._under_way[caller.resident]
        self._under_way[caller.resident] += 1
        try:
            return await answer
        finally:
            self._under_way[caller.resident] -= 1


async def _calls(url: str) -> tuple[float, float, float]:
    """Median of 64 calls at once against the ideal, milliseconds of processor a call, retries."""

    async def at_once(model: LanguageModel, time: int) -> None:
        callers = (Caller(module="writing", resident=f"R{n}", time=time) for n in range(AT_ONCE))
        await asyncio.gather(*(model.generate(f"{one.resident} thinks", caller=one) for one in callers))

    took = []
    async with OpenAICompatible(url, "m", api_key="", concurrency=AT_ONCE) as model:
        with tempfile.TemporaryDirectory() as folder, Transcript(Path(folder) / "t.sqlite") as transcript:
            recorded = Recorded(model, transcript)
            await at_once(recorded, 0)
            processor = time.process_time()
            for number in range(1, ROUNDS + 1):
                began = time.perf_counter()
                await at_once(recorded, number)
                took.append(time.perf_counter() - began)
            processor = time.process_time() - processor
            retries = sum(usage.retries for usage in transcript.usage_by_module())
    return median(took) / DELAY, 1000 * processor / (AT_ONCE * ROUNDS), float(retries)


@contextlib.contextmanager
def _stand_in() -> Iterator[str]:
    """A server in a process of its own, as any real one is."""
    context = multiprocessing.get_context("spawn")
    here, there = context.Pipe()
    process = context.Process(target=_serve, args=(there,), daemon=True)
    process.start()
    try:
        if not here.poll(60):
            raise RuntimeError("the stand-in for a server did not begin within 60 s")
        yield f"http://127.0.0.1:{here.recv()}/v1"
    finally:
        process.terminate()
        process.join()


def _serve(parent: Connection) -> None:
    busy = 0

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        nonlocal busy
        with contextlib.suppress(asyncio.IncompleteReadError, ConnectionError):
            while True:
                head = (await reader.readuntil(b"\r\n\r\n")).lower()
                length = int(head.partition(b"content-length:")[2].split(b"\r\n")[0] or 0)
                asked = await reader.readexactly(length)
                busy += 1
                status, data = b"429 Too Many Requests", b"{}"
                if busy <= AT_ONCE:
                    until = time.monotonic() + DELAY
                    status, data = b"200 OK", _answered(asked)
                    await asyncio.sleep(until - time.monotonic())
                busy -= 1
                writer.write(b"HTTP/1.1 %b\r\nContent-Length: %d\r\n\r\n%b" % (status, len(data), data))
                await writer.drain()

    async def serve() -> None:
        listening = await asyncio.start_server(answer, "127.0.0.1", 0, backlog=256)
        parent.send(listening.sockets[0].getsockname()[1])
        await listening.serve_forever()

    asyncio.run(serve())


def _answered(asked: bytes) -> bytes:
    """The first of the options, or any text of the form that was asked for."""
    body = json.loads(asked)
    text = "I wonder."
    if "response_format" in body:
        schema = body["response_format"]["json_schema"]["schema"]
        text = json.dumps({"choice": schema["properties"]["choice"]["enum"][0]})
    elif "grammar" in body:
        text = _written(body["grammar"])
    return json.dumps({"choices": [{"message": {"content": text}}]}).encode()


@cache
def _written(grammar: str) -> str:
    return sample_grammar(grammar, "")


class _Noting(EmbeddedModel):
    """Notes what llama.cpp is asked, and how many tokens that took."""

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.asked: list[dict[str, Any]] = []
        self.tokens = 0

    async def _complete(self, body: dict[str, Any]) -> dict[str, Any]:
        self.asked.append(body)
        answer = await super()._complete(body)
        self.tokens += int(answer["usage"]["total_tokens"])
        return answer


def embedded(tell: Callable[[str], None]) -> Iterator[Measurement]:
    """Tokens a second of a society of six, beside llama.cpp by itself with the same requests all at once, in turns.

    Args:
        tell: Takes a line about the progress.
    """
    embedder = resolve_embedder("minilm").build()
    shares, lived, bare = [], [], []
    model = _Noting.smollm2(embedder=embedder)
    assert isinstance(model, _Noting)
    with Transcript(":memory:") as transcript:
        society = build_society(Configuration(), Recorded(model, transcript), embedder)
        asyncio.run(society.step())
        others = {slots: _Noting.smollm2(slots=slots) for slots in SLOTS}
        beginnings = [body for body in model.asked if body.get("n", 1) <= min(SLOTS)]
        for other in others.values():
            _all_at_once(other, beginnings)
        for turn in range(1, TURNS + 1):
            model.asked.clear()
            model.tokens = 0
            began = time.perf_counter()
            for _ in range(STEPS):
                asyncio.run(society.step())
            lived.append(model.tokens / (time.perf_counter() - began))
            bare.append({slots: _all_at_once(other, model.asked) for slots, other in others.items()})
            shares.append(lived[-1] / max(bare[-1].values()))
            rates = ", ".join(f"{rate:.0f} with {slots} slots" for slots, rate in bare[-1].items())
            tell(f"turn {turn} of {TURNS}: {lived[-1]:.0f} tokens/s, by itself {rates}")
    for one in (model, *others.values()):
        one.close()
    medians = {slots: median(one[slots] for one in bare) for slots in SLOTS}
    best = max(medians, key=medians.__getitem__)
    yield Measurement(name="embedded model, society of six", value=median(lived), unit="tokens/s")
    for slots, rate in medians.items():
        yield Measurement(name=f"llama.cpp by itself, {slots} slots", value=rate, unit="tokens/s")
    yield Measurement(
        name=f"society / llama.cpp by itself, best slots ({best})", value=median(shares), unit="times", goal=0.9
    )


def _all_at_once(model: EmbeddedModel, asked: list[dict[str, Any]]) -> float:
    """Tokens a second of llama.cpp with all requests in its queue."""

    def ask(body: dict[str, Any]) -> int:
        answer = model.server.handle_completions({**body, "cache_prompt": True})
        return int(answer["usage"]["total_tokens"])

    began = time.perf_counter()
    with ThreadPoolExecutor(len(asked)) as threads:
        tokens = sum(threads.map(ask, asked))
    return tokens / (time.perf_counter() - began)
