"""Figures of ratings: means, distributions, and the assumptions of the tests.

Every function returns a new Matplotlib figure and leaves Matplotlib's global state alone.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle
from scipy import stats

from evaluation.html_theme.colours import COLOURS, FAINT, HEAT, INK, MUTED, ON_HEAT, literal
from evaluation.html_theme.widths import NARROW, WIDE, make_room, short
from evaluation.rating.rating_scale import HIGHEST, LOWEST
from evaluation.statistics.omnibus import CONFIDENCE
from evaluation.statistics.result import Result

POINTS = range(LOWEST, HIGHEST + 1)


def means(results: Sequence[Result], *, narrow: bool = False) -> Figure:
    """Draw the means of the leading test with their 95 per cent intervals, one panel per dimension.

    Args:
        results: One per dimension. Intervals are cut off at the ends of the scale.
        narrow: Whether to stack the panels, for narrow screens.

    Returns:
        A figure of its own.
    """
    architectures = list(dict.fromkeys(name for result in results for name in result.groups["architecture"]))
    columns = 1 if narrow else min(len(results), 3)
    rows = -(-len(results) // columns)
    height = 0.75 + 0.31 * len(architectures)
    figure = Figure(figsize=(NARROW if narrow else WIDE, rows * height))
    FigureCanvasAgg(figure)
    grid = figure.add_gridspec(
        rows,
        columns,
        left=_left(narrow),
        right=0.985,
        bottom=0.42 / (rows * height),
        top=1 - 0.3 / (rows * height),
    )
    grid.update(hspace=0.75 / (height - 0.75), wspace=0.08)
    for index, result in enumerate(results):
        axes = figure.add_subplot(grid[index // columns, index % columns])
        for _, row in result.lead.means.iterrows():
            y, shade = (
                architectures.index(row["architecture"]),
                COLOURS[architectures.index(row["architecture"]) % len(COLOURS)],
            )
            axes.plot(
                np.clip([row["low"], row["high"]], LOWEST, HIGHEST),
                [y, y],
                color=shade,
                linewidth=2,
                solid_capstyle="round",
            )
            axes.plot([row["mean"]], [y], "o", color=shade, markersize=6)
        _lanes(axes, architectures, labels=index % columns == 0)
        axes.set_xlim(LOWEST - 0.2, HIGHEST + 0.2)
        axes.set_xticks(list(POINTS))
        axes.set_title(literal(short(result.dimension.capitalize())), fontsize=10.5, color=INK, loc="left", pad=6)
    make_room(figure)
    return figure


def assumptions(result: Result, *, narrow: bool = False) -> Figure:
    """Draw the ratings of one dimension, their spread, and a normal Q-Q plot of the residuals.

    The spread is the mean distance from the group's mean, which Levene's test compares, with its 95 per cent interval.

    Args:
        result: Result of one dimension.
        narrow: Whether to stack the panels, for narrow screens.

    Returns:
        A figure of its own.

    Raises:
        ValueError: for a table of means, which has no ratings to draw.
    """
    if result.ratings is None:
        raise ValueError(f"{result.dimension} comes from a table of means; only ratings can be drawn")
    names = list(result.groups["architecture"])
    rows = 3 if narrow else 1
    each = 0.95 + 0.36 * max(len(names), 5)
    height = rows * each
    figure = Figure(figsize=(NARROW if narrow else WIDE, height))
    FigureCanvasAgg(figure)
    grid = figure.add_gridspec(
        rows,
        3 // rows,
        width_ratios=(1,) if narrow else (3.4, 2, 2.4),
        left=_left(narrow),
        right=0.985,
        bottom=0.58 / height,
        top=1 - 0.34 / height,
        wspace=0.17,
        hspace=0.95 / (each - 0.95),
    )
    counts, spread, normal = (figure.add_subplot(grid[place]) for place in range(3))
    residuals = result.ratings["rating"] - result.ratings.groupby("architecture")["rating"].transform("mean")
    _counts(counts, result.ratings, names)
    _spread(spread, residuals.abs(), result.ratings["architecture"], names, labels=narrow)
    _normal(normal, residuals)
    make_room(figure)
    return figure


def _left(narrow: bool) -> float:
    """Return the left edge of the panels, as a share of the width."""
    return 0.37 if narrow else 0.185


def _counts(axes: Axes, ratings: pd.DataFrame, names: Sequence[str]) -> None:
    table = pd.crosstab(ratings["architecture"], ratings["rating"]).reindex(
        index=list(names), columns=list(POINTS), fill_value=0
    )
    counts = table.to_numpy()
    share = counts / counts.sum(axis=1, keepdims=True)
    for lane in range(len(names)):
        for column, point in enumerate(POINTS):
            strength, count = float(share[lane, column] / share.max()), counts[lane, column]
            shape = Rectangle((point - 0.47, lane - 0.43), 0.94, 0.86, facecolor=HEAT, alpha=0.06 + 0.94 * strength)
            axes.add_patch(shape)
            shade = ON_HEAT if strength > 0.6 else INK if count else MUTED
            axes.text(point, lane, str(count), ha="center", va="center", fontsize=8.5, color=shade)
    _lanes(axes, names, grid=False)
    axes.set_xlim(LOWEST - 0.5, HIGHEST + 0.5)
    axes.set_xticks(list(POINTS))
    _title(axes, "Ratings given", "Rating")


def _spread(axes: Axes, distances: pd.Series, groups: pd.Series, names: Sequence[str], *, labels: bool) -> None:
    for lane, name in enumerate(names):
        own, shade = distances[groups == name], COLOURS[lane % len(COLOURS)]
        margin = stats.t.ppf(0.5 + CONFIDENCE / 2, len(own) - 1) * own.std() / np.sqrt(len(own))
        axes.plot([max(own.mean() - margin, 0), own.mean() + margin], [lane, lane], color=shade, linewidth=2)
        axes.plot([own.mean()], [lane], "o", color=shade, markersize=6)
    _lanes(axes, names, labels=labels)
    axes.set_xlim(left=0)
    _title(axes, "Spread", "Mean distance from the mean")


def _normal(axes: Axes, residuals: pd.Series) -> None:
    (expected, found), (slope, intercept, _) = stats.probplot(residuals)
    ends = np.array([expected.min(), expected.max()])
    axes.plot(ends, slope * ends + intercept, color=MUTED, linewidth=1)
    axes.plot(expected, found, color=COLOURS[0], linewidth=2.2, solid_joinstyle="round")
    axes.grid(color=FAINT, linewidth=0.8)
    _dress(axes)
    axes.tick_params(axis="y", length=0, labelcolor=INK, labelsize=9)
    _title(axes, "Residuals", "Normal quantile")


def _lanes(axes: Axes, names: Sequence[str], *, labels: bool = True, grid: bool = True) -> None:
    axes.set_ylim(len(names) - 0.4, -0.6)
    axes.set_yticks(range(len(names)), labels=[literal(short(name)) for name in names] if labels else [])
    axes.tick_params(axis="y", length=0, labelcolor=INK, labelsize=9.5)
    if grid:
        axes.grid(axis="x", color=FAINT, linewidth=0.8)
    _dress(axes)


def _dress(axes: Axes) -> None:
    for side in ("top", "right", "left"):
        axes.spines[side].set_visible(False)
    axes.spines["bottom"].set_color(MUTED)
    axes.tick_params(axis="x", color=MUTED, labelcolor=INK, labelsize=9, length=3)
    axes.set_axisbelow(True)


def _title(axes: Axes, title: str, label: str) -> None:
    axes.set_title(title, fontsize=10.5, color=INK, loc="left", pad=6)
    axes.set_xlabel(label, fontsize=9.5, color=MUTED, labelpad=4)
