from __future__ import annotations

import math
from types import SimpleNamespace

import numpy as np
import pytest

from benchmarks.mind.protention_scores import Foretold, Scores
from itcma_s.fields.phenomenal_field import Field
from itcma_s.memory.moment import Moment
from itcma_s.protention_rollouts import rollout, spelling_table

NAMES = spelling_table()


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
