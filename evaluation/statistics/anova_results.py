"""Analysis of ratings in one call: tests, means, pairs, agreement and power."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd
from threadpoolctl import threadpool_limits

from evaluation.statistics.analysis import analyse_groups, analyse_ratings
from evaluation.statistics.csv_table import TableError, check_once
from evaluation.statistics.html_page import write_page
from evaluation.statistics.ratings_file import Ratings, check_ratings, read_ratings
from evaluation.statistics.result import Result
from evaluation.statistics.summary_file import SUMMARY_COLUMNS, paper_table, paper_tests, read_summary
from evaluation.statistics.terminal_text import as_text

MANY = 100_000
"""Ratings from which progress is reported by dimension."""


@dataclass(frozen=True, kw_only=True)
class Anova:
    """The results of an analysis.

    Attributes:
        results: One object per dimension, in the paper's order; ``tables`` has the same as frames.
        ratings: The ratings, with an account of those left out; None for a table of means.
        name: Name of what was analysed, such as the file.
    """

    results: tuple[Result, ...]
    ratings: Ratings | None
    name: str

    def summary(self) -> str:
        """The results as text: leading test, means, pairs, agreement and notes of each dimension."""
        return as_text(self.results)

    @property
    def tables(self) -> dict[str, pd.DataFrame]:
        """The results as frames, each with a column dimension.

        Returns:
            ``tests``: the leading test and omega squared, one row per dimension;
            ``means``: mean, standard error and 95 per cent interval of each architecture;
            ``pairs``: all pairwise comparisons that belong to the leading test;
            ``section_5_2``: the tests of section 5.2, three per dimension;
            ``agreement``: Krippendorff's alpha and the intraclass correlations.
        """
        tests = [
            {
                "test": one.lead.test,
                **one.lead.numbers,
                "holds_for": one.lead.holds_for,
                **{f"omega_squared{end}": one.omega_squared[key] for end, key in _OMEGA.items()},
            }
            for one in self.results
        ]
        return {
            "tests": pd.DataFrame(tests, index=pd.Index([one.dimension for one in self.results], name="dimension")),
            "means": self._stack(lambda one: one.lead.means),
            "pairs": self._stack(lambda one: one.lead.pairs),
            "section_5_2": self._stack(lambda one: one.tests.rename_axis("test").reset_index()),
            "agreement": self._stack(lambda one: one.icc.assign(krippendorff_alpha=one.alpha)),
        }

    def to_json(self) -> list[dict[str, Any]]:
        """The results as JSON-ready data, one object per dimension; docs/statistics.md lists the keys."""
        return [one.to_json() for one in self.results]

    def write_html(self, path: str | Path) -> Path:
        """Write a report with plots as one HTML file.

        Raises:
            OSError: if it cannot be written; no partial file remains.
        """
        return write_page(self.results, path, source=self.name, ratings=self.ratings)

    def _stack(self, part: Callable[[Result], pd.DataFrame]) -> pd.DataFrame:
        parts = {one.dimension: table for one in self.results if len(table := part(one))}
        if not parts:
            return pd.DataFrame()
        return pd.concat(parts, names=["dimension", None]).droplevel(1).reset_index()


_OMEGA = {"": "omega_squared", "_low": "low", "_high": "high"}


def anova(
    ratings: pd.DataFrame | str | Path,
    *,
    source: str | None = None,
    raters: int | None = None,
    runs: int | None = None,
    residents: int | None = None,
    progress: Callable[[str], None] = lambda _: None,
) -> Anova:
    """Test whether architectures differ in ratings.

    The design of the ratings decides which test leads: a mixed model with repeated raters, trajectories or runs,
    Brown-Forsythe F* with Mehrotra's degrees of freedom otherwise. The tests of section 5.2 of the paper are added.

    Args:
        ratings: A CSV file, or a frame, with the columns rater, run, architecture, resident, dimension and rating
            (1 to 7), and optionally comment, expected (the answer that an attention check asks for) and source
            (people or judge).
        source: Ratings to analyse, people or judge; required if both are in the table.
        raters: Raters of a planned study, at least 2: adds its power to the results.
        runs: Runs of each architecture in the planned study; as many as were rated if None.
        residents: Residents of each run in the planned study; as many as were rated if None.
        progress: Called with messages about progress on large files.

    Returns:
        The results of all dimensions.

    Raises:
        TableError: if the ratings cannot be read or analysed; the message names the line and the remedy.
        ValueError: if fewer than 2 raters are planned.
        OSError: if the file cannot be read.

    Example:
        >>> import evaluation, pandas
        >>> ratings = [
        ...     (f"rater-{rater}", name, name, resident, "exploration", rank + (rater * rater + rank * place) % 4)
        ...     for rater in range(6)
        ...     for rank, name in enumerate(["itcma", "driver", "itcma-s"], 1)
        ...     for place, resident in enumerate(["AY", "SG", "MD"])
        ... ]
        >>> columns = ["rater", "run", "architecture", "resident", "dimension", "rating"]
        >>> found = evaluation.anova(pandas.DataFrame(ratings, columns=columns))
        >>> found.tables["tests"]["test"].to_dict()
        {'exploration': 'mixed-model'}
        >>> sorted(found.tables["means"]["architecture"])
        ['driver', 'itcma', 'itcma-s']
    """
    if isinstance(ratings, pd.DataFrame):
        read = check_ratings(ratings)
    else:
        read = read_ratings(ratings, on_rows=lambda count: progress(f"{count:,} rows read"))

    def on_dimension(name: str) -> None:
        if len(read.frame) >= MANY:
            progress(f"analysing {name}")

    # The matrices are many and small: threads would wait for each other.
    with threadpool_limits(1):
        results = analyse_ratings(
            read, raters=raters, runs=runs, residents=residents, source=source, on_dimension=on_dimension
        )
    return Anova(results=tuple(results), ratings=read, name=read.name)


def anova_of_means(means: pd.DataFrame | str | Path, *, n: int | None = None, raters: int | None = None) -> Anova:
    """Test whether architectures differ, from means and standard errors alone.

    Args:
        means: A CSV file with the columns architecture, dimension, mean and se, and optionally n (ratings per group)
            and test (anova or brown-forsythe, what Levene's test decided for); or a frame of ``read_summary``.
        n: Ratings per group, at least 2, for a file without the column n.
        raters: Raters of a planned study, at least 2: adds its power to the results.

    Returns:
        The results of all dimensions.

    Raises:
        TableError: if the table cannot be read or analysed.
        ValueError: if fewer than 2 raters are planned.
        OSError: if the file cannot be read.

    Example:
        >>> from evaluation.statistics import anova_of_means, paper_table
        >>> anova_of_means(paper_table()).tables["tests"].loc["exploration", "statistic"].round(1)
        np.float64(34.2)
    """
    if isinstance(means, pd.DataFrame):
        table, name = means, "a table of means"
        check_once(list(table.columns), SUMMARY_COLUMNS, name)
        if missing := [column for column in SUMMARY_COLUMNS if column not in table.columns]:
            raise TableError(
                f"{name}: no column {', '.join(missing)}; a frame of means is one that read_summary returns"
            )
    else:
        table, name = read_summary(means, n=n), Path(means).name
    return Anova(results=tuple(analyse_groups(table, raters=raters)), ratings=None, name=name)


def paper_anova(*, raters: int | None = None) -> Anova:
    """Analyse the paper's Table 1, with the F values that section 5.2 prints.

    Args:
        raters: Raters of a planned study, at least 2: adds its power to the results.
    """
    results = analyse_groups(paper_table(), raters=raters, printed=paper_tests())
    return Anova(results=tuple(results), ratings=None, name="Table 1 of the paper")
