"""Reader of tables of means and standard errors without ratings, such as the paper's Table 1."""

from __future__ import annotations

import math
from importlib.resources import as_file, files
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from evaluation.rating.rating_scale import HIGHEST, LOWEST
from evaluation.records.numbers import row_dicts
from evaluation.statistics.csv_table import TableError, read_table
from irollan_env.hints import quote

PAPER_N = 48
TESTS = ("anova", "brown-forsythe")
SUMMARY_COLUMNS = ("architecture", "dimension", "n", "mean", "sd", "se", "test", "note")
"""Columns of ``read_summary`` that the analysis takes."""


def read_summary(path: str | Path, *, n: int | None = None) -> pd.DataFrame:
    """Read a table of means and standard errors.

    Args:
        path: A CSV file with the columns architecture, dimension, mean and se; n where groups differ in size; and test
            (anova or brown-forsythe) where it is known which one Levene's test decided for.
        n: Ratings per group, at least 2, if the table has no column n.

    Returns:
        One row per architecture and dimension: architecture, dimension, n, mean, sd, se, test ("" if unknown), line and
        note: a warning about an impossible mean, or "".

    Raises:
        TableError: if the file is no such table, or a number in it is impossible.
        OSError: if it cannot be read at all.
    """
    table = read_table(path, ("architecture", "dimension", "mean", "se"), ("n", "test"))
    if table.broken:
        raise TableError(f"{table.name}, line {table.broken[0][0]}: {table.broken[0][1]}")
    if n is not None and n < 2:
        raise TableError(f"n must be at least 2 ratings a group, got {n}")
    rows = [_row(row, n, f"{table.name}, line {row['line']}") for row in row_dicts(table.frame)]
    frame = pd.DataFrame(rows)
    if (again := frame.duplicated(["architecture", "dimension"])).any():
        row = frame[again].iloc[0]
        raise TableError(
            f"{table.name}, line {row['line']}: {row['architecture']!r} has a mean of {row['dimension']!r} already"
        )
    for dimension, part in frame.groupby("dimension", sort=False):
        if len(part) < 2:
            raise TableError(
                f"{table.name}, line {part['line'].iloc[0]}: {dimension!r} has one architecture; a comparison needs two"
            )
        if part["test"].nunique() > 1:
            raise TableError(f"{table.name}, line {part['line'].iloc[0]}: {dimension!r} has several tests; name one")
    return frame


def paper_table() -> pd.DataFrame:
    """Return the paper's Table 1 in the form of ``read_summary``, with the test that the paper names per dimension."""
    with as_file(files("evaluation.statistics") / "data" / "paper_table1.csv") as path:
        return read_summary(path, n=PAPER_N)


def paper_tests() -> pd.DataFrame:
    """Return the F values that section 5.2 prints: test and statistic, by dimension."""
    with as_file(files("evaluation.statistics") / "data" / "paper_tests.csv") as path:
        return pd.read_csv(path).set_index("dimension")


def _possible_mean(mean: float, decimals: int, n: int) -> bool:
    """Check that n whole numbers can have a mean that rounds to the given one.

    The GRIM test of N. Brown and J. Heathers, "The GRIM Test", Social Psychological and Personality Science 8 (2017).
    """
    half = 0.5 * 10.0**-decimals + 1e-9
    return math.floor((mean + half) * n) >= math.ceil((mean - half) * n)


def _row(row: dict[str, Any], n: int | None, where: str) -> dict[str, Any]:
    for column in ("architecture", "dimension"):
        if not row[column]:
            raise TableError(f"{where}: no {column}")
    mean, se = _number(row, "mean", where), _number(row, "se", where)
    if row["n"]:
        size = _number(row, "n", where)
        if size < 2 or size % 1:
            raise TableError(f"{where}: n must be a whole number of at least 2 ratings, got {row['n']}")
    elif n is None:
        raise TableError(f"{where}: how many ratings a group has is not given; say it with --n, or in a column n")
    else:
        size = n
    if not LOWEST <= mean <= HIGHEST:
        raise TableError(f"{where}: mean {row['mean']} lies outside {LOWEST} to {HIGHEST}")
    if se < 0:
        raise TableError(f"{where}: se {row['se']} is negative")
    sd = se * math.sqrt(size)
    # The variance for a given mean is largest if all ratings are 1 or 7; 0.01 allows for rounding.
    widest = math.sqrt((mean - LOWEST) * (HIGHEST - mean) * size / (size - 1)) + 0.01 * math.sqrt(size)
    if sd > widest:
        raise TableError(
            f"{where}: se {row['se']} with n = {int(size)} means a standard deviation of {sd:.2f}, which ratings with "
            f"mean {row['mean']} cannot have (at most {widest:.2f}); is it a standard deviation, or n too large?"
        )
    if row["test"] not in ("", *TESTS):
        raise TableError(f"{where}: test {quote(row['test'])} is unknown; expected {' or '.join(TESTS)}")
    decimals = len(row["mean"].partition(".")[2])
    note = ""
    if not _possible_mean(mean, decimals, int(size)):
        note = f"{row['architecture']}: no {int(size)} whole ratings have a mean of {row['mean']}"
    return {**row, "n": int(size), "mean": mean, "sd": sd, "se": se, "note": note}


def _number(row: dict[str, Any], column: str, where: str) -> float:
    try:
        number = float(row[column])
    except ValueError:
        number = math.nan
    if not np.isfinite(number):
        raise TableError(f"{where}: {column} {quote(row[column])} is not a number")
    return number
