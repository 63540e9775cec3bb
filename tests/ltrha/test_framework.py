import asyncio
import json
import re
from dataclasses import replace
from itertools import groupby

import numpy as np
import pytest
from ordering_model import OrderingModel
from scenes import observe
from weighted_ranker import WeightedRanker

from irollan_env.resident import Act
from language_models.protocol import ModelError
from ltrha import LTRHA, Draws, LTRHAParameters, Matrix, OrderRanker, Situation, resource_shares
from ltrha.framework import Failure

SIX = ("AY", "SG", "MD", "WL", "LL", "WM")
LOCALES = ("outside", "Public Canteen", "LL's Home")
WEIGHTS = {"LL": 6.0, "SG": 5.0, "WM": 4.0, "AY": 3.0, "WL": 2.0, "MD": 1.0}
AT_LL = {**dict.fromkeys(SIX, "LL's Home"), "MD": "outside", "WL": "outside"}
DONE = dict.fromkeys(SIX, "executed")


def society(ranker=None, generator=None, **options):
    ranker = WeightedRanker(WEIGHTS) if ranker is None else ranker
    generator = np.random.default_rng(7) if generator is None else generator
    return LTRHA(SIX, LOCALES, Matrix(ranker), generator, **options)


def acts(pleasure=0.0, arousal=0.0, action="use chair 1"):
    return {name: Act(action=action, goal="talk", pleasure=pleasure, arousal=arousal) for name in SIX}


def update(framework, *args):
    asyncio.run(framework.update(*args))


def test_start():
    framework = society()
    assert framework.resources == dict.fromkeys(SIX, 1.0)
    assert framework.topics == dict.fromkeys(LOCALES, 0.0)
    assert framework.last_allocation == dict.fromkeys(SIX, 0.0)
    assert framework.rates() == pytest.approx(dict.fromkeys(SIX, 0.5 + 0.5 / (1 + np.exp(-1))))


def test_one_step():
    framework = society()
    update(framework, acts(0.8, 0.5), DONE, AT_LL, 0)
    assert framework.topics == pytest.approx({"outside": 0.6, "Public Canteen": 0.0, "LL's Home": 0.6})
    assert framework.last_allocation == {"LL": 3, "SG": 2, "WM": 1, "AY": -1, "WL": -2, "MD": -3}
    assert framework.resources == {"LL": 4, "SG": 3, "WM": 2, "AY": 0, "WL": -1, "MD": -2}
    assert framework.last_ranking.rankings[None].order == ("LL", "SG", "WM", "AY", "WL", "MD")
    update(framework, acts(0.8, 0.5), DONE, AT_LL, 1)
    assert framework.resources == {"LL": 7, "SG": 5, "WM": 3, "AY": -1, "WL": -3, "MD": -5}
    assert sum(framework.resources.values()) == 6


def feeling(**felt):
    """Acts of people who feel differently: name -> (pleasure, arousal)."""
    return {name: Act(action="use chair 1", goal="talk", pleasure=p, arousal=a) for name, (p, a) in felt.items()}


FELT = {"AY": (0.8, 0.5), "SG": (-0.4, 0.2), "MD": (0.3, -0.6), "WL": (0.5, 0.0), "LL": (-0.9, 0.7), "WM": (0.1, 0.9)}
LATER = {name: (p / 2, -a) for name, (p, a) in FELT.items()}


def topic_by_hand(felt, places, place):
    """Eq. 17."""
    values = [p * (a + 1) / 2 for name, (p, a) in felt.items() if places[name] == place]
    return sum(values) / len(values) if values else 0.0


