"""Every rule of docs/heuristics.md decides something: with its switch off, it is decided otherwise."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scenes import EMBEDDER, observe, run

from irollan_env.world.observation import Observation
from itcma_s import make_mind
from itcma_s.deliberation.similarity_policy.decision_weights import RULES, DecisionWeights
from itcma_s.deliberation.similarity_policy.similarity_policy import SimilarityPolicy
from itcma_s.fields.name_table import NameTable
from itcma_s.memory.familiarity import Familiarity
from itcma_s.model_calls import ModelCalls
from itcma_s.parameters import Mechanisms
from itcma_s.resident import ItcmaResident
from language_models.scripted import ScriptedModel

AS_USUAL = DecisionWeights()
FURNITURE = ("bed 2", "chair 2", "table 2", "sinkbasin 1", "stoveburner 1")


def living(weights: DecisionWeights) -> ItcmaResident:
    """A mind that knows three places, and that SG is outside; no action is eliminated."""
    mind = make_mind(
        "MD",
        model=ScriptedModel(),
        table=NameTable(EMBEDDER),
        embedder=EMBEDDER,
        generator=np.random.default_rng(0),
        mechanisms=Mechanisms(elimination=False),
        weights=weights,
        writes=False,
    )
    places = dict.fromkeys(("outside", "LL's Home", "SG's Home"), 1)
    known = Familiarity(places=places, people={"SG": 2}, seen={"SG": "outside"})
    mind.set_state({**mind.get_state(), "familiarity": known.get_state()})
    return mind


def decided(now: Observation, weights: DecisionWeights, steps: int = 1) -> str | None:
    """What is decided at last where nothing changes."""
    mind = living(weights)
    return [run(mind.act(replace(now, time=n, outcome="executed"))).action for n in range(steps)][-1]


@pytest.mark.parametrize(
    ("rule", "goal", "seen", "sensible", "else_"),
    [
        ("errands", "cook food 1", {"held": ["food 1"]}, "put food 1 in/on stoveburner 1", "use food 1"),
        ("errands", "heat up the food", {"held": ["food 1"]}, "put food 1 in/on stoveburner 1", "use food 1"),
        (
            "misleads",  # another one of that kind
            "read book 15",
            {"held": ["book 10"], "items": {"book 15": "table 2"}},
            "take book 15 from table 2",
            "use book 10",
        ),
        (
            "misleads",
            "look for SG",
            {"held": ["SG's clothes 1"], "people": ["SG"]},
            "use chair 2",
            "use SG's clothes 1",
        ),
        ("misleads", "talk with SG about book 1", {"held": ["book 1"], "people": ["SG"]}, "use chair 2", "use book 1"),
        ("misleads", "ask SG something", {"people": ["SG"]}, "use chair 2", "leave SG"),
    ],
)
def test_without_a_rule_an_action_is_taken_that_it_rules_out(
    rule: str, goal: str, seen: dict[str, list[str]], sensible: str, else_: str
) -> None:
    now = observe(**seen, furniture=FURNITURE, goal=goal, admissible=(sensible, else_))  # type: ignore[arg-type]
    assert decided(now, AS_USUAL) == sensible
    assert decided(now, AS_USUAL.without(rule)) == else_


def test_without_the_rule_of_what_misleads_one_leaves_the_place_that_one_is_to_look_at() -> None:
    actions = ("use chair 2", "leave LL's Home")
    now = observe(furniture=FURNITURE, doors=["outside"], goal="see what there is in LL's Home", admissible=actions)
    anywhere = DecisionWeights(nearer=0.0)
    assert decided(now, anywhere) == "use chair 2"
    assert decided(now, anywhere.without("misleads")) == "leave LL's Home"


def test_without_errands_elimination_is_told_of_no_steps() -> None:
    now = observe(held=["food 1"], furniture=FURNITURE)
    known, actions = Familiarity(places={"LL's Home": 3}), ("put food 1 in/on stoveburner 1", "use food 1")
    known.learn(now)

    def needed(weights: DecisionWeights) -> object:
        deliberation = SimilarityPolicy(model=ScriptedModel(), embedder=EMBEDDER, weights=weights)
        return deliberation.required_actions("cook food 1", actions, now, known)

    assert needed(AS_USUAL) == {actions[0]}
    assert needed(AS_USUAL.without("errands")) is None


def test_without_wearing_out_the_same_is_done_a_fifth_time() -> None:
    now = observe(furniture=FURNITURE, goal="rest", admissible=("use bed 2", "use chair 2"))
    untired = DecisionWeights(repeat=0.0)
    assert [decided(now, untired, steps) for steps in (4, 5)] == ["use bed 2", "use chair 2"]
    assert decided(now, untired.without("worn_out"), 5) == "use bed 2"


@pytest.mark.parametrize("in_its_place", [True, False])
def test_without_out_of_place_one_asks_whose_a_book_among_books_is(in_its_place: bool) -> None:
    shelf = "bookshelf 1" if in_its_place else "bed 2"
    now = observe(items={"book 1": "bookshelf 1", "book 2": shelf})
    known = Familiarity(places={"LL's Home": 3})
    known.learn(now)

    def asks(weights: DecisionWeights) -> bool:
        goals = set()
        for seed in range(30):
            deliberation = SimilarityPolicy(model=ScriptedModel(), embedder=EMBEDDER, weights=weights)
            goals.add(run(deliberation.aim(now, known, 0.0, np.random.default_rng(seed), ModelCalls("MD", 3))))
        return "ask somebody whose book 2 it is" in goals

    assert asks(AS_USUAL) is not in_its_place
    assert asks(AS_USUAL.without("out_of_place"))


def test_what_is_left_out_is_off_and_nothing_else_is_changed() -> None:
    assert {name for name in RULES if getattr(AS_USUAL, name)} == {"errands", "misleads", "worn_out", "out_of_place"}
    assert AS_USUAL.without("says") == DecisionWeights(says=0.0)
    assert AS_USUAL.without("errands") == DecisionWeights(errands=False)
    assert AS_USUAL.without("errands").errands is False
