from __future__ import annotations

import math

import numpy as np
import pytest
from scenes import CALLER, EMBEDDER, SIX, observe, run

from irollan_env.actions import Action
from itcma_s import make_mind
from itcma_s.deliberation.goal_targets import is_meeting
from itcma_s.deliberation.similarity_policy.decision import choose_by_protention, decide, urges
from itcma_s.deliberation.similarity_policy.decision_weights import DecisionWeights
from itcma_s.deliberation.similarity_policy.pursuit import pursuit
from itcma_s.elimination.action_space import irrelevant_to_goal, looping_actions
from itcma_s.fields.name_table import NameTable
from itcma_s.fields.phenomenal_field import Field
from itcma_s.memory.familiarity import Familiarity
from itcma_s.parameters import Mechanisms
from itcma_s.protention.protention import Protention
from language_models.protocol import Choice, ModelError
from language_models.scripted import ScriptedModel

WEIGHTS = DecisionWeights()


def expect(action: str, place: str = "LL's Home", company: tuple[str, ...] = (), source: str = "rule") -> Protention:
    return Protention(
        action=Action(action),
        sentence=f"After {action}.",
        foresee=Field.empty,
        place=place,
        company=company,
        source=source,  # type: ignore[arg-type]
    )


def choose(
    values: list[float], *actions: str, recent_actions: tuple[str, ...] = (), model: ScriptedModel, **weights: float
) -> tuple[str, Choice | None]:
    return run(
        decide(
            [expect(action) for action in actions],
            values,
            goal="rest",
            situation="You are in LL's Home.",
            recent_actions=recent_actions,
            model=model,
            weights=DecisionWeights(**weights),  # type: ignore[arg-type]
            caller=CALLER,
        )
    )


def nearer_only(goal: str, protended: list[Protention], observation, familiarity) -> list[float]:  # type: ignore[no-untyped-def]
    weights = DecisionWeights(brings=0, says=0, elsewhere=0, with_them=0, talk=0)
    return pursuit(goal, protended, observation, familiarity, EMBEDDER, weights).tolist()


def test_what_is_carried_goes_to_its_owner() -> None:
    now = observe("outside", held=["SG's clothes 1"])
    known = Familiarity(places={"outside": 0, "SG's Home": None, "LL's Home": 0}, people={"SG": 0}, residents=SIX)
    known.learn(now)
    protended = [
        expect("go to SG's Home", "SG's Home", source="model"),
        expect("go to LL's Home", "LL's Home", source="memory"),
        expect("put SG's clothes 1 in/on table 2", "outside"),
        expect("use SG's clothes 1", "outside"),
    ]
    values = nearer_only("give SG's clothes 1 back to SG", protended, now, known)
    # SG's home is one door away, worth 0.8 * 0.6; there it is beside SG, 1; from LL's Home two doors, 0.8 * 0.3
    assert values[:2] == pytest.approx([1 - 0.48, 0.24 - 0.48])
    assert values[2] < values[3] == pytest.approx(-0.4)
    # an owner who is not named is thought of all the same
    assert np.argmax(nearer_only("bring back the clothes", protended, now, known)) == 0


def test_urges_by_hand() -> None:
    now = observe(
        people=["SG", "WM", "AY"],
        heard=[("SG", "MD", "Hello!"), ("WM", "SG", "Good day.")],
        admissible=("use bed 2", "use bed 3"),
        topic=0.5,
    )
    protended = [
        expect("chat with SG: ..."),
        expect("chat with WM: ..."),
        expect("chat with AY: ..."),
        expect("go to outside", "outside"),
        expect("go to AY's Home", "AY's Home"),
        expect("leave AY"),
        expect("leave chair 2"),
        expect("use bed 2"),
    ]
    lately = ["use bed 2", "chat with AY", "use bed 2"]
    # answer 1.3, part 0.1 (SG has just spoken), repeat 0.12; an atmosphere of 0.2 * 0.5
    expected = [1.3 + 0.1, 0.1, 0.1 - 0.12, -0.1 - 0.1, -0.1 - 0.1, -0.1 - 0.1, 0.0, -0.24]
    assert urges(protended, now, lately, DecisionWeights(atmosphere=0.2)).tolist() == pytest.approx(expected)


