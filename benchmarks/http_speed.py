"""How fast a valley is over HTTP: `python benchmarks/http_speed.py [--seconds N] [--json]`.

A server in a process of its own on loopback, one client, six residents whose acts travel in one request; all play at
random among their admissible actions. The same play against the environment in this process is the measure.
"""

from __future__ import annotations

import argparse
import json
import time
from dataclasses import asdict, dataclass

import numpy as np
from pettingzoo import ParallelEnv

from benchmarks.server_process import running_server
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


def play(env: ParallelEnv, seconds: float, seed: int = 0) -> float:
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
    with running_server() as address:
        for percepts in (False, True):
            with RemoteParallelEnv(address, percepts=percepts) as remote:
                play(remote, min(seconds, 0.5))
                over_http = play(remote, seconds)
            local = play(parallel_env(percepts=percepts), seconds)
            rows.append(HttpSpeed(percepts=percepts, over_http=over_http, local=local))
    return rows


def main() -> None:
    """Print the speeds and their ratio."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--json", action="store_true", help="print the rows as JSON")
    parser.add_argument("--seconds", type=float, default=3.0, help="how long each is measured")
    arguments = parser.parse_args()
    rows = measure_http(arguments.seconds)
    if arguments.json:
        print(json.dumps([{**asdict(row), "ratio": row.ratio} for row in rows], indent=1))
        return
    print("| percepts | over HTTP, agent-steps/s | local, agent-steps/s | ratio |\n|---|---|---|---|")
    for row in rows:
        print(f"| {'yes' if row.percepts else 'no'} | {row.over_http:,.0f} | {row.local:,.0f} | {row.ratio:.2f} |")


if __name__ == "__main__":
    main()
