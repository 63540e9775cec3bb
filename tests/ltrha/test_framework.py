import asyncio
import json
import re
from dataclasses import replace

import numpy as np
import pytest
from ordering_model import OrderingModel
from scenes import observe
from weighted_ranker import WeightedRanker

from irollan_env.resident import Act
from ltrha import LTRHA, Matrix, OrderRanker, Situation, resource_shares
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


def test_each_has_a_habitus_of_its_own():
    assert len({id(one) for one in society().habitus.values()}) == len(SIX)


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
    update(society(ranker), acts(), {**DONE, "AY": "filtered"}, AT_LL, 3)
    ((time, standings),) = ranker.calls
    told = {one.name: one for one in standings}
    assert time == 3
    assert {one.share for one in standings} == {1 / 6}
    assert {one.goal for one in standings} == {"talk"}
    assert (told["AY"].deeds[-1].action, told["AY"].deeds[-1].outcome) == ("use chair 1", "filtered")
    assert told["SG"].deeds[-1].outcome == "executed"


def test_the_matrix_sees_to_whom_a_deed_turned():
    ranker = WeightedRanker(WEIGHTS)
    update(society(ranker), {**acts(), "LL": Act(action='chat with SG: "hi"')}, DONE, AT_LL, 0)
    ((_, standings),) = ranker.calls
    assert {one.name: one.deeds[-1].partner for one in standings} == {**dict.fromkeys(SIX), "LL": "SG"}


def ordering(seed=7, model=None):
    return LTRHA(SIX, LOCALES, Matrix(OrderRanker(model or OrderingModel())), np.random.default_rng(seed))


def listed(framework):
    """Who was asked about, in the order of the lines."""
    return tuple(re.findall(r"^- (\w+)", framework.matrix.ranker.model.calls[-1].prompt, re.MULTILINE))


def test_an_order_is_asked_for_by_the_deeds_of_the_last_steps_held_back_ones_too():
    framework = ordering()
    update(framework, {**acts(), "AY": Act(action="chat with SG: hello")}, {**DONE, "AY": "filtered"}, AT_LL, 0)
    assert framework.resources["AY"] == 4
    for time in range(1, 4):
        update(framework, acts(action=None), DONE, AT_LL, time)
        told = framework.matrix.ranker.model.calls[-1].prompt
        assert ("held back from talking to SG" in told) == (time < 3)
    assert sum(framework.resources.values()) == pytest.approx(6)


def test_people_are_listed_in_an_order_that_is_drawn_in_each_step():
    framework, other = ordering(seed=1), ordering(seed=1)
    seen = set()
    for time in range(8):
        update(framework, acts(), DONE, AT_LL, time)
        update(other, acts(), DONE, AT_LL, time)
        assert listed(framework) == listed(other)
        seen.add(listed(framework))
        assert list(framework.last_allocation) == list(SIX)
    assert len(seen) > 5
    assert len({names[0] for names in seen}) > 3


def test_everybody_is_listed_however_many_there_are():
    names = ("AY", "SG", "MD", "WL")
    framework = LTRHA(names, LOCALES, Matrix(OrderRanker(OrderingModel())), np.random.default_rng(7))
    of_four = [{name: given[name] for name in names} for given in (acts(), DONE, AT_LL)]
    update(framework, *of_four, 0)
    assert sorted(listed(framework)) == sorted(names)


def test_orders_go_on_exactly_after_a_resume_and_without_deeds_in_an_older_state():
    def step(framework, time):
        filtered = framework.filter(SIX)
        outcomes = {name: "filtered" if name in filtered else "executed" for name in SIX}
        talk = {name: Act(action='chat with LL: "hi"' if (time + i) % 3 else None) for i, name in enumerate(SIX)}
        update(framework, talk, outcomes, AT_LL, time)

    framework, other = ordering(), ordering(seed=99)
    for time in range(5):
        step(framework, time)
    saved = json.dumps(framework.get_state())
    other.set_state(json.loads(saved))
    assert json.dumps(other.get_state()) == saved
    for time in range(5, 12):
        step(framework, time)
        step(other, time)
        assert framework.matrix.ranker.model.calls[-1].prompt == other.matrix.ranker.model.calls[-1].prompt
    assert json.dumps(other.get_state()) == json.dumps(framework.get_state())

    old = json.loads(saved)
    del old["deeds"]
    other.set_state(old)
    step(other, 5)
    assert all(len(deeds) == 1 for deeds in other.get_state()["deeds"].values())
    with pytest.raises(ValueError, match="not a state of LTRHA"):
        other.set_state({**old, "deeds": {"AY": [{"done": 1}]}})


def test_an_order_that_is_none_twice_leaves_resources_and_is_kept():
    framework = ordering(model=OrderingModel("AY first"))
    update(framework, acts(), DONE, AT_LL, 4)
    assert framework.resources == dict.fromkeys(SIX, 1.0)
    (failure,) = framework.failures
    assert failure.reason == "the model 'ordering' gave no order of everybody: it is not one JSON object"
    assert (failure.time, failure.call) == (4, 2)


