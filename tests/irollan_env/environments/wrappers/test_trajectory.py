"""What an agent saw and did, as JSON lines."""

import json
from pathlib import Path
from typing import Any

import gymnasium as gym
import pytest

import irollan_env
from irollan_env.environments.wrappers import RecordParallelTrajectory, RecordTrajectory


def valley(**arguments: Any) -> gym.Env[str, str]:
    return gym.make("irollan_env:IrollanValley-v0", max_steps=30, **arguments)


def test_trajectories(tmp_path: Path) -> None:
    path = tmp_path / "one.jsonl"
    env = RecordTrajectory(valley(resident="LL"), path)
    env.reset(seed=0)
    seen, _, _, _, info = env.step("go to outside")
    env.reset(seed=1)
    env.close()
    lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    assert [(line["episode"], line["time"], line["action"]) for line in lines] == [
        (0, 0, None),
        (0, 1, "go to outside"),
        (1, 0, None),
    ]
    assert (lines[1]["agent"], lines[1]["observation"], lines[1]["result"]) == ("LL", seen, info["result"])
    assert lines[1]["admissible_actions"] == list(info["admissible_actions"])
    with pytest.raises(FileExistsError, match=r"is there already; .* each environment of a vector needs its own"):
        RecordTrajectory(valley(), path)
    path = tmp_path / "all.jsonl"
    parallel = RecordParallelTrajectory(irollan_env.parallel_env(), path)
    parallel.reset(seed=0)
    parallel.step({"AY": 3, "LL": "go to outside"})
    parallel.close()
    lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    assert [(line["agent"], line["action"]) for line in lines[6:]] == [
        ("AY", 3),
        ("SG", None),
        ("MD", None),
        ("WL", None),
        ("LL", "go to outside"),
        ("WM", None),
    ]
