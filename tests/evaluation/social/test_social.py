import json
import math
from itertools import product

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from social_scenes import SIX, blind, chat, clique_around, meeting, record

from evaluation.measures import actions
from evaluation.records.interactions import interaction_counts
from evaluation.social import social_structure
from evaluation.social.drawing import network
from evaluation.social.following import count_follows, paths
from evaluation.social.hypotheses import HYPOTHESES, NULLS, draw_conclusions
from evaluation.social.networks import (
    centralisation,
    cliques,
    communities,
    correlation,
    linearity,
    mutual_excess,
    reciprocity,
    strength,
    strongest_clique,
)
from evaluation.social.nulls import p_value
from evaluation.social.samples import Turns
from evaluation.social.tested_statistics import standing_out

STAR = np.array([[0, 1, 1, 1], [4, 0, 0, 0], [4, 0, 0, 0], [4, 0, 0, 0]], dtype=float)
ORDER = np.array([[0, 0, 0], [3, 0, 0], [2, 1, 0]], dtype=float)
CYCLE = np.array([[0, 2, 0], [0, 0, 2], [2, 0, 0]], dtype=float)


def test_statistics_of_known_networks():
    assert reciprocity(STAR) == pytest.approx(6 / 15)
    assert reciprocity(CYCLE) == 0
    assert reciprocity(CYCLE + CYCLE.T) == 1
    # Received 12, 1, 1, 1: three distances of 11, of at most 3 * 15.
    assert centralisation(STAR) == pytest.approx(33 / 45)
    assert centralisation(CYCLE) == 0
    assert centralisation(STAR * (np.arange(4) == 0)) == 1
    assert linearity(ORDER) == pytest.approx(1)
    assert linearity(CYCLE) == pytest.approx(0)
    assert math.isnan(linearity(ORDER[:2, :2]))
    assert correlation(STAR, 3 * STAR) == pytest.approx(1)
    assert math.isnan(correlation(STAR, np.zeros((4, 4))))
    for statistic in (reciprocity, centralisation):
        assert math.isnan(statistic(np.zeros((3, 3))))
    # Networks one by one and together give the same.
    assert linearity(np.stack([ORDER, CYCLE])).tolist() == [linearity(ORDER), linearity(CYCLE)]
    # Two cliques are two communities: 60 of 62 turns within; each has 31 of the 62 both out and in.
    counts = np.kron(np.eye(2), np.ones((3, 3)) - np.eye(3)) * 5
    counts[0, 3] = counts[3, 0] = 1
    assert communities(counts) == ([{0, 1, 2}, {3, 4, 5}], pytest.approx(60 / 62 - 2 * (31 / 62) ** 2))
    assert communities(np.zeros((2, 2))) == ([{0}, {1}], pytest.approx(math.nan, nan_ok=True))


def test_communities_that_are_equally_good_are_divided_once():
    """networkx moves residents of this network back and forth without end, by rounding."""
    turns = {0: 5, 1: 5, 2: 11, 3: 0, 5: 1, 6: 0, 8: 1, 9: 0, 10: 2, 11: 10}
    counts = np.zeros((12, 12))
    counts[list(turns), list(turns.values())] = 1
    found, modularity = communities(counts)
    assert found == [{0, 3, 6, 9}, {1, 5, 8}, {2, 10, 11}, {4}, {7}]
    assert modularity == pytest.approx(9 / 10 - (4 * 3 + 3 * 4 + 3 * 3) / 100)


def test_cliques_are_ties_among_all():
    # 0, 1, 2 are tied to each other; 3 is tied to 0 only, and 1 turns to 3 without an answer.
    counts = np.array([[0, 4, 4, 4], [4, 0, 3, 9], [4, 3, 0, 0], [4, 0, 0, 0]], dtype=float)
    ties = mutual_excess(counts, np.full((4, 4), 2.0))
    assert list(cliques(ties)) == [{0, 1, 2}]
    assert strength(frozenset({0, 1, 2}), ties) == 2 * (2 + 2 + 1)
    assert strongest_clique(ties, 3) == (frozenset(), 0.0)
    star = mutual_excess(STAR, np.full((4, 4), 0.5))
    assert not list(cliques(star))


