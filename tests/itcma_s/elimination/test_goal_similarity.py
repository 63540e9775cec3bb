import gc
from weakref import ref

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scenes import EMBEDDER

from itcma_s.actions import meanings
from itcma_s.elimination.goal_similarity import likeness

SAID = st.lists(st.lists(st.sampled_from(["I read the book.", "I eat.", "I go out.", "I talk with LL."]), min_size=1))


@given(st.sampled_from(["rest", "read book 1", "talk with LL"]), SAID, SAID)
def test_likeness_is_the_cosine_with_the_closest_meaning_whatever_was_asked_before(goal, first, then):
    """Against the plain form, and with the same bits in any company: what is kept must not be seen in a result."""
    likeness(goal, first, EMBEDDER)
    one = EMBEDDER.embed([goal]).astype(np.float64)[0] + EMBEDDER.embed([f"I {goal}."]).astype(np.float64)[0]
    found = likeness(goal, then, EMBEDDER)
    assert found.shape == (len(then),)
    for value, said in zip(found.tolist(), then, strict=True):
        cosines = [float(vector @ one / np.linalg.norm(one)) for vector in EMBEDDER.embed(said).astype(np.float64)]
        assert value == pytest.approx(max(cosines), abs=1e-12)
        assert value == likeness(goal, [said], type(EMBEDDER)())[0]


class OneRuns:
    """An embedder that one run has for itself."""

    name, dimension = EMBEDDER.name, EMBEDDER.dimension

    def embed(self, texts):
        return EMBEDDER.embed(texts)


def test_an_embedder_and_its_vectors_are_not_kept_by_what_was_compared_with_it():
    embedder = OneRuns()
    likeness("read a book", [("I use the book",)], embedder)
    gone = ref(embedder)
    del embedder
    gc.collect()
    assert gone() is None


def test_a_goal_that_was_given_up_to_make_room_is_compared_as_before(monkeypatch):
    monkeypatch.setattr("itcma_s.elimination.goal_similarity._MOST_AIMS", 2)
    embedder, goals = OneRuns(), ["read", "sleep", "cook", "read"]
    found = [likeness(goal, [("I use the book",)], embedder).tolist() for goal in goals]
    assert found == [likeness(goal, [("I use the book",)], EMBEDDER).tolist() for goal in goals]


def test_what_using_something_means_hangs_on_what_lies_on_it():
    nothing, known, unknown = (meanings("use sinkbasin 1", lying) for lying in ({}, {"sinkbasin 1": "food 2"}, None))
    assert len({nothing, known, unknown}) == 3
    assert any("the food" in said for said in known)
    assert any("something" in said for said in unknown)
    assert meanings("use bed 2", {"bed 2": "book 1"}) == meanings("use bed 2", {"bed 2": "book 1", "bed 3": "pen 1"})
    with pytest.raises(ValueError, match="one of"):
        meanings("dance")
