import json

import numpy as np
import pytest

from benchmarks.__main__ import main
from benchmarks.analysis.standing import MATRICES, READINGS, by_deeds, changes, live, measure

SOME = ("at random", "by three steps, held back told as such", "the same order always")


def test_changes_are_those_of_the_ranks_and_the_tied_share_them():
    np.testing.assert_allclose(changes(np.array([0.0, 5, 4, 3, 2, 1])), [-3, 3, 2, 1, -1, -2])
    np.testing.assert_allclose(changes(np.array([1.0, 2, 2, 0, 0, 0])), [1, 2.5, 2.5, -2, -2, -2])
    np.testing.assert_allclose(changes(np.zeros(6)), 0)


def test_the_same_order_always_by_hand():
    rates = live("the same order always", "amount", 3, np.random.default_rng(0))
    np.testing.assert_allclose(rates[0], 0.8655, atol=5e-5)
    # 1 + 3, and 1 - 3.
    np.testing.assert_allclose(rates[1, [0, 5]], 0.5 + 0.5 / (1 + np.exp([-4.0, 2.0])))
    # 7 and -5 of 7 + 5 + 3 + 1 + 3 + 5.
    by_share = live("the same order always", "share", 3, np.random.default_rng(0))
    np.testing.assert_allclose(by_share[2, [0, 5]], 0.5 + 0.5 / (1 + np.exp([-7 / 24, 5 / 24])))


def test_held_back_deeds_count_as_they_are_believed_and_for_three_steps():
    rng, everybody = np.random.default_rng(0), np.ones(6, dtype=bool)
    told, doubted = by_deeds(np.ones(6)), by_deeds(np.ones(6), credit=0.5)
    assert [(told(everybody, rng)[0], doubted(everybody, rng)[0]) for _ in range(4)] == [
        (1, 0.5),
        (2, 1),
        (3, 1.5),
        (3, 1.5),
    ]


@pytest.mark.parametrize("matrix", SOME)
def test_as_printed_somebody_is_silenced_and_by_share_nobody(matrix):
    printed, by_share = (measure(matrix, reading, 75, 20) for reading in ("amount", "share"))
    assert printed.silenced > 0.7
    assert printed.least < 0.6 < 0.7 < by_share.least
    assert (by_share.silenced, by_share.first) == (0, None)
    assert printed.first is not None
    assert printed.best_at_end - printed.worst_at_end > 3 * (by_share.best_at_end - by_share.worst_at_end)


def test_the_command_prints_a_row_for_each_matrix_and_reading(capsys):
    assert main(["standing", "--steps", "5", "--seeds", "2"]) == 0
    assert len(capsys.readouterr().out.splitlines()) == 2 + len(MATRICES) * len(READINGS)
    assert main(["standing", "--steps", "5", "--seeds", "2", "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)
    assert {row["rate"] for row in rows} == set(READINGS)
    assert main(["standing", "--steps", "0"]) == 2
