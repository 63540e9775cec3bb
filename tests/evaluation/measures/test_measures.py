import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from made_up_runs import made_up_run
from social_scenes import SIX, blind, chat, record
from synthetic_run import synthetic_run

from evaluation.measures import MEASURES, actions, measure, measure_runs, one_row_per_run, read_run, turns
from evaluation.measures.consistency import consistency, statement_fit
from evaluation.measures.exploration import accumulation, exploration
from evaluation.measures.indices import entropy, mutual_information, superiority
from evaluation.measures.logicality import logicality
from evaluation.measures.personification import burstiness, distinct_bigrams, inertia, reply_fit
from evaluation.measures.proactiveness import conversation_turns, proactiveness
from evaluation.measures.social_roles import action_variety, activities, division_of_labour, roles
from evaluation.measures.society import gini, inequality, mobility, time_alone, topics
from language_models.embedders.hash_embedder import HashEmbedder

AT = {"AY": "AY's Home", "SG": "SG's Home"}


def two(*steps):
    """Records of AY and SG, both outside: per step what each does."""
    return [record(time, name, act) for time, acts in enumerate(steps) for name, act in zip(AT, acts, strict=True)]


def test_frame_reads_actions_and_company():
    frame = actions(
        [
            record(0, "SG", "put food 1 in/on AY", place="outside"),
            record(0, "AY", chat("SG", "hi"), place="outside"),
            record(0, "LL", "go to outside", place="LL's Home"),
            record(1, "LL", "dance", "inadmissible"),
            record(1, "AY", None),
            record(1, "SG", chat("AY"), "filtered"),
        ]
    )
    assert list(frame["resident"]) == ["AY", "SG", "LL"] * 2
    assert list(frame["primitive"]) == ["chat with", "put", "go to", "wait", "chat with", None]
    assert list(frame["partner"]) == ["SG", "AY", None, None, None, None]
    assert list(frame["company"][:3]) == [("SG",), ("AY",), ()]
    held = turns(frame)[["sender", "receiver", "words"]].itertuples(index=False, name=None)
    assert list(held) == [("AY", "SG", "hi"), ("SG", "AY", None)]


@pytest.mark.parametrize(
    ("records", "message"),
    [
        ([], "at least one record"),
        ([{"time": 3, "resident": "AY"}], "AY at time step 3 lacks 'place'"),
        ([record(2), record(2)], "two records of AY at time step 2"),
    ],
)
def test_frame_refuses_what_is_no_record(records, message):
    with pytest.raises(ValueError, match=message):
        actions(records)


def offering(names, resident, action=None, **values):
    """A record of a resident that was offered to chat with these."""
    return record(0, resident, action, **{"admissible": [f"chat with {name}: ..." for name in names], **values})


@pytest.mark.parametrize(
    ("records", "present"),
    [
        (  # Simultaneous: LL leaves, and may have left before AY spoke.
            [
                offering(("SG", "MD", "LL"), "AY", chat("SG")),
                offering(("AY", "MD", "LL"), "SG"),
                offering(("AY", "SG", "LL"), "MD", chat("LL")),
                offering(("AY", "SG", "MD"), "LL", "go to LL's Home"),
            ],
            {"AY": ("SG", "MD"), "MD": ("LL",)},
        ),
        (  # Filtered moves leave nobody away.
            [
                offering(("SG", "LL"), "AY", chat("SG")),
                offering(("AY", "LL"), "SG"),
                offering(("AY", "SG"), "LL", "go to LL's Home", outcome="filtered"),
            ],
            {"AY": ("SG", "LL")},
        ),
        (  # Sequential: LL came before AY's turn, MD left before it, SG leaves after it.
            [
                offering(("SG", "LL"), "AY", chat("SG")),
                offering(("AY", "LL"), "SG", "go to SG's Home"),
                offering(("AY", "SG"), "MD", "go to MD's Home"),
                offering((), "LL", "go to outside", place="LL's Home"),
            ],
            {"AY": ("SG", "LL")},
        ),
        # Without offers the company was there, and who was turned to always.
        ([record(0, "AY", chat("SG")), record(0, "SG"), record(0, "MD")], {"AY": ("SG", "MD")}),
        ([record(0, "AY", chat("LL")), record(0, "LL", place="LL's Home")], {"AY": ("LL",)}),
    ],
)
def test_who_was_within_reach(records, present):
    held = turns(records)
    assert dict(zip(held["sender"], held["present"], strict=True)) == present


