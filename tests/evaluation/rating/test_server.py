"""The application in a process of its own, as raters meet it: many at once, and killed in between."""

import json
import re
import signal
import socket
import sqlite3
import threading
import time

import httpx
import pytest
from rating_studies import agree, free_port, load, served, small_study

from evaluation.commands.cli import main
from evaluation.rating.rating_scale import DIMENSIONS

RATERS = 20


@pytest.mark.slow
def test_twenty_raters_at_once_lose_nothing_when_the_server_is_killed(tmp_path):
    """Slow, as the program starts twice in a process of its own, and many save at once."""
    directory, port = small_study(tmp_path, raters=RATERS), free_port()
    confirmed, lock, failures = {}, threading.Lock(), []
    halfway, go = threading.Semaphore(0), threading.Event()

    def rate(link, rater):
        client, seen = httpx.Client(timeout=10), dict.fromkeys(DIMENSIONS, 0)
        go.wait(30)
        for value in (1, 2):
            for at, dimension in enumerate(DIMENSIONS):
                rating, deadline = (at + value + rater) % 7 + 1, time.monotonic() + 40
                while True:
                    try:
                        body = {"value": rating, "seen": seen[dimension]}
                        seen[dimension] = client.put(f"{link}/1/answers/{dimension}", json=body).json()["version"]
                        break
                    except httpx.TransportError:
                        if time.monotonic() > deadline:
                            failures.append(f"rater {rater} could not save {dimension}")
                            return
                        time.sleep(0.05)
                with lock:
                    confirmed[rater, dimension] = rating
                halfway.release()

    with served(directory, port) as (process, links):
        with httpx.Client(timeout=60) as client:
            for link in links:
                agree(client, link)
        raters = [threading.Thread(target=rate, args=(link, index)) for index, link in enumerate(links)]
        for one in raters:
            one.start()
        go.set()
        for _ in range(RATERS * len(DIMENSIONS)):
            halfway.acquire(timeout=30)
        process.send_signal(signal.SIGKILL)
        process.wait()
        with lock:
            kept = dict(confirmed)
        study, store = load(directory)
        names = list(study.items)
        history = set(store.history())
        for (rater, dimension), rating in kept.items():
            assert (names[rater], dimension, rating) in history
        assert RATERS * len(DIMENSIONS) <= len(kept) * 2
        store.close()
    with served(directory, port):
        for one in raters:
            one.join(60)
    assert failures == []
    assert len(confirmed) == RATERS * len(DIMENSIONS)
    _, store = load(directory)
    for (rater, dimension), rating in confirmed.items():
        assert store.answers(names[rater], 1)[dimension].value == rating
    store.close()
    assert sqlite3.connect(directory / "answers.sqlite").execute("PRAGMA integrity_check").fetchone() == ("ok",)


@pytest.mark.slow
def test_links_are_printed_and_it_ends_when_asked(tmp_path):
    """Slow, as the program starts in a process of its own."""
    directory = small_study(tmp_path)
    with served(directory) as (process, links):
        assert len(set(links)) == 2
        assert all(re.fullmatch(r"http://127\.0\.0\.1:\d+/rate/[\w-]{22}", link) for link in links)
        response = httpx.get(links[0])
        assert response.status_code == 200
        assert "server" not in response.headers
        process.send_signal(signal.SIGINT)
        assert process.wait(10) == 0
        log = process.stderr.read()
        assert log.startswith(f"serving {directory} at {links[0].partition('/rate')[0]};")
        # No log of requests, which would have the raters' secrets in it.
        assert log.count("\n") == 1


def test_an_address_that_others_can_reach_is_asked_for_twice(tmp_path, capsys, monkeypatch):
    directory = small_study(tmp_path)
    assert main(["rate", "serve", str(directory), "--host", "0.0.0.0"]) == 2
    assert "--open-to-network" in capsys.readouterr().err
    monkeypatch.setattr("uvicorn.Server.run", lambda *_, **__: None)
    options = ["--host", "0.0.0.0", "--port", "0", "--open-to-network", "--url", "https://ratings.example.org/"]
    assert main(["rate", "serve", str(directory), *options, "--json"]) == 0
    output = capsys.readouterr()
    assert output.err.startswith("warning: links and answers travel in the clear")
    rows = json.loads(output.out)
    assert [(row["rater"], row["rated"], row["of"]) for row in rows] == [("rater-1", 0, 2), ("rater-2", 0, 2)]
    assert all(row["link"].startswith("https://ratings.example.org/rate/") for row in rows)


def test_refusals_are_one_line(tmp_path, capsys):
    directory = small_study(tmp_path)
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        assert main(["rate", "serve", str(directory), "--port", port]) == 1
    error = capsys.readouterr().err
    assert f"port {port}: Address already in use; give another --port" in error
    for arguments in ([str(tmp_path / "nothing")], [str(directory), "--port", "70000"]):
        assert main(["rate", "serve", *arguments]) == 2
        assert capsys.readouterr().err.count("\n") == 1
    (directory / "withdrawal.txt").unlink()
    assert main(["rate", "serve", str(directory)]) == 2
    assert "withdrawal.txt is missing" in capsys.readouterr().err
