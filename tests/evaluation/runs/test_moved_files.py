"""Runs whose model files were moved: the line that says so, and how they go on."""

from __future__ import annotations

import hashlib
from collections import Counter
from typing import ClassVar

import pytest

from evaluation.commands.cli import main
from evaluation.records.run_directory import RunDirectory
from language_models.scripted import ScriptedModel

SAME = ("events.jsonl", "metrics.csv")


class Weights(ScriptedModel):
    """The scripted model as a file of weights with an adapter."""

    asked: ClassVar[Counter[str]] = Counter()

    def __init__(self, path, *, adapter="", **_):
        super().__init__(name=path.name)
        self._adapter = adapter

    def _ask(self, *arguments):
        self.asked[self._adapter] += 1
        return super()._ask(*arguments)


@pytest.fixture(autouse=True)
def embedded(monkeypatch):
    monkeypatch.setattr("language_models.local.embedded.EmbeddedModel", Weights)
    monkeypatch.setattr(Weights, "asked", Counter())


@pytest.fixture
def weights(tmp_path):
    return written(tmp_path / "model.gguf")


@pytest.fixture
def adapter(tmp_path):
    return written(tmp_path / "first.gguf")


def written(path):
    path.write_text(f"the file {path.name}", encoding="utf-8")
    return path


def short(path):
    return f"{hashlib.sha256(path.read_bytes()).hexdigest()[:12]}..."


def naming(weights, adapter):
    """Arguments that name a model and its adapter."""
    file = weights.with_name("models.toml")
    options = "" if adapter is None else f'[options."{weights}"]\nadapter = "{adapter}"\n'
    file.write_text(f'name = "{weights}"\n{options}', encoding="utf-8")
    return ["--model", str(file)]


def run(path, weights, adapter=None, *, steps=2):
    rest = ["--embedder", "hash", "--architecture", "itcma", "--deliberation", "similarity"]
    assert main(["run", *naming(weights, adapter), *rest, "--steps", str(steps), "--out", str(path)]) == 0
    return path


def files(path):
    return [(path / name).read_bytes() for name in SAME]


def last_line(capsys):
    return capsys.readouterr().err.splitlines()[-1]


def test_an_adapter_that_was_moved_is_named_and_the_run_goes_on(tmp_path, weights, adapter, capsys):
    whole, path = run(tmp_path / "whole", weights, adapter, steps=4), run(tmp_path / "run", weights, adapter)
    (tmp_path / "elsewhere").mkdir()
    moved = adapter.rename(tmp_path / "elsewhere" / "other name.gguf")
    before = files(path)
    assert main(["resume", str(path), "--steps", "3"]) == 1
    assert last_line(capsys) == (
        f"irollan: there is no {adapter}, the adapter of {weights} in {path} (sha256 {short(moved)}); put it there "
        f"again, or name its new place: irollan resume {path} --model FILE, where FILE is a TOML file with "
        f'[options."{weights}"] and adapter = "PLACE"'
    )
    assert files(path) == before
    assert main(["resume", str(path), "--steps", "3", *naming(weights, moved)]) == 0
    # The new place is kept.
    assert main(["resume", str(path), "--steps", "4"]) == 0
    assert files(path) == files(whole)
    options = RunDirectory(path).read_manifest()["configuration"]["effective"]["model"]["options"]
    assert options[str(weights)]["adapter"] == str(moved)
    assert main(["replay", str(path)]) == 0


def test_another_adapter_is_not_gone_on_with(tmp_path, weights, adapter, capsys):
    path, other = run(tmp_path / "run", weights, adapter), written(tmp_path / "second.gguf")
    before, manifest = files(path), RunDirectory(path).read_manifest()
    assert main(["resume", str(path), "--steps", "3", *naming(weights, other)]) == 1
    assert (
        f"the model {weights} has other files than when {path} started (the adapter second.gguf with sha256 "
        f"{short(other)} for first.gguf with {short(adapter)}), so that the run cannot be resumed exactly"
    ) in last_line(capsys)
    assert (files(path), RunDirectory(path).read_manifest()) == (before, manifest)


def test_a_run_without_an_adapter_takes_none(tmp_path, weights, adapter, capsys):
    path = run(tmp_path / "run", weights)
    assert main(["resume", str(path), "--steps", "3", *naming(weights, adapter)]) == 2
    assert f"the option adapter of {weights} decides what it answers, and is as by default" in last_line(capsys)


def test_weights_that_were_moved_are_named(tmp_path, weights, capsys):
    path = run(tmp_path / "run", weights)
    moved = weights.rename(tmp_path / "moved.gguf")
    assert main(["resume", str(path), "--steps", "3"]) == 1
    assert last_line(capsys) == (
        f"irollan: there is no {weights}, the model of {path} (sha256 {short(moved)}); put it there again, or a link "
        "to it"
    )
    weights.symlink_to(moved)
    assert main(["resume", str(path), "--steps", "3"]) == 0


def test_a_branch_takes_another_adapter_and_knows_one_that_was_moved(tmp_path, weights, adapter, capsys):
    path, other = run(tmp_path / "run", weights, adapter, steps=3), written(tmp_path / "second.gguf")
    branch = ["branch", str(path), "--at", "1", "--out"]
    Weights.asked.clear()
    moved = adapter.rename(tmp_path / "moved.gguf")
    assert main([*branch, str(tmp_path / "same"), *naming(weights, moved)]) == 0
    assert not Weights.asked
    assert files(tmp_path / "same") == files(path)
    assert main([*branch, str(tmp_path / "other"), *naming(weights, other)]) == 0
    assert set(Weights.asked) == {str(other)}
    assert "model.gguf has other files or options than in" in capsys.readouterr().err
