"""How busy a society keeps its model, and what recording, replaying and resuming cost: `python benchmarks/models.py`.

Each number is a ratio against a plain form in the same run, or a time with its limit. `--json` for other programs,
`--embedded STEPS` to measure the embedded model too, which takes minutes.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import io
import json
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from statistics import median
from typing import Any

from evaluation.assembly import build_society
from evaluation.checkpoints import latest
from evaluation.cli import main as irollan
from evaluation.configuration import Configuration
from language_models.embedder import HashEmbedder
from language_models.openai_compatible import OpenAICompatible
from language_models.protocol import Caller, Generation, LanguageModel
from language_models.recording import Recorded
from language_models.registry import resolve_embedder, resolve_model
from language_models.scripted import ScriptedModel
from language_models.transcript import Transcript

SECONDS, AT_ONCE, ROUNDS = 0.2, 64, 5


@contextlib.contextmanager
def quiet() -> Iterator[None]:
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        yield


async def stand_in(delay: float, at_once: int) -> tuple[asyncio.Server, str]:
    """A server that answers every request after so many seconds, so many at once; more get a 429."""
    busy = 0

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        nonlocal busy
        with contextlib.suppress(asyncio.IncompleteReadError, asyncio.CancelledError, ConnectionError):
            while True:
                head = (await reader.readuntil(b"\r\n\r\n")).lower()
                length = int(head.partition(b"content-length:")[2].split(b"\r\n")[0] or 0)
                await reader.readexactly(length)
                busy += 1
                status, body = b"200 OK", {"choices": [{"message": {"content": "I wonder."}}]}
                if busy > at_once:
                    status, body = b"429 Too Many Requests", {}
                else:
                    await asyncio.sleep(delay)
                busy -= 1
                data = json.dumps(body).encode()
                writer.write(b"HTTP/1.1 %b\r\nContent-Length: %d\r\n\r\n%b" % (status, len(data), data))
                await writer.drain()
        writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0, backlog=256)
    return server, f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/v1"


async def throughput() -> dict[str, float]:
    """A step of 64 residents who ask at once, recorded, against the time that the server takes."""

    async def step(model: LanguageModel, time: int) -> None:
        callers = (Caller(module="writing", resident=f"R{n}", time=time) for n in range(AT_ONCE))
        await asyncio.gather(*(model.generate(f"{one.resident} thinks", caller=one) for one in callers))

    server, url = await stand_in(SECONDS, AT_ONCE)
    took, processor = [], time.process_time()
    async with server, OpenAICompatible(url, "m", api_key="", concurrency=AT_ONCE) as model:
        with tempfile.TemporaryDirectory() as folder, Transcript(Path(folder) / "t.sqlite") as transcript:
            recorded = Recorded(model, transcript)
            for number in range(ROUNDS + 1):
                began = time.perf_counter()
                await step(recorded, number)
                took.append(time.perf_counter() - began)
            retries = sum(usage.retries for usage in transcript.usage_by_module())
    processor = time.process_time() - processor
    return {
        "ratio_to_ideal": median(took[1:]) / SECONDS,
        "processor_ms_per_call": 1000 * processor / (AT_ONCE * (ROUNDS + 1)),
        "retries": retries,
        "limit": 1.3,
    }


def recording(steps: int) -> dict[str, float]:
    """The share of a scripted run's time that goes into writing calls down: its model takes no time, any other does."""
    spent = 0.0

    class Timed(Transcript):
        def record(self, call: Any) -> None:
            nonlocal spent
            began = time.perf_counter()
            super().record(call)
            spent += time.perf_counter() - began

    with tempfile.TemporaryDirectory() as folder, Timed(Path(folder) / "t.sqlite") as transcript:
        society = build_society(Configuration(model="scripted"), Recorded(ScriptedModel(), transcript), HashEmbedder())
        began = time.perf_counter()

        async def live() -> None:
            for _ in range(steps):
                await society.step()

        asyncio.run(live())
        whole, calls = time.perf_counter() - began, len(transcript)
    return {"share": spent / whole, "ms_per_call": 1000 * spent / calls, "limit": 0.02}