def plain_follows(where, window):
    """Following by its definition, step by step."""
    n, steps = where.shape
    follows, chances = np.zeros((n, n)), np.zeros((n, n))
    for leader, follower, time in product(range(n), range(n), range(steps - 1 - window)):
        here, there = where[leader, time], where[leader, time + 1]
        if leader == follower or here == there or list(where[follower, time : time + 2]) != [here, here]:
            continue
        chances[leader, follower] += 1
        after = [place for place in where[follower, time + 2 : time + 2 + window] if place != here]
        follows[leader, follower] += bool(after) and after[0] == there
    return follows, chances


@settings(max_examples=12, deadline=None)
@given(st.integers(0, 10_000), st.integers(1, 4), st.integers(1, 12), st.integers(1, 3))
def test_following_is_its_definition(seed, people, steps, window):
    rng = np.random.default_rng(seed)
    where = rng.integers(2, size=(people, steps))
    np.testing.assert_array_equal(count_follows(where, window=window), plain_follows(where, window))
    # A whole run of shifts at once gives what each gives alone; moved by nothing, it is the run.
    shifts = np.vstack([np.zeros(people, int), rng.integers(steps, size=(3, people))])
    together = np.stack(count_follows(where, shifts, window), axis=1)
    np.testing.assert_array_equal(together[0], count_follows(where, window=window))
    for shift, one in zip(shifts, together, strict=True):
        np.testing.assert_array_equal(one, count_follows(where, shift, window))


def test_p_values_worked_by_hand():
    assert p_value(3.0, [1.0, 2.0, 3.0, 4.0]) == pytest.approx(3 / 5)
    assert p_value(3.0, [1.0, 2.0, 3.0, 4.0], "less") == pytest.approx(4 / 5)
    assert p_value(9.0, [1.0] * 99) == pytest.approx(1 / 100)
    assert math.isnan(p_value(math.nan, [1.0]))
    # A sample without a value counts as extreme, and rounding errors as ties.
    assert p_value(3.0, [math.nan, 1.0]) == pytest.approx(2 / 3)
    assert p_value(0.3, [0.1 + 0.2, 0.2999999999999999]) == 1


def test_what_a_seed_gives_is_the_same_twice_and_its_turns_are_those_of_figure_8():
    records = blind(1)
    names, counts = interaction_counts(records)
    one, same, other = (social_structure(records, seed=seed, permutations=19) for seed in (1, 1, 2))
    assert tuple(one.matrix.index) == names
    np.testing.assert_array_equal(one.matrix, counts)
    assert one.expected.to_numpy().sum() == pytest.approx(counts.sum())
    assert one.to_json() == same.to_json()
    assert one.to_json()["tests"] != other.to_json()["tests"]


def test_a_clique_around_a_leader_is_found():
    structure = social_structure(clique_around("LL", ("SG", "LL", "WM", "AY")), seed=0, permutations=99)
    p = structure.tests["p"]
    assert structure.leader == "LL"
    assert structure.cliques["members"][0] == ("AY", "SG", "LL", "WM")
    assert structure.cliques["leader"][0]
    assert max(p["leader"], p["clique around the leader"], p["left out"]) == pytest.approx(1 / 100)
    assert structure.conclusions[0].startswith("A clique formed around a leader: AY, SG and WM around LL (leader q = ")
    assert any("MD and WL" in one for one in structure.conclusions[1:])
    assert structure.residents.loc["MD", "p_left_out"] < 0.05


def held_by(turns, residents):
    """Turns at which (sender, receiver, those present) are these."""
    senders, receivers, present = zip(*turns, strict=True)
    return Turns(np.arange(len(turns)), np.array(senders), np.array(receivers), present, residents)


