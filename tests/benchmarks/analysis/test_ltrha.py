"""The benchmark of LTRHA's settings: what is counted, and that decisions are the same under each of them."""

import pytest

from benchmarks.analysis.ltrha import ARMS, FREE, LifeStep, deeds_for_others, lead, refilter, row
from irollan_env.actions import Action
from irollan_env.resident import Act
from language_models.embedders.hash_embedder import HashEmbedder

NAMES = ("A", "B", "C", "D", "E", "F")


def step(resources, held=(), **actions):
    """One step of six: what some do; the others sit down."""
    return LifeStep(
        acts={name: Act(action=Action(actions.get(name, "use chair 1"))) for name in NAMES},
        outcomes={name: "filtered" if name in held else "executed" for name in NAMES},
        places=dict.fromkeys(NAMES, "here"),
        resources=dict(zip(NAMES, resources, strict=True)),
        topics={"here": 0.1 * len(held)},
    )


def test_gifts_and_answers_count_and_greetings_and_late_words_do_not():
    life = [
        step([1] * 6, A="chat with B: May I have food 1?", C="put food 2 in/on D"),
        step([1] * 6, held="B", B="chat with A: Yes."),
        step([1] * 6, B="put food 1 in/on A", D="chat with E: Good day."),
        step([1] * 6),
        step([1] * 6),
        step([1] * 6, E="chat with D: Good day."),
    ]
    assert deeds_for_others(life) == {"A": 0, "B": 2, "C": 1, "D": 0, "E": 0, "F": 0}


def test_what_is_said_of_a_setting():
    """A gives and has the most; F, with the least, is held back three times in a row, once more, and never A."""
    amounts = [6, 5, 4, 3, 2, 1]
    life = [step(amounts, held="F" * (time in (2, 3, 4, 8)), A="put food 2 in/on D") for time in range(12)]
    found = row("a", [life], lived=True)
    assert (found.worst, found.longest) == (4 / 12, 3)
    assert (found.top, found.bottom) == (0.0, 4 / 24)
    assert found.follows == pytest.approx(0.65, abs=0.01)
    assert (found.risen, found.drained, found.mobility) == (5, 0, pytest.approx(0))
    assert found.gini_acts == pytest.approx(0.05, abs=0.02)


@pytest.fixture(scope="module")
def free():
    return lead(0, 8, FREE, HashEmbedder())


@pytest.mark.parametrize("name", ARMS)
def test_decisions_are_the_same_under_each_setting(name, free):
    again = refilter(free, 0, ARMS[name], HashEmbedder())
    assert [one.acts for one in again] == [one.acts for one in free]
    assert [one.topics for one in again] == [one.topics for one in free]
    held = sum(outcome == "filtered" for one in again for outcome in one.outcomes.values())
    assert (held == 0) == (name == "turns alone")
