"""How model files are asked: what a run says of it, and that a life does not hang on which answer comes first."""

from dataclasses import replace

import pytest
from configs import run_config

from evaluation.runs.build_society import build_society, find_backends
from evaluation.sweeps.declaration import read_declaration
from language_models.embedders.hash_embedder import HashEmbedder
from language_models.registry import describe_model
from language_models.scripted import ScriptedModel


@pytest.mark.parametrize(("serving", "exact"), [("exact", True), ("fast", False)])
def test_an_embedded_model_is_built_as_it_is_to_be_asked(serving, exact, monkeypatch, tmp_path):
    file = tmp_path / "m.gguf"
    file.write_bytes(b"GGUF")
    built = []
    monkeypatch.setattr(
        "evaluation.models.backends.find_model",
        lambda name, options: replace(
            describe_model(name, options), builder=lambda **given: built.append(given) or ScriptedModel()
        ),
    )
    configuration = run_config(
        model=str(file), embedder="hash", serving=serving, options={str(file): {"instructed": False}}
    )
    with find_backends(configuration).open_models(HashEmbedder(), lambda line: None):
        assert built[0]["exact"] is exact


def test_models_are_shared_between_the_runs_of_a_sweep_that_ask_them_alike():
    cells = read_declaration(None, ["model.serving=exact,fast", "seed=0-1"]).cells()
    assert len({cell.backends for cell in cells}) == 2


def test_the_matrix_is_a_setting_of_sweeps():
    axes = ["ltrha.rank_by=goals,company", "ltrha.rank_scope=society,locale", "ltrha.resource_mode=amount,share"]
    axes += ["world.scheduling=simultaneous,sequential", "ltrha.execution_draw=after,before"]
    cells = read_declaration(None, axes).cells()
    assert len({cell.name for cell in cells}) == 32
    society = build_society(
        run_config(model="scripted", rank_by="company", rank_scope="locale"), ScriptedModel(), HashEmbedder()
    )
    assert society.framework.matrix.per_locale
    assert society.framework.matrix.ranker.rank_by == "company"
