"""Tests of Elo ratings from the order of scores."""

import math

import pandas as pd
import pytest

from evaluation.arena.elo import elo


def runs(scores):
    """Return runs of one seed, with one scenario per position in the lists of scores."""
    return pd.DataFrame(
        [
            {"scenario": f"s{place}", "seed": 0, "mind": mind, "score": score}
            for mind, values in scores.items()
            for place, score in enumerate(values)
            if score is not None
        ]
    )


def test_who_wins_three_of_four_is_as_far_ahead_as_the_model_says():
    found = elo(runs({"a": [1, 1, 1, 0], "b": [0, 0, 0, 1]}))
    # Including the extra draw of each pair: 3.5 to 1.5.
    assert found.loc["a", "elo"] - found.loc["b", "elo"] == pytest.approx(400 * math.log10(3.5 / 1.5))
    assert found["elo"].mean() == pytest.approx(1500)


def test_only_the_order_of_scores_counts():
    near, far = (elo(runs({"a": [0.1 + gap, 0.1], "b": [0.1, 0.1 + gap], "c": [0, 0]})) for gap in (0.01, 0.9))
    pd.testing.assert_frame_equal(near, far)
    assert near.loc["a", "elo"] == pytest.approx(near.loc["b", "elo"])
    assert near.loc["c", "elo"] < near.loc["a", "elo"]


def test_equal_scores_are_draws_and_intervals_hold_the_value():
    found = elo(runs({"a": [0.1 + 0.2], "b": [0.3]}))
    assert found["elo"].tolist() == [1500.0, 1500.0]
    assert found[["low", "high"]].isna().all(axis=None)
    mixed = elo(runs({"a": [1, 1, 0, 1, 1, 0.5], "b": [0, 0, 1, 0, 0, 0.5]}))
    assert (mixed["low"] < mixed["elo"]).all()
    assert (mixed["elo"] < mixed["high"]).all()


def test_a_mind_that_missed_a_scenario_plays_no_game_there_and_one_alone_has_the_mean():
    whole = elo(runs({"a": [1, 1], "b": [0, 0]}))
    missed = elo(runs({"a": [1, 1, 0], "b": [0, 0, None]}))
    assert missed["elo"].tolist() == pytest.approx(whole["elo"].tolist())
    assert elo(runs({"a": [0.3, 0.4]}))["elo"].tolist() == [1500.0]