def test_exploration_worked_by_hand():
    seen = [
        {"name": name, "kind": kind} for name, kind in (("bed 1", "furniture"), ("book 1", "item"), ("SG", "person"))
    ]
    places = {"AY": ("AY's Home", "outside", "AY's Home", "AY's Home"), "SG": ("SG's Home", *["outside"] * 3)}
    records = [record(time, name, place=places[name][time], percepts=[]) for time in range(4) for name in places]
    records[0]["percepts"], records[4]["percepts"] = seen[:1], seen
    frame = actions(records)
    table = exploration(frame)
    assert table.loc["AY", ["places", "objects", "people"]].to_list() == [2, 2, 1]
    assert table.loc["SG", ["places", "objects", "people"]].to_list() == [2, 0, 1]
    # AY knows 1, 2, 2, 2 of three places, 1, 1, 2, 2 of two objects, and 0, 1, 1, 1 of one other person.
    assert table.loc["AY", "places_curve"] == pytest.approx((1 + 2 + 2 + 2) / 4 / 3)
    assert table.loc["AY", "objects_curve"] == pytest.approx((1 + 1 + 2 + 2) / 4 / 2)
    assert table.loc["AY", "people_curve"] == pytest.approx(3 / 4)
    assert table.loc["AY", "place_entropy"] == pytest.approx(-(0.75 * np.log2(0.75) + 0.25 * np.log2(0.25)))
    curve = accumulation(frame)
    own = curve[(curve["resident"] == "AY") & (curve["kind"] == "object")]
    assert own["count"].to_list() == [1, 1, 2, 2]


def test_conversations_worked_by_hand():
    frame = actions(
        two(
            (chat("SG"), None),  # Begun by AY,
            (None, chat("AY")),  # answered by SG,
            (chat("SG"), None),  # which AY answers;
            (None, None),
            (None, None),
            (chat("SG"), None),  # begun again by AY, after three steps of silence,
            (chat("SG"), None),  # continued, not answered;
            (None, None),
            (None, None),
            (chat("SG"), chat("AY")),  # both begin at once.
            (None, None),
            (None, None),
        )
    )
    held = conversation_turns(frame)
    assert held["initiated"].to_list() == [True, False, False, True, False, True, True]
    assert held["answer"].to_list() == [False, True, True, False, False, False, False]
    assert held["answered"].to_list() == [True, True, False, False, False, False, False]
    table = proactiveness(frame)
    assert table["turns"].to_list() == [5, 2]
    assert table.loc["AY", "initiated_rate"] == pytest.approx(3 / 12)
    assert table.loc["AY", "initiated_answered"] == pytest.approx(1 / 3)
    assert table.loc["SG", "initiated_answered"] == 0
    assert table.loc["SG", "answer_rate"] == pytest.approx(1 / 3)
    assert table.loc["AY", "active"] == pytest.approx(5 / 12)
    # What begins at the end is in no share.
    table = proactiveness(actions(two((None, None), (chat("SG"), None), (None, None))))
    assert table.loc["AY", "initiated_rate"] == pytest.approx(1 / 3)
    assert np.isnan([table.loc["AY", "initiated_answered"], table.loc["SG", "answer_rate"]]).all()


