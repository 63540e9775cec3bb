"""A run one of whose modules asks a folder of transformers."""

import pytest

pytest.importorskip("torch")

from tiny_model import save_tiny_model

from evaluation.commands.cli import main
from evaluation.records.run_directory import RunDirectory
from language_models.transcript.transcript import Transcript


def test_a_folder_of_transformers_chooses_in_a_run(tmp_path):
    save_tiny_model(tmp_path / "tiny")
    name = f"transformers:{tmp_path / 'tiny'}"
    given = ["--model", "scripted", "--model", f"action={name}", "--deliberation", "similarity", "--steps", "2"]
    assert main(["run", *given, "--out", str(tmp_path / "run")]) == 0
    directory = RunDirectory(tmp_path / "run")
    assert directory.read_manifest()["models"]["action model"]["name"] == name
    records = directory.records()
    assert [record["failure"] for record in records if record["failure"] is not None] == []
    with Transcript(directory.transcript_path) as transcript:
        calls = list(transcript.calls())
    models = {(call.caller.module == "action", call.request.model) for call in calls}
    assert models == {(True, "transformers:tiny"), (False, "scripted")}
    made = {record["resident"]: set(record["calls"]) for record in records if record["time"] == 0}
    for call in calls:
        if call.caller.module == "action":
            assert call.response["option"] in call.request.parameters["options"]
            assert call.caller.time or call.usage.call in made[call.caller.resident]
