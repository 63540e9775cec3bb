"""Figures of a run of many residents: what most of them did, instead of a line for each.

The report's page draws the lines of the residents that a reader picks over these figures.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure
from numpy.typing import NDArray

from evaluation.html_theme.colours import COLOURS, INK, MUTED, literal
from evaluation.html_theme.widths import make_room, short
from evaluation.records.interactions import Record, interaction_counts
from evaluation.report.line_drawing import canvas, dress, dress_line_panel
from evaluation.report.place_figures import Metric, number, places
from evaluation.social.networks import communities
from irollan_env.world.state import AWAY_PLACE

MOST_DRAWN = 16
"""Maximum number of residents with a line each; more are summarised."""

_PLACES = 14
"""Number of places with a row of their own: those where the most people were."""

_PANELS = {
    "driver": ("driver",),
    "emotion": ("pleasure", "arousal", "dominance"),
    "resources": ("resources",),
}
"""Quantities by figure, one panel each."""

QUANTITIES = tuple(one for panels in _PANELS.values() for one in panels)
"""Quantities of which a line can be drawn for each resident."""


def bands(records: Sequence[Record], figure: str, *, narrow: bool = False) -> Figure:
    """Draw the median of all residents over time, and between which values 50 and 90 in 100 of them lie.

    Args:
        records: Records of one run.
        figure: "driver", "emotion" or "resources".
        narrow: Whether to draw for a phone held upright.
    """
    quantities = _PANELS[figure]
    height = 8.2 if len(quantities) > 1 else 3.4 if narrow else 3.9
    drawn, panels = canvas(height=height, rows=len(quantities), narrow=narrow)
    series = {one: _by_time(records, one) for one in quantities}
    known = [value for times in series.values() for values in times.values() for value in values]
    for axes, (quantity, values) in zip(panels, series.items(), strict=True):
        # Marks the panel for the page, which draws lines of residents over it.
        axes.set_gid(quantity)
        band(axes, values, known)
        dress_line_panel(axes, quantity.capitalize(), last=axes is panels[-1])
    drawn.align_ylabels(panels)
    make_room(drawn)
    return drawn


def topics(metrics: Sequence[Metric], *, narrow: bool = False) -> Figure:
    """Draw the topics of all places with people over time as bands, as in ``bands``."""
    people = {
        (row["subject"], int(row["time"])): number(row["value"]) for row in metrics if row["quantity"] == "people"
    }
    values: dict[int, list[float]] = {}
    for row in metrics:
        if row["quantity"] == "topic":
            time, value = int(row["time"]), number(row["value"])
            held = values.setdefault(time, [])
            if people.get((row["subject"], time), value) != 0.0:
                held.append(value)
    figure, (axes,) = canvas(height=3.4 if narrow else 3.9, narrow=narrow)
    band(axes, values, [value for held in values.values() for value in held])
    dress_line_panel(axes, "Topic", last=True)
    make_room(figure)
    return figure


def interactions(records: Sequence[Record]) -> Figure:
    """Draw how often each resident turned to each other as an image, residents ordered by community."""
    names, counts = interaction_counts(records)
    groups = communities(counts.astype(np.float64))[0]
    order = [one for group in groups for one in sorted(group, key=lambda one: -counts[:, one].sum())]
    figure = Figure(figsize=(6.4, 6.2))
    FigureCanvasAgg(figure)
    axes = figure.add_axes((0.1, 0.02, 0.88, 0.88))
    _image(axes, counts[np.ix_(order, order)])
    edges = np.cumsum([len(group) for group in groups if len(group) > 2])
    for edge in edges[:-1] if len(edges) and edges[-1] == len(names) else edges:
        for line in (axes.axhline, axes.axvline):
            line(edge, color=MUTED, linewidth=0.4)
    axes.xaxis.tick_top()
    axes.xaxis.set_label_position("top")
    for axis, label in ((axes.xaxis, "Receivers"), (axes.yaxis, "Initiators")):
        axis.set_ticks([])
        axis.set_label_text(f"{label}, {len(names)} residents by community", fontsize=10, color=MUTED)
        axis.labelpad = 8
    return figure


def whereabouts(records: Sequence[Record], *, narrow: bool = False) -> Figure:
    """Draw how many people were in each of the busiest places over time, and in all the others together."""
    stays = Counter(record["place"] for record in records)
    most = {place for place, _ in stays.most_common(_PLACES)}
    listed = [place for place in places(records) if place in most]
    rest = len(stays) - len(listed)
    rows = {place: row for row, place in enumerate(listed)}
    first, last = (end(int(record["time"]) for record in records) for end in (min, max))
    counts = np.zeros((len(listed) + (rest > 0), last - first + 1), dtype=np.int64)
    for record in records:
        counts[rows.get(record["place"], len(listed)), int(record["time"]) - first] += 1
    labels = [literal(short(place, 14 if narrow else 20)) for place in listed]
    labels += [f"{rest} others"] if rest else []
    figure, (axes,) = canvas(height=1.0 + 0.3 * len(counts), left=0.185, right=0.92, narrow=narrow)
    _image(axes, counts, (first, last + 1, len(counts), 0), int(counts[: len(listed)].max()))
    axes.set_yticks(np.arange(len(counts)) + 0.5, labels=labels)
    axes.tick_params(axis="y", length=0, labelsize=9.5, labelcolor=INK)
    for row, own in enumerate(counts):
        axes.annotate(
            str(own.max()),
            (1.0, row + 0.5),
            (4, 0),
            xycoords=("axes fraction", "data"),
            textcoords="offset points",
            fontsize=9,
            color=MUTED,
            va="center",
        )
    dress(axes, None, last=True, grid=None)
    make_room(figure)
    return figure


def panels_of(figure: Figure) -> dict[str, dict[str, list[float]]]:
    """Return where the panels of ``bands`` lie, for a script that draws over them.

    Returns:
        By quantity ``box``, the left, top, right and bottom edges in points from the top left corner, and ``time`` and
        ``value``, the values at the left and right, and at the bottom and top edges.
    """
    width, height = figure.get_size_inches() * 72
    found = {}
    for axes in figure.axes:
        if quantity := axes.get_gid():
            place = axes.get_position()
            box = [place.x0 * width, (1 - place.y1) * height, place.x1 * width, (1 - place.y0) * height]
            ends = {"box": box, "time": list(axes.get_xlim()), "value": list(axes.get_ylim())}
            found[quantity] = {key: [round(float(one), 4) for one in values] for key, values in ends.items()}
    return found


def _by_time(records: Sequence[Record], quantity: str) -> dict[int, list[float]]:
    values: dict[int, list[float]] = {}
    for record in records:
        if record["place"] != AWAY_PLACE and math.isfinite(value := number(record.get(quantity))):
            values.setdefault(int(record["time"]), []).append(value)
    return values


def band(axes: Axes, values: dict[int, list[float]], known: Sequence[float]) -> None:
    """Draw the median of values over time, and bands with 50 and 90 in 100 of them.

    Args:
        axes: Where to draw.
        values: By time step.
        known: All values that the panel's range must include.
    """
    times = sorted(time for time, held in values.items() if held)
    if not times:
        return
    ends = np.array([np.percentile(values[time], [5, 25, 50, 75, 95]) for time in times]).T
    for low, high, opacity in ((ends[0], ends[4], 0.16), (ends[1], ends[3], 0.26)):
        axes.fill_between(times, low, high, color=COLOURS[0], alpha=opacity, linewidth=0)
    axes.plot(times, ends[2], color=INK, linewidth=1.3)
    axes.set_xlim(times[0], max(times[-1], times[0] + 1))
    axes.update_datalim([(times[0], min(known)), (times[0], max(known))])
    axes.autoscale_view(scalex=False)


def _image(
    axes: Axes, counts: NDArray[np.int64], extent: tuple[int, int, int, int] | None = None, most: int | None = None
) -> None:
    """Draw counts as cells, the stronger the higher; by the square root, as few are much higher than the others.

    Args:
        axes: Where to draw.
        counts: One per cell.
        extent: Left, right, bottom and top edges; one unit a cell when None.
        most: The count of full strength; the highest when None.
    """
    strength = np.sqrt(np.minimum(counts / max(most or int(counts.max(initial=0)), 1), 1))
    cells = np.zeros((*counts.shape, 4))
    cells[..., :3] = to_rgb(COLOURS[0])
    cells[..., 3] = np.where(counts > 0, 0.15 + 0.85 * strength, 0)
    rows, columns = counts.shape
    axes.imshow(cells, extent=extent or (0, columns, rows, 0), aspect="auto", interpolation="nearest")
    for spine in axes.spines.values():
        spine.set_visible(False)