def test_an_action_that_says_what_was_thought_fits_best():
    options = ["go to outside", "use bed 2", "take book 3 from bookshelf 3", "chat with SG: ..."]
    frame = actions(
        [
            record(0, "AY", "use bed 2", thought="rest on bed 2", goal=options[2], admissible=options),
            record(0, "SG", None, thought="rest on bed 2", admissible=options),
            record(1, "AY", "use bed 2", thought="", admissible=options),
            record(1, "SG", "use bed 2", thought="rest on bed 2", admissible=["use bed 2"]),
        ]
    )
    embedder = HashEmbedder()
    assert statement_fit(frame, "thought", embedder).fillna(-1).to_list() == [1.0, -1, -1, -1]
    assert statement_fit(frame, "goal", embedder)[0] < 1
    assert "thought_action" in consistency(frame, embedder)
    assert "thought_action" not in consistency(frame, None)


def test_driver_and_goals_worked_by_hand():
    acts = [("go to outside", 0.9), ("use bed 1", 0.1), (chat("SG"), 0.5), (None, 0.5)]
    goals = ["read", "read", "eat", ""]
    records = [
        record(time, name, act, driver=value, goal=goal)
        for time, ((act, value), goal) in enumerate(zip(acts, goals, strict=True))
        for name in ("AY", "SG")
    ]
    table = consistency(actions(records), None)
    # Of the pairs (0.9, 0.1), (0.9, 0.5), (0.5, 0.1), (0.5, 0.5) three are right and one is tied.
    assert table.loc["AY", "driver_action"] == pytest.approx(3.5 / 4)
    assert table.loc["AY", "goal_persistence"] == pytest.approx(1 / 2)


def test_logicality_worked_by_hand():
    options = {"admissible": ["use bed 1", "chat with SG: ..."]}
    acts = [
        record(0, action="go to outside", place="AY's Home"),
        record(1, action="go to AY's Home", place="outside"),  # Goes back,
        record(2, action="leave AY's Home", place="AY's Home"),  # and back again.
        record(3, action="take book 1 from table 1"),
        record(4, action="fly", outcome="inadmissible", **options),
        record(5, action="use bed 1", outcome="inadmissible", **options),  # Was admissible: somebody was quicker.
        record(6, action=chat("SG", "no matter what"), outcome="inadmissible", **options),
        record(7, action="put book 1 in/on table 1"),  # Puts it back: what failed in between did nothing.
        record(8, action="use chair 1"),
        record(9, action="use chair 1"),  # Repeats,
        record(10, action=None),
        record(11, action="leave chair 1"),  # and takes it back.
        record(12, action="use chair 1", outcome="filtered"),
        record(13, action=None, outcome="failed"),
    ]
    row = logicality(actions(acts)).loc["AY"]
    assert row["precondition_failures"] == pytest.approx(1 / 11)
    assert row["overtaken"] == pytest.approx(2 / 11)
    assert row["undone"] == pytest.approx(4 / 7)
    assert row["repeated"] == pytest.approx(1 / 7)


def test_personification_worked_by_hand():
    assert distinct_bigrams(["The cat sat", "the cat ran", "yes"]) == pytest.approx(3 / 4)
    assert math.isnan(distinct_bigrams(["yes"]))
    assert burstiness([0, 2, 4, 6]) == -1
    gaps = np.array([1, 1, 7])
    expected = (gaps.std() - gaps.mean()) / (gaps.std() + gaps.mean())
    assert burstiness([0, 1, 2, 9]) == pytest.approx(expected)
    assert math.isnan(burstiness([1, 5]))
    assert inertia(pd.Series([1.0, 2.0, 3.0, 4.0])) == pytest.approx(1)
    assert inertia(pd.Series([1.0, -1.0, 1.0, -1.0])) == pytest.approx(-1)
    assert math.isnan(inertia(pd.Series([1.0, 1.0, 1.0])))


