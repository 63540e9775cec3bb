"""What a failed model call does to a run: its resident waits, or the run stops, as is asked for."""

from functools import partial

import pandas as pd
from failing_ranking import fail_ranking

from evaluation.commands.cli import main
from evaluation.measures.table import COLUMNS
from evaluation.records.run_directory import RunDirectory
from language_models.scripted import ScriptedModel
from language_models.transcript.transcript import Transcript


def fail(monkeypatch, on):
    monkeypatch.setattr("language_models.scripted.ScriptedModel", partial(ScriptedModel, fail_on=on))


def run(path, *arguments, steps=3):
    return main(["run", "--model", "scripted", "--steps", str(steps), "--out", str(path), *map(str, arguments)])


def files(path):
    return {name: (path / name).read_bytes() for name in ("events.jsonl", "metrics.csv")}


def calls(path):
    with Transcript(path / "transcript.sqlite") as transcript:
        return list(transcript.calls())


def test_a_failed_call_ends_a_run_that_is_to_stop_at_one_and_is_asked_anew(tmp_path, capsys, monkeypatch):
    assert run(tmp_path / "whole", steps=4) == 0
    fail(monkeypatch, lambda caller, prompt: (caller.time, caller.resident, caller.module) == (2, "SG", "writing"))
    for name, every in (("run", 1), ("other", 10)):
        path = tmp_path / name
        capsys.readouterr()
        assert run(path, "--on-failure", "stop", "--set", f"recording.checkpoint_every={every}", steps=4) == 1
        output = capsys.readouterr()
        assert output.out == f"{path / 'report.html'}\n"
        last = output.err.splitlines()[-1]
        assert last.startswith(
            "irollan: SG had no answer from the model for writing in step 3: planted failure of scripted call "
        )
        assert last.endswith(
            "; resume asks again, and with --on-failure wait continues without (stopped after step 2 of 4); "
            f"resume with: irollan resume {path}"
        )
        assert "no answer" not in " ".join(output.err.splitlines()[:-1])  # nobody's decision is on record as failed
        manifest = RunDirectory(path).read_manifest()
        assert (manifest["status"], manifest["steps_done"]) == ("failed", 2)
        assert manifest["configuration"]["effective"]["model"]["on_failure"] == "stop"
        assert not (path / "error.txt").exists()
        assert files(path)["events.jsonl"] == b"".join(
            files(tmp_path / "whole")["events.jsonl"].splitlines(keepends=True)[:12]
        )

    # The call fails again, and the run stops again; once it is to wait, SG does.
    assert main(["resume", str(tmp_path / "other")]) == 1
    assert main(["resume", str(tmp_path / "other"), "--on-failure", "wait"]) == 0
    failed = [record for record in RunDirectory(tmp_path / "other").records() if record["outcome"] == "failed"]
    assert [(record["time"], record["resident"], record["action"]) for record in failed] == [(2, "SG", None)]
    capsys.readouterr()
    assert main(["replay", str(tmp_path / "other")]) == 0

    monkeypatch.setattr("language_models.scripted.ScriptedModel", ScriptedModel)
    assert main(["resume", str(tmp_path / "run")]) == 0
    assert files(tmp_path / "run") == files(tmp_path / "whole")
    assert calls(tmp_path / "run") == calls(tmp_path / "whole")
    assert main(["resume", str(tmp_path / "run"), "--on-failure", "sotp"]) == 2
    assert "on_failure must be one of wait, stop, got 'sotp'; did you mean 'stop'?" in capsys.readouterr().err

    # A branch that is to stop asks again for what failed in its parent, and neither stops nor fails.
    assert main(["branch", str(tmp_path / "other"), "--at", "1", "--set", "model.on_failure=stop"]) == 0
    assert files(tmp_path / "other-at1") == files(tmp_path / "whole")
    # The failure lies before this one, and is replayed.
    assert main(["branch", str(tmp_path / "other"), "--at", "3", "--set", "model.on_failure=stop"]) == 0
    assert files(tmp_path / "other-at3") == files(tmp_path / "other")


def test_the_matrix_without_an_answer_ends_a_run_that_is_to_stop(tmp_path, capsys, monkeypatch):
    assert run(tmp_path / "whole") == 0
    fail_ranking(monkeypatch, at=1)
    path = tmp_path / "run"
    assert run(path, "--on-failure", "stop") == 1
    last = capsys.readouterr().err.splitlines()[-1]
    assert last.startswith("irollan: the society had no answer from the model in step 2: planted failure of ")
    assert last.endswith(f" (stopped after step 1 of 3); resume with: irollan resume {path}")
    monkeypatch.undo()
    assert main(["resume", str(path)]) == 0
    assert files(path) == files(tmp_path / "whole")


def test_each_run_of_a_sweep_stops_or_waits_as_it_is_asked_to(tmp_path, monkeypatch):
    monkeypatch.setattr("evaluation.sweeps.table.measure", lambda *_: pd.DataFrame(columns=COLUMNS))
    fail(monkeypatch, lambda caller, prompt: (caller.time, caller.resident) == (1, "SG"))
    settings = ("model.name=scripted", "steps=2", "model.on_failure=wait,stop")
    asked = [part for setting in settings for part in ("--set", setting)]
    assert main(["sweep", *asked, "--out", str(tmp_path)]) == 1
    table = pd.read_csv(tmp_path / "runs.csv").set_index("model.on_failure")
    assert table["status"].to_dict() == {"wait": "finished", "stop": "failed"}
    assert table["unanswered"].to_dict() == {"wait": 1, "stop": 0}
    assert table["reason"]["stop"].startswith("SG had no answer from the model for ")


def test_what_nobody_can_tell_of_a_place_is_not_what_a_step_fails_by(tmp_path, capsys, monkeypatch):
    places = []

    def fails(caller, prompt):
        if caller.module == "protention":
            places.append(caller.resident)
        return caller.module == "protention" or (caller.module == "writing" and bool(places))

    fail(monkeypatch, fails)
    assert run(tmp_path / "run", "--on-failure", "stop", steps=4) == 1
    assert " had no answer from the model for writing in step " in capsys.readouterr().err.splitlines()[-1]
    assert places
