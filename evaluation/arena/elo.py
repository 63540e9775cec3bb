"""Elo ratings of minds, computed from the order of their scores and independent of score differences."""

from __future__ import annotations

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from irollan_env.random_streams import stream

MEAN = 1500.0
SCALE = 400.0
"""Elo difference at which the odds of winning are ten to one."""

_RESAMPLES = 200
_ROUNDS = 500
_SAME = 1e-9  # Scores that differ by less are a draw.


def elo(runs: pd.DataFrame) -> pd.DataFrame:
    """Fit the Elo rating of each mind with the Bradley-Terry model, to all games at once.

    Two minds play a game if both ran the same scenario and role under the same seed: the higher score wins, and equal
    scores are a draw, which counts half for each. One extra draw per pair keeps the rating of a mind that won every
    game finite. The order of games does not matter.

    Args:
        runs: Finished runs of one role, with the columns scenario, seed, mind and score.

    Returns:
        One row per mind, in the order of their first runs: elo, with mean 1500; low and high, the 95 per cent interval
        over 200 bootstrap resamples of the pairs of scenario and seed, NaN for a single pair.
    """
    scores = runs.pivot_table("score", ["scenario", "seed"], "mind", sort=False)[list(dict.fromkeys(runs["mind"]))]
    games = _games(scores.to_numpy(dtype=np.float64))
    generator = stream(0, "elo")
    drawn = generator.integers(len(games), size=(_RESAMPLES, len(games)))
    resampled = _fitted(games[drawn].sum(axis=1))
    low, high = np.percentile(resampled, [2.5, 97.5], axis=0) if len(games) > 1 else (np.nan, np.nan)
    return pd.DataFrame({"elo": _fitted(games.sum(axis=0)), "low": low, "high": high}, index=scores.columns)


def _games(scores: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return results of rows against columns: 1, 0.5 or 0, and 0 for no game; (scenarios and seeds, minds, minds)."""
    difference = scores[:, :, None] - scores[:, None, :]
    won = np.where(np.abs(difference) < _SAME, 0.5, (difference > 0).astype(np.float64))
    won[np.isnan(difference)] = 0.0
    won[:, np.arange(scores.shape[1]), np.arange(scores.shape[1])] = 0.0
    return won


def _fitted(won: NDArray[np.float64]) -> NDArray[np.float64]:
    """Compute Elo from wins of shape (..., minds, minds) by minorisation-maximisation (Hunter 2004)."""
    count = won.shape[-1]
    won = won + 0.5 * (1.0 - np.eye(count))
    played, wins = won + won.swapaxes(-1, -2), won.sum(axis=-1)
    strength = np.ones(wins.shape)
    # A single mind plays no games.
    for _ in range(_ROUNDS if count > 1 else 0):
        strength = wins / (played / (strength[..., :, None] + strength[..., None, :])).sum(axis=-1)
        strength /= np.exp(np.log(strength).mean(axis=-1, keepdims=True))
    points: NDArray[np.float64] = MEAN + SCALE * np.log10(strength)
    return points
