"""The whole path with the language model and the embedder that come with the install."""

import re

import pytest

from evaluation.commands.cli import main
from evaluation.models import backends
from evaluation.records.run_directory import RunDirectory


@pytest.mark.slow
@pytest.mark.needs_torch
def test_two_steps_with_the_default_models(tmp_path, capsys, monkeypatch):
    # With too little room for a prompt, the run stops with a line that says what to do, and goes on when it is done.
    run, file = tmp_path / "run", tmp_path / "models.toml"
    file.write_text("[options.smollm2]\ncontext = 128\n")
    assert main(["run", "--model", str(file), "--steps", "2", "--out", str(run)]) == 1
    told = re.search(
        r"smollm2: a prompt of \d+ tokens and its answer do not fit into the context of 128; set context = (\d+) among "
        r"the options of a TOML file for --model \(docs/models.md\), which irollan resume takes, too \(stopped after "
        r"step 0 of 2\); go on with: irollan resume ",
        capsys.readouterr().err,
    )
    assert told
    assert 128 < int(told[1]) <= 768
    file.write_text("[options.smollm2]\ncontext = 768\n")
    assert main(["resume", str(run), "--model", str(file)]) == 0
    output = capsys.readouterr()
    assert output.out == f"{run / 'report.html'}\n"
    assert "loading the model smollm2 ..." in output.err
    directory = RunDirectory(run)
    records = directory.records()
    assert len(records) == 12
    assert all(record["failure"] is None and record["thought"] for record in records)
    assert all(record["action"] is not None for record in records)
    models = directory.read_manifest()["models"]
    assert len(models["model"]["sha256"]["SmolLM2-135M-Instruct.Q4_1.gguf"]) == 64
    assert "config.json" in models["embedder"]["sha256"]

    # A replay needs neither the language model nor the embedder: the run has all answers and all vectors.
    monkeypatch.setattr(backends, "resolve_embedder", lambda name: pytest.fail("the embedder was looked for"))
    assert main(["replay", str(run)]) == 0
    assert capsys.readouterr().out.startswith("identical: 2 steps, 12 records, ")
