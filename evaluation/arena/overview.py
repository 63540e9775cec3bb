"""Overview of all scenarios of an arena: raw scores by mind and scenario, and Elo ratings."""

from __future__ import annotations

import math
from collections.abc import Sequence

import pandas as pd

from evaluation.arena.elo import elo

ROLE_NAMES = {"residents": "As residents", "visitor": "As a visitor"}


def overview(runs: pd.DataFrame, table: pd.DataFrame, role: str) -> pd.DataFrame:
    """Return the mean score of each mind (rows) in each scenario (columns), and its Elo.

    Args:
        runs: Rows from ``row_of``.
        table: The result of ``summarised`` for these runs.
        role: One of ``ROLE_NAMES``.

    Returns:
        One column per scenario, then elo, low and high, as in ``evaluation.arena.elo.elo``.
    """
    own = table[table["role"] == role]
    scores = own.pivot_table("score", "mind", "scenario", sort=False)
    return scores.join(elo(runs[runs["role"] == role]))


def as_markdown(runs: pd.DataFrame, table: pd.DataFrame) -> str:
    """Format the overviews and the cost of each mind as Markdown tables.

    Scores are means over seeds, with their 95 per cent interval if there is more than one seed. Calls and tokens are
    per step of a measured resident, and failed is the share of these steps; all three are means over scenarios.
    """
    parts = []
    for role, name in ROLE_NAMES.items():
        own = table[table["role"] == role]
        if own.empty:
            continue
        found = overview(runs, table, role)
        scenarios = list(dict.fromkeys(own["scenario"]))
        cells = {(row["mind"], row["scenario"]): _score(row) for _, row in own.iterrows()}
        head = [name, *scenarios, "Elo", "calls", "tokens", "failed"]
        rows = []
        for mind, row in found.iterrows():
            mine = own[own["mind"] == mind]
            cost = [f"{mine['calls'].mean():.1f}", f"{mine['tokens'].mean():.0f}", f"{mine['failed'].mean():.1%}"]
            scores = [cells.get((mind, one), "–") for one in scenarios]
            interval = "" if math.isnan(row["low"]) else f" ({row['low']:.0f} to {row['high']:.0f})"
            rows.append([f"`{mind}`", *scores, f"{row['elo']:.0f}{interval}", *cost])
        parts.append("\n".join(map(_line, [head, ["---"] * len(head), *rows])))
    return "\n\n".join(parts) + "\n"


def _score(row: pd.Series) -> str:
    interval = "" if math.isnan(row["low"]) else f" ({row['low']:.2f} to {row['high']:.2f})"
    return f"{row['score']:.2f}{interval}"


def _line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"
