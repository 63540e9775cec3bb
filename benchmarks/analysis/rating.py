"""Fifty raters at once, and a server killed in between.

``irollan rate serve`` runs in a process of its own on loopback. Every rater is a thread that saves one answer after the
other without a pause, which is far more than people do; people leave some ten seconds between two answers. Halfway the
server is killed with SIGKILL and started again, and raters repeat what was not confirmed. The plain form that the rate
is measured against is one transaction an answer straight into the same kind of file, without a server.
"""

from __future__ import annotations

import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any

import httpx
import numpy as np
import typer

from benchmarks.reporting import AsJson, as_table_or_json
from evaluation.rating.packets import prepare
from evaluation.rating.participation import Terms
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


def command(
    raters: Annotated[int, typer.Option(metavar="N", help="How many, all at once.")] = 50,
    answers: Annotated[int, typer.Option(metavar="N", help="Of each rater.")] = 60,
    as_json: AsJson = False,
) -> int:
    """Save answers of many raters, kill the server halfway, and count what is lost; end with 1 where anything is."""
    with tempfile.TemporaryDirectory() as folder:
        result = measure(Path(folder), raters, answers)
    shown = [
        "{raters} raters at once, {confirmed} answers, one kill -9: {lost} lost",
        "{answers_per_second} answers/s, {share:.2f} of the {plain_answers_per_second}/s of the file alone",
        "an answer is confirmed in {median_ms} ms (median), {p99_ms} ms (99th percentile)",
        f"a page of {STEPS} steps takes {{page_ms}} ms",
    ]
    share = result["answers_per_second"] / result["plain_answers_per_second"]
    as_table_or_json(result, "\n".join(shown).format(share=share, **result), as_json=as_json)
    return int(result["lost"] > 0)


def measure(folder: Path, raters: int, answers: int) -> dict[str, Any]:
    """Rates, times and losses, in an empty folder."""
    run, study = folder / "run", folder / "study"
    arguments = ["run", "--model", "scripted", "--steps", str(STEPS), "--out", str(run)]
    subprocess.run([sys.executable, "-m", "evaluation", *arguments], check=True, stdout=sys.stderr)
    prepare([run], raters=raters, out=study, rng=np.random.default_rng(0), residents=1)
    tally = Tally()
    page, undisturbed, per_second = answered(study, answers, tally)
    return {
        "raters": raters,
        "confirmed": len(tally.seconds),
        "lost": lost(study, tally),
        "repeated": tally.repeated,
        "answers_per_second": round(per_second, 1),
        "plain_answers_per_second": round(plain_rate(folder, 500), 1),
        "median_ms": round(1000 * undisturbed[len(undisturbed) // 2], 1),
        "p99_ms": round(1000 * undisturbed[int(len(undisturbed) * 0.99)], 1),
        "page_ms": round(1000 * page, 1),
    }


def answered(study: Path, answers: int, tally: Tally) -> tuple[float, list[float], float]:
    """Have everybody answer, with a kill halfway.

    Returns:
        Seconds of a page, before anybody answers; seconds of each answer before the kill, in order; answers a second
        until then.
    """
    port = free_port()
    links = [f"http://127.0.0.1:{port}/rate/{token}" for token in Study.load(study).tokens.values()]
    threads = [threading.Thread(target=rate, args=(link, rater, answers, tally)) for rater, link in enumerate(links)]
    with server(study, port) as process, httpx.Client(follow_redirects=True) as reader:
        for link in links:
            reader.post(f"{link}/consent", data={"version": Terms.load(study).version}).raise_for_status()
        reader.get(f"{links[0]}/1").raise_for_status()
        begun = time.perf_counter()
        for _ in range(20):
            reader.get(f"{links[0]}/1").raise_for_status()
        page = (time.perf_counter() - begun) / 20
        begun = time.perf_counter()
        for thread in threads:
            thread.start()
        while len(tally.seconds) < len(links) * answers / 2:
            time.sleep(0.01)
        before = time.perf_counter() - begun
        undisturbed = sorted(tally.seconds)
        process.kill()
        process.wait()
    with server(study, port):
        for thread in threads:
            thread.join()
    return page, undisturbed, len(undisturbed) / before


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
    client, seen = httpx.Client(timeout=30), dict.fromkeys(DIMENSIONS, 0)
    for number in range(answers):
        question, value = DIMENSIONS[number % len(DIMENSIONS)], (number // len(DIMENSIONS) + rater) % 7 + 1
        begun = time.perf_counter()
        while True:
            try:
                body = {"value": value, "seen": seen[question]}
                answer = client.put(f"{link}/1/answers/{question}", json=body).raise_for_status()
                seen[question] = answer.json()["version"]
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
    """A port of the loopback that nothing listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
