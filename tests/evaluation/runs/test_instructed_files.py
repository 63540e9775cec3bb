"""Runs of a GGUF file that is instructed: known from the file once, and from the manifest afterwards."""

from pathlib import Path

import pytest
from gguf_files import save_large_gguf

from evaluation.models.backends import resolve
from evaluation.runs.run_config import RunConfig


@pytest.fixture
def name(tmp_path: Path) -> str:
    save_large_gguf(tmp_path / "large.gguf")
    return str(tmp_path / "large.gguf")


def test_a_large_file_is_asked_by_instruction_and_decides(name: str) -> None:
    configuration = RunConfig(model=name)
    assert configuration.instructed("action")
    assert configuration.deliberation == "model"
    assert configuration.options == {name: {"instructed": True}}
    with_options = RunConfig(roles={"action": name}, options={name: {"context": 4096}})
    assert (with_options.instructed("action"), with_options.instructed("writing")) == (True, False)
    assert with_options.options == {name: {"context": 4096, "instructed": True}}


def test_whoever_asks_it_otherwise_is_followed(name: str) -> None:
    configuration = RunConfig(model=name, options={name: {"instructed": False}})
    assert not configuration.instructed("writing")
    assert configuration.deliberation == "likeness"
    assert RunConfig(options={"smollm2": {"instructed": True}}).instructed("writing")
    with pytest.raises(ValueError, match=r"option instructed of .* must be of type bool, got 1"):
        RunConfig(model=name, options={name: {"instructed": 1}})


def test_a_run_is_replayed_without_its_file(name: str) -> None:
    kept = RunConfig(model=name).to_json()
    Path(name).unlink()
    assert RunConfig.from_json(kept).instructed("writing")
    assert RunConfig.from_json(kept).to_json() == kept
    assert not RunConfig(model=name).instructed("writing")


def test_a_run_of_before_files_were_looked_at_goes_on_as_it_began(name: str) -> None:
    kept = RunConfig(model=name).to_json()
    del kept["deliberation"], kept["options"][name]["instructed"]
    found = RunConfig.from_json(kept)
    assert not found.instructed("writing")
    assert found.deliberation == "likeness"


def test_a_file_that_is_missing_is_told_where_it_is_resolved(tmp_path: Path) -> None:
    configuration = RunConfig(model=str(tmp_path / "missing.gguf"))
    assert configuration.deliberation == "likeness"
    with pytest.raises(ValueError, match=r"missing\.gguf': there is no such file"):
        resolve(configuration.chosen_models, protention="model", elimination="embedder")


def test_damaged_options_are_no_configuration(name: str) -> None:
    for damage in ({"options": None}, {"roles": None}, {"model": None}, {"options": {name: None}}):
        with pytest.raises(ValueError, match=r"must be|not the configuration of a run"):
            RunConfig.from_json({**RunConfig(model=name).to_json(), **damage})
