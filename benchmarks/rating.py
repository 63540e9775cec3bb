"""Fifty raters at once, and a server killed in between: ``python benchmarks/rating.py [--raters N] [--answers N]``.

``irollan rate serve`` runs in a process of its own on loopback. Every rater is a thread that saves one answer after the
other without a pause, which is far more than people do; people leave some ten seconds between two answers. Halfway the
server is killed with SIGKILL and started again, and raters repeat what was not confirmed. The plain form that the rate
is measured against is one transaction an answer straight into the same kind of file, without a server.
"""

from __future__ import annotations

import argparse
import json
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stdout
from dataclasses import dataclass, field
from pathlib import Path

import httpx
import numpy as np

from evaluation.commands.cli import main as irollan
from evaluation.rating.packets import prepare
from evaluation.rating.rating_scale import DIMENSIONS
from evaluation.rating.store import Store
from evaluation.rating.study import ANSWERS, Study

STEPS = 75


@dataclass
class Tally:
    """What raters saw: when each answer was confirmed, and the answers themselves."""

    seconds: list[float] = field(default_factory=list)
    confirmed: dict[tuple[int, str], list[int]] = field(default_factory=dict)
    repeated: int = 0
    lock: threading.Lock = field(default_factory=threading.Lock)


@contextmanager
def server(study: Path, port: int) -> Iterator[subprocess.Popen[str]]:
    """``irollan rate serve`` in a process of its own, from when it has printed its links."""
    command = [sys.executable, "-m", "evaluation", "rate", "serve", str(study), "--port", str(port)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as process:
        try:
            assert process.stdout is not None
            if not process.stdout.readline():
                raise RuntimeError("the server did not start")
            yield process
        finally:
            process.kill()


def rate(link: str, rater: int, answers: int, tally: Tally) -> None:
    """Save answers one after the other; each until it is confirmed."""
    client = httpx.Client(timeout=30)
    for number in range(answers):
        question, value = DIMENSIONS[number % len(DIMENSIONS)], (number // len(DIMENSIONS) + rater) % 7 + 1
        begun = time.perf_counter()
        while True:
            try:
                client.put(f"{link}/1/answers/{question}", json={"value": value}).raise_for_status()
                break
            except httpx.TransportError:
                with tally.lock:
                    tally.repeated += 1
                time.sleep(0.05)
        with tally.lock:
            tally.seconds.append(time.perf_counter() - begun)
            tally.confirmed.setdefault((rater, question), []).append(value)


def plain_rate(folder: Path, answers: int) -> float:
    """Answers per second without a server."""
    store = Store(folder / "plain.sqlite")
    begun = time.perf_counter()
    for number in range(answers):
        store.save("rater", number, {"logicality": 1})
    elapsed = time.perf_counter() - begun
    store.close()
    return answers / elapsed


def lost(study: Path, tally: Tally) -> int:
    """Confirmed answers that are not in the file."""
    raters = list(Study.load(study).items)
    store = Store(study / ANSWERS)
    rows = store.history()
    store.close()
    kept: dict[tuple[str, str], list[int | str]] = {}
    for rater, question, value in rows:
        kept.setdefault((rater, question), []).append(value)
    return sum(
        value not in kept.get((raters[rater], question), ())
        for (rater, question), values in tally.confirmed.items()
        for value in values
    )


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--raters", type=int, default=50)
    parser.add_argument("--answers", type=int, default=60, help="of each rater")
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        run, study, port = folder / "run", folder / "study", free_port()
        with redirect_stdout(sys.stderr):
            irollan(["run", "--model", "scripted", "--steps", str(STEPS), "--out", str(run)])
        prepare([run], raters=arguments.raters, out=study, rng=np.random.default_rng(0), residents=1)
        tokens = Study.load(study).tokens.values()
        tally = Tally()
        links = [f"http://127.0.0.1:{port}/rate/{token}" for token in tokens]
        threads = [
            threading.Thread(target=rate, args=(link, rater, arguments.answers, tally))
            for rater, link in enumerate(links)
        ]
        total = arguments.raters * arguments.answers
        with server(study, port) as process, httpx.Client() as reader:
            reader.get(f"{links[0]}/1").raise_for_status()
            begun = time.perf_counter()
            for _ in range(20):
                reader.get(f"{links[0]}/1").raise_for_status()
            page = (time.perf_counter() - begun) / 20
            begun = time.perf_counter()
            for thread in threads:
                thread.start()
            while len(tally.seconds) < total / 2:
                time.sleep(0.01)
            before = time.perf_counter() - begun
            undisturbed = sorted(tally.seconds)
            process.kill()
            process.wait()
        with server(study, port):
            for thread in threads:
                thread.join()
        result = {
            "raters": arguments.raters,
            "confirmed": len(tally.seconds),
            "lost": lost(study, tally),
            "repeated": tally.repeated,
            "answers_per_second": round(len(undisturbed) / before, 1),
            "plain_answers_per_second": round(plain_rate(folder, 500), 1),
            "median_ms": round(1000 * undisturbed[len(undisturbed) // 2], 1),
            "p99_ms": round(1000 * undisturbed[int(len(undisturbed) * 0.99)], 1),
            "page_ms": round(1000 * page, 1),
        }
    if arguments.json:
        print(json.dumps(result))
        return
    rate_over_http, plain = result["answers_per_second"], result["plain_answers_per_second"]
    print(f"{result['raters']} raters at once, {result['confirmed']} answers, one kill -9: {result['lost']} lost")
    print(f"{rate_over_http} answers/s, {rate_over_http / plain:.2f} of the {plain}/s of the file alone")
    print(f"an answer is confirmed in {result['median_ms']} ms (median), {result['p99_ms']} ms (99th percentile)")
    print(f"a page of {STEPS} steps takes {result['page_ms']} ms")
    sys.exit(result["lost"] > 0)


if __name__ == "__main__":
    main()
