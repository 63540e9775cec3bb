"""Pictures of a sweep: curves of each group with their bands.

Every function returns a Matplotlib figure of its own and touches no global state of Matplotlib.
"""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from evaluation.look.colours import COLOURS, FAINT, INK, MUTED, literal
from evaluation.sweeps.curves import QUANTITIES
from evaluation.sweeps.table import GROUP

_STYLES = ("-", "--", ":", "-.")
_COLUMNS = 3


def curves(bands: pd.DataFrame, groups: Sequence[str]) -> Figure:
    """The mean of each group over its runs, with its pointwise 95 per cent interval: one panel a quantity.

    Args:
        bands: Of ``evaluation.sweeps.curves.bands``.
        groups: In the order of colours.
    """
    names = [name for name in QUANTITIES if (bands["quantity"] == name).any()]
    rows = -(-len(names) // _COLUMNS)
    # Room for the names of the groups above the panels.
    key = 0.3 + 0.22 * -(-len(groups) // _COLUMNS)
    height = key + 2.1 * rows
    figure = Figure(figsize=(9.2, height))
    FigureCanvasAgg(figure)
    grid = figure.add_gridspec(
        rows,
        _COLUMNS,
        left=0.06,
        right=0.99,
        bottom=0.42 / height,
        top=1 - (key + 0.2) / height,
        hspace=0.5,
        wspace=0.2,
    )
    for index, name in enumerate(names):
        axes = figure.add_subplot(grid[index // _COLUMNS, index % _COLUMNS])
        own = bands[bands["quantity"] == name]
        for place, group in enumerate(groups):
            _curve(axes, own[own[GROUP] == group], place, group)
        axes.set_title(QUANTITIES[name], fontsize=10, color=INK, loc="left", pad=5)
        _dress(axes, last=index >= len(names) - _COLUMNS)
        if index == 0:
            handles = [axes.plot([], [], _STYLES[_style(i)], color=_shade(i))[0] for i in range(len(groups))]
            figure.legend(
                handles,
                [literal(group) for group in groups],
                loc="upper left",
                bbox_to_anchor=(0.05, 1.0),
                ncols=_COLUMNS,
                frameon=False,
                fontsize=9.5,
                labelcolor=INK,
            )
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
