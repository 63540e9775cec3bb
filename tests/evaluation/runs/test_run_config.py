import json
import re

import pytest

from evaluation.runs.run_config import TURNS_BY_DELIBERATION, RunConfig
from irollan_env.random_streams import stream


def test_the_embedder_follows_the_model():
    assert RunConfig().embedder == "minilm"
    assert RunConfig(model="scripted").embedder == "hash"
    assert RunConfig(model="scripted", embedder="minilm").embedder == "minilm"


def test_elimination_follows_the_roles():
    assert RunConfig().elimination == "embedder"
    assert RunConfig(roles={"elimination": "scripted"}).elimination == "model"
    assert RunConfig(elimination="model").elimination == "model"


def test_a_run_of_before_elimination_could_be_chosen():
    old = RunConfig(roles={"elimination": "scripted"}).to_json()
    del old["elimination"]
    assert RunConfig.from_json(old).elimination == "model"


def test_a_run_of_before_failures_could_stop_it_waits():
    old = RunConfig().to_json()
    del old["on_failure"]
    assert RunConfig.from_json(old).on_failure == "wait"


def test_deliberation_follows_the_model_that_acts():
    assert RunConfig().deliberation == "likeness"
    assert RunConfig(model="openai:http://127.0.0.1:1/v1").deliberation == "model"
    assert RunConfig(roles={"action": "transformers:folder"}).deliberation == "model"
    assert RunConfig(model="openai:http://127.0.0.1:1/v1", roles={"action": "smollm2"}).deliberation == "likeness"
    assert RunConfig(model="openai:http://127.0.0.1:1/v1", deliberation="likeness").deliberation == "likeness"
    assert RunConfig(deliberation="model").to_json()["deliberation"] == "model"


def test_turns_follow_deliberation():
    for deliberation, turns in TURNS_BY_DELIBERATION.items():
        assert RunConfig(deliberation=deliberation).to_json()["turns"] == turns
    assert RunConfig(turns="one-by-one").turns == "one-by-one"


def test_a_run_of_before_there_was_deliberation_by_model_decided_by_likeness_together_and_was_filtered_after():
    old = RunConfig(model="openai:http://127.0.0.1:1/v1").to_json()
    for key in ("deliberation", "turns", "filter", "rate"):
        del old[key]
    read = RunConfig.from_json(old)
    assert (read.deliberation, read.turns, read.filter, read.rate) == ("likeness", "together", "after", "amount")


def test_json_both_ways():
    configuration = RunConfig(architecture="driver", seed=7, steps=3)
    data = json.loads(json.dumps({**configuration.to_json(), "ltrha": False}))
    assert RunConfig.from_json(data) == configuration
    with pytest.raises(ValueError, match=r"^not the configuration of a run: it lacks 'seed'$"):
        RunConfig.from_json({key: value for key, value in data.items() if key != "seed"})
    with pytest.raises(ValueError, match=r"^steps must be a whole number from 1 to 1000000, got 'many'$"):
        RunConfig.from_json({**data, "steps": "many"})


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"steps": 0}, "steps must be a whole number from 1 to 1000000, got 0"),
        ({"steps": 1_000_001}, "steps must be a whole number from 1 to 1000000, got 1000001"),
        ({"steps": "20"}, "steps must be a whole number from 1 to 1000000, got '20'"),
        ({"steps": 2.5}, "steps must be a whole number from 1 to 1000000, got 2.5"),
        ({"seed": True}, "seed must be a whole number from 0 to 9223372036854775807, got True"),
        ({"model": None}, "model must be a name, got None"),
        ({"architecture": ["itcma"]}, "architecture must be a name, got ['itcma']"),
        ({"elimination": "modle"}, "elimination must be one of embedder, model, got 'modle'; did you mean 'model'?"),
        ({"elimination": 3}, "elimination must be a name, got 3"),
        (
            {"elimination": "embedder", "roles": {"elimination": "scripted"}},
            "elimination by the embedder asks no model, but 'scripted' is named for it; leave one of the two out",
        ),
        ({"on_failure": "halt"}, "on-failure must be one of wait, stop, got 'halt'"),
        (
            {"deliberation": "likness"},
            "deliberation must be one of model, likeness, got 'likness'; did you mean 'likeness'?",
        ),
        (
            {"turns": "one_by_one"},
            "turns must be one of together, one-by-one, got 'one_by_one'; did you mean 'one-by-one'?",
        ),
        ({"filter": "befor"}, "filter must be one of after, before, got 'befor'; did you mean 'before'?"),
        ({"rate": "shares"}, "rate must be one of amount, share, got 'shares'; did you mean 'share'?"),
        ({"filter": ""}, "filter must be one of after, before, got ''"),
        ({"turns": None}, "turns must be a name, got None"),
        ({"seed": -1}, "seed must be a whole number from 0 to 9223372036854775807, got -1"),
        ({"checkpoint_every": 0}, "checkpoint-every must be a whole number from 1 to 1000000, got 0"),
    ],
)
def test_values_out_of_range_or_of_the_wrong_kind(values, message):
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        RunConfig(**values)


def test_each_name_has_a_stream_of_its_own():
    first = {name: stream(3, name).integers(2**62) for name in ("world", "ltrha", "resident AY", "resident YA")}
    assert len(set(first.values())) == 4
    assert first["world"] == stream(3, "world").integers(2**62) != stream(4, "world").integers(2**62)