def test_filter_rates():
    framework = society()
    framework.resources = dict(zip(SIX, (-20.0, -1.0, 0.0, 1.0, 3.0, 50.0), strict=True))
    draws = 20_000
    counts = dict.fromkeys(SIX, 0)
    for _ in range(draws):
        for name in framework.filter(SIX):
            counts[name] += 1
    for name, rate in framework.rates().items():
        tolerance = 4 * np.sqrt(rate * (1 - rate) / draws)
        assert 1 - counts[name] / draws == pytest.approx(rate, abs=tolerance + 1e-12)
    assert counts["WM"] == 0


def test_filter_does_not_depend_on_the_order_of_names():
    one, other = society(), society()
    for _ in range(50):
        assert one.filter(SIX) == other.filter(reversed(SIX))
    assert one.filter(()) == frozenset()


def test_only_those_who_are_about_to_act_draw():
    framework, generator = society(), np.random.default_rng(7)
    for _ in range(50):
        drawn = {name: generator.random() for name in ("SG", "LL")}  # in the order of all
        assert framework.filter(("LL", "SG")) == {
            name for name, draw in drawn.items() if draw >= framework.rates()[name]
        }


def test_a_failed_call_leaves_resources_and_is_kept():
    framework = society(WeightedRanker(broken=True))
    update(framework, acts(0.8, 0.5), DONE, AT_LL, 4)
    assert framework.resources == dict.fromkeys(SIX, 1.0)
    assert framework.last_allocation == dict.fromkeys(SIX, 0.0)
    assert framework.last_ranking is None
    assert framework.topics["LL's Home"] == pytest.approx(0.6)
    assert framework.failures == [Failure(time=4, reason="the model is out")]
    assert framework.failures[0].call == -1  # it was not recorded


def test_habitus_learns_what_the_next_step_brings():
    framework = society(places=AT_LL)
    talk = {**acts(0.1), "LL": Act(action='chat with SG: "hi"', pleasure=0.2)}
    update(framework, talk, {**DONE, "WM": "filtered", "AY": "inadmissible"}, AT_LL, 0)
    assert framework.habitus["LL"].observations == 0
    assert framework.situation("SG") == Situation(
        place="LL's Home", company=("AY", "LL", "WM"), topic=1, resources=1, spoken_to=True
    )
    update(framework, {**acts(0.1), "LL": Act(action=None, pleasure=0.5)}, DONE, AT_LL, 1)
    # Pleasure 0.5 - 0.2, and all of s_max.
    assert framework.habitus["LL"].to_text(depth=0) == "habitus: chat with +1.30 (1); partners SG +1.30 (1)"
    assert framework.habitus["AY"].to_text(depth=0) == "habitus: use -0.33 (1)"
    assert framework.habitus["WM"].observations == 0
    assert framework.situation("SG").spoken_to is False
    update(framework, acts(), DONE, AT_LL, 2)
    assert framework.habitus["LL"].observations == 1


def test_who_is_spoken_to_was_spoken_to_in_words_that_were_carried_out():
    framework = society(places=AT_LL)
    done = {
        "AY": Act(action='chat with SG: "hi"'),
        "SG": Act(action="put book 1 in/on LL"),
        "LL": Act(action='chat with WM: "hi"'),
    }
    update(framework, {**acts(), **done}, {**DONE, "LL": "inadmissible"}, AT_LL, 0)
    assert [name for name in SIX if framework.situation(name).spoken_to] == ["SG"]
    assert framework.get_state()["spoken_to"] == ["SG"]


def test_where_nothing_is_allocated_an_action_brings_the_change_in_pleasure_alone():
    matrix = Matrix(WeightedRanker(WEIGHTS), s_min=0.0, s_max=0.0)
    framework = LTRHA(SIX, LOCALES, matrix, np.random.default_rng(7), places=AT_LL)
    update(framework, acts(0.25), DONE, AT_LL, 0)
    update(framework, acts(0.75), DONE, AT_LL, 1)
    assert framework.habitus["LL"].to_text(depth=0) == "habitus: use +0.50 (1)"


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


def test_an_action_that_is_no_primitive_is_survived():
    framework = society(places=AT_LL)
    wrong = acts(action="dance <script>")
    update(framework, wrong, dict.fromkeys(SIX, "inadmissible"), AT_LL, 0)
    update(framework, wrong, dict.fromkeys(SIX, "inadmissible"), AT_LL, 1)
    assert framework.habitus["LL"].observations == 0


@pytest.mark.parametrize("bit_generator", [np.random.PCG64, np.random.MT19937, np.random.Philox])
def test_state_round_trips_exactly(bit_generator):
    def step(framework, time):
        filtered = framework.filter(SIX)
        outcomes = {name: "filtered" if name in filtered else "executed" for name in SIX}
        talk = {name: Act(action='chat with LL: "hi"', pleasure=np.sin(time + i)) for i, name in enumerate(SIX)}
        update(framework, talk, outcomes, AT_LL, time)

    framework = society(generator=np.random.Generator(bit_generator(3)), places=AT_LL)
    for time in range(5):
        step(framework, time)
    framework.matrix.ranker.broken = True
    step(framework, 5)
    framework.matrix.ranker.broken = False
    saved = json.dumps(framework.get_state())
    other = society(generator=np.random.Generator(bit_generator(99)))
    other.set_state(json.loads(saved))
    assert json.dumps(other.get_state()) == saved
    for time in range(6, 20):
        step(framework, time)
        step(other, time)
    assert json.dumps(other.get_state()) == json.dumps(framework.get_state())
    assert other.failures == framework.failures


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
