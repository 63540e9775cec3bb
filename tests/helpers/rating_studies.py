"""Finished runs and studies for the tests of ratings, made in milliseconds."""

from __future__ import annotations

import re
import socket
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path
from threading import Thread

import numpy as np
import uvicorn
from made_up_runs import made_up_run
from synthetic_run import synthetic_run

from evaluation.rating.application import create_app
from evaluation.rating.packets import prepare
from evaluation.rating.participation import Terms
from evaluation.rating.store import Store
from evaluation.rating.study import ANSWERS, Study

FIVE = ("itcma", "ltrha", "compressed-memory", "driver", "itcma-s")
SCRIPT = "<script>hacked = 1</script>"
QUOTED = "\"'><img src=x onerror=hacked=1>"


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def finished_run(path, architecture="itcma", *, steps=4, status="finished", model="scripted", change=None):
    """A run directory; ``change`` may alter its records."""
    records, _, _ = synthetic_run(steps, seed=len(architecture), ltrha="ltrha" in architecture)
    for record in records:
        if record["outcome"] == "filtered":
            record["result"] = "(This action has been filtered by LTRHA)"
        if change is not None:
            change(record)
    effective = {"architecture": architecture, "model": {"name": model}, "steps": 9 if status == "stopped" else steps}
    made_up_run(path, records, status=status, configuration={"effective": effective})
    return Path(path)


def small_study(folder, *, architectures=("itcma", "itcma-s"), raters=2, residents=1, steps=4, change=None):
    """A study of one run of each architecture."""
    runs = [finished_run(folder / f"run-{name}", name, steps=steps, change=change) for name in architectures]
    out = folder / "study"
    prepare(runs, raters=raters, out=out, rng=np.random.default_rng(0), residents=residents)
    return out


def agree(client, link):
    """Take part, as a rater does who has read what it means."""
    version = re.search(r'name="version" value="(\w+)"', client.get(link).text).group(1)
    client.post(f"{link}/consent", data={"version": version}, follow_redirects=True).raise_for_status()


def load(directory):
    return Study.load(directory), Store(directory / ANSWERS)


@contextmanager
def on_a_thread(directory):
    """The application on a thread of this process, which starts at once: the raters' links."""
    study, store = load(directory)
    listener = socket.create_server(("127.0.0.1", 0))
    base = f"http://127.0.0.1:{listener.getsockname()[1]}/rate"
    config = uvicorn.Config(create_app(study, store, Terms.load(directory)), log_level="error", lifespan="off")
    server = uvicorn.Server(config)
    thread = Thread(target=server.run, kwargs={"sockets": [listener]})
    thread.start()
    try:
        yield [f"{base}/{token}" for token in study.tokens.values()]
    finally:
        server.should_exit = True
        thread.join()
        store.close()
        listener.close()


@contextmanager
def served(directory, port=0):
    """``irollan rate serve`` in a process of its own: the process, and the raters' links."""
    program = "import sys; from evaluation.commands.cli import main; sys.exit(main(sys.argv[1:]))"
    process = subprocess.Popen(
        [sys.executable, "-c", program, "rate", "serve", str(directory), "--port", str(port)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        raters = len(Study.load(directory).items)
        links = [re.search(r"http\S+", process.stdout.readline()) for _ in range(raters)]
        assert all(links), process.stderr.read()
        yield process, [link.group() for link in links]
    finally:
        process.kill()
        process.communicate()
