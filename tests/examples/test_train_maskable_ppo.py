"""The example that trains MaskablePPO runs."""

import importlib.util

import pytest
from project import EXAMPLES


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
    module.main(["--steps", "64", "--episodes", "1", "--task", "fetch"])
    assert "reward an episode" in capsys.readouterr().out
