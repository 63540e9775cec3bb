"""The whole path with the language model and the embedder that come with the install."""

import re

import pytest

from evaluation.commands.cli import main
from evaluation.models import backends
from evaluation.records.run_directory import RunDirectory


@pytest.mark.slow
@pytest.mark.needs_torch
def test_a_prompt_that_does_not_fit_stops_the_run_with_what_to_do(tmp_path, capsys):
    run, file = tmp_path / "run", tmp_path / "models.toml"
    file.write_text('name = "smollm2-plain"\n[options.smollm2-plain]\ncontext = 128\n')
    assert main(["run", "--model", str(file), "--steps", "1", "--out", str(run)]) == 1
    told = re.search(
        r"smollm2-plain: a prompt of \d+ tokens and its answer do not fit into the context of 128; set context = (\d+) "
        r"among the options of a TOML file for --model \(docs/models.md\), which irollan resume takes, too \(stopped "
        r"after step 0 of 1\); resume with: irollan resume ",
        capsys.readouterr().err,
    )
    assert told
    assert 128 < int(told[1]) <= 768
    file.write_text("[options.smollm2-plain]\ncontext = 768\n")
    assert main(["resume", str(run), "--model", str(file)]) == 0


@pytest.mark.slow
@pytest.mark.needs_torch
def test_two_steps_with_the_default_models(tmp_path, capsys, monkeypatch):
    run = tmp_path / "run"
    assert main(["run", "--steps", "2", "--out", str(run)]) == 0
    output = capsys.readouterr()
    assert output.out == f"{run / 'report.html'}\n"
    assert "loading the model smollm2 ..." in output.err
    directory = RunDirectory(run)
    records = directory.records()
    assert len(records) == 12
    assert all(record["failure"] is None and record["thought"] for record in records)
    assert all(record["action"] is not None for record in records)
    models = directory.read_manifest()["models"]
    assert len(models["model"]["sha256"]["adapter/valley-writer.gguf"]) == 64
    assert len(models["model"]["sha256"]["SmolLM2-135M-Instruct.Q4_1.gguf"]) == 64
    assert "config.json" in models["embedder"]["sha256"]

    # A replay needs neither the language model nor the embedder: the run has all answers and all vectors.
    monkeypatch.setattr(backends, "find_embedder", lambda name: pytest.fail("the embedder was looked for"))
    assert main(["replay", str(run)]) == 0
    assert capsys.readouterr().out.startswith("identical: 2 steps, 12 records, ")
