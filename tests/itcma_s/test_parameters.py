"""The parameters of a mind: each changes a life, and none is taken outside its range."""

import json
from dataclasses import fields, replace
from functools import cache

import numpy as np
import pytest
from scenes import EMBEDDER, run

from irollan_env import World
from itcma_s import make_mind
from itcma_s.emotion.appraisal import AppraisalWeights
from itcma_s.emotion.driver import DriverWeights
from itcma_s.fields.name_table import NameTable
from itcma_s.fields.similarity import FieldWeights
from itcma_s.parameters import MindParameters
from language_models.scripted import ScriptedModel

BUSY = MindParameters(retention=1, segment_length=2)
CHANGES = {
    "retention": 2,
    "blend_threshold": 0.5,
    "keep_probability": 0.9,
    "segment_length": 1,
    "said_limit": 20,
    "witnessed_limit": 10,
    "emotion_weight": 100.0,
    "activation_shortlist": 1,
    "elimination_threshold": 4.5,
    "field_weights": FieldWeights(omega_name=0.9, omega_position=0.1),
    "driver_weights": DriverWeights(pleasure=0.1, arousal=0.8, dominance=0.1),
    "appraisal": AppraisalWeights(new_place=2.0),
}


@cache
def life(parameters):
    """Two residents for some steps: what they did and felt, and what they are in the end."""
    world, model, table = World(seed=1), ScriptedModel(), NameTable(EMBEDDER)
    minds = [
        make_mind(
            name,
            model=model,
            table=table,
            embedder=EMBEDDER,
            generator=np.random.default_rng(number),
            parameters=parameters,
        )
        for number, name in enumerate(("LL", "WL"))
    ]
    acts = []
    for _ in range(12):
        step = {mind.name: run(mind.act(world.observe(mind.name))) for mind in minds}
        world.step({name: act.action for name, act in step.items()})
        acts += [[act.action, act.driver, act.memories, act.relevance] for act in step.values()]
    return json.dumps([acts, [mind.get_state() for mind in minds]])


def test_every_parameter_is_changed_below():
    assert set(CHANGES) == {one.name for one in fields(MindParameters)}


@pytest.mark.parametrize("name", CHANGES)
def test_each_parameter_changes_a_life(name):
    assert life(replace(BUSY, **{name: CHANGES[name]})) != life(BUSY)


def test_parameters_survive_json():
    changed = MindParameters(**CHANGES)
    assert MindParameters.from_json(json.loads(json.dumps(changed.to_json()))) == changed
    assert MindParameters.from_json({}) == MindParameters()
    assert MindParameters.from_json({"appraisal": {"reached": 1.0}}).appraisal == AppraisalWeights(reached=1.0)


@pytest.mark.parametrize(
    ("data", "named"),
    [
        ({"retention": -1}, "retention"),
        ({"retention": 1.5}, "retention"),
        ({"segment_length": 0}, "segment_length"),
        ({"activation_shortlist": 0}, "activation_shortlist"),
        ({"said_limit": True}, "said_limit"),
        ({"witnessed_limit": -1}, "witnessed_limit"),
        ({"blend_threshold": 1.1}, "blend_threshold"),
        ({"keep_probability": float("nan")}, "keep_probability"),
        ({"emotion_weight": -0.1}, "emotion_weight"),
        ({"elimination_threshold": 0.9}, "elimination_threshold"),
        ({"elimination_threshold": "high"}, "parameters must be numbers"),
        ({"driver_weights": {"pleasure": 0.9}}, "pleasure, arousal and dominance must sum to 1"),
        ({"driver_weights": 0.5}, "driver_weights must name"),
        ({"appraisal": {"reachd": 1.0}}, "'appraisal.reachd'; did you mean 'reached'"),
        ({"retentoin": 3}, "'retentoin'; did you mean 'retention'"),
    ],
)
def test_a_bad_parameter_is_named(data, named):
    with pytest.raises(ValueError, match=named):
        MindParameters.from_json(data)


def test_a_part_must_be_of_its_type():
    with pytest.raises(ValueError, match="field_weights must be FieldWeights"):
        MindParameters(field_weights={})
