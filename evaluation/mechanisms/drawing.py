"""Figure of how many decisions change without each mechanism, over time."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import accumulate

from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from evaluation.html_theme.colours import COMMON, FAINT, INK, MUTED
from evaluation.mechanisms.measuring import Comparison, How, Measured
from evaluation.mechanisms.table import rows

COLUMNS = 3
_HOW: tuple[tuple[How, str, str, str], ...] = (
    ("removed", "taken away", COMMON[0], "-"),
    ("replaced", "another moment's", MUTED, "--"),
)


def drawn(groups: Sequence[Sequence[Measured]]) -> Figure:
    """Draw one panel for each mechanism that contributed to some decision, all on one scale.

    A panel shows the cumulative share of decisions whose action changes, in per cent of all decisions: with the
    mechanism removed, and with it replaced by that of another moment.

    Args:
        groups: Runs grouped by architecture and deliberation, as from ``table.grouped``, at least one run each.
    """
    shown = [(group, row) for group in groups for row in rows(group) if row.gives]
    down = -(-len(shown) // COLUMNS)
    figure = Figure(figsize=(9.0, 1.75 * down + 0.6), layout="constrained")
    FigureCanvasAgg(figure)
    panels = figure.subplots(down, COLUMNS, sharex=True, sharey=True, squeeze=False)
    for axes, (group, row) in zip(panels.flat, shown, strict=False):
        decisions = sum(run.decisions for run in group)
        own = [one for run in group for one in run.comparisons if one.mechanism == row.name]
        for how, label, shade, style in _HOW:
            if how == "removed" or row.replaced is not None:
                changed = [one for one in own if one.how == how]
                shares = [100 * count / decisions for count in _so_far(changed, max(one.time for one in own))]
                axes.plot(range(len(shares)), shares, style, color=shade, linewidth=1.8, label=label)
        whose = f" ({group[0].configuration.architecture})" if len(groups) > 1 else ""
        _dress(axes, f"{row.name}{whose}")
    for axes in panels.flat[len(shown) :]:
        axes.set_axis_off()
    handles, labels = panels.flat[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside upper right", ncols=2, frameon=False, fontsize=9, labelcolor=INK)
    figure.supxlabel("Time step", fontsize=10, color=INK)
    figure.supylabel("Other decisions so far, % of all", fontsize=10, color=INK)
    return figure


def _so_far(comparisons: Sequence[Comparison], last: int) -> list[int]:
    counts = Counter(one.time for one in comparisons if one.other_action)
    return list(accumulate(counts[time] for time in range(last + 1)))


def _dress(axes: Axes, title: str) -> None:
    axes.set_title(title, fontsize=9.5, color=INK, loc="left", pad=4)
    for side in ("top", "right", "left"):
        axes.spines[side].set_visible(False)
    axes.spines["bottom"].set_color(MUTED)
    axes.grid(axis="y", color=FAINT, linewidth=0.8)
    axes.tick_params(length=0, labelcolor=INK, labelsize=8.5)
    axes.yaxis.set_major_locator(MaxNLocator(nbins=4))
    axes.xaxis.set_major_locator(MaxNLocator(nbins=5, integer=True))
