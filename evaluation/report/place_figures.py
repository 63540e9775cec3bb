"""Figures by place: the paper's figure 7b, and a chart of where each resident was."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby
from typing import Any, Literal, TypeAlias

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from evaluation.html_theme.colours import COMMON, FAINT, INK, MUTED, colour, literal
from evaluation.html_theme.widths import make_room, short
from evaluation.records.interactions import Record, in_order, residents
from evaluation.report.line_drawing import (
    MARKERS,
    arrivals,
    canvas,
    dress,
    dress_line_panel,
    end_labels,
    span,
)
from irollan_env.naming import kind, owner

Metric: TypeAlias = Mapping[str, Any]
_NOTE = (
    "This run does not say how many{}people were in a place; where{}the topic is exactly 0, it is{}taken to be empty."
)


def places(records: Iterable[Record]) -> tuple[str, ...]:
    """Return every place in the records: homes in the order of their residents, then shared places, then outside."""
    return _place_order({record["place"] for record in records})


def topics(metrics: Sequence[Metric], *, narrow: bool = False) -> Figure:
    """Draw the topic of each place over time (figure 7b).

    A line breaks where a place is empty; a stay of one time step is a dot. Homes have the colours of their owners and
    full symbols, other places hollow ones. If the metrics have no ``people``, a topic of exactly 0 counts as an empty
    place, and the figure says so.
    """
    topic, people = (
        {(row["subject"], int(row["time"])): number(row["value"]) for row in metrics if row["quantity"] == quantity}
        for quantity in ("topic", "people")
    )
    counted = topic.keys() <= people.keys()
    series: dict[str, tuple[list[int], list[float]]] = {}
    for (place, time), value in topic.items():
        times, values = series.setdefault(place, ([], []))
        times.append(time)
        values.append(math.nan if (people[place, time] if counted else value) == 0.0 else value)
    names = _place_order(series)
    below = (0.3 + 0.21 * -(-len(names) // 2) + (0.0 if counted else 0.35)) if narrow else 0.0
    figure, (axes,) = canvas(height=(3.2 if narrow else 4.6) + below, right=0.775, below=below, narrow=narrow)
    first, end = span(series)
    for name, (shade, marker, hollow) in _symbols(names).items():
        times, values = series[name]
        axes.plot(
            times,
            values,
            color=shade,
            linewidth=1.7,
            solid_joinstyle="round",
            marker=marker,
            markersize=6.5,
            markerfacecolor="white" if hollow else shade,
            markeredgewidth=1.3 if hollow else 0,
            markevery=arrivals(values),
            label=literal(short(name)),
            zorder=3,
        )
    axes.set_xlim(first - 0.5, max(end, first + 1) + 0.5)  # Room for a marker at either end.
    dress_line_panel(axes, "Topic", last=True)
    _key(axes, narrow)
    if not counted and narrow:
        figure.text(0.03, 0.08 / figure.get_figheight(), _NOTE.format(" ", "\n", " "), fontsize=8, color=MUTED)
    elif not counted:
        axes.text(1.02, 0.0, _NOTE.format(*"\n\n\n"), transform=axes.transAxes, fontsize=8, color=MUTED, va="bottom")
    make_room(figure)
    return figure


def whereabouts(records: Sequence[Record], *, narrow: bool = False) -> Figure:
    """Draw where each resident was over time: one band per place, with one lane per resident. Not in the paper.

    The narrow form writes the name of a place inside its band, above the lanes.
    """
    names, where = residents(records), places(records)
    height = 1.0 + (0.66 if narrow else 0.52) * max(len(where), 1)
    figure, (axes,) = canvas(height=height, left=0.185, right=0.92, narrow=narrow)
    top = 0.3 if narrow else 0.0
    lane = {name: top + (1 - top) * (i + 1) / (len(names) + 1) for i, name in enumerate(names)}
    last = max((int(record["time"]) for record in records), default=0)
    for index in range(0, len(where), 2):
        axes.axhspan(index, index + 1, color=FAINT, alpha=0.45, linewidth=0)
    ends: dict[str, tuple[float, float]] = {}
    for i, name in enumerate(names):
        own = sorted((record for record in records if record["resident"] == name), key=lambda record: record["time"])
        shade, before = colour(name, names), None
        for place, stay in groupby(own, key=lambda record: record["place"]):
            stays = list(stay)
            start, end, y = stays[0]["time"], stays[-1]["time"] + 1, where.index(place) + lane[name]
            if before is not None:
                axes.plot([start, start], [before, y], color=shade, linewidth=0.7, alpha=0.45, zorder=2)
            axes.plot([start, end], [y, y], color=shade, linewidth=3.2, solid_capstyle="butt", zorder=3)
            before = y
        if before is not None:
            axes.plot([last + 1], [before], MARKERS[i % len(MARKERS)], color=shade, markersize=4.5, clip_on=False)
            ends[name] = (last + 1.0, before)
    axes.set_ylim(max(len(where), 1), 0)
    axes.set_yticks(np.arange(len(where)) + 0.5, labels=[] if narrow else [literal(short(place)) for place in where])
    axes.tick_params(axis="y", length=0, labelsize=9.5, labelcolor=INK)
    axes.set_xlim(0, last + 1)
    if narrow:
        for index, place in enumerate(where):
            axes.annotate(
                literal(short(place)),
                (0, index),
                (3, -3),
                textcoords="offset points",
                fontsize=8.5,
                color=INK,
                va="top",
            )
    dress(axes, None, last=True, grid=None)
    end_labels(axes, ends, {name: colour(name, names) for name in names})
    make_room(figure)
    return figure


def number(value: Any) -> float:
    """Convert a value of a record or CSV row to a float; NaN, a gap in the line, if it is missing."""
    return math.nan if value is None or value == "" else float(value)


def _symbols(names: Sequence[str]) -> dict[str, tuple[str, str, bool]]:
    """Return the colour, marker and hollowness of each place's symbol; no two places share all three."""
    owners = in_order({str(owner(place)) for place in names if _is_home(place)})
    homes = [place for place in names if _is_home(place)]
    shared = [place for place in names if not _is_home(place)]
    return {
        **{
            place: (colour(str(owner(place)), owners), MARKERS[i % len(MARKERS)], False)
            for i, place in enumerate(homes)
        },
        **{place: (COMMON[i % len(COMMON)], MARKERS[i % len(MARKERS)], True) for i, place in enumerate(shared)},
    }


def _is_home(place: str) -> bool:
    return owner(place) is not None and kind(place) == "Home"


def _key(axes: Axes, narrow: bool) -> None:
    """Add the legend of places, at the right or, if narrow, below in two columns."""
    corner: Literal["upper left", "center left"]
    if narrow:
        height = axes.figure.get_window_extent().height / axes.figure.dpi
        anchor, corner, columns = (-0.02, -0.5 / (axes.get_position().height * height)), "upper left", 2
    else:
        anchor, corner, columns = (1.01, 0.5), "center left", 1
    size = 8.5 if narrow else 9.5
    axes.legend(
        bbox_to_anchor=anchor,
        loc=corner,
        ncols=columns,
        frameon=False,
        fontsize=size,
        labelcolor=INK,
        columnspacing=1.0,
        borderpad=0,
    )


def _place_order(names: Iterable[str]) -> tuple[str, ...]:
    given = set(names)
    homes = {str(owner(name)): name for name in given if _is_home(name)}
    shared = sorted(name for name in given if not _is_home(name) and name != "outside")
    return (*(homes[one] for one in in_order(homes)), *shared, *(["outside"] if "outside" in given else []))
