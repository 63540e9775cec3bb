"""Proxies for personification: varied speech, fitting replies, human-like timing, emotional inertia."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from evaluation.measures.data_frames import by_resident, everyone, rows
from evaluation.measures.indices import superiority
from evaluation.measures.turns import WINDOW, turns
from language_models.protocol import Embedder


def distinct_bigrams(lines: Sequence[str]) -> float:
    """Distinct-2: the share of distinct bigrams (Li et al. 2016).

    Args:
        lines: What a resident said; case is ignored.

    Returns:
        In (0, 1]; not a number if no line has two words.
    """
    pairs = [pair for line in lines for pair in pairwise(re.findall(r"\w+(?:'\w+)?", line.lower()))]
    return len(set(pairs)) / len(pairs) if pairs else np.nan


def burstiness(times: ArrayLike) -> float:
    """Burstiness of events: (s - m) / (s + m), m mean and s standard deviation of the gaps (Goh and Barabasi 2008).

    Args:
        times: Times of the events, ascending; at least three.

    Returns:
        In [-1, 1): -1 for a clock, 0 for chance (a Poisson process), towards 1 for bursts, as people's are; not a
        number for fewer than three events, or if all are at one time.
    """
    gaps = np.diff(np.asarray(times, dtype=np.float64))
    if gaps.size < 2 or not gaps.any():
        return np.nan
    spread, mean = float(gaps.std()), float(gaps.mean())
    return (spread - mean) / (spread + mean)


def inertia(values: pd.Series[float]) -> float:
    """Emotional inertia: the lag-1 autocorrelation (Kuppens, Allen and Sheeber 2010).

    Returns:
        In [-1, 1]; not a number for fewer than three values, or if they do not vary.
    """
    now, before = values.to_numpy()[1:], values.to_numpy()[:-1]
    if now.size < 2 or np.ptp(now) == 0 or np.ptp(before) == 0:
        return np.nan
    return float(np.corrcoef(now, before)[0, 1])


def reply_fit(frame: pd.DataFrame, embedder: Embedder, window: int = WINDOW) -> pd.Series[float]:
    """Per resident, how much more similar its replies are to the line they answer than to other lines.

    Args:
        frame: Frame of ``actions``.
        embedder: Compares texts.
        window: Time steps within which a line replies to another.

    Returns:
        Mean over replies of the share of other residents' lines that are less similar to the reply than the line it
        answers, ties counting half: in [0, 1], 0.5 is chance. Missing for a resident without a reply.
    """
    said = turns(frame).dropna(subset="words")
    vectors = embedder.embed(said["words"].to_list()).astype(np.float64)
    senders, lines = said["sender"].to_numpy(dtype=object), list(rows(said))
    held: dict[tuple[str, str], list[int]] = {}
    values: dict[str, list[float]] = {resident: [] for resident in everyone(frame)}
    for index, line in enumerate(lines):
        before = [one for one in held.get((line.receiver, line.sender), ()) if line.time - window <= lines[one].time]
        heard = [one for one in before if lines[one].time < line.time]
        held.setdefault((line.sender, line.receiver), []).append(index)
        if not heard:
            continue
        others = np.flatnonzero(senders != line.sender)
        others = others[others != heard[-1]]
        if len(others):
            cosines = vectors[[heard[-1], *others]] @ vectors[index]
            values[str(line.sender)].append(superiority(cosines[0], cosines[1:]))
    return pd.Series({name: float(np.mean(own)) if own else np.nan for name, own in values.items()}, dtype=np.float64)


def personification(frame: pd.DataFrame, embedder: Embedder | None) -> pd.DataFrame:
    """Proxies for personification; see docs/measures.md.

    Args:
        frame: Frame of ``actions``.
        embedder: Compares texts; None leaves out the measure that needs it.

    Returns:
        One row per resident, one column per measure.
    """
    held = turns(frame)
    measures = {}
    for resident, lived in by_resident(frame).items():
        own = held[held["sender"] == resident]
        measures[resident] = {
            "distinct_bigrams": distinct_bigrams(own["words"].dropna().to_list()),
            "burstiness": burstiness(own["time"]),
            "emotional_inertia": inertia(lived["pleasure"]),
        }
    table = pd.DataFrame.from_dict(measures, orient="index")
    if embedder is not None:
        table["reply_fit"] = reply_fit(frame, embedder)
    return table
