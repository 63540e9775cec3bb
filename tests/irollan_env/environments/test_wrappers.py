"""Wrappers: masks that are never empty, vectors for sentences, trajectories, and Gymnasium as PettingZoo."""

import importlib.util
import json
from pathlib import Path
from typing import Any

import gymnasium as gym
import numpy as np
import pytest
from gymnasium.error import ResetNeeded
from gymnasium.utils.env_checker import check_env
from pettingzoo.test import parallel_api_test
from project import EXAMPLES

import irollan_env
from irollan_env.environments.wrappers import (
    CatalogueActions,
    EmbeddedObservation,
    ParallelOfOne,
    RecordParallelTrajectory,
    RecordTrajectory,
    SlotActions,
)
from language_models.embedders.hash_embedder import HashEmbedder


def valley(**arguments: Any) -> gym.Env[str, str]:
    return gym.make("irollan_env:IrollanValley-v0", max_steps=30, **arguments)


@pytest.mark.parametrize("wrap", [CatalogueActions, SlotActions])
def test_every_number_in_the_mask_can_be_done(wrap: Any) -> None:
    env = wrap(valley(others="idle"))
    with pytest.raises(ResetNeeded):
        env.action_masks()
    _, info = env.reset(seed=0)
    for step in range(25):
        mask = env.action_masks()
        assert mask.shape == (env.action_space.n,)
        assert mask.any()
        assert mask[0]
        assert (info["action_mask"] == mask).all()
        assert mask.sum() == 1 + len(info["admissible_actions"])
        _, _, _, _, info = env.step(np.flatnonzero(mask)[step % mask.sum()])
        assert info["outcome"] == "executed"


def test_a_slot_means_what_the_info_says() -> None:
    env = SlotActions(valley(others="idle"), slots=8)
    _, info = env.reset(seed=0, options={"resident": "LL"})
    assert len(info["slot_actions"]) == 8
    number = next(n for n, action in enumerate(info["slot_actions"]) if action.startswith("take "))
    text = info["slot_actions"][number]
    _, _, _, _, info = env.step(number)
    assert info["result"] == f"You {text}.".replace("take ", "take the ").replace("from ", "from the ")
    with pytest.raises(ValueError, match=r"must lie in \[0, 7\], got 8"):
        env.step(8)
    env = SlotActions(valley(others="idle"), slots=200)
    env.reset(seed=0)
    assert env.step(199)[4]["outcome"] == "inadmissible"


def test_sentences_become_vectors() -> None:
    env = EmbeddedObservation(CatalogueActions(valley()), HashEmbedder().embed)
    check_env(env, skip_render_check=True)
    observation, _ = env.reset(seed=0)
    again, _ = env.reset(seed=0)
    assert observation.dtype == np.float32
    assert (observation == again).all()
    with pytest.raises(ValueError, match="one row for one text"):
        EmbeddedObservation(valley(), lambda texts: np.zeros(3))


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
    with pytest.raises(FileExistsError, match="is there already"):
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


def test_a_gymnasium_environment_as_a_parallel_one() -> None:
    env = ParallelOfOne(SlotActions(valley(resident="LL")), "LL")
    parallel_api_test(env, num_cycles=60)
    env.reset(seed=0)
    with pytest.raises(ValueError, match="step needs the action of 'LL' alone"):
        env.step({"AY": 0})


@pytest.mark.skipif(importlib.util.find_spec("sb3_contrib") is None, reason="sb3-contrib is not installed")
def test_maskable_ppo_trains(capsys: pytest.CaptureFixture[str]) -> None:
    path = EXAMPLES / "train_maskable_ppo.py"
    spec = importlib.util.spec_from_file_location("train_maskable_ppo", path)
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    module.main(["--steps", "64", "--episodes", "1"])
    assert "after 64 steps" in capsys.readouterr().out