def test_topics_are_of_this_steps_feelings_where_people_are_after_it_and_go_into_this_steps_ranking():
    """Figure 4: what is felt and where everybody came to be, then the topic, then the matrix, then resources."""
    ranker = WeightedRanker(WEIGHTS)
    before, after = dict.fromkeys(SIX, "outside"), {**AT_LL, "AY": "Public Canteen"}
    framework = society(ranker, places=before)
    update(framework, feeling(**LATER), DONE, before, 0)
    seen = framework.situation("AY")
    assert (seen.topic, seen.resources) == (-1 if topic_by_hand(LATER, before, "outside") < 0 else 1, -1 + 1)
    update(framework, feeling(**FELT), DONE, after, 1)
    topics = {place: topic_by_hand(FELT, after, place) for place in LOCALES}
    assert framework.topics == pytest.approx(topics)
    confusable = [topic_by_hand(felt, places, "outside") for felt in (FELT, LATER) for places in (before, after)]
    assert len({round(value, 3) for value in (*topics.values(), *confusable)}) == 6
    shares = dict(zip(LAST, resource_shares(list(LAST.values())), strict=True))
    for one in ranker.calls[1][1]:
        assert (one.place, one.topic) == (after[one.name], pytest.approx(topics[after[one.name]]))
        assert one.share == pytest.approx(shares[one.name])
    # What was learned of the first step's deeds is learned in the situation that they were decided in.
    assert "with AY" not in framework.habitus["LL"].to_text(depth=0)
    assert "in outside" in framework.habitus["LL"].to_text()
    assert "in LL's Home" not in framework.habitus["LL"].to_text()


LAST = {"LL": 4, "SG": 3, "WM": 2, "AY": 0, "WL": -1, "MD": -2}
"""Resources after one step of the matrix by WEIGHTS."""


def test_the_matrix_sees_this_steps_goals_and_deeds_and_resources_before_the_change():
    ranker = WeightedRanker(WEIGHTS)
    done = {**acts(), "LL": Act(action='chat with SG: "hi"', goal="talk")}
    update(society(ranker), done, {**DONE, "AY": "filtered"}, AT_LL, 3)
    ((time, standings),) = ranker.calls
    assert time == 3
    assert {one.share for one in standings} == {1 / 6}
    assert {one.goal for one in standings} == {"talk"}
    deeds = {one.name: one.deeds[-1] for one in standings}
    assert {name: deed.partner for name, deed in deeds.items()} == {**dict.fromkeys(SIX), "LL": "SG"}
    assert {name: deed.outcome for name, deed in deeds.items()} == {**DONE, "AY": "filtered"}
    assert deeds["AY"].action == "use chair 1"


def test_people_are_listed_in_an_order_that_is_drawn_in_each_step():
    framework, other = (society(OrderRanker(OrderingModel()), np.random.default_rng(1)) for _ in range(2))
    seen = set()
    for time in range(8):
        for one in (framework, other):
            update(one, acts(), DONE, AT_LL, time)
        (names, again) = (
            tuple(re.findall(r"^- (\w+)", one.matrix.ranker.model.calls[-1].prompt, re.MULTILINE))
            for one in (framework, other)
        )
        assert names == again
        assert sorted(names) == sorted(SIX)
        seen.add(names)
        assert list(framework.last_allocation) == list(SIX)
    assert len(seen) > 5
    assert len({names[0] for names in seen}) > 3


def test_filter_rates():
    framework = society()
    framework.resources = dict(zip(SIX, (-20.0, -1.0, 0.0, 1.0, 3.0, 50.0), strict=True))
    draws = 5_000
    counts = dict.fromkeys(SIX, 0)
    for _ in range(draws):
        for name in framework.filter(SIX):
            counts[name] += 1
    for name, rate in framework.rates().items():
        tolerance = 4 * np.sqrt(rate * (1 - rate) / draws)
        assert 1 - counts[name] / draws == pytest.approx(rate, abs=tolerance + 1e-12)
    assert counts["WM"] == 0


def test_only_those_who_are_about_to_act_draw():
    framework, generator = society(), np.random.default_rng(7)
    assert framework.filter(()) == frozenset()
    for _ in range(50):
        drawn = {name: generator.random() for name in ("SG", "LL")}  # in the order of all
        assert framework.filter(("LL", "SG")) == {
            name for name, draw in drawn.items() if draw >= framework.rates()[name]
        }


@pytest.mark.parametrize(
    ("ranker", "reason", "call"),
    [
        (WeightedRanker(broken=True), "the model is out", -1),  # it was not recorded
        (OrderRanker(OrderingModel("AY first")), "the model 'ordering' gave no order of everybody", 2),
    ],
)
def test_a_failed_call_leaves_resources_and_is_kept(ranker, reason, call):
    framework = society(ranker)
    update(framework, acts(0.8, 0.5), DONE, AT_LL, 4)
    assert framework.resources == dict.fromkeys(SIX, 1.0)
    assert framework.last_allocation == dict.fromkeys(SIX, 0.0)
    assert framework.last_ranking is None
    assert framework.topics["LL's Home"] == pytest.approx(0.6)
    (failure,) = framework.failures
    assert (failure.time, failure.call) == (4, call)
    assert failure.reason.startswith(reason)


