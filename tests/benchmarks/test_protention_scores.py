from __future__ import annotations

import asyncio
import math
import sys
from itertools import pairwise
from types import SimpleNamespace

import numpy as np
import pytest

pytest.importorskip("torch")

from benchmarks.protention_rollouts import rollout, table
from benchmarks.protention_scores import Foretold, Scores
from evaluation.models.backends import RunError, resolve
from evaluation.runs.build_society import build_society
from evaluation.runs.configuration import Configuration
from itcma_s.fields.phenomenal_field import Field
from itcma_s.protention.forecasting import Moment
from itcma_s.protention.learned_protention import LearnedProtention, Shape, Vocabulary
from language_models.embedders.hash_embedder import HashEmbedder
from language_models.scripted import ScriptedModel

NAMES = table()


def field(**distances: float) -> Field:
    """Names -> metres straight ahead."""
    positions = np.array([(math.pi / 2, 0.0, distance) for distance in distances.values()]).reshape(-1, 3)
    return Field(NAMES.ids(distances), positions)


def scored(before: Field, after: Field, foretold: Foretold) -> dict:
    moment = Moment(retention=(), present=before, imagination=before, driver=0.0)
    scores = Scores()
    scores.add(SimpleNamespace(moment=moment, field=after), foretold, NAMES)
    return scores.to_json()


BEFORE, AFTER = field(bed=1, cup=2, LL=3), field(bed=2, SG=1, hat=4)


def test_scores_by_hand():
    # Said: bed where it is, SG half a metre off and a chair that is not there. Of the two that appear one was said of
    # two; cup and LL disappear and were both left out.
    row = scored(BEFORE, AFTER, Foretold(field=field(bed=2, SG=1.6, chair=1)))
    assert (row["appeared"]["rate"], row["appeared"]["of"]) == (0.5, 1)
    assert row["disappeared"]["rate"] == 1.0
    assert row["f1"] == pytest.approx(4 / 6, abs=1e-3)
    assert (row["error_mean"], row["error_median"], row["near"]) == (0.3, 0.3, pytest.approx(1 / 3, abs=1e-3))


def test_an_order_counts_its_first_alone():
    right = scored(BEFORE, AFTER, Foretold(field=AFTER, appearing=["hat", "SG"], leaving=["bed", "cup"]))
    assert (right["appeared"]["rate"], right["disappeared"]["rate"]) == (1.0, 0.0)
    assert scored(BEFORE, AFTER, Foretold(field=AFTER, appearing=[]))["appeared"]["rate"] == 0.0


def test_where_nothing_happens_or_is_there_nothing_is_counted():
    row = scored(BEFORE, BEFORE, Foretold(field=BEFORE))
    assert (row["appeared"], row["disappeared"], row["f1"], row["near"]) == (None, None, 1.0, 1.0)
    empty = scored(Field.empty(), Field.empty(), Foretold(field=Field.empty()))
    assert empty == dict.fromkeys(empty)


def test_rollouts_are_the_same_for_a_seed_and_go_on_from_step_to_step():
    transitions = list(rollout(5, 6, NAMES))
    assert len(transitions) > 20
    again = list(rollout(5, 6, table()))
    assert [one.action for one in again] == [one.action for one in transitions]
    for one in transitions:
        assert one.following.time == one.observation.time + 1
        assert one.following.outcome == "executed"
        assert one.moment.present.names(NAMES) == tuple(p.name for p in one.observation.percepts)
        assert one.unknown == (one.expected.source == "model")
    mine = [one for one in transitions if one.observation.resident == "LL"]
    for before, after in pairwise(mine):
        if after.observation.time == before.following.time:
            assert after.observation == before.following


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "it.safetensors"
    LearnedProtention("it", Vocabulary(["LL", "book 1"]), Shape(embedding=4, hidden=8, context=8)).save(path)
    return path


def test_a_run_with_a_learned_protention_asks_no_model_about_places(file):
    configuration = Configuration(model="scripted", protention=f"learned:{file}", steps=3)
    assert Configuration.from_json(configuration.to_json()) == configuration
    backends = resolve(configuration)
    assert backends.weights["protention"]["name"] == f"learned:{file}"
    assert len(backends.weights["protention"]["sha256"]["it.safetensors"]) == 64
    places = []
    for one in (configuration, Configuration(model="scripted", steps=3)):
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
        ("model2", "must be 'model', 'fracast' or 'learned:FILE', got 'model2'; did you mean 'model'"),
        ("fracas", "got 'fracas'; did you mean 'fracast'"),
        ("", "must"),
    ],
)
def test_a_protention_that_cannot_be(value, complaint):
    with pytest.raises(ValueError, match=complaint):
        Configuration(protention=value)


def test_a_file_that_is_not_there_is_found_before_anything_is_written(tmp_path):
    with pytest.raises(ValueError, match="no learned protention at"):
        resolve(Configuration(model="scripted", protention=f"learned:{tmp_path / 'none'}"))


def test_without_its_package_fracast_is_refused_before_anything_is_written(monkeypatch):
    monkeypatch.setitem(sys.modules, "fracast", None)
    with pytest.raises(RunError, match=r"python -m pip install -c constraints.txt '.\[forecast\]'"):
        resolve(Configuration(model="scripted", protention="fracast"))


def test_a_run_with_fracast_foresees_what_is_in_sight_and_asks_the_model_of_places():
    pytest.importorskip("fracast")
    configuration = Configuration(model="scripted", protention="fracast", steps=2)
    assert Configuration.from_json(configuration.to_json()) == configuration
    weights = resolve(configuration).weights["protention"]
    assert weights["name"] == "fracast"
    assert len(weights["sha256"]["model.safetensors"]) == 64
    modules = []
    model = ScriptedModel(fail_on=lambda caller, prompt: modules.append(caller.module) or False)
    society = build_society(configuration, model, HashEmbedder())
    for _ in range(2):
        asyncio.run(society.step())
    assert "protention" in modules


def test_what_the_rule_leaves_as_it_is_is_told_from_what_it_moves():
    transitions = list(rollout(5, 6, NAMES))
    assert any(one.still for one in transitions)
    for one in transitions:
        leads = one.action.startswith("go to") or one.action == f"leave {one.observation.place}"
        assert one.stays != leads
        if one.still:
            assert one.stays
            assert not one.unknown


def test_a_run_of_before_there_was_a_choice_asks_the_model():
    data = {key: value for key, value in Configuration().to_json().items() if key != "protention"}
    assert Configuration.from_json(data).protention == "model"


def test_rule_and_memory_foretell_better_than_that_nothing_changes():
    transitions = list(rollout(7, 12, NAMES))
    still, rule = Scores(), Scores()
    for one in transitions:
        still.add(one, Foretold(field=one.moment.present), NAMES)
        rule.add(one, Foretold(field=one.expected.field), NAMES)
    unchanged, foretold = still.to_json(), rule.to_json()
    assert foretold["f1"] > unchanged["f1"] + 0.1
    assert foretold["near"] > unchanged["near"] + 0.2
    assert foretold["error_mean"] < unchanged["error_mean"] / 2
    assert all(foretold[key]["rate"] > 0.3 for key in ("appeared", "disappeared"))
