"""Tests on a local Ray cluster of two nodes: equal results, and retries of the cells of a lost node.

It takes up to a minute and needs the extra ray, so that it runs with `make test-ray` and not among the others.
"""

import os
import time
from threading import Thread

import pytest

from evaluation.arena.arena import hold
from evaluation.arena.declaration import Arena
from evaluation.sweeps import SweepDirectory, read_declaration, sweep
from evaluation.sweeps.sweep_progress import LineDisplay, SweepProgress

ray = pytest.importorskip("ray")
if "IROLLAN_RAY" not in os.environ:
    pytest.skip("a Ray cluster takes up to a minute; make test-ray starts one", allow_module_level=True)

SAME = ("events.jsonl", "metrics.csv")
SCRIPTED = {"model": "scripted", "architecture": "itcma"}


@pytest.fixture
def cluster(monkeypatch):
    from ray.cluster_utils import Cluster

    found = Cluster(initialize_head=True, head_node_args={"num_cpus": 1, "object_store_memory": 80_000_000})
    # Workers also find packages that are here without being installed.
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([os.getcwd(), os.environ.get("PYTHONPATH", "")]))
    second = found.add_node(num_cpus=1, object_store_memory=80_000_000)
    ray.init(address=found.address, log_to_driver=False)
    yield found, second
    ray.shutdown()
    found.shutdown()


def declaration(steps, seeds):
    return read_declaration(None, ["model=scripted", f"steps={steps}", f"seed={seeds}", "architecture=itcma,itcma-s"])


def test_a_cluster_gives_what_one_process_gives_and_a_lost_node_changes_nothing(tmp_path, cluster, capsys):
    import sys

    nodes, second = cluster
    asked = declaration(6, "0-1")
    assert sweep(asked, tmp_path / "here", SweepProgress(LineDisplay(sys.stderr))).status == "finished"

    def lose():
        runs = tmp_path / "there" / "runs"
        while sum(file.read_bytes().count(b"\n") for file in runs.glob("*/events.jsonl")) < 12:
            time.sleep(0.01)
        nodes.remove_node(second, allow_graceful=False)

    losing = Thread(target=lose)
    losing.start()
    progress = SweepProgress(LineDisplay(sys.stderr))
    result = sweep(asked, tmp_path / "there", progress, engine="ray", at_once=1)
    losing.join()
    assert result.status == "finished", result.reasons
    for name in result.table["run"]:
        for file in SAME:
            here, there = (tmp_path / side / "runs" / name / file for side in ("here", "there"))
            assert there.read_bytes() == here.read_bytes()
    # Runs finished by one engine count as finished for the other.
    again = sweep(asked, tmp_path / "there", progress)
    assert again.status == "finished"
    assert SweepDirectory(tmp_path / "there").report_path.is_file()


def test_an_arena_on_a_cluster_comes_to_the_same_table(tmp_path, cluster):
    import sys

    asked = Arena(minds=["react"], baselines=["idle"], scenarios=["newcomer"], seeds=[0], steps=2, run=SCRIPTED)
    for engine in ("local", "ray"):
        result = hold(asked, tmp_path / engine, SweepProgress(LineDisplay(sys.stderr)), engine=engine)
        assert result.status == "finished", result.reasons
    tables = [(tmp_path / engine / "table.csv").read_bytes() for engine in ("local", "ray")]
    assert tables[0] == tables[1]
