"""Cronbach's alpha and McDonald's omega."""

import numpy as np
import pandas as pd
import pytest

from evaluation.interviews.reliability import reliability


def answers_with(covariance, respondents=20):
    """Answers whose sample covariance is exactly this one."""
    drawn = np.random.default_rng(0).normal(size=(respondents, len(covariance)))
    drawn -= drawn.mean(axis=0)
    white = drawn @ np.linalg.inv(np.linalg.cholesky(np.cov(drawn.T)).T)
    return pd.DataFrame(white @ np.linalg.cholesky(covariance).T)


def test_omega_is_that_of_the_factor_that_made_the_answers():
    loadings, own = np.array([1.6, 0.7, 0.6, 0.5]), np.array([1.44, 0.51, 0.64, 0.75])
    found = reliability(answers_with(np.outer(loadings, loadings) + np.diag(own)))
    assert found["omega"] == pytest.approx(3.4**2 / (3.4**2 + 3.34), abs=1e-4)
    assert found["alpha"] < found["omega"]
    assert (found["respondents"], found["items"], found["note"]) == (20, 4, "")


def test_both_are_spearman_and_browns_where_all_items_are_parallel():
    found = reliability(answers_with(np.full((5, 5), 0.4) + 0.6 * np.eye(5)))
    assert found["alpha"] == pytest.approx(5 * 0.4 / (1 + 4 * 0.4))
    assert found["omega"] == pytest.approx(found["alpha"], abs=1e-4)
    assert found["alpha_low"] < found["alpha"] < found["alpha_high"] < 1


def test_alpha_is_that_of_a_worked_example():
    """Variances of the items are 1, 2.5 and 4/3 and that of the sum 11.2: 3/2 (1 - 4.8333 / 11.2)."""
    table = pd.DataFrame([[1, 1, 2], [2, 1, 2], [2, 3, 3], [3, 4, 4], [1, np.nan, 5]], dtype=float)
    found = reliability(table)
    whole = table.dropna()
    expected = 1.5 * (1 - whole.var().sum() / whole.sum(axis="columns").var())
    assert found["alpha"] == pytest.approx(expected)
    assert found["respondents"] == 4


@pytest.mark.parametrize(
    ("table", "alpha", "note"),
    [
        ([[1, 2, 3], [2, 3, 5]], False, "3 respondents are needed, and there are 2"),
        ([[1, 2], [2, 3], [1, 1]], False, "3 items are needed, and there are 2"),
        ([[1, 2, 3]] * 4, False, "no variance"),
        ([[1, 2, 3], [2, 2, 5], [3, 2, 4], [1, 2, 2]], True, "no omega: an item was answered alike"),
        ([[1, 2, 3], [2, 3, 5], [3, 2, 4]], True, "no omega: it needs more respondents than items"),
        ([[1, 1, 3], [2, 2, 5], [3, 3, 4], [4, 4, 1]], True, "no omega"),
    ],
)
def test_what_cannot_be_computed_is_missing_and_says_why(table, alpha, note):
    found = reliability(pd.DataFrame(table, dtype=float))
    assert np.isfinite(found["alpha"]) == alpha
    assert np.isnan(found["omega"])
    assert note in found["note"]