def test_a_reply_that_takes_up_what_was_said_fits():
    question, answer = "where is the gold coin", "the gold coin is here"
    opening = two((chat("SG", "it rains outside"), None), (None, None), (None, None), (chat("SG", question), None))
    reply = [record(4, "AY"), record(4, "SG", chat("AY", answer))]
    frame = actions([*opening, *reply, record(5, "AY", chat("SG", "my feet hurt")), record(5, "SG")])
    fits = reply_fit(frame, HashEmbedder())
    assert fits["SG"] == 1
    assert math.isnan(fits["AY"])  # There is no other line by SG to compare with.


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ([0, 0, 0], 0),
        ([6, -2, 0, 0], 1),
        ([-3, 1, 4], 14 / 16),
        ([-349526.10241809196] * 4, 0),  # Not below 0 by rounding.
    ],
)
def test_gini_worked_by_hand(values, expected):
    assert gini(values) == pytest.approx(expected, rel=1e-12, abs=0)


@settings(max_examples=20)
@given(st.lists(st.floats(-1e6, 1e6), min_size=2, max_size=30))
def test_gini_is_its_definition_and_within_its_range(values):
    x = np.array(values)
    pairs = np.abs(x[:, None] - x[None, :]).sum() / 2
    most = (len(x) - 1) * np.abs(x).sum()
    assert gini(x) == pytest.approx(pairs / most if most else 0, abs=1e-9)
    assert 0 <= gini(x) <= 1 + 1e-12
    assert gini(-x) == pytest.approx(gini(x), abs=1e-9)


def test_mobility_worked_by_hand():
    stays = pd.DataFrame([[1, 2, 3]] * 4)
    assert mobility(stays) == 0
    turned = pd.DataFrame([[1, 2, 3], [1, 2, 3], [3, 2, 1], [3, 2, 1]])
    assert mobility(turned) == 1
    assert math.isnan(mobility(pd.DataFrame([[1, 1, 1]] * 4)))
    assert all(math.isnan(value) for value in inequality(actions([record()])).values())


def test_information_and_superiority_worked_by_hand():
    assert entropy([1, 1, 1, 1]) == pytest.approx(2)
    assert entropy([5, 0]) == 0
    assert math.isnan(entropy([0, 0]))
    assert mutual_information([[3, 0], [0, 3]]) == pytest.approx(1)
    assert mutual_information([[1, 2], [2, 4]]) == pytest.approx(0, abs=1e-12)
    assert superiority(0.5, [0.1, 0.5, 0.9, 0.2]) == pytest.approx((2 + 0.5) / 4)
    assert superiority(1.0, [0.0]) == 1
    assert math.isnan(superiority(1.0, []))


def test_roles_of_specialists_and_of_equals():
    talkers = [record(t, name, chat("LL")) for t in range(4) for name in ("AY", "SG")]
    movers = [record(t, name, "go to outside") for t in range(4) for name in ("LL", "WM")]
    frame = actions(talkers + movers)
    assert roles(frame)["role"].to_dict() == {"AY": "talk", "SG": "talk", "LL": "move", "WM": "move"}
    # Two activities, each half: who it is tells all of what it does.
    assert division_of_labour(frame) == pytest.approx({"role_entropy": 1 / 2, "division_of_labour": 1})
    assert action_variety(frame)["specialisation"].to_list() == pytest.approx([1 / 2] * 4)
    same = actions([record(t, name, "use bed 1" if t % 2 else None) for t in range(4) for name in SIX])
    assert division_of_labour(same)["role_entropy"] == 0
    assert action_variety(same)["specialisation"].to_list() == pytest.approx([0] * 6)
    assert action_variety(same)["action_entropy"].to_list() == pytest.approx([1 / np.log2(7)] * 6)


