"""The benchmark of the tests of social structure: what is planted, what is counted, and the page that it writes."""

import numpy as np
import pytest

from benchmarks.analysis.made_up_societies import CLIQUE, DESIGNS, EFFECTS, LEADER, preferences, society
from benchmarks.analysis.social_nulls import ALL_THREE, TARGETS, as_markdown, p_values, shares
from benchmarks.reporting import put_section
from evaluation.measures import actions, turns
from evaluation.social.hypotheses import HYPOTHESES


@pytest.mark.parametrize("design", DESIGNS)
def test_turns_go_to_somebody_who_was_there_all_equally_often(design):
    held = turns(actions(society(design, "none", 0, steps=600)))
    assert all(receiver in present for receiver, present in zip(held["receiver"], held["present"], strict=True))
    # Where the receiver stands among those present, among turns with a choice.
    parts = [p.index(r) / (len(p) - 1) for r, p in zip(held["receiver"], held["present"], strict=True) if len(p) > 1]
    assert len(parts) > 150
    assert np.mean(parts) == pytest.approx(0.5, abs=0.1)


def test_what_is_planted_is_there():
    assert (preferences("none", 0.5) == 1).all()
    assert (preferences("a leader, x4", 0.5)[:, LEADER] == 4).all()
    clique = preferences("a clique, x8", 0.5)
    assert clique[CLIQUE[0], CLIQUE[1]] == 8
    assert clique.sum() == 36 + 9 * 7
    assert preferences("a clique with a leader, x8 and x2", 0.5)[CLIQUE[0], LEADER] == 16
    firmer = [preferences("a clique that becomes firmer, x1 to x16", part)[CLIQUE[0], CLIQUE[1]] for part in (0, 0.5)]
    assert firmer == [1, 4]
    first, second = (preferences("a clique that gives way to another, x8", part) for part in (0.4, 0.6))
    assert (first != second).any()
    answering = turns(actions(society(DESIGNS[0], "answers, one in two", 0)))
    assert len(answering) > 100
    assert set(TARGETS) == set(EFFECTS) - {"none"}
    assert {test for tests in TARGETS.values() for test in tests} <= {*HYPOTHESES, ALL_THREE}


def test_what_is_found_and_was_not_planted_is_bold():
    results = {(DESIGNS[0], "a star", number): {ALL_THREE: p} for number, p in enumerate((0.0, 1.0))}
    assert f"| a star: not there | {ALL_THREE} | **0.500** (0.095 to 0.905) |  |  |" in as_markdown(shares(results), 99)


def test_one_society_has_a_p_value_of_every_test_that_is_defined():
    found = p_values("walking about", "a clique with a leader, x8 and x2", 0, 19, steps=20)
    assert set(found) <= {*HYPOTHESES, ALL_THREE}
    assert all(0 <= p <= 1 for p in found.values())


def test_a_section_takes_the_place_of_what_was_there(tmp_path):
    page = tmp_path / "page.md"
    page.write_text("# Page\n\n<!-- one -->\nold\n<!-- end of one -->\n\n<!-- two -->\nkept\n<!-- end of two -->\n")
    for _ in range(2):
        put_section(page, "one", "new")
    assert page.read_text() == (
        "# Page\n\n<!-- one -->\n\nnew\n\n<!-- end of one -->\n\n<!-- two -->\nkept\n<!-- end of two -->\n"
    )
    with pytest.raises(ValueError, match="lacks the lines <!-- three --> and <!-- end of three -->"):
        put_section(page, "three", "new")