def test_what_is_somebodys_is_laid_down_in_its_house_only() -> None:
    things = ("LL's clothes 1", "SG's clothes 1", "MD's clothes 1", "book 1")

    def worth(place: str) -> list[float]:
        down = [expect(f"put {item} in/on bed 2", place) for item in things]
        return urges(down, observe(place), (), WEIGHTS).tolist()

    assert worth("LL's Home") == pytest.approx([0.2, -0.2, 0, 0])
    assert worth("Public Canteen") == pytest.approx([-0.2, -0.2, 0, 0])


EVERYWHERE = ("outside", "LL's Home", "SG's Home", "AY's Home", "Public Canteen")


@pytest.mark.parametrize(
    ("goal", "expected"),
    [
        ("meet LL in SG's Home", True),
        ("meet LL at noon", False),
        ("meet LL in person", False),
        ("go to SG's Home", False),
    ],
)
def test_a_meeting_is_in_a_place(goal: str, expected: bool) -> None:
    known = Familiarity(places=dict.fromkeys(EVERYWHERE, 1), people={"LL": 2})
    assert is_meeting(goal, known.spoken_of(goal), known) is expected


@pytest.mark.parametrize(
    ("action", "goal", "here", "expected"),
    [
        ("use SG's clothes 1", "get to know SG", "outside", True),
        ("use SG's clothes 1", "wear SG's clothes", "outside", False),
        ("use book 1", "get to know SG", "outside", False),
        ("take SG's clothes 1 from bed 5", "look for SG", "SG's Home", True),
        ("take SG's clothes 1 from bed 5", "meet WM in SG's Home", "SG's Home", True),
        ("take SG's clothes 1 from bed 5", "bring SG what was forgotten", "LL's Home", False),
        ("put SG's clothes 1 in/on SG", "get to know SG", "outside", False),
        ("chat with SG: ...", "get to know SG", "outside", False),
        ("use LL's clothes 1", "spend some time at home, in LL's Home", "LL's Home", False),
    ],
)
def test_what_is_somebodys_is_not_somebody(action: str, goal: str, here: str, expected: bool) -> None:
    known = Familiarity(places=dict.fromkeys(EVERYWHERE, 1), people={"SG": 2, "WM": 2})
    known.seen = {"SG's clothes 1": "outside", "LL's clothes 1": "outside", "book 1": "outside"}
    assert irrelevant_to_goal(Action(action), known.spoken_of(goal), observe(here, resident="LL")) is expected


@pytest.mark.parametrize(
    ("lately", "worn"),
    [
        ("aaaa", {"a"}),
        ("abab", {"a", "b"}),
        ("cabab", {"a", "b"}),
        ("aab", set()),
        ("abba", set()),
        ("abca", set()),
        ("", set()),
    ],
)
def test_what_was_done_over_and_over_wears_out(lately: str, worn: set[str]) -> None:
    assert looping_actions(tuple(lately)) == worn


def test_habit_counts_in_doublings() -> None:
    actions = ("use bed 2", "use chair 2", "use table 2", "use food 1")
    now = observe(admissible=actions, habitus={actions[0]: 0.5, actions[1]: 0.25, actions[2]: 0.0})
    values = urges([expect(action) for action in actions], now, (), WEIGHTS)
    # twice, as often as, never (held at an eighth), and unknown: the average
    assert values.tolist() == pytest.approx([0.05, 0.0, -0.15, 0.0])


@pytest.mark.parametrize("disposed", [None, "use rug 4", "use sofa 1"])
def test_of_actions_that_promise_alike_the_habitus_decides(disposed: str | None) -> None:
    """Section 4.3 in a whole mind: what it is disposed to, though the other one comes first without it."""
    actions = ("use rug 4", "use sofa 1")
    habitus = None if disposed is None else {action: 0.9 if action == disposed else 0.1 for action in actions}
    now = observe(furniture=["rug 4", "sofa 1"], admissible=actions, goal="be here", habitus=habitus)
    mind = make_mind(
        "MD",
        model=ScriptedModel(),
        table=NameTable(EMBEDDER),
        embedder=EMBEDDER,
        generator=np.random.default_rng(0),
        mechanisms=Mechanisms(elimination=False),
        weights=DecisionWeights(habit=1.0),
        writes=False,
    )
    assert run(mind.act(now)).action == (disposed or "use rug 4")