def test_the_lead_within_a_clique_worked_by_hand():
    both, lonely = (0, 1, 2), (0, 2)
    # The third turns to 0 nine times and once to 1; what they do when 1 is away, or do themselves, says nothing.
    held = held_by([*[(3, 0, both)] * 9, (3, 1, both), *[(3, 0, lonely)] * 5, (0, 1, (1, 2)), (1, 0, (0, 2))], 4)
    coins = (np.arange(1000) + 0.5) / 1000
    value, samples = standing_out(held, 0, {1}, coins)
    assert value == pytest.approx(0.9)
    # Nine or ten of ten, for either of both: 22 of 1024.
    assert p_value(value, samples) == pytest.approx(22 / 1024, abs=0.002)
    # 2 is turned to as often as 0 by 1, so that it is the closest rival.
    rival = held_by([*[(3, 0, both)] * 9, *[(1, 2, lonely)] * 4, *[(1, 0, lonely)] * 4], 4)
    assert standing_out(rival, 0, {1, 2}, coins)[0] == pytest.approx(13 / 17)
    assert p_value(*standing_out(held_by([(0, 1, (1,))], 4), 0, {1}, coins)) == 1


CLIQUES = pd.DataFrame({"members": [("AY", "SG", "WM"), ("LL", "MD", "WL")], "leader": [False, True]})


def conclusions_of(found, p_left_out=1.0):
    """Return the conclusions where the tests named have the q given, and all others have q = .2 and p = .009."""
    tests = pd.DataFrame({"p": 0.009, "q": {name: found.get(name, 0.2) for name in HYPOTHESES}})
    residents = pd.DataFrame({"p_left_out": p_left_out, "p_followed": [0.001, 1.0]}, index=["AY", "MD"])
    return draw_conclusions(tests, CLIQUES, residents, "LL", 0.05)


def test_conclusions_follow_the_false_discovery_rate():
    """p = .009 in all 18 tests says nothing as long as q is above alpha; nor is anybody named."""
    assert list(conclusions_of({}, p_left_out=[0.009, 1.0])) == ["leader"]
    assert conclusions_of({})["leader"].startswith("No leader was found")


def test_each_test_that_finds_something_has_a_sentence():
    of_the_leader = {"clique around the leader", "leader within the clique"}
    assert set(conclusions_of(dict.fromkeys(HYPOTHESES, 0.01))) == set(HYPOTHESES) - of_the_leader
    for name in set(HYPOTHESES) - {"leader"}:
        said = conclusions_of({name: 0.03}, p_left_out=[1.0, 0.0001])
        assert list(said) == ["leader", name]
        assert "(q = 0.030)" in said[name]
        assert "{" not in said[name]
    assert conclusions_of({"left out": 0.03}, p_left_out=[0.02, 0.002])["left out"].count("MD") == 1
    assert "AY" not in conclusions_of({"left out": 0.03}, p_left_out=[0.02, 0.002])["left out"]


def test_a_clique_elsewhere_is_said_beside_a_leader():
    said = conclusions_of({"leader": 0.01, "clique": 0.02})
    assert "no clique around LL was found (q = 0.200)" in said["leader"]
    assert said["clique"] == (
        "There is a clique: AY, SG and WM (q = 0.020). "
        "How active and how popular everyone is may explain its ties (q = 0.200)."
    )


def test_answers_are_found_in_time():
    # AY and SG talk in turns, each to the other and to LL; blind to time, the matrix is the same.
    rng = np.random.default_rng(0)
    turns = {}
    for time in range(0, 60, 4):
        asker, other = rng.permutation(["AY", "SG", "LL", "WM"])[:2]
        turns[time, str(asker)], turns[time + 1, str(other)] = str(other), str(asker)
    p = social_structure(meeting(turns, steps=60), seed=0, permutations=99).tests["p"]
    assert p["answering"] == pytest.approx(1 / 100)