def test_a_matrix_without_answers_is_asked_ever_less_often_until_it_answers():
    asked = []

    class Failing(WeightedRanker):
        async def rank(self, standings, *, time=0):
            asked.append(time)
            if time < 4 or time == 8:
                raise ModelError("no order")
            return await super().rank(standings, time=time)

    framework = society(Failing(WEIGHTS))
    for time in range(16):
        update(framework, acts(), DONE, AT_LL, time)
        saved = json.loads(json.dumps(framework.get_state()))
        framework = society(Failing(WEIGHTS))
        framework.set_state(saved)
    # The failure of step 8 follows answers, and counts as the first.
    assert asked == [0, 2, 6, 7, 8, *range(10, 16)]
    assert [failure.time for failure in framework.failures] == [0, 2, 8]


def test_habitus_learns_what_the_next_step_brings():
    framework = society(places=AT_LL)
    talk = {
        **acts(0.1),
        "AY": Act(action='chat with WM: "hi"', pleasure=0.1),
        "WM": Act(action="put book 1 in/on AY", pleasure=0.1),
        "LL": Act(action='chat with SG: "hi"', pleasure=0.2),
    }
    update(framework, talk, {**DONE, "WM": "filtered", "AY": "inadmissible"}, AT_LL, 0)
    assert framework.habitus["LL"].observations == 0
    assert framework.situation("SG") == Situation(
        place="LL's Home", company=("AY", "LL", "WM"), topic=1, resources=1, spoken_to=True
    )
    # Who is spoken to was spoken to, and in words that were carried out.
    assert framework.get_state()["spoken_to"] == ["SG"]
    update(framework, {**acts(0.1), "LL": Act(action=None, pleasure=0.5)}, DONE, AT_LL, 1)
    # Pleasure 0.5 - 0.2, and all of s_max.
    assert framework.habitus["LL"].to_text(depth=0) == "habitus: chat with +1.30 (1); partners SG +1.30 (1)"
    assert framework.habitus["AY"].to_text(depth=0) == "habitus: chat with -0.33 (1); partners WM -0.33 (1)"
    assert framework.habitus["WM"].observations == 0
    assert framework.situation("SG").spoken_to is False
    update(framework, acts(), DONE, AT_LL, 2)
    assert framework.habitus["LL"].observations == 1


def test_preferences_are_of_ones_own_habitus_under_the_topic_and_resources_that_are_observed():
    framework, actions = society(places=AT_LL), ("use chair 1", "go to outside")
    assert society().preferences("LL", observe(admissible=actions)) is None
    for topic in (-1, 0, 1):
        for resources in (-1, 0, 1):
            where = replace(framework.situation("LL"), topic=topic, resources=resources)
            framework.habitus["LL"].learn(where, "use", None, topic + 3.0 * resources)
    for topic, resources, signs in (
        (-0.5, 2.0, (-1, 1)),
        (0.5, -2.0, (1, -1)),
        (None, -2.0, (0, -1)),
        (0.5, None, (1, 0)),
    ):
        seen = observe(admissible=actions, topic=topic, resources=resources)
        asked = replace(framework.situation("LL"), topic=signs[0], resources=signs[1])
        preferences = framework.preferences("LL", seen)
        assert preferences == framework.habitus["LL"].preferences(asked, actions)
        assert tuple(preferences) == actions
        assert framework.preferences("AY", seen) == dict.fromkeys(actions, 0.5)


def test_without_starting_places_the_first_step_teaches_nothing():
    framework = society()
    assert framework.situation("LL") is None
    for time in range(3):
        update(framework, acts(), DONE, AT_LL, time)
    assert framework.habitus["LL"].observations == 1


