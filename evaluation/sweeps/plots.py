"""Figures of a sweep: group means over time with confidence bands.

Every function returns a new Matplotlib figure and leaves the global state of Matplotlib unchanged.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from evaluation.html_theme.colours import COLOURS, INK, literal
from evaluation.html_theme.panels import small_panels
from evaluation.html_theme.widths import make_room, short
from evaluation.sweeps.curves import QUANTITIES
from evaluation.sweeps.table import GROUP

_STYLES = ("-", "--", ":", "-.")


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
    names = [name for name in titles if (bands["quantity"] == name).any()]
    columns = 1 if narrow else 3
    above = 0.3 + 0.22 * -(-len(groups) // columns)  # The names of the groups.
    figure, panels = small_panels([titles[name] for name in names], "Time step", narrow=narrow, above=above)
    for axes, name in zip(panels, names, strict=True):
        own = bands[bands["quantity"] == name]
        for place, group in enumerate(groups):
            _curve(axes, own[own[GROUP] == group], place, group)
    handles = [panels[0].plot([], [], _STYLES[_style(i)], color=_shade(i))[0] for i in range(len(groups))]
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


def _shade(place: int) -> str:
    return COLOURS[place % len(COLOURS)]


def _style(place: int) -> int:
    return place // len(COLOURS) % len(_STYLES)
