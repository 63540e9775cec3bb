"""A whole run on llama.cpp's own server whose residents are led by a small model, held to its answers by a grammar."""

from __future__ import annotations

import subprocess
import sys

import pytest
from leading import options_of
from project import ROOT

from evaluation.commands.cli import main
from evaluation.records.run_directory import RunDirectory
from language_models.transcript.transcript import Transcript

STEPS = 2


@pytest.fixture(scope="module")
def url():
    command = [sys.executable, "examples/llama_server.py", "--port", "0", "--threads", "2"]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        yield server.stdout.readline().strip()
        server.terminate()


@pytest.mark.slow
def test_a_small_model_leads_six_residents_to_the_report(url, tmp_path):
    declaration = tmp_path / "models.toml"
    declaration.write_text(f'name = "{url}"\n[options."{url}"]\ngrammar_field = "grammar"\nchoosing = "logprobs"\n')
    path = tmp_path / "run"
    arguments = ["--model", str(declaration), "--embedder", "hash", "--deliberation", "llm", "--steps", str(STEPS)]
    assert main(["run", *arguments, "--out", str(path)]) == 0
    directory = RunDirectory(path)
    manifest, records = directory.read_manifest(), directory.records()
    assert manifest["status"] == "finished"
    assert manifest["configuration"]["effective"]["mind"]["deliberation"] == "llm"
    assert len(records) == 6 * STEPS
    answered = [record for record in records if record["failure"] is None]
    assert len(answered) >= 5 * STEPS, [record["failure"] for record in records]
    assert all(record["thought"] for record in answered)
    assert any(record["goal"] for record in answered)
    with Transcript(directory.transcript_path) as transcript:
        calls = list(transcript.calls(module="action"))
    assert len(calls) >= 6 * STEPS
    for call in calls:
        assert "You can:" in call.request.prompt
        assert options_of(call.request.prompt)
    assert directory.report_path.is_file()
    assert main(["replay", str(path)]) == 0
