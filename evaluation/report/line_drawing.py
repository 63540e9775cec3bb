"""Line charts over time: panels, axes, and non-overlapping labels at the ends of lines."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TypeAlias

from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from evaluation.html_theme.colours import FAINT, INK, MUTED, colour, literal
from evaluation.html_theme.widths import NARROW, WIDE, short

Series: TypeAlias = Mapping[str, tuple[Sequence[int], Sequence[float]]]
"""Time steps and values by name."""

MARKERS = ("o", "s", "^", "D", "v", "X", "*", "P", "p")


def canvas(
    height: float,
    rows: int = 1,
    left: float = 0.085,
    right: float = 0.92,
    *,
    narrow: bool = False,
    below: float = 0.0,
) -> tuple[Figure, list[Axes]]:
    """Create a figure with panels of equal width, stacked vertically.

    Args:
        height: Height of the figure, in inches.
        rows: Number of panels.
        left: Left edge of the panels, as a share of the width; larger if their labels need room.
        right: Right edge of the panels, as a share of the width; smaller if labels beside them need room.
        narrow: Whether the figure is as wide as a phone held upright; panels then use the full width.
        below: Extra room below the time axis, in inches.
    """
    figure = Figure(figsize=(NARROW if narrow else WIDE, height))
    FigureCanvasAgg(figure)
    if narrow:
        left, right = 0.1, 0.98
    bottom, top = (0.56 + below) / height, 1 - (0.32 if narrow else 0.14) / height
    gap = 0.28 if narrow else 0.14
    grid = figure.add_gridspec(rows, 1, left=left, right=right, bottom=bottom, top=top, hspace=gap)
    panels = [figure.add_subplot(grid[row, 0]) for row in range(rows)]
    return figure, panels


def _is_narrow(axes: Axes) -> bool:
    return bool(axes.figure.get_window_extent().width / axes.figure.dpi < (WIDE + NARROW) / 2)


def dress(axes: Axes, label: str | None, *, last: bool, grid: str | None = "y") -> None:
    """Style the spines, ticks and labels of a panel; the last panel of a figure labels the time axis."""
    for side in ("top", "right", "left"):
        axes.spines[side].set_visible(False)
    axes.spines["bottom"].set_color(MUTED)
    axes.spines["bottom"].set_linewidth(0.8)
    axes.tick_params(axis="x", color=MUTED, labelcolor=INK, labelsize=9.5, length=3, labelbottom=last)
    if grid:
        axes.grid(axis="y", color=FAINT, linewidth=0.8)
        axes.tick_params(axis="y", length=0, labelcolor=INK, labelsize=9.5)
    axes.set_axisbelow(True)
    axes.xaxis.set_major_locator(MaxNLocator(nbins=6 if _is_narrow(axes) else 10, integer=True, steps=[1, 2, 5, 10]))
    if label and _is_narrow(axes):
        axes.set_title(label, fontsize=10, color=INK, loc="left", pad=5)
    elif label:
        axes.set_ylabel(label, fontsize=10, color=INK, labelpad=8)
    if last:
        axes.set_xlabel("Time step", fontsize=10, color=INK, labelpad=6)


def lines(
    axes: Axes,
    series: Series,
    names: Sequence[str],
    label: str,
    *,
    colours: Mapping[str, str] | None = None,
    last: bool = True,
    within: Sequence[float] = (),
) -> None:
    """Draw one line per subject, identified by colour, marker and a label at its end.

    Args:
        axes: Axes to draw on.
        series: Time steps and values of each subject.
        names: Names of the subjects, in the order of their colours.
        label: Label of the values.
        colours: Colour of each subject; the colours of residents when None.
        last: Whether this is the last panel of its figure.
        within: Further values that the range must include; panels given the same values share one range.
    """
    shades = dict(colours) if colours is not None else {name: colour(name, names) for name in names}
    first, end = span(series)
    every = max((end - first) // 8, 1)
    ends: dict[str, tuple[float, float]] = {}
    for index, name in enumerate(names):
        times, values = series[name]
        axes.plot(
            times,
            values,
            color=shades[name],
            linewidth=1.5,
            solid_joinstyle="round",
            marker=MARKERS[index % len(MARKERS)],
            markersize=3.8,
            markeredgewidth=0,
            markevery=(index * every // max(len(names), 1), every),
            zorder=3,
        )
        finite = [i for i, value in enumerate(values) if math.isfinite(value)]
        if finite:
            ends[name] = (float(times[finite[-1]]), float(values[finite[-1]]))
    axes.set_xlim(first, max(end, first + 1))
    if known := [value for value in within if math.isfinite(value)]:
        axes.update_datalim([(first, min(known)), (first, max(known))])
        axes.autoscale_view(scalex=False)
    dress_line_panel(axes, label, last=last)
    end_labels(axes, ends, shades)


def span(series: Series) -> tuple[int, int]:
    """Return the first and the last time step of all series."""
    first = min((times[0] for times, _ in series.values() if times), default=0)
    return first, max((times[-1] for times, _ in series.values() if times), default=1)


def arrivals(values: Sequence[float]) -> list[int]:
    """Return the indices at which a line begins: its first value and each value after a gap."""
    known = [math.isfinite(value) for value in values]
    return [index for index, here in enumerate(known) if here and not (index and known[index - 1])]


def dress_line_panel(axes: Axes, label: str, *, last: bool) -> None:
    """Style a panel of lines, and draw a line at 0 if values lie on both sides of it."""
    axes.margins(y=0.06)
    low, high = axes.get_ylim()
    if low < 0 < high:
        axes.axhline(0, color=MUTED, linewidth=0.8, zorder=1)
    dress(axes, label, last=last)
    axes.yaxis.set_major_locator(MaxNLocator(nbins=6, steps=[1, 2, 2.5, 5, 10]))


def end_labels(axes: Axes, ends: Mapping[str, tuple[float, float]], shades: Mapping[str, str]) -> None:
    """Write names at the right, as close to the ends of their lines as they fit without overlapping."""
    if not ends:
        return
    height = axes.get_window_extent().height / axes.figure.dpi * 72  # In points.
    low, high = axes.get_ylim()
    wanted = {name: (y - low) / (high - low) * height for name, (_, y) in ends.items()}
    gap = min(12.5, height / len(ends))
    order = sorted(wanted, key=lambda name: wanted[name])
    spots = spread([wanted[name] for name in order], gap, height)
    for name, spot in zip(order, spots, strict=True):
        axes.annotate(
            literal(short(name)),
            xy=ends[name],
            xycoords="data",
            xytext=(1.0, spot / height),
            textcoords=axes.transAxes,
            fontsize=9.5,
            color=INK,
            va="center",
            ha="left",
            annotation_clip=False,
        ).set_x(1.022)
        axes.annotate(
            "",
            xy=ends[name],
            xycoords="data",
            xytext=(1.018, spot / height),
            textcoords=axes.transAxes,
            annotation_clip=False,
            arrowprops={"arrowstyle": "-", "color": shades[name], "linewidth": 0.7, "shrinkA": 0, "shrinkB": 0},
        )


def spread(wanted: Sequence[float], gap: float, height: float) -> list[float]:
    """Return positions at least ``gap`` apart within [0, height], close to the ascending ``wanted`` positions."""
    blocks: list[list[float]] = []  # [sum of wanted positions less their offsets, number of labels]
    for position in wanted:
        blocks.append([position, 1])
        while len(blocks) > 1:
            (total, count), (next_total, next_count) = blocks[-2], blocks[-1]
            if next_total / next_count >= total / count + gap * count:
                break
            blocks[-2:] = [[total + next_total - next_count * count * gap, count + next_count]]
    spots = [total / count + i * gap for total, count in blocks for i in range(int(count))]
    for i in range(len(spots)):
        spots[i] = max(spots[i], i * gap)
    for i in range(len(spots)):
        spots[i] = min(spots[i], height - (len(spots) - 1 - i) * gap)
    return spots
