"""Figures of what a world's mechanics count: needs and variables of residents, and variables of the world."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Sequence

from matplotlib.figure import Figure

from evaluation.html_theme.widths import make_room
from evaluation.records.interactions import Record, residents
from evaluation.records.metrics import OWN
from evaluation.report.crowd_figures import MOST_DRAWN, band
from evaluation.report.line_drawing import canvas, dress_line_panel, lines
from evaluation.report.place_figures import Metric, number
from irollan_env.world.mechanic import WORLD

MOST_PANELS = 6


def needs(records: Sequence[Record], metrics: Sequence[Metric], *, narrow: bool = False) -> Figure:
    """Draw each need of the residents over time, a panel a need."""
    names = residents(records)
    return _panels(metrics, [(need, names) for need in needs_of(records)], narrow)


def variables(records: Sequence[Record], metrics: Sequence[Metric], *, narrow: bool = False) -> Figure:
    """Draw the variables of the world and of the residents over time, a panel each."""
    names, felt = residents(records), needs_of(records)
    numbers = [row for row in metrics if row["quantity"] not in OWN]
    of_world = dict.fromkeys(row["quantity"] for row in numbers if row["subject"] == WORLD)
    own = dict.fromkeys(row["quantity"] for row in numbers if row["subject"] != WORLD and row["quantity"] not in felt)
    return _panels(metrics, [*((one, (WORLD,)) for one in of_world), *((one, names) for one in own)], narrow)


def needs_of(records: Iterable[Record]) -> Collection[str]:
    """Return the names of the needs that residents feel."""
    return dict.fromkeys(need for record in records for need in record.get("needs", ()))


def has_variables(records: Sequence[Record], metrics: Sequence[Metric]) -> bool:
    """Return whether there is a variable to draw."""
    return bool({row["quantity"] for row in metrics} - OWN - set(needs_of(records)))


def _panels(metrics: Sequence[Metric], wanted: Sequence[tuple[str, Sequence[str]]], narrow: bool) -> Figure:
    """Draw the first quantities over time, each for its subjects that have it; many subjects as bands."""
    shown = wanted[:MOST_PANELS]
    times = sorted({int(row["time"]) for row in metrics})
    figure, panels = canvas(height=0.7 + (2.2 if narrow else 2.5) * len(shown), rows=len(shown), narrow=narrow)
    for axes, (quantity, subjects) in zip(panels, shown, strict=True):
        last = axes is panels[-1]
        found: dict[str, dict[int, float]] = {name: {} for name in subjects}
        for row in metrics:
            if row["quantity"] == quantity and row["subject"] in found:
                found[row["subject"]][int(row["time"])] = number(row["value"])
        having = [name for name in subjects if found[name]]
        if len(having) > MOST_DRAWN:
            values = {time: [found[name][time] for name in having if time in found[name]] for time in times}
            band(axes, values, [value for held in values.values() for value in held])
            dress_line_panel(axes, quantity, last=last)
        else:
            series = {name: (times, [found[name].get(time, math.nan) for time in times]) for name in having}
            lines(axes, series, having, quantity, last=last)
    figure.align_ylabels(panels)
    make_room(figure)
    return figure