def test_a_single_best_action_needs_no_model() -> None:
    model = ScriptedModel(outputs=())
    assert choose([0.1, 0.5, 0.4], "use bed 2", "use chair 2", "use food 1", model=model) == ("use chair 2", None)
    assert choose([0.5, 0.5], "use chair 2", "use bed 2", model=model, shortlist=0) == ("use bed 2", None)
    assert choose([0.5], "use bed 2", model=model) == ("use bed 2", None)
    assert model.calls == 0


def test_the_model_chooses_among_those_that_are_close() -> None:
    actions = ("use bed 2", "use chair 2", "use food 1", "use book 1")
    model = ScriptedModel(outputs=["use food 1"])
    action, choice = choose([0.50, 0.49, 0.48, 0.40], *actions, model=model, margin=0.03)
    assert action == "use food 1"
    assert choice is not None
    assert len(choice.probabilities) == 3
    with pytest.raises(ModelError, match="none of the options"):
        choose([0.50, 0.49, 0.48, 0.40], *actions, model=ScriptedModel(outputs=["use book 1"]), margin=0.03)
    with pytest.raises(ModelError, match="none of the options"):
        choose([0.50, 0.49, 0.48], *actions[:3], model=ScriptedModel(outputs=["use food 1"]), margin=0.03, shortlist=2)


def test_the_model_chooses_among_all_by_protention() -> None:
    actions = ("use bed 2", "chat with SG: ...", "use chair 2")

    def ask(
        model: ScriptedModel,
        recent_actions: tuple[str, ...] = (),
        space: tuple[str, ...] = actions,
        weights: DecisionWeights = WEIGHTS,
    ) -> str:
        protended = [expect(action) for action in space]
        return run(
            choose_by_protention(
                protended,
                situation="The channel.",
                goal="rest",
                recent_actions=recent_actions,
                model=model,
                weights=weights,
                caller=CALLER,
            )
        ).option

    assert ask(ScriptedModel(outputs=["use chair 2"])) == "use chair 2"
    same = ("chat with SG",) * 4
    with pytest.raises(ModelError, match=r"none of the options \['use bed 2', 'use chair 2'\]"):
        ask(ScriptedModel(outputs=[actions[1]]), same)
    assert ask(ScriptedModel(outputs=[actions[1]]), same, actions[1:2]) == actions[1]
    assert ask(ScriptedModel(outputs=[actions[1]]), same, weights=WEIGHTS.without("worn_out")) == actions[1]


def test_there_is_always_something_to_decide_on() -> None:
    with pytest.raises(ValueError, match="there is no action to decide on"):
        choose([], model=ScriptedModel())


@pytest.mark.parametrize(
    ("name", "value"),
    [("brings", -0.1), ("nearer", math.nan), ("margin", math.inf), ("shortlist", -1), ("errands", 0.5)],
)
def test_bad_weights_are_named(name: str, value: float) -> None:
    with pytest.raises(ValueError, match=f"{name} must be .*, got {value}"):
        DecisionWeights(**{name: value})  # type: ignore[arg-type]


def test_turning_to_whom_the_goal_names() -> None:
    now = observe(people=["SG", "WM"], held=["toy 1"])
    known = Familiarity()
    known.learn(now)
    actions = ("chat with SG: ...", "put toy 1 in/on SG", "chat with WM: ...", "leave SG", "use toy 1")
    protended = [expect(action, company=("SG", "WM")) for action in actions]
    weights = DecisionWeights(brings=0, says=0, elsewhere=0, with_them=1.0, talk=0)
    assert pursuit("cheer up SG", protended, now, known, EMBEDDER, weights).tolist() == [1, 1, -1, 0, 0]
    # MD is not here: nobody else will do.
    known.people["MD"] = 0
    assert pursuit("cheer up MD", protended, now, known, EMBEDDER, weights).tolist() == [-2, -2, -2, 0, 0]
