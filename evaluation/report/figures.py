"""The paper's figures 6, 7 and 8, and a chart of where each resident was, drawn from the records of a run.

A record is one line of events.jsonl: one resident in one time step. A metric is one row of metrics.csv. Every function
returns a new Matplotlib figure and leaves the global state of Matplotlib unchanged.
"""

from __future__ import annotations

import io
import math
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path

import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from evaluation.html_theme.colours import HEAT, INK, MUTED, ON_HEAT, literal
from evaluation.html_theme.widths import make_room
from evaluation.records.files import write_atomically
from evaluation.records.interactions import Record, interaction_counts, residents
from evaluation.report import crowd_figures
from evaluation.report.line_drawing import canvas, lines
from evaluation.report.place_figures import Metric, number, topics, whereabouts
from evaluation.report.world_figures import has_variables, needs, needs_of, variables
from irollan_env.world.state import AWAY_PLACE

FITTING = ("interactions",)
"""Figures that fit on a phone without a narrow version."""


def driver(records: Sequence[Record], *, narrow: bool = False) -> Figure:
    """Draw the driver of each resident over time (figure 6a)."""
    return _one_panel(records, "driver", narrow)


def emotion(records: Sequence[Record], *, narrow: bool = False) -> Figure:
    """Draw pleasure, arousal and dominance of each resident over time, in three panels of one range (figure 6b)."""
    names = residents(records)
    figure, panels = canvas(height=8.2, rows=3, narrow=narrow)
    series = {quantity: _series(records, quantity) for quantity in ("pleasure", "arousal", "dominance")}
    everything = [value for own in series.values() for _, values in own.values() for value in values]
    for axes, (quantity, own) in zip(panels, series.items(), strict=True):
        lines(axes, own, names, quantity.capitalize(), last=axes is panels[-1], within=everything)
    figure.align_ylabels(panels)
    make_room(figure)
    return figure


def resources(records: Sequence[Record], *, narrow: bool = False) -> Figure:
    """Draw the resources of each resident over time (figure 7a)."""
    return _one_panel(records, "resources", narrow)


def interactions(records: Sequence[Record]) -> Figure:
    """Draw how often each resident turned to each other, as a heat map (figure 8)."""
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


def _strength(count: int, most: int) -> float:
    """Return the opacity of a cell, in [0.1, 1]; dividing first keeps rounding from exceeding 1."""
    return 0.1 + 0.9 * (count / most)


def all_figures(records: Sequence[Record], metrics: Sequence[Metric], *, narrow: bool = False) -> dict[str, Figure]:
    """Draw every figure for which there is data, by name; without LTRHA there are neither resources nor topics.

    More residents than ``crowd_figures.MOST_DRAWN`` are summarised, instead of a line for each. Narrow figures leave
    out those that fit a phone anyway.

    Args:
        records: Records of one run.
        metrics: Metrics of the same run.
        narrow: Whether to draw for a phone held upright.
    """
    drawn: dict[str, Callable[..., Figure]] = {}
    crowd = len(residents(records)) > crowd_figures.MOST_DRAWN
    for name, draw in (("driver", driver), ("emotion", emotion), ("resources", resources)):
        if records and (name != "resources" or any(record.get(name) is not None for record in records)):
            drawn[name] = partial(crowd_figures.bands if crowd else draw, records, *([name] if crowd else []))
    if any(row["quantity"] == "topic" for row in metrics):
        drawn["topics"] = partial(crowd_figures.topics if crowd else topics, metrics)
    if needs_of(records):
        drawn["needs"] = partial(needs, records, metrics)
    if has_variables(records, metrics):
        drawn["variables"] = partial(variables, records, metrics)
    if records:
        drawn["interactions"] = partial(crowd_figures.interactions if crowd else interactions, records)
        drawn["whereabouts"] = partial(crowd_figures.whereabouts if crowd else whereabouts, records)
    return {
        name: draw() if name in FITTING else draw(narrow=narrow)
        for name, draw in drawn.items()
        if not (narrow and name in FITTING)
    }


def save_all(figures: Mapping[str, Figure], directory: str | Path) -> list[Path]:
    """Write figures as PNGs.

    Args:
        figures: Figures by name, from ``all_figures``.
        directory: Where to write; created if it does not exist.

    Returns:
        Paths of the files, in the order of the figures.
    """
    folder = Path(directory)
    folder.mkdir(parents=True, exist_ok=True)
    return [save(figure, folder / f"{name}.png") for name, figure in figures.items()]


def save(figure: Figure, path: Path) -> Path:
    """Write a figure as a PNG with reproducible bytes."""
    drawn = io.BytesIO()
    figure.savefig(drawn, format="png", dpi=160, facecolor="white", metadata={"Software": None})
    write_atomically(path, drawn.getvalue())
    return path


def _one_panel(records: Sequence[Record], quantity: str, narrow: bool) -> Figure:
    names = residents(records)
    figure, (axes,) = canvas(height=3.4 if narrow else 3.9, narrow=narrow)
    lines(axes, _series(records, quantity), names, quantity.capitalize())
    make_room(figure)
    return figure


def _series(records: Sequence[Record], quantity: str) -> dict[str, tuple[list[int], list[float]]]:
    series: dict[str, tuple[list[int], list[float]]] = {}
    for record in sorted(records, key=lambda record: int(record["time"])):
        times, values = series.setdefault(record["resident"], ([], []))
        times.append(int(record["time"]))
        values.append(number(record.get(quantity)) if record["place"] != AWAY_PLACE else math.nan)
    return series