@pytest.mark.parametrize(
    ("action", "outcome", "learned"),
    [("dance <script>", "inadmissible", 0), ("dance [here]", "inadmissible", 0), ("dance [here]", "executed", 1)],
)
def test_primitives_beside_the_six_teach_the_habitus_where_the_world_has_them(action, outcome, learned):
    framework = society(places=AT_LL)
    for time in range(2):
        update(framework, acts(action=action), dict.fromkeys(SIX, outcome), AT_LL, time)
    assert framework.habitus["LL"].observations == learned


def held_back(framework, steps=400, *, moves=True):
    """Per agent, in which of these steps it was held back; everybody is ranked in the same order in each step."""
    held = {name: [] for name in SIX}
    for time in range(steps):
        filtered = framework.filter(SIX)
        for name in SIX:
            held[name].append(name in filtered)
        if moves:
            outcomes = {name: "filtered" if name in filtered else "executed" for name in SIX}
            update(framework, acts(), outcomes, AT_LL, time)
    return held


def longest(held):
    return max((sum(1 for _ in run) for is_held, run in groupby(held) if is_held), default=0)


@pytest.mark.parametrize("amount", [-9.0, 0.0, 1.0, 9.0])
@pytest.mark.parametrize("draws", Draws)
def test_each_way_to_draw_keeps_to_the_rate(draws, amount):
    framework = society(draws=draws)
    framework.resources = dict.fromkeys(SIX, amount)
    rate = framework.rates()["AY"]
    for held in held_back(framework, moves=False).values():
        share = sum(held) / len(held)
        assert share > 0 or amount == 9
        if draws == "even":
            assert abs(sum(held) - (1 - rate) * len(held)) <= 1
            assert longest(held) <= 1
        elif draws == "at-most-twice":
            assert longest(held) <= 2
            assert share <= 1 - rate + 0.07
        else:
            assert share == pytest.approx(1 - rate, abs=0.07)


def test_even_draws_have_the_probability_of_the_rate_in_every_single_step():
    held = np.zeros(4)
    for seed in range(1500):
        framework = society(generator=np.random.default_rng(seed), draws="even")
        framework.resources = dict.fromkeys(SIX, 0.0)
        held += held_back(framework, 4, moves=False)["AY"]
    assert held / 1500 == pytest.approx(np.full(4, 0.25), abs=0.04)


def test_without_debt_whoever_is_always_last_acts_three_times_in_four_and_whoever_is_first_nearly_always():
    framework = society(resource_mode="no-debt", draws="even")
    held = held_back(framework, 40)
    assert min(framework.resources.values()) == 0.0
    shares = {name: sum(own) / 40 for name, own in held.items()}
    assert shares["MD"] == pytest.approx(0.25, abs=1 / 40)
    assert shares["LL"] <= 1 / 40
    printed = held_back(society(), 40)
    assert sum(printed["MD"]) / 40 > 1 / 3


def test_what_acting_consumes_is_replenished_to_the_initial_1():
    """Equals stay at 1; the first gets s_max in each step, and has 1 + s_max / consumption in the end."""
    tied = society(WeightedRanker({}), parameters=LTRHAParameters(consumption=0.25))
    for time in range(3):
        update(tied, acts(), DONE, AT_LL, time)
    assert tied.resources == dict.fromkeys(SIX, 1.0)
    framework = society(parameters=LTRHAParameters(consumption=0.25), resource_mode="no-debt")
    for time in range(60):
        update(framework, acts(), DONE, AT_LL, time)
    assert framework.resources["LL"] == pytest.approx(1 + 3 / 0.25)
    # One that was held back, or waited, consumed nothing.
    before = framework.resources["LL"]
    update(framework, {**acts(), "SG": Act(action=None)}, {**DONE, "LL": "filtered"}, AT_LL, 60)
    assert framework.resources["LL"] == pytest.approx(before + 3 + 0.25)
    assert framework.resources["SG"] == pytest.approx(1 + 2 / 0.25 + 2 + 0.25)


def test_standing_decides_turns():
    drawn = ["MD", "AY", "SG", "LL", "WL", "WM"]
    for decides, order, never in (
        ("execution", drawn, False),
        ("turns", ["LL", "SG", "WM", "AY", "WL", "MD"], True),
        ("both", ["LL", "SG", "WM", "AY", "WL", "MD"], False),
    ):
        framework = society(standing_decides=decides)
        assert framework.turn_order(drawn) == drawn
        update(framework, acts(), DONE, AT_LL, 0)
        assert framework.turn_order(drawn) == order
        assert (set(framework.rates().values()) == {1.0}) == never
        assert (not any(map(any, held_back(framework, 60).values()))) == never
    with pytest.raises(ValueError, match="did you mean 'turns'"):
        society(standing_decides="turn")


