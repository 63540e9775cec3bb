"""Runs of a GGUF file that is instructed: known from the file once, and from the manifest afterwards."""

from pathlib import Path

import pytest
from configs import run_config
from gguf_files import save_large_gguf

from evaluation.models.backends import resolve
from evaluation.runs.run_config import RunConfig


@pytest.fixture
def name(tmp_path):
    save_large_gguf(tmp_path / "large.gguf")
    return str(tmp_path / "large.gguf")


def test_a_large_file_is_asked_by_instruction_and_decides(name):
    configuration = run_config(model=name)
    assert configuration.model.instructed("action")
    assert configuration.mind.deliberation == "llm"
    assert configuration.model.options == {name: {"instructed": True}}
    with_options = run_config(roles={"action": name}, options={name: {"context": 4096}})
    assert (with_options.model.instructed("action"), with_options.model.instructed("writing")) == (True, False)
    assert with_options.model.options == {name: {"context": 4096, "instructed": True}}


def test_whoever_asks_it_otherwise_is_followed(name):
    configuration = run_config(model=name, options={name: {"instructed": False}})
    assert not configuration.model.instructed("writing")
    assert configuration.mind.deliberation == "similarity"
    assert run_config(options={"smollm2": {"instructed": True}}).model.instructed("writing")
    with pytest.raises(ValueError, match=r"option instructed of .* must be of type bool, got 1"):
        run_config(model=name, options={name: {"instructed": 1}})


def test_a_run_is_replayed_without_its_file(name):
    kept = run_config(model=name).to_json()
    Path(name).unlink()
    assert RunConfig.from_json(kept).model.instructed("writing")
    assert RunConfig.from_json(kept).to_json() == kept
    assert not run_config(model=name).model.instructed("writing")


def test_a_file_that_is_missing_is_told_where_it_is_resolved(tmp_path):
    configuration = run_config(model=str(tmp_path / "missing.gguf"))
    assert configuration.mind.deliberation == "similarity"
    with pytest.raises(ValueError, match=r"missing\.gguf': there is no such file"):
        resolve(configuration.model.chosen, protention="model", elimination="embedder")


def test_damaged_options_are_no_configuration(name):
    data = run_config(model=name).to_json()
    for damage in ({"options": None}, {"roles": None}, {"name": None}, {"options": {name: None}}):
        with pytest.raises(ValueError, match=r"must be|not the configuration of a run"):
            RunConfig.from_json({**data, "model": {**data["model"], **damage}})
