"""Consistency: whether actions fit the thought, the goal and the driver."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pandas as pd
from scipy import stats

from evaluation.measures.data_frames import everyone, rows
from evaluation.measures.indices import superiority
from evaluation.measures.social_roles import REST, activities
from evaluation.measures.text_similarity import cosine_similarities
from irollan_env.actions import Action, Refusal
from irollan_env.english import phrase
from language_models.protocol import Embedder


def statement_fit(frame: pd.DataFrame, statement: str, embedder: Embedder) -> pd.Series[float]:
    """Rank the chosen action among the admissible ones, by similarity to a statement.

    Args:
        frame: Frame of ``actions``.
        statement: Column of the statement: "thought" or "goal".
        embedder: Compares texts.

    Returns:
        Per row the share of the other admissible actions that are less similar to the statement than the chosen one,
        ties counting half: 1 is the best fit, 0.5 chance. Missing without a statement, an action or an alternative.
    """
    # One batch is faster than many small ones; embedders cache.
    embedder.embed([said for said in frame[statement].unique() if said])
    values = []
    for row in rows(frame):
        said, action = getattr(row, statement), row.action
        if not said or action is None or isinstance(Action.parse(action), Refusal):
            values.append(np.nan)
            continue
        chosen = phrase(Action(action))
        others = sorted({phrase(Action(one)) for one in row.admissible} - {chosen})
        cosines = cosine_similarities(embedder, said, [chosen, *others])
        values.append(superiority(cosines[0], cosines[1:]))
    return pd.Series(values, index=frame.index, dtype=np.float64)


def driver_fit(frame: pd.DataFrame) -> pd.Series[float]:
    """Per resident, how often the driver of an active step exceeds that of a resting step.

    Returns:
        Probability of superiority (Mann-Whitney U over the product of the sample sizes), in [0, 1]; missing for a
        resident that was never active or never rested.
    """
    doing = activities(frame)
    values = {}
    for resident in everyone(frame):
        own = (frame["resident"] == resident) & doing.notna()
        active, resting = (frame.loc[own & flag, "driver"].dropna() for flag in (doing != REST, doing == REST))
        usable = len(active) > 0 and len(resting) > 0
        values[resident] = (
            float(stats.mannwhitneyu(active, resting).statistic / (len(active) * len(resting))) if usable else np.nan
        )
    return pd.Series(values, dtype=np.float64)


def goal_persistence(frame: pd.DataFrame) -> pd.Series[float]:
    """Per resident, the share of steps with a goal whose goal is that of the previous step, in [0, 1]."""
    values = {}
    for resident in everyone(frame):
        goals = frame.loc[frame["resident"] == resident, "goal"].to_list()
        kept = [now == before for before, now in pairwise(goals) if now]
        values[resident] = float(np.mean(kept)) if kept else np.nan
    return pd.Series(values, dtype=np.float64)


def consistency(frame: pd.DataFrame, embedder: Embedder | None) -> pd.DataFrame:
    """Measures of consistency; see docs/measures.md.

    Args:
        frame: Frame of ``actions``.
        embedder: Compares texts; None leaves out the measures that need it.

    Returns:
        One row per resident, one column per measure.
    """
    measures = pd.DataFrame({"driver_action": driver_fit(frame), "goal_persistence": goal_persistence(frame)})
    if embedder is not None:
        residents = frame["resident"].astype(str)
        for statement in ("thought", "goal"):
            measures[f"{statement}_action"] = statement_fit(frame, statement, embedder).groupby(residents).mean()
    return measures
