"""The social structure of a run: its networks, its statistics, and their p-values under null models."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import networkx as nx
import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy import stats

from evaluation.measures.data_frames import everyone
from evaluation.measures.society import time_alone
from evaluation.measures.turns import WINDOW
from evaluation.social.conclusions import draw_conclusions
from evaluation.social.following import paths
from evaluation.social.hypotheses import HYPOTHESES
from evaluation.social.networks import cliques, communities, mutual_excess, names_of, strength
from evaluation.social.permutation import p_value
from evaluation.social.samples import Samples, Turns
from evaluation.social.tested_statistics import (
    TestValues,
    clique_tests,
    following,
    pattern_tests,
    received,
    resource_tests,
)

PERMUTATIONS = 1000


@dataclass(frozen=True, kw_only=True)
class SocialStructure:
    """What a run's interactions make of its residents.

    Attributes:
        matrix: How often each resident turned to each other one (figure 8): rows initiate, columns receive.
        expected: The same as expected if everyone turned to anyone who was there.
        follows: How often each resident (row) was followed by each other one (column).
        residents: One row a resident: sent, received, tried (turns that it took or wanted to take, and that were for
            it, those that LTRHA held back included), expected (to be received, by who was there), p_sought,
            p_left_out, followed, p_followed, pagerank, time_alone, resources, community.
        cliques: One row a clique, the strongest first: members, strength, leader (whether the leader is in it).
        tests: One row a test: question, value, null (the null model), alternative, null_mean, null_low and null_high
            (its 2.5 and 97.5 per cent), p, q (the false discovery rate over all tests of the run up to this p).
        leader: Who was turned to most beyond what is expected; None if nobody turned to anybody.
        conclusions: What the tests come to, in sentences.
        permutations: How many samples of each null model there are.
        seed: What they were drawn with.
        alpha: The level at which a conclusion says that something is there.
    """

    matrix: pd.DataFrame
    expected: pd.DataFrame
    follows: pd.DataFrame
    residents: pd.DataFrame
    cliques: pd.DataFrame
    tests: pd.DataFrame
    leader: str | None
    conclusions: tuple[str, ...]
    permutations: int
    seed: int
    alpha: float

    def to_json(self) -> dict[str, Any]:
        """All of it as JSON-ready data; what is not a number is null."""
        tables = ("matrix", "expected", "follows")
        lists = ("cliques", "tests")
        return {
            "leader": self.leader,
            "conclusions": list(self.conclusions),
            "permutations": self.permutations,
            "seed": self.seed,
            "alpha": self.alpha,
            **{name: _plain(getattr(self, name).to_dict(orient="split", index=True)) for name in tables},
            "residents": _plain(self.residents.rename_axis("resident").reset_index().to_dict(orient="records")),
            **{name: _plain(getattr(self, name).to_dict(orient="records")) for name in lists},
        }


def social_structure(
    frame: pd.DataFrame,
    *,
    seed: int,
    permutations: int = PERMUTATIONS,
    window: int = WINDOW,
    alpha: float = 0.05,
) -> SocialStructure:
    """Find the social structure of a run, and test it against chance.

    Args:
        frame: Of ``evaluation.measures.actions``, of whole time steps.
        seed: All draws follow from it; at least 0.
        permutations: Samples of each null model, at least 1; the smallest p-value is 1 / (1 + permutations).
        window: Time steps within which one turn answers another, and one move follows another, at least 1.
        alpha: The level of the conclusions, in (0, 1).

    Raises:
        ValueError: if permutations, the window or alpha is out of range, or a time step lacks a resident.
    """
    if permutations < 1:
        raise ValueError(f"permutations must be at least 1, got {permutations}")
    if not 0 < alpha < 1:
        raise ValueError(f"alpha must lie between 0 and 1, got {alpha}")
    if window < 1:
        raise ValueError(f"the window must be at least 1 time step, got {window}")
    names = everyone(frame)
    held = Turns.of(frame, names)
    null = Samples.draw(held, frame["time"].to_numpy(), permutations, seed)
    follows, p_followed, follow_tests = following(paths(frame), permutations, seed, window)
    standing, leader, received_tests = received(held, null)
    counts, expected = held.counts(), held.expected()
    residents = _residents(
        frame, names, counts, {**standing, "followed": follows.sum(axis=1), "p_followed": p_followed}
    )
    tests = _tests(
        {
            **received_tests,
            **clique_tests(held, null, leader),
            **pattern_tests(held, null, window),
            **follow_tests,
            **resource_tests(residents, permutations, seed),
        }
    )
    found = _cliques(held, names, leader)
    leading = None if leader is None else names[leader]
    return SocialStructure(
        matrix=_named(counts.astype(np.int64), names),
        expected=_named(expected, names),
        follows=_named(follows.astype(np.int64), names),
        residents=residents,
        cliques=found,
        tests=tests,
        leader=leading,
        conclusions=draw_conclusions(tests, found, residents, leading, alpha),
        permutations=permutations,
        seed=seed,
        alpha=alpha,
    )


def _residents(
    frame: pd.DataFrame, names: tuple[str, ...], counts: NDArray[np.float64], columns: Mapping[str, NDArray[Any]]
) -> pd.DataFrame:
    """One row a resident; see ``SocialStructure``.

    Args:
        frame: Of ``evaluation.measures.actions``.
        names: The residents.
        counts: How often each turned to each other one.
        columns: What the tests found about each of them.
    """
    divided, _ = communities(counts)
    tried = frame[frame["addressed"].notna()]
    takes = tried["resident"].astype(str)
    return pd.DataFrame(
        {
            "sent": counts.sum(axis=1),
            "received": counts.sum(axis=0),
            "tried": [int(np.sum((takes == name) | (tried["addressed"] == name))) for name in names],
            **columns,
            "pagerank": list(nx.pagerank(nx.from_numpy_array(counts, create_using=nx.DiGraph)).values()),
            "time_alone": time_alone(frame)["time_alone"].to_numpy(),
            "resources": _last_resources(frame, names),
            "community": [next(k for k, one in enumerate(divided, 1) if i in one) for i in range(len(names))],
        },
        index=list(names),
    )


def _cliques(held: Turns, names: tuple[str, ...], leader: int | None) -> pd.DataFrame:
    """One row a clique, the strongest first; see ``SocialStructure``."""
    ties = mutual_excess(held.counts(), held.expected())
    found = sorted(cliques(ties), key=lambda one: (-strength(one, ties), sorted(one)))
    return pd.DataFrame(
        [(names_of(one, names), strength(one, ties) / held.size, leader in one) for one in found],
        columns=["members", "strength", "leader"],
    )


def _tests(values: TestValues) -> pd.DataFrame:
    rows = []
    for name, hypothesis in HYPOTHESES.items():
        value, permuted = values[name]
        p = p_value(value, permuted, hypothesis.alternative)
        known = permuted[~np.isnan(permuted)] if not np.isnan(value) else permuted[:0]
        low, high = np.percentile(known, [2.5, 97.5]) if known.size else (np.nan, np.nan)
        mean = float(known.mean()) if known.size else np.nan
        rows.append((name, hypothesis.question, value, hypothesis.null, hypothesis.alternative, mean, low, high, p))
    columns = ["test", "question", "value", "null", "alternative", "null_mean", "null_low", "null_high", "p"]
    tests = pd.DataFrame(rows, columns=columns)
    known_p = tests["p"].notna()
    tests["q"] = np.nan
    if known_p.any():
        tests.loc[known_p, "q"] = stats.false_discovery_control(tests.loc[known_p, "p"])
    return tests.set_index("test", drop=False).rename_axis(None)


def _last_resources(frame: pd.DataFrame, names: tuple[str, ...]) -> NDArray[np.float64]:
    last = frame[frame["time"] == frame["time"].max()].set_index("resident")["resources"]
    return np.array(last.loc[list(names)], dtype=np.float64)


def _named(values: NDArray[Any], names: tuple[str, ...]) -> pd.DataFrame:
    return pd.DataFrame(values, index=list(names), columns=list(names))


def _plain(value: Any) -> Any:
    """Plain Python values, None for what is not a number."""
    if isinstance(value, dict):
        return {str(key): _plain(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(one) for one in value]
    if isinstance(value, np.generic):
        value = value.item()
    return None if isinstance(value, float) and np.isnan(value) else value