def test_ties_that_last_and_ties_that_change():
    pairs = {"AY": "SG", "SG": "AY", "LL": "WM", "WM": "LL"}
    rng = np.random.default_rng(0)
    lasting, changing = {}, {}
    for time in range(60):
        for name, friend in pairs.items():
            stranger = str(rng.choice([n for n in pairs if n not in (name, friend)]))
            lasting[time, name] = friend if rng.random() < 0.8 else stranger
            changing[time, name] = friend if (time < 30) == (rng.random() < 0.9) else stranger
    tests = {
        name: social_structure(meeting(turns, steps=60), seed=0, permutations=99).tests["p"]
        for name, turns in (("lasting", lasting), ("changing", changing))
    }
    assert tests["lasting"]["stability"] < 0.05
    assert tests["lasting"]["change"] > 0.05
    assert tests["changing"]["change"] <= 0.01
    assert tests["changing"]["stability"] > 0.5


def test_who_is_followed_is_found():
    # SG and LL go after AY wherever it goes, one step later; the others wander by themselves.
    rng = np.random.default_rng(0)
    steps = np.repeat(rng.integers(4, size=30), rng.integers(3, 6, size=30))[:80]
    names = ("AY", "SG", "LL", "WM")
    where = np.array([steps, np.roll(steps, 1), np.roll(steps, 1), np.repeat(rng.integers(4, size=20), 4)])
    records = [
        record(time, name, place=f"place {where[i, time]}") for time in range(80) for i, name in enumerate(names)
    ]
    frame = actions(records)
    np.testing.assert_array_equal(paths(frame), where)
    structure = social_structure(frame, seed=0, permutations=99)
    assert structure.tests["p"][["following", "followed leader"]].max() <= 0.01
    assert structure.residents["p_followed"].idxmin() == "AY"
    assert structure.residents.loc["WM", "p_followed"] > 0.05


def test_who_is_filtered_for_having_little_is_no_less_sociable():
    wealth = dict(zip(SIX, (5, 4, -3, -6, 9, 3), strict=True))
    turns = {(time, name): "LL" if name != "LL" else "AY" for time in range(30) for name in SIX}
    records = [{**one, "resources": float(wealth[one["resident"]])} for one in meeting(turns, steps=30)]
    for one in records:
        if one["time"] >= 3 * (wealth[one["resident"]] + 7):
            one["outcome"] = "filtered"
    structure = social_structure(records, seed=0, permutations=99)
    executed = structure.residents["sent"] + structure.residents["received"]
    assert stats.spearmanr(executed, structure.residents["resources"]).statistic > 0.7
    # LL and AY are turned to most, the others alike.
    assert structure.residents["tried"].to_dict() == {**dict.fromkeys(SIX, 30), "LL": 180, "AY": 60}
    assert structure.tests["value"]["resources of the sociable"] == pytest.approx(
        stats.spearmanr([structure.residents["tried"][name] for name in SIX], list(wealth.values())).statistic
    )


@pytest.mark.parametrize(
    "records",
    [
        [record()],
        [record(time) for time in range(5)],
        [record(0, name) for name in SIX],
        blind(0, steps=1),
        [record(0, "AY", chat("SG")), record(0, "SG", chat("AY"))],
        meeting({(0, "AY"): "SG"}, steps=4),
    ],
    ids=["one resident and step", "one resident", "nobody spoke", "one step", "two residents", "one turn"],
)
def test_small_societies_have_a_structure(records):
    structure = social_structure(records, seed=0, permutations=19)
    assert list(structure.tests.index) == list(HYPOTHESES)
    assert set(structure.tests["null"]) == set(NULLS)
    p = structure.tests["p"].dropna()
    assert p.between(1 / 20, 1).all()
    json.dumps(structure.to_json(), allow_nan=False)
    network(structure).savefig("/dev/null", format="png")
    if structure.leader is None:
        assert [one[:25] for one in structure.conclusions] == ["Nobody turned to anybody,"]
        assert p.empty


def test_options_out_of_range_and_a_gap_in_the_records_are_refused():
    records = blind(0, steps=3)
    for name, value in (("permutations", 0), ("alpha", 1.0), ("window", 0)):
        with pytest.raises(ValueError, match=f"{name}.*{value}"):
            social_structure(records, **{name: value})
    with pytest.raises(ValueError, match="SG has no record at time step 1"):
        social_structure([one for one in records if (one["time"], one["resident"]) != (1, "SG")])