@pytest.mark.parametrize("draws", ["at-most-twice", "even"])
def test_draws_go_on_from_a_saved_state_and_begin_anew_where_they_change(draws):
    framework = society(draws=draws, places=AT_LL)
    held_back(framework, 7, moves=False)
    other = society(generator=np.random.default_rng(99), draws=draws)
    other.set_state(json.loads(json.dumps(framework.get_state())))
    assert held_back(other, 20, moves=False) == held_back(framework, 20, moves=False)
    framework.change(society())
    assert "drawing" not in framework.get_state()


@pytest.mark.parametrize(
    ("bit_generator", "ranker"),
    [(np.random.PCG64, lambda: WeightedRanker(WEIGHTS)), (np.random.MT19937, lambda: OrderRanker(OrderingModel()))],
)
def test_state_round_trips_exactly(bit_generator, ranker):
    def step(framework, time):
        filtered = framework.filter(SIX)
        outcomes = {name: "filtered" if name in filtered else "executed" for name in SIX}
        talk = {name: Act(action='chat with LL: "hi"', pleasure=np.sin(time + i)) for i, name in enumerate(SIX)}
        update(framework, talk, outcomes, AT_LL, time)

    framework = society(ranker(), np.random.Generator(bit_generator(3)), places=AT_LL)
    for time in range(5):
        step(framework, time)
    framework.failures.append(Failure(time=4, reason="planted"))
    assert framework.failures[0].call == -1
    saved = json.dumps(framework.get_state())
    other = society(ranker(), np.random.Generator(bit_generator(99)))
    other.set_state(json.loads(saved))
    assert json.dumps(other.get_state()) == saved
    for time in range(5, 12):
        step(framework, time)
        step(other, time)
    assert json.dumps(other.get_state()) == json.dumps(framework.get_state())
    assert other.failures == framework.failures
    with pytest.raises(ValueError, match="not a state of LTRHA"):
        other.set_state({**json.loads(saved), "deeds": {"AY": [{"done": 1}]}})


def test_errors():
    framework = society()
    with pytest.raises(ValueError, match="'XX' is not among the residents"):
        framework.filter(["XX"])
    with pytest.raises(ValueError, match="acts must have exactly the residents"):
        update(framework, {}, DONE, AT_LL, 0)
    with pytest.raises(ValueError, match="'AY' is in 'moon'"):
        update(framework, acts(), DONE, {**AT_LL, "AY": "moon"}, 0)
    with pytest.raises(ValueError, match="pleasure must lie in"):
        update(framework, acts(1.5), DONE, AT_LL, 0)
    assert framework.get_state() == society().get_state()
    with pytest.raises(ValueError, match="not a state of LTRHA"):
        framework.set_state({})
    with pytest.raises(ValueError, match="the state is of the residents"):
        framework.set_state({**framework.get_state(), "residents": ["AY"]})
    with pytest.raises(ValueError, match="none twice"):
        LTRHA(("AY", "AY"), LOCALES, framework.matrix, np.random.default_rng(0))
    with pytest.raises(ValueError, match="locales must be at least one name, and none twice"):
        LTRHA(SIX, ("outside", "outside"), framework.matrix, np.random.default_rng(0))
    with pytest.raises(ValueError, match="'AY' is in 'moon'"):
        society(places={**AT_LL, "AY": "moon"})


def test_where_nothing_is_allocated_an_action_brings_the_change_in_pleasure_alone():
    matrix = Matrix(WeightedRanker(WEIGHTS), s_min=0.0, s_max=0.0)
    framework = LTRHA(SIX, LOCALES, matrix, np.random.default_rng(7), places=AT_LL)
    update(framework, acts(0.25), DONE, AT_LL, 0)
    update(framework, acts(0.75), DONE, AT_LL, 1)
    assert framework.habitus["LL"].to_text(depth=0) == "habitus: use +0.50 (1)"
