"""The whole path with the language model and the embedder that come with the install."""

import pytest

from evaluation import backends
from evaluation.cli import main
from evaluation.run_directory import RunDirectory


def test_two_steps_with_the_default_models(tmp_path, capsys, monkeypatch):
    assert main(["run", "--steps", "2", "--out", str(tmp_path)]) == 0
    output = capsys.readouterr()
    assert output.out == f"{tmp_path / 'report.html'}\n"
    assert "loading the model smollm2 ..." in output.err
    directory = RunDirectory(tmp_path)
    records = directory.records()
    assert len(records) == 12
    assert all(record["failure"] is None and record["thought"] for record in records)
    assert all(record["action"] is not None for record in records)
    models = directory.read_manifest()["models"]
    assert len(models["model"]["sha256"]["SmolLM2-135M-Instruct.Q4_1.gguf"]) == 64
    assert "config.json" in models["embedder"]["sha256"]

    # A replay needs neither the language model nor the embedder: the run has all answers and all vectors.
    monkeypatch.setattr(backends, "resolve_embedder", lambda name: pytest.fail("the embedder was looked for"))
    assert main(["replay", str(tmp_path)]) == 0
    assert capsys.readouterr().out.startswith("identical: 2 steps, 12 records, ")
