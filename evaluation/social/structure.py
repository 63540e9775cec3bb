"""The social structure of a run: its networks, its statistics, and their p-values under null models."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import networkx as nx
import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy import stats

from evaluation.measures.data_frames import RunLike, actions, everyone, records_of
from evaluation.measures.society import time_alone
from evaluation.measures.turns import WINDOW
from evaluation.records.numbers import json_ready
from evaluation.social.following import paths
from evaluation.social.hypotheses import HYPOTHESES, draw_conclusions, singled_out
from evaluation.social.networks import cliques, communities, mutual_excess, names_of, strength
from evaluation.social.nulls import p_value
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
    """The social structure of a run.

    Attributes:
        matrix: Weighted adjacency matrix of turns (figure 8): rows send, columns receive.
        expected: Its expectation if every turn went to any resident present.
        follows: How often each resident (row) was followed by each other one (column).
        residents: One row per resident: sent and received (out- and in-strength), tried (turns sent or received,
            filtered ones included), expected (turns received by the null model of company), p_sought, p_left_out,
            followed, p_followed, pagerank, time_alone, resources, community.
        cliques: One row per clique, the strongest first: members, strength, leader (whether the leader is in it).
        tests: One row per test: question, value, null (the null model), alternative, null_mean, null_low and null_high
            (its 2.5 and 97.5 per cent), p, q (the false discovery rate over all tests of the run up to this p).
        leader: Resident with the largest excess of turns received; None if nobody turned to anybody.
        sentences: By test, what it finds in a sentence (q at most alpha), and first one about the leader in any case.
        permutations: Samples of each null model.
        seed: Seed of all draws.
        alpha: The highest q of a finding.
    """

    matrix: pd.DataFrame
    expected: pd.DataFrame
    follows: pd.DataFrame
    residents: pd.DataFrame
    cliques: pd.DataFrame
    tests: pd.DataFrame
    leader: str | None
    sentences: Mapping[str, str]
    permutations: int
    seed: int
    alpha: float

    @property
    def conclusions(self) -> tuple[str, ...]:
        """Conclusions from the tests, in sentences."""
        return tuple(self.sentences.values())

    @property
    def left_out(self) -> tuple[str, ...]:
        """Residents who are turned to less than expected, as far as the tests find them."""
        return tuple(singled_out(self.tests, self.residents["p_left_out"], self.alpha))

    def to_json(self) -> dict[str, Any]:
        """The structure as JSON-ready data."""
        tables = ("matrix", "expected", "follows")
        lists = ("cliques", "tests")
        return {
            "leader": self.leader,
            "conclusions": list(self.conclusions),
            "left_out": list(self.left_out),
            "permutations": self.permutations,
            "seed": self.seed,
            "alpha": self.alpha,
            **{name: json_ready(getattr(self, name).to_dict(orient="split", index=True)) for name in tables},
            "residents": json_ready(self.residents.rename_axis("resident").reset_index().to_dict(orient="records")),
            **{name: json_ready(getattr(self, name).to_dict(orient="records")) for name in lists},
        }


def _check_whole(records: Sequence[Mapping[str, Any]], names: Sequence[str]) -> None:
    there = {(record["time"], record["resident"]) for record in records}
    for time in dict.fromkeys(record["time"] for record in records):
        if lacking := [name for name in names if (time, name) not in there]:
            raise ValueError(f"{lacking[0]} has no record at time step {time}; social structure needs whole time steps")


def social_structure(
    run: RunLike,
    *,
    seed: int = 0,
    permutations: int = PERMUTATIONS,
    window: int = WINDOW,
    alpha: float = 0.05,
) -> SocialStructure:
    """Analyse the social network of a run, and test it against null models.

    Args:
        run: Its directory, an object with its records, its records, or the frame of ``evaluation.actions``;
            of whole time steps.
        seed: Seed of all draws, at least 0.
        permutations: Samples of each null model, at least 1; the smallest p-value is 1 / (1 + permutations).
        window: Time steps within which a turn is answered and a move is followed, at least 1.
        alpha: The highest q, the false discovery rate, of a finding, in (0, 1).

    Returns:
        The networks, the tests and the conclusions.

    Raises:
        ValueError: if permutations, the window or alpha is out of range, or a time step lacks a resident.

    Example:
        >>> import evaluation
        >>> structure = evaluation.social_structure("runs/mine", permutations=99)
        >>> structure.leader
        'LL'
        >>> structure.tests.loc["leader", ["value", "p"]].astype(float).round(2).to_list()
        [0.2, 0.01]
    """
    records = run if isinstance(run, pd.DataFrame) else records_of(run)
    frame = actions(records)
    if permutations < 1:
        raise ValueError(f"permutations must be at least 1, got {permutations}")
    if not 0 < alpha < 1:
        raise ValueError(f"alpha must lie between 0 and 1, got {alpha}")
    if window < 1:
        raise ValueError(f"the window must be at least 1 time step, got {window}")
    names = everyone(frame)
    if not isinstance(records, pd.DataFrame):
        _check_whole(records, names)
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
        sentences=draw_conclusions(tests, found, residents, leading, alpha),
        permutations=permutations,
        seed=seed,
        alpha=alpha,
    )


def _residents(
    frame: pd.DataFrame, names: tuple[str, ...], counts: NDArray[np.float64], columns: Mapping[str, NDArray[Any]]
) -> pd.DataFrame:
    """One row per resident; see ``SocialStructure``.

    Args:
        frame: Frame of ``evaluation.actions``.
        names: The residents.
        counts: Adjacency matrix of turns.
        columns: Further columns, from the tests.
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
    """One row per clique, the strongest first; see ``SocialStructure``."""
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
    # Those of whoever has left stay what they were.
    last = frame.drop_duplicates("resident", keep="last").set_index("resident")["resources"]
    return np.array(last.loc[list(names)], dtype=np.float64)


def _named(values: NDArray[Any], names: tuple[str, ...]) -> pd.DataFrame:
    return pd.DataFrame(values, index=list(names), columns=list(names))
