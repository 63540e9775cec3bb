"""Who ranks for the matrix, and which models are refused for it since they would not be asked."""

from __future__ import annotations

import pytest
from configs import run_config

from evaluation.commands.cli import main
from evaluation.runs.matrix_ranker import check_matrix_model, ranker_of
from language_models.embedders.hash_embedder import HashEmbedder
from language_models.scripted import ScriptedModel
from ltrha import LikenessRanker, OrderRanker

ADDRESS = "openai:http://127.0.0.1:8000/v1#large"


def configured(matrix, **settings):
    return run_config(**{"model": "scripted", "roles": {"matrix": matrix}, **settings})


@pytest.mark.parametrize(
    ("configuration", "ranker"),
    [
        (configured(ADDRESS), OrderRanker),
        (configured(ADDRESS, options={ADDRESS: {"choosing": "plain"}}), OrderRanker),
        (configured("scripted", model=ADDRESS), LikenessRanker),
        (run_config(model="smollm2"), LikenessRanker),
        (run_config(model=ADDRESS, options={ADDRESS: {"choosing": "logprobs"}}), LikenessRanker),
    ],
)
def test_a_model_that_ranks_is_accepted_and_so_is_naming_none(configuration, ranker):
    check_matrix_model(configuration)
    assert isinstance(ranker_of(configuration, ScriptedModel(), HashEmbedder(), "a small valley"), ranker)


@pytest.mark.parametrize(
    ("configuration", "why"),
    [
        (configured("smollm2-plain", model=ADDRESS), "a small model does not follow the instruction to rank"),
        (configured("smollm2"), "its adapter was trained to write scenes"),
        (configured(ADDRESS, options={ADDRESS: {"choosing": "logprobs"}}), "by letters, .* choosing = 'logprobs'"),
    ],
)
def test_a_model_that_would_not_be_asked_is_refused(configuration, why):
    name = configuration.model.roles["matrix"]
    with pytest.raises(ValueError, match=f"the matrix would not ask '{name}', since .*{why}.*; .* matrix=scripted"):
        check_matrix_model(configuration)


def test_a_run_with_one_is_refused_in_one_line_and_nothing_is_written(tmp_path, capsys):
    models = ["--model", "scripted", "--model", "matrix=smollm2-plain"]
    assert main(["run", *models, "--steps", "1", "--out", str(tmp_path / "run")]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith("irollan: the matrix would not ask 'smollm2-plain', since a small model does not follow")
    assert not (tmp_path / "run").exists()
