"""The parameters of LTRHA: each changes what a society does, and none is taken outside its range."""

import asyncio
import json
from dataclasses import fields, replace

import numpy as np
import pytest

from irollan_env.resident import Act
from language_models.embedders.hash_embedder import HashEmbedder
from ltrha import LTRHA, LikenessRanker, LTRHAParameters, Matrix, RankingWeights

NAMES = ("AY", "SG", "MD", "WL")
CHANGES = {
    "s_min": 2.0,
    "s_max": 5.0,
    "consumption": 0.25,
    "habitus_backing": 9.0,
    "habitus_temperature": 0.1,
    "ranking": RankingWeights(deed=-1.0),
}


def society(parameters):
    """Four agents for some steps in one place: their resources, and what one of them tends to."""
    ranker = LikenessRanker(HashEmbedder(), weights=parameters.ranking)
    matrix = Matrix(ranker, s_min=parameters.s_min, s_max=parameters.s_max)
    framework = LTRHA(
        NAMES, ["here"], matrix, np.random.default_rng(0), places=dict.fromkeys(NAMES, "here"), parameters=parameters
    )
    for step in range(4):
        acts = {
            name: Act(action=f"use bed {number}", goal=f"sleep in bed {number + 1}", pleasure=0.1 * step)
            for number, name in enumerate(NAMES)
        }
        asyncio.run(
            framework.update(
                acts, outcomes=dict.fromkeys(NAMES, "executed"), places=dict.fromkeys(NAMES, "here"), time=step
            )
        )
    return [framework.resources, framework.habitus["AY"].tendency(framework.situation("AY"))]


def test_every_parameter_is_changed_below():
    assert set(CHANGES) == {one.name for one in fields(LTRHAParameters)}


@pytest.mark.parametrize("name", CHANGES)
def test_each_parameter_changes_a_society(name):
    assert society(replace(LTRHAParameters(), **{name: CHANGES[name]})) != society(LTRHAParameters())


def test_parameters_survive_json():
    changed = LTRHAParameters(**CHANGES)
    assert LTRHAParameters.from_json(json.loads(json.dumps(changed.to_json()))) == changed
    assert LTRHAParameters.from_json({}) == LTRHAParameters()


@pytest.mark.parametrize(
    ("data", "named"),
    [
        ({"s_min": 4.0}, "s_min=4.0"),
        ({"s_max": float("inf")}, "s_max=inf"),
        ({"consumption": 1.5}, "consumption must lie in .*1.5"),
        ({"habitus_backing": 0.0}, "habitus_backing"),
        ({"habitus_temperature": -1.0}, "habitus_temperature"),
        ({"ranking": {"tones": 1.0}}, "'ranking.tones'; did you mean 'tone'"),
        ({"ranking": {"tone": float("nan")}}, "tone must be a finite number"),
    ],
)
def test_a_bad_parameter_is_named(data, named):
    with pytest.raises(ValueError, match=named):
        LTRHAParameters.from_json(data)
