"""The measures of talk are held to floors a bit under what was measured on lines labelled by hand."""

import json

import pytest

from benchmarks.analysis.talk_measures import CLASSES, labelled, scores
from language_models.registry import find_embedder

FLOORS = {
    "a question": (0.95, 0.95),
    "could be answered": (0.95, 0.95),
    "answered": (0.74, 0.88),
    "a promise": (0.9, 0.83),
    "kept": (0.9, 0.85),
    "broken": (0.8, 0.8),
    "a statement": (0.82, 0.75),
    "true": (0.86, 0.8),
    "the same": (0.83, 0.75),
    "agrees": (0.95, 0.9),
    "argues against": (0.85, 0.8),
    "from talk": (0.8, 0.9),
    "said later": (0.75, 0.75),
}
"""What is found -> least precision and recall. Two false statements are too few to hold anything to."""


@pytest.mark.parametrize("name", CLASSES)
def test_each_measure_has_labels_and_a_held_out_third(name):
    items = labelled(name)
    assert sum(item["held_out"] for item in items) == len(items) // 3
    known = frozenset().union(*(labels for _, labels in CLASSES[name]))
    assert {item["label"] for item in items} - known <= {
        "none", "unclear", "different", "not", "lost", "agrees"
    }  # fmt: skip
    # Fewer lines than sixty were lost in the four lives together.
    assert len(items) >= 60


# MiniLM reads four lives.
@pytest.mark.slow
@pytest.mark.needs_torch
def test_precision_and_recall_are_above_the_floors():
    found = scores(find_embedder("minilm").build())
    for one in found:
        if one.found in FLOORS:
            precision, recall = FLOORS[one.found]
            assert one.precision >= precision, json.dumps(one.found)
            assert one.recall >= recall, json.dumps(one.found)
