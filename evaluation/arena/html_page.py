"""HTML page of an arena: a table per scenario with costs and failures, and the cross-play matrix."""

from __future__ import annotations

import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pandas as pd

from evaluation.arena.declaration import Arena
from evaluation.arena.overview import ROLE_NAMES, overview
from evaluation.arena.scoring import cross_play
from evaluation.html_theme.templates import templates
from evaluation.records.files import write_atomically
from evaluation.runs.run_config import RunConfig
from evaluation.sweeps.directory import SweepDirectory


def write_page(
    directory: SweepDirectory,
    arena: Arena,
    runs: pd.DataFrame,
    table: pd.DataFrame,
    all_runs: int,
    reasons: Mapping[str, str],
) -> Path:
    """Write the page of an arena; all text is escaped.

    Args:
        directory: Directory of the arena.
        arena: Its declaration.
        runs: The finished runs.
        table: The result of ``summarised``, at least one row.
        all_runs: Number of declared runs.
        reasons: Why the other runs are not finished, by run name.
    """
    matrix = cross_play(table)
    page = (
        templates("evaluation.arena")
        .get_template("arena.html")
        .render(
            done=len(runs),
            all_runs=all_runs,
            facts=[
                ("Model", RunConfig.from_keys(arena.run).model.name),
                ("Steps", arena.steps),
                ("Seeds", len(arena.seeds)),
                ("Baselines", ", ".join(arena.baselines)),
            ],
            sections=[_section(arena, str(name), part) for name, part in table.groupby("scenario", sort=False)],
            overviews=[_overview(role, runs, table) for role in ROLE_NAMES if role in set(table["role"])],
            matrix=[
                (mind, [number(one) for one in row]) for mind, row in zip(matrix.index, matrix.values, strict=True)
            ],
            hosts=list(matrix.columns),
            reasons=reasons,
        )
    )
    write_atomically(directory.report_path, page.encode("utf-8", "backslashreplace"))
    return directory.report_path


def _overview(role: str, runs: pd.DataFrame, table: pd.DataFrame) -> dict[str, Any]:
    """Return the overview of a role as template data: raw scores by scenario, and Elo."""
    found = overview(runs, table, role)
    scenarios = [column for column in found.columns if column not in ("elo", "low", "high")]
    rows = [
        {
            "mind": mind,
            "scores": [number(row[name]) for name in scenarios],
            "elo": number(row["elo"]),
            "interval": f"{number(row['low'])} to {number(row['high'])}",
        }
        for mind, row in found.iterrows()
    ]
    return {"name": ROLE_NAMES[role], "scenarios": scenarios, "rows": rows}


def _section(arena: Arena, name: str, part: pd.DataFrame) -> dict[str, Any]:
    """Return the section of one scenario as template data."""
    scenario = next(one for one in arena.find_scenarios().values() if one.name == name)
    rows = [
        {**{str(key): value for key, value in row.items()}, **{key: number(row[key]) for key in _NUMBERS}}
        for row in part[part["role"] != "cross"].to_dict("records")
    ]
    company = sorted({scenario.others, *scenario.company.values()})
    return {"name": name, "description": scenario.description, "company": company, "rows": rows}


_NUMBERS = ("score", "low", "high", "variance", "scaled", "calls", "tokens", "failed", "inadmissible")


def number(value: Any) -> str:
    """Format a number with two decimals, or none from 100 on; a dash for NaN."""
    if math.isnan(value := float(value)):
        return "–"
    return f"{value:.0f}" if abs(value) >= 100 else f"{value:.2f}"