def test_every_kind_of_activity():
    acts = {
        chat("SG"): "talk",
        "put food 1 in/on SG": "talk",
        "leave SG": "talk",
        "go to outside": "move",
        "leave outside": "move",
        "leave bed 2": "rest",
        "use chair 3": "rest",
        "take toy 1 from table 1": "fetch",
        "put toy 1 in/on table 1": "fetch",
        "use sinkbasin 1": "work",
        "use SG's clothes 1": "leisure",
        "use moon": "leisure",
        "dance": None,
    }
    frame = actions([record(t, n, act) for t, act in enumerate(acts) for n in ("AY", "SG")])
    assert activities(frame)[frame["resident"] == "AY"].to_list() == list(acts.values())
    assert activities(actions([record(outcome="failed")])).to_list() == [None]


def test_places_worked_by_hand():
    topic = {0: 0.1, 1: 0.3, 2: 0.2}
    records = [record(time, name, place="outside", topic=topic[time]) for time in topic for name in ("AY", "SG")]
    records[3] = record(1, "SG", place="SG's Home", topic=-0.5)
    frame = actions(records)
    table = topics(frame)
    expected = {"topic_mean": 0.2, "topic_trend": 1 / 3, "occupied": 1, "gathering": 5 / 3}
    assert table.loc["outside"].to_dict() == pytest.approx(expected)
    assert math.isnan(table.loc["SG's Home", "topic_trend"])
    assert time_alone(frame)["time_alone"].to_list() == pytest.approx([1 / 3, 1 / 3])


def assert_in_range(table):
    for row in table.itertuples():
        one = MEASURES[row.measure]
        assert row.dimension == one.dimension
        assert math.isnan(row.value) or one.low - 1e-9 <= row.value <= one.high + 1e-9, row


@settings(max_examples=4, deadline=None)
@given(st.integers(0, 10_000), st.integers(1, 6), st.booleans())
def test_measures_lie_within_their_ranges(seed, steps, ltrha):
    records, _, _ = synthetic_run(steps=steps, seed=seed, ltrha=ltrha)
    table = measure(actions(records), HashEmbedder())
    assert set(table["measure"]) == set(MEASURES)
    assert_in_range(table)


@pytest.mark.parametrize(
    "records",
    [
        [record()],
        [record(time) for time in range(3)],
        [record(0, name, None) for name in SIX],
        [record(0, name, None, "failed", failure="gone") for name in SIX],
        [record(0, name, "<b>dance</b>", "inadmissible") for name in SIX],
        blind(0, steps=1),
    ],
    ids=["one resident and step", "one resident", "nobody spoke", "all failed", "nonsense", "one step"],
)
def test_small_runs_have_every_measure(records):
    table = measure(actions(records), HashEmbedder())
    assert set(table["measure"]) == set(MEASURES)
    assert_in_range(table)


def write_run(path, records, *, tail="", status="finished"):
    model = {"name": "scripted", "embedder": "hash"}
    effective = {"architecture": "itcma-s", "model": model, "seed": 3, "steps": 9}
    run = made_up_run(path, records, status=status, configuration={"effective": effective})
    with run.events_path.open("a") as file:
        file.write(tail)
    return path


def test_a_run_is_its_directory_its_records_or_its_frame(tmp_path):
    records = blind(1, steps=3)
    path = write_run(tmp_path / "run", records)
    by_frame = measure(actions(records), HashEmbedder())
    for run in (path, str(path), read_run(path), records):
        pd.testing.assert_frame_equal(measure(run, HashEmbedder()), by_frame)
    pd.testing.assert_frame_equal(turns(path), turns(records))


def test_runs_of_one_table(tmp_path):
    paths = [write_run(tmp_path / name, blind(seed, steps=3)) for seed, name in enumerate("ab")]
    table = measure_runs([read_run(path) for path in paths], lambda name: None)
    wide = one_row_per_run(table)
    assert wide["run"].to_list() == [str(path) for path in paths]
    assert wide[["architecture", "seed", "status", "steps"]].to_numpy().tolist() == [["itcma-s", 3, "finished", 3]] * 2
    own = table[table["run"] == str(paths[1])]["value"].reset_index(drop=True)
    pd.testing.assert_series_equal(own, measure(paths[1])["value"])
