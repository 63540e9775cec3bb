"""Estimates say how long runs take: as measured on this machine, or as assumed; also of sweeps and arenas."""

import json

import pytest
from configs import run_config

from evaluation.commands.cli import main
from evaluation.runs.call_seconds import ASSUMED, note_seconds, seconds_a_call
from evaluation.runs.estimate import estimate, estimate_runs, in_words
from language_models.model_names import ModelKind
from language_models.transcript.calls import ModuleUsage

REMOTE = "openai:http://127.0.0.1:9/v1#m"


@pytest.fixture
def cache(tmp_path, monkeypatch):
    monkeypatch.setenv("IROLLAN_CACHE", str(tmp_path))
    return tmp_path


def test_a_model_that_was_asked_here_has_its_own_pace(cache):
    assert seconds_a_call(REMOTE) == (ASSUMED[ModelKind.REMOTE], False)
    asked = [ModuleUsage(model=REMOTE, calls=10, seconds=30.0), ModuleUsage(model="smollm2", calls=5, seconds=10.0)]
    note_seconds([*asked, ModuleUsage(model="scripted", calls=9, seconds=0.1)], 20.0)
    assert seconds_a_call(REMOTE) == (1.5, True)
    assert seconds_a_call("smollm2") == (1.0, True)
    assert seconds_a_call("scripted") == (0.0, False)
    (cache / "call_seconds.json").write_text("[")
    assert seconds_a_call("smollm2") == (ASSUMED[ModelKind.EMBEDDED], False)


def test_the_time_of_an_estimate_is_that_of_its_calls(cache):
    configuration = run_config(model="smollm2", steps=2, residents=2)
    assumed = estimate(configuration, {})
    assert "assumed" in in_words(assumed)
    note_seconds([ModuleUsage(model="smollm2", calls=1, seconds=1.0)], 100.0)
    measured = estimate(configuration, {})
    assert "smollm2: 1e+02 s a call, measured" in in_words(measured)
    assert measured.seconds == pytest.approx(100 * measured.calls, abs=10)


def test_several_runs_are_added_up_and_seeds_count_as_equal(cache):
    runs = [run_config(model="scripted", steps=2, residents=2, seed=seed) for seed in range(3)]
    runs.append(run_config(model="scripted", steps=2, residents=1))
    found = estimate_runs(runs, {})
    single = [estimate(one, {}, 4) for one in (runs[0], runs[3])]
    assert (found.runs, found.calls) == (4, 3 * single[0].calls + single[1].calls)
    with pytest.raises(ValueError, match="all are finished"):
        estimate_runs([], {})


def test_sweeps_and_arenas_are_estimated_and_nothing_is_run(tmp_path, capsys):
    scripted = ["--set", "model.name=scripted", "--set", "steps=1", "--set", "seed=0-4"]
    (tmp_path / "a.toml").write_text(
        'minds = "react"\nbaselines = "idle"\nscenarios = "news"\nseeds = "0-2"\nsteps = 1\nmodel.name = "scripted"\n'
    )
    for command, runs in ((["sweep", *scripted], 5), (["arena", str(tmp_path / "a.toml")], 12)):
        assert main([*command, "--estimate", "--json", "--out", str(tmp_path / "out")]) == 0
        found = json.loads(capsys.readouterr().out)
        assert (found["runs"], found["calls"] > 0, found["seconds"] > 0) == (runs, True, True)
        assert not (tmp_path / "out").exists()


def test_a_run_that_was_lived_whole_is_measured(cache, tmp_path, monkeypatch):
    noted = []
    monkeypatch.setattr("evaluation.runs.execution.note_seconds", lambda usage, seconds: noted.append(seconds))
    run = ["run", "--model", "scripted", "--residents", "1", "--out", str(tmp_path / "run")]
    assert main([*run, "--steps", "1"]) == 0
    assert main(["resume", str(tmp_path / "run"), "--steps", "2"]) == 0
    assert len(noted) == 1
