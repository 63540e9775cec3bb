"""Figure of a questionnaire's scales over time."""

from __future__ import annotations

from itertools import islice

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from evaluation.html_theme.colours import COLOURS, FAINT, INK, MUTED, literal
from evaluation.html_theme.widths import NARROW, WIDE, make_room, short
from evaluation.interviews.survey_tables import SurveyTables

MOST_SHOWN = 60
"""Most residents who are drawn and listed, and most answers in words to an item."""


def scales(tables: SurveyTables, *, narrow: bool = False) -> Figure:
    """Draw each scale over time in a panel: the residents' scores, and their mean with its 95 per cent interval.

    Args:
        tables: The answers, with at least one scale.
        narrow: Whether to draw for a phone held upright, with the panels stacked.

    Returns:
        A figure of its own.
    """
    names = tables.questionnaire.scales
    columns = 1 if narrow else min(3, len(names))
    rows = -(-len(names) // columns)
    height = 0.35 + 2.1 * rows
    figure = Figure(figsize=(NARROW if narrow else WIDE, height))
    FigureCanvasAgg(figure)
    grid = figure.add_gridspec(
        rows,
        columns,
        left=0.12 if narrow else 0.06,
        right=0.97 if narrow else 0.99,
        bottom=0.45 / height,
        top=1 - 0.3 / height,
        hspace=0.5,
        wspace=0.18,
    )
    for index, (name, title) in enumerate(names.items()):
        axes = figure.add_subplot(grid[index // columns, index % columns])
        values = [value for item in tables.questionnaire.of_scale[name] for value in item.values]
        _panel(axes, tables.scores[tables.scores["scale"] == name], tables.means[tables.means["scale"] == name])
        room = (max(values) - min(values)) * 0.06
        axes.set_ylim(min(values) - room, max(values) + room)
        axes.set_title(literal(short(title, 34)), fontsize=10, color=INK, loc="left", pad=5)
        axes.yaxis.set_major_locator(MaxNLocator(5, integer=max(values) - min(values) >= 2))
        _dress(axes, last=index >= len(names) - columns)
    make_room(figure)
    return figure


def _panel(axes: Axes, scores: pd.DataFrame, means: pd.DataFrame) -> None:
    for _, own in islice(scores.groupby("resident", sort=False), MOST_SHOWN):
        axes.plot(own["time"], own["score"], "o-", color=MUTED, alpha=0.35, linewidth=0.8, markersize=2.5, zorder=2)
    margin = [means["mean"] - means["low"], means["high"] - means["mean"]]
    axes.errorbar(
        means["time"], means["mean"], yerr=margin, fmt="o-", color=COLOURS[0], linewidth=1.8, markersize=5, zorder=3
    )


def _dress(axes: Axes, *, last: bool) -> None:
    axes.grid(axis="y", color=FAINT, linewidth=0.8)
    for side in ("top", "right", "left"):
        axes.spines[side].set_visible(False)
    axes.spines["bottom"].set_color(MUTED)
    axes.tick_params(color=MUTED, labelcolor=INK, labelsize=8.5, length=3)
    axes.tick_params(axis="y", length=0)
    axes.margins(x=0.06)
    axes.xaxis.set_major_locator(MaxNLocator(5, integer=True))
    axes.set_axisbelow(True)
    if last:
        axes.set_xlabel("Time steps lived", fontsize=9, color=MUTED, labelpad=3)