def replay_and_resume(steps: int) -> dict[str, dict[str, float]]:
    """Seconds that `irollan replay` takes, and those that `irollan resume` takes before it goes on."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "run"
        with quiet():
            irollan(["run", "--model", "scripted", "--steps", str(steps), "--out", str(path)])
        began = time.perf_counter()
        with quiet():
            replayed = irollan(["replay", str(path)])
        replay = time.perf_counter() - began
        began = time.perf_counter()
        checkpoint, _ = latest(path / "checkpoints")
        assert checkpoint is not None
        build_society(Configuration(model="scripted"), ScriptedModel(), HashEmbedder()).set_state(checkpoint.society)
        with Transcript(path / "transcript.sqlite") as transcript:
            transcript.rewind(checkpoint.transcript)
        resume = time.perf_counter() - began
    if replayed != 0:
        raise SystemExit("the replay came to something else")
    return {"replay": {"seconds": replay, "limit": 5.0}, "resume": {"seconds": resume, "limit": 1.0}}


class Noting:
    """Notes what is written on request."""

    def __init__(self, model: Any) -> None:
        self.name, self.model = model.name, model
        self.asked: list[tuple[str, dict[str, Any]]] = []
        self.choose, self.score = model.choose, model.score

    async def generate(self, prompt: str, **options: Any) -> Generation:
        """Note it and pass it on."""
        self.asked.append((prompt, options))
        answer: Generation = await self.model.generate(prompt, **options)
        return answer


def embedded(steps: int) -> dict[str, float]:
    """Tokens a second of a society of six on the embedded model, against the same requests all at once, best slots."""
    embedder = resolve_embedder("minilm").build()

    def tokens(usage: Any) -> int:
        return int(usage.prompt_tokens + usage.generated_tokens)

    model: Any = resolve_model("smollm2").build(embedder=embedder)
    noting: Any = Noting(model)
    with Transcript(":memory:") as transcript:
        society = build_society(Configuration(), Recorded(noting, transcript), embedder)

        async def live() -> None:
            for _ in range(steps):
                await society.step()

        asyncio.run(society.step())
        noting.asked.clear()
        transcript.take_usage()
        began = time.perf_counter()
        asyncio.run(live())
        took = time.perf_counter() - began
        lived = sum(row.tokens for row in transcript.take_usage()) / took
    model.close()
    best = 0.0
    for slots in (4, 8, 12):
        bare: Any = resolve_model("smollm2").build(slots=slots)

        async def all_at_once(bare: Any = bare) -> list[Generation]:
            return list(await asyncio.gather(*(bare.generate(prompt, **options) for prompt, options in noting.asked)))

        asyncio.run(bare.generate(noting.asked[0][0], **noting.asked[0][1]))
        began = time.perf_counter()
        answers = asyncio.run(all_at_once())
        best = max(best, sum(tokens(answer.usage) for answer in answers) / (time.perf_counter() - began))
        bare.close()
    return {"tokens_per_second": lived, "bare_tokens_per_second": best, "share": lived / best, "limit": 0.9}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--steps", type=int, default=75)
    parser.add_argument("--embedded", type=int, default=0, metavar="STEPS")
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    found: dict[str, Any] = {"throughput": asyncio.run(throughput()), "recording": recording(arguments.steps)}
    found |= replay_and_resume(arguments.steps)
    if arguments.embedded:
        found["embedded"] = embedded(arguments.embedded)
    if arguments.json:
        json.dump(found, sys.stdout)
        return
    for name, numbers in found.items():
        print(f"{name:12} " + "  ".join(f"{key} {value:.3g}" for key, value in numbers.items()))


if __name__ == "__main__":
    main()
