"""Figure of a questionnaire's scales over time."""

from __future__ import annotations

from itertools import islice

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from evaluation.html_theme.colours import COLOURS, MUTED
from evaluation.html_theme.panels import small_panels
from evaluation.html_theme.widths import make_room
from evaluation.interviews.survey_tables import SurveyTables

MOST_SHOWN = 60
"""Most residents who are drawn and listed, and most answers in words to an item."""


def scales(tables: SurveyTables, *, narrow: bool = False) -> Figure:
    """Draw each scale over time in a panel: the residents' scores, and their mean with its 95 per cent interval.

    Args:
        tables: The answers, with at least one scale.
        narrow: Whether to draw for a phone held upright, with the panels stacked.

    Returns:
        A figure of its own.
    """
    names = tables.questionnaire.scales
    figure, panels = small_panels(list(names.values()), "Time steps lived", narrow=narrow)
    for axes, name in zip(panels, names, strict=True):
        values = [value for item in tables.questionnaire.of_scale[name] for value in item.values]
        _panel(axes, tables.scores[tables.scores["scale"] == name], tables.means[tables.means["scale"] == name])
        room = (max(values) - min(values)) * 0.06
        axes.set_ylim(min(values) - room, max(values) + room)
        axes.margins(x=0.06)
        axes.yaxis.set_major_locator(MaxNLocator(5, integer=max(values) - min(values) >= 2))
    make_room(figure)
    return figure


def _panel(axes: Axes, scores: pd.DataFrame, means: pd.DataFrame) -> None:
    for _, own in islice(scores.groupby("resident", sort=False), MOST_SHOWN):
        axes.plot(own["time"], own["score"], "o-", color=MUTED, alpha=0.35, linewidth=0.8, markersize=2.5, zorder=2)
    margin = [means["mean"] - means["low"], means["high"] - means["mean"]]
    axes.errorbar(
        means["time"], means["mean"], yerr=margin, fmt="o-", color=COLOURS[0], linewidth=1.8, markersize=5, zorder=3
    )
