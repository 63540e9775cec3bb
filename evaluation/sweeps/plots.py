"""Figures of a sweep: group means over time with confidence bands.

Every function returns a new Matplotlib figure and leaves the global state of Matplotlib unchanged.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from evaluation.html_theme.colours import COLOURS, FAINT, INK, MUTED, literal
from evaluation.html_theme.widths import NARROW, WIDE, make_room, short
from evaluation.sweeps.curves import QUANTITIES
from evaluation.sweeps.table import GROUP

_STYLES = ("-", "--", ":", "-.")
_COLUMNS, _NARROW_COLUMNS = 3, 1


def curves(
    bands: pd.DataFrame, groups: Sequence[str], *, titles: Mapping[str, str] = QUANTITIES, narrow: bool = False
) -> Figure:
    """Draw the mean of each group over its runs, with its pointwise 95 per cent interval, in one panel per quantity.

    Args:
        bands: The result of ``evaluation.sweep_bands``.
        groups: Names of the groups, in the order of colours; values of the column group.
        titles: Titles of the panels by quantity, in their order.
        narrow: Whether to draw for a phone held upright, with the panels stacked.
    """
    columns = _NARROW_COLUMNS if narrow else _COLUMNS
    names = [name for name in titles if (bands["quantity"] == name).any()]
    rows = -(-len(names) // columns)
    # Room for the names of the groups above the panels.
    key = 0.3 + 0.22 * -(-len(groups) // columns)
    height = key + 2.1 * rows
    figure = Figure(figsize=(NARROW if narrow else WIDE, height))
    FigureCanvasAgg(figure)
    grid = figure.add_gridspec(
        rows,
        columns,
        left=0.12 if narrow else 0.06,
        right=0.97 if narrow else 0.99,
        bottom=0.42 / height,
        top=1 - (key + 0.2) / height,
        hspace=0.5,
        wspace=0.2,
    )
    for index, name in enumerate(names):
        axes = figure.add_subplot(grid[index // columns, index % columns])
        own = bands[bands["quantity"] == name]
        for place, group in enumerate(groups):
            _curve(axes, own[own[GROUP] == group], place, group)
        axes.set_title(literal(short(titles[name], 44)), fontsize=10, color=INK, loc="left", pad=5)
        _dress(axes, last=index >= len(names) - columns)
        if index == 0:
            handles = [axes.plot([], [], _STYLES[_style(i)], color=_shade(i))[0] for i in range(len(groups))]
            figure.legend(
                handles,
                [literal(short(group, 40)) for group in groups],
                loc="upper left",
                bbox_to_anchor=(0.05, 1.0),
                ncols=columns,
                frameon=False,
                fontsize=9.5,
                labelcolor=INK,
            )
    make_room(figure)
    return figure


def _curve(axes: Axes, own: pd.DataFrame, place: int, group: str) -> None:
    if own.empty:
        return
    time, mean = own["time"].to_numpy(), own["mean"].to_numpy()
    axes.plot(time, mean, _STYLES[_style(place)], color=_shade(place), linewidth=1.7, label=literal(group), zorder=3)
    if own["low"].notna().any():
        axes.fill_between(
            time, own["low"].to_numpy(), own["high"].to_numpy(), color=_shade(place), alpha=0.16, linewidth=0, zorder=2
        )


def _dress(axes: Axes, *, last: bool) -> None:
    axes.grid(axis="y", color=FAINT, linewidth=0.8)
    for side in ("top", "right", "left"):
        axes.spines[side].set_visible(False)
    axes.spines["bottom"].set_color(MUTED)
    axes.tick_params(color=MUTED, labelcolor=INK, labelsize=8.5, length=3)
    axes.tick_params(axis="y", length=0)
    axes.xaxis.set_major_locator(MaxNLocator(5, integer=True))
    axes.yaxis.set_major_locator(MaxNLocator(4))
    axes.set_axisbelow(True)
    if last:
        axes.set_xlabel("Time step", fontsize=9, color=MUTED, labelpad=3)


def _shade(place: int) -> str:
    return COLOURS[place % len(COLOURS)]


def _style(place: int) -> int:
    return place // len(COLOURS) % len(_STYLES)
