"""Figures of many small panels over time: side by side on a page, stacked on a phone."""

from __future__ import annotations

from collections.abc import Sequence

from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from evaluation.html_theme.colours import FAINT, INK, MUTED, literal
from evaluation.html_theme.widths import NARROW, WIDE, short

_COLUMNS = 3


def small_panels(
    titles: Sequence[str], label: str, *, narrow: bool = False, above: float = 0.1
) -> tuple[Figure, list[Axes]]:
    """Create a figure with one styled, empty panel for each title.

    Args:
        titles: Titles of the panels, at least one.
        label: Label of the time axis, below the lowest panels.
        narrow: Whether to stack the panels, for a phone held upright.
        above: Room above the panels' titles, in inches.
    """
    columns = 1 if narrow else min(_COLUMNS, len(titles))
    rows = -(-len(titles) // columns)
    height = above + 2.1 * rows + 0.25
    figure = Figure(figsize=(NARROW if narrow else WIDE, height))
    FigureCanvasAgg(figure)
    grid = figure.add_gridspec(
        rows,
        columns,
        left=0.12 if narrow else 0.06,
        right=0.97 if narrow else 0.99,
        bottom=0.45 / height,
        top=1 - (above + 0.2) / height,
        hspace=0.5,
        wspace=0.2,
    )
    panels = []
    for index, title in enumerate(titles):
        axes = figure.add_subplot(grid[index // columns, index % columns])
        axes.set_title(literal(short(title, 44)), fontsize=10, color=INK, loc="left", pad=5)
        axes.grid(axis="y", color=FAINT, linewidth=0.8)
        for side in ("top", "right", "left"):
            axes.spines[side].set_visible(False)
        axes.spines["bottom"].set_color(MUTED)
        axes.tick_params(color=MUTED, labelcolor=INK, labelsize=8.5, length=3)
        axes.tick_params(axis="y", length=0)
        axes.xaxis.set_major_locator(MaxNLocator(5, integer=True))
        axes.yaxis.set_major_locator(MaxNLocator(4))
        axes.set_axisbelow(True)
        if index >= len(titles) - columns:
            axes.set_xlabel(label, fontsize=9, color=MUTED, labelpad=3)
        panels.append(axes)
    return figure, panels
