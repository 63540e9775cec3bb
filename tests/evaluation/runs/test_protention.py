"""Who says in a run what follows, where neither rule nor memory does: found, kept and refused."""

import asyncio

import pytest

pytest.importorskip("torch")

from configs import run_config

from evaluation.runs.build_society import build_society, find_backends
from evaluation.runs.run_config import RunConfig
from itcma_s.protention.learned_protention import LearnedProtention, Shape, Vocabulary
from language_models.embedders.hash_embedder import HashEmbedder
from language_models.scripted import ScriptedModel


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "it.safetensors"
    LearnedProtention("it", Vocabulary(["LL", "book 1"]), Shape(embedding=4, hidden=8, context=8)).save(path)
    return path


def test_a_run_with_a_learned_protention_asks_no_model_about_places(file):
    configuration = run_config(model="scripted", protention=f"learned:{file}", steps=3)
    assert RunConfig.from_json(configuration.to_json()) == configuration
    backends = find_backends(configuration)
    assert backends.weights["protention"]["name"] == f"learned:{file}"
    assert len(backends.weights["protention"]["sha256"]["it.safetensors"]) == 64
    places = []
    for one in (configuration, run_config(model="scripted", steps=3)):
        model = ScriptedModel(fail_on=lambda caller, prompt: places.append(caller.module) or False)
        society = build_society(one, model, HashEmbedder())
        for _ in range(3):
            asyncio.run(society.step())
        places.append("|")
    with_it, without = "".join(f"{module} " for module in places).split("|")[:2]
    assert "protention" not in with_it
    assert "protention" in without


@pytest.mark.parametrize(
    ("value", "complaint"),
    [
        ("learned:", "must name a file after 'learned:'"),
        ("model2", "must be 'model' or 'learned:FILE', got 'model2'"),
        ("", "must"),
    ],
)
def test_a_protention_that_cannot_be(value, complaint):
    with pytest.raises(ValueError, match=complaint):
        run_config(protention=value)


def test_a_file_that_is_not_there_is_found_before_anything_is_written(tmp_path):
    with pytest.raises(ValueError, match="no learned protention at"):
        find_backends(run_config(model="scripted", protention=f"learned:{tmp_path / 'none'}"))
