"""A run in which residents act at random, as the page of a run shows it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from made_up_runs import made_up_run

from evaluation.records.map_file import describe_map
from evaluation.records.records import make_record
from evaluation.viewer.run_view import RunView
from irollan_env.map.valley_map import ValleyMap
from irollan_env.resident import Act
from irollan_env.world.world import World


def random_run(path: Path, valley_map: ValleyMap, steps: int, seed: int = 0) -> RunView:
    """Let residents act at random for some steps, and open what they left."""
    records, rng, world = [], np.random.default_rng(seed), World(valley_map, seed)
    for _ in range(steps):
        seen = {name: world.observe(name) for name in world.residents}
        chosen = {name: str(rng.choice(one.admissible)) for name, one in seen.items() if one.admissible}
        outcomes = world.step(chosen)
        acts = {name: Act(action=chosen.get(name), thought="", goal="") for name in seen}
        records += [make_record(seen[name], acts[name], outcomes[name]) for name in seen]
    directory = made_up_run(path, records, map=describe_map(valley_map))
    directory.write_map(valley_map)
    return RunView(directory)
