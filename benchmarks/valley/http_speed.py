"""How fast a valley is over HTTP, beside the same one in this process.

A server in a process of its own on loopback, one client, six residents whose acts travel in one request; all play at
random among their admissible actions. The same play against the environment in this process is the measure.
"""

from __future__ import annotations

import time
from dataclasses import asdict, dataclass
from typing import Annotated, Any

import numpy as np
import typer
from pettingzoo import ParallelEnv

from benchmarks.reporting import AsJson, as_table_or_json, table
from benchmarks.valley.server_process import running_server
from irollan_env import parallel_env
from irollan_env.client import RemoteParallelEnv


@dataclass(frozen=True, kw_only=True, slots=True)
class HttpSpeed:
    """Agent-steps per second: a resident's act, and what it observes then."""

    percepts: bool
    over_http: float
    local: float

    @property
    def ratio(self) -> float:
        """What of the local speed is left over HTTP."""
        return self.over_http / self.local


def command(
    seconds: Annotated[float, typer.Option(metavar="N", help="How long each is measured.")] = 3.0,
    as_json: AsJson = False,
) -> None:
    """Measure random play over HTTP and in this process, with percepts and without."""
    rows = measure_http(seconds)
    headings = ["percepts", "over HTTP, agent-steps/s", "local, agent-steps/s", "ratio"]
    cells = [
        ["yes" if row.percepts else "no", f"{row.over_http:,.0f}", f"{row.local:,.0f}", f"{row.ratio:.2f}"]
        for row in rows
    ]
    found = [{**asdict(row), "ratio": row.ratio} for row in rows]
    as_table_or_json(found, table(headings, cells), as_json=as_json)


def play(env: ParallelEnv[str, Any, Any], seconds: float, seed: int = 0) -> float:
    """Agent-steps per second of random admissible play with full sentences, admissible actions and masks."""
    generator = np.random.default_rng(seed)
    _, infos = env.reset(seed=seed)
    begin = time.perf_counter()
    done = 0
    while (elapsed := time.perf_counter() - begin) < seconds:
        actions = {}
        for agent in env.agents:
            admissible = infos[agent]["admissible_actions"]
            actions[agent] = admissible[int(generator.integers(len(admissible)))]
        *_, infos = env.step(actions)
        done += len(actions)
        if not env.agents:
            _, infos = env.reset()
    return done / elapsed


def measure_http(seconds: float = 3.0) -> list[HttpSpeed]:
    """Without percepts, as the local environment is by default, and with them."""
    rows = []
    with running_server() as server:
        for percepts in (False, True):
            with RemoteParallelEnv(server.address, percepts=percepts) as remote:
                play(remote, min(seconds, 0.5))
                over_http = play(remote, seconds)
            local = play(parallel_env(percepts=percepts), seconds)
            rows.append(HttpSpeed(percepts=percepts, over_http=over_http, local=local))
    return rows
