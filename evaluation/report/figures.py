"""The paper's figures 6, 7 and 8, and a chart of who was where, drawn from the records of a run.

A record is one resident in one time step, as events.jsonl has it; a metric is one row of metrics.csv. Every function
returns a Matplotlib figure of its own and touches no global state of Matplotlib.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import groupby
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from evaluation.look.colours import COMMON, FAINT, HEAT, INK, MUTED, ON_HEAT, colour, literal
from evaluation.records.interactions import Record, in_order, interaction_counts, residents
from evaluation.report.line_drawing import (
    MARKERS,
    arrivals,
    canvas,
    dress,
    dress_line_panel,
    end_labels,
    lines,
    span,
)

Metric: TypeAlias = Mapping[str, Any]


def places(records: Iterable[Record]) -> tuple[str, ...]:
    """Every place in the records: homes in the order of their residents, then the places all share, then outside."""
    return _place_order({record["place"] for record in records})


def driver(records: Sequence[Record]) -> Figure:
    """Driver of each resident over time (figure 6a)."""
    figure, (axes,) = canvas(height=3.9)
    lines(axes, _series(records, "driver"), residents(records), "Driver")
    return figure


def emotion(records: Sequence[Record]) -> Figure:
    """Pleasure, arousal and dominance of each resident over time, one panel each (figure 6b)."""
    figure, panels = canvas(height=8.2, rows=3)
    names = residents(records)
    for axes, quantity in zip(panels, ("pleasure", "arousal", "dominance"), strict=True):
        lines(axes, _series(records, quantity), names, quantity.capitalize(), last=axes is panels[-1])
    figure.align_ylabels(panels)
    return figure


def resources(records: Sequence[Record]) -> Figure:
    """Resources of each resident over time (figure 7a)."""
    figure, (axes,) = canvas(height=3.9)
    lines(axes, _series(records, "resources"), residents(records), "Resources")
    return figure


def topics(metrics: Sequence[Metric]) -> Figure:
    """Topic of each place over time (figure 7b), from the metrics, which know how many people were in each.

    A line breaks where a place is empty; a stay of one time step is a dot. Of runs whose metrics have no ``people``, a
    topic of exactly 0 is taken for an empty place, and the figure says so.
    """
    topic, people = (
        {(row["subject"], int(row["time"])): _number(row["value"]) for row in metrics if row["quantity"] == quantity}
        for quantity in ("topic", "people")
    )
    counted = topic.keys() <= people.keys()
    series: dict[str, tuple[list[int], list[float]]] = {}
    for (place, time), value in topic.items():
        times, values = series.setdefault(place, ([], []))
        times.append(time)
        values.append(math.nan if (people[place, time] if counted else value) == 0.0 else value)
    names = _place_order(series)
    owners = in_order({place.removesuffix("'s Home") for place in names if place.endswith("'s Home")})
    shared = [place for place in names if not place.endswith("'s Home")]
    colours = {
        place: COMMON[shared.index(place) % len(COMMON)]
        if place in shared
        else colour(place.removesuffix("'s Home"), owners)
        for place in names
    }
    figure, (axes,) = canvas(height=4.6, right=0.775)
    first, end = span(series)
    for index, place in enumerate(names):
        times, values = series[place]
        axes.plot(
            times,
            values,
            color=colours[place],
            linewidth=1.7,
            solid_joinstyle="round",
            marker=MARKERS[index % len(MARKERS)],
            markersize=5.5,
            markeredgewidth=0,
            markevery=arrivals(values),
            label=literal(place),
            zorder=3,
        )
    axes.set_xlim(first - 0.5, max(end, first + 1) + 0.5)  # Room for a marker at either end.
    dress_line_panel(axes, "Topic", last=True)
    axes.legend(loc="center left", bbox_to_anchor=(1.01, 0.5), frameon=False, fontsize=9.5, labelcolor=INK)
    if not counted:
        note = "This run does not say how many\npeople were in a place; where\nthe topic is exactly 0, it is\n"
        note += "taken to be empty."
        axes.text(1.02, 0.0, note, transform=axes.transAxes, fontsize=8, color=MUTED, va="bottom")
    return figure


def interactions(records: Sequence[Record]) -> Figure:
    """How often each resident turned to each other one; the darker, the more often (figure 8)."""
    names, counts = interaction_counts(records)
    n = max(len(names), 1)
    side = 0.62 * n
    width, height = side + 1.15, side + 0.85
    figure = Figure(figsize=(width, height))
    FigureCanvasAgg(figure)
    axes = figure.add_axes((0.95 / width, 0.15 / height, side / width, side / height))
    axes.set_xlim(0, n)
    axes.set_ylim(n, 0)
    most = max(int(counts.max(initial=0)), 1)
    for (row, column), count in np.ndenumerate(counts):
        x, y = column + 0.5, row + 0.5
        if row == column:
            continue
        if count == 0:
            axes.text(x, y, "0", ha="center", va="center", fontsize=9, color=MUTED)
            continue
        strength = _strength(int(count), most)
        axes.add_patch(Rectangle((column + 0.03, row + 0.03), 0.94, 0.94, facecolor=HEAT, alpha=strength, linewidth=0))
        axes.text(x, y, str(count), ha="center", va="center", fontsize=10.5, color=ON_HEAT if strength > 0.62 else INK)
    axes.xaxis.tick_top()
    axes.xaxis.set_label_position("top")
    for axis, label in ((axes.xaxis, "Receiver"), (axes.yaxis, "Initiator")):
        axis.set_ticks(np.arange(len(names)) + 0.5, labels=[literal(name) for name in names])
        axis.set_tick_params(length=0, labelsize=10, labelcolor=INK, pad=4)
        axis.set_label_text(label, fontsize=10, color=MUTED)
        axis.labelpad = 8
    for spine in axes.spines.values():
        spine.set_visible(False)
    return figure


def whereabouts(records: Sequence[Record]) -> Figure:
    """Where each resident was over time: a band a place, a lane in it a resident. Not in the paper."""
    names, where = residents(records), places(records)
    figure, (axes,) = canvas(height=1.0 + 0.52 * max(len(where), 1), left=0.185, right=0.92)
    lane = {name: (i + 1) / (len(names) + 1) for i, name in enumerate(names)}
    last = max((int(record["time"]) for record in records), default=0)
    for index in range(0, len(where), 2):
        axes.axhspan(index, index + 1, color=FAINT, alpha=0.45, linewidth=0)
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
    axes.set_ylim(max(len(where), 1), 0)
    axes.set_yticks(np.arange(len(where)) + 0.5, labels=[literal(place) for place in where])
    axes.tick_params(axis="y", length=0, labelsize=9.5, labelcolor=INK)
    axes.set_xlim(0, last + 1)
    dress(axes, None, last=True, grid=None)
    ends = {
        name: (last + 1.0, where.index(place) + lane[name])
        for name in names
        if (place := _last_place(records, name)) is not None
    }
    end_labels(axes, ends, dict(zip(names, (colour(name, names) for name in names), strict=True)))
    return figure


def _strength(count: int, most: int) -> float:
    """How strong a colour is, up to 1; the quotient first, which is never rounded beyond 1."""
    return 0.1 + 0.9 * (count / most)


def all_figures(records: Sequence[Record], metrics: Sequence[Metric]) -> dict[str, Figure]:
    """Every figure for which there is data, by name: without LTRHA there are neither resources nor topics."""
    drawn: dict[str, Callable[[], Figure]] = {}
    if records:
        drawn["driver"] = lambda: driver(records)
        drawn["emotion"] = lambda: emotion(records)
        if any(record.get("resources") is not None for record in records):
            drawn["resources"] = lambda: resources(records)
    if any(row["quantity"] == "topic" for row in metrics):
        drawn["topics"] = lambda: topics(metrics)
    if records:
        drawn["interactions"] = lambda: interactions(records)
        drawn["whereabouts"] = lambda: whereabouts(records)
    return {name: draw() for name, draw in drawn.items()}


def save_all(records: Sequence[Record], metrics: Sequence[Metric], directory: str | Path) -> list[Path]:
    """Write every figure for which there is data as a PNG.

    Args:
        records: Of one run.
        metrics: Of the same run.
        directory: Is made if it does not exist.

    Returns:
        The files, ``driver.png`` first.
    """
    folder = Path(directory)
    folder.mkdir(parents=True, exist_ok=True)
    paths = []
    for name, figure in all_figures(records, metrics).items():
        paths.append(save(figure, folder / f"{name}.png"))
    return paths


def save(figure: Figure, path: Path) -> Path:
    """Write a figure as a PNG, the same bytes for the same figure."""
    figure.savefig(path, dpi=160, facecolor="white", metadata={"Software": None})
    return path


def _place_order(names: Iterable[str]) -> tuple[str, ...]:
    given = set(names)
    homes = in_order({name.removesuffix("'s Home") for name in given if name.endswith("'s Home")})
    shared = sorted(name for name in given if not name.endswith("'s Home") and name != "outside")
    return (*(f"{owner}'s Home" for owner in homes), *shared, *(["outside"] if "outside" in given else []))


def _last_place(records: Sequence[Record], name: str) -> str | None:
    own = [record for record in records if record["resident"] == name]
    return str(max(own, key=lambda record: int(record["time"]))["place"]) if own else None


def _number(value: Any) -> float:
    """A value of a record or of a CSV row; what is missing is a gap in the line."""
    return math.nan if value is None or value == "" else float(value)


def _series(records: Sequence[Record], quantity: str) -> dict[str, tuple[list[int], list[float]]]:
    series: dict[str, tuple[list[int], list[float]]] = {}
    for record in sorted(records, key=lambda record: int(record["time"])):
        times, values = series.setdefault(record["resident"], ([], []))
        times.append(int(record["time"]))
        values.append(_number(record.get(quantity)))
    return series
