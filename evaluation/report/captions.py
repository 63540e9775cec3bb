"""Titles and captions of the report's figures, and their wide and narrow SVG versions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from matplotlib.figure import Figure

from evaluation.html_theme.svg import inline_svg
from evaluation.records.interactions import Record, residents
from evaluation.report import crowd_figures
from evaluation.report.figures import FITTING, all_figures
from evaluation.report.place_figures import Metric
from evaluation.report.world_figures import MOST_PANELS

CAPTIONS = {
    "driver": (
        "Driver of each resident over time.",
        "Compare figure 6(a) of the paper. The driver stands for how willing a resident is to act; it follows from "
        "the driver before it and the three emotions below.",
    ),
    "emotion": (
        "Pleasure, arousal and dominance of each resident over time.",
        "Compare figure 6(b) of the paper.",
    ),
    "resources": (
        "Resources of each resident over time.",
        "Compare figure 7(a) of the paper. The fewer resources a resident has, the more of its actions are filtered.",
    ),
    "topics": (
        "Topic of each place over time.",
        "Compare figure 7(b) of the paper. Above zero the atmosphere of a place is positive, below it negative. "
        "Homes have full symbols, other places hollow ones. An empty place has no topic: its line begins with a symbol "
        "when people come and ends when all have left.",
    ),
    "needs": (
        "Needs of each resident over time.",
        "From 0, no need, to 1, as the map's mechanics have them.",
    ),
    "variables": (
        "Variables of the world and of residents over time.",
        f"What mechanics and world classes count; of more than {MOST_PANELS}, the others are in metrics.csv.",
    ),
    "interactions": (
        "Who turned to whom, and how often.",
        "Compare figure 8 of the paper. Rows initiate, columns receive; the stronger the colour, the more often. "
        "Counted are chats that were carried out, for the one they were addressed to, and things put into someone's "
        "hands.",
    ),
    "whereabouts": (
        "Where each resident was.",
        "Not in the paper. One band a place, and in it one lane a resident; those in the same band at the same time "
        "were together.",
    ),
}
"""Title and caption by figure name; a caption says what is drawn, and nothing of what the paper's society did."""
OF_CROWDS = {
    "driver": (
        "Driver of the residents over time.",
        "The line is the median; half of the residents lie in the dark band, nine in ten in the light one. Tick names "
        "above to draw their lines. Compare figure 6(a) of the paper.",
    ),
    "emotion": (
        "Pleasure, arousal and dominance of the residents over time.",
        "Lines and bands as above. Compare figure 6(b) of the paper.",
    ),
    "resources": (
        "Resources of the residents over time.",
        "Lines and bands as above. Compare figure 7(a) of the paper. The fewer resources a resident has, the more of "
        "its actions are filtered.",
    ),
    "topics": (
        "Topics of the places over time.",
        "Median and bands of all places with people in them. Compare figure 7(b) of the paper. Above zero the "
        "atmosphere of a place is positive, below it negative.",
    ),
    "needs": ("Needs of the residents over time.", "Lines and bands as above; 0 is no need."),
    "variables": (
        "Variables of the world and of residents over time.",
        f"Lines and bands as above; of more than {MOST_PANELS}, the others are in metrics.csv.",
    ),
    "interactions": (
        "Who turned to whom, and how often.",
        "Compare figure 8 of the paper. Rows initiate, columns receive; the stronger the colour, the more often. Those "
        "who turned to each other much stand together, between lines. The names are in the table of residents.",
    ),
    "whereabouts": (
        "How many were where.",
        "Not in the paper. The busiest places, one row each; the stronger the colour, the more people. The number at "
        "the end of a row is the most that were there at once.",
    ),
}
"""Title and caption by figure name, where residents are too many for a line each."""


def shown_figures(
    records: Sequence[Record], metrics: Sequence[Metric], drawn: Mapping[str, Figure] | None = None
) -> list[dict[str, Any]]:
    """Draw every figure for which there is data.

    Args:
        records: Records of one run.
        metrics: Metrics of the same run.
        drawn: Figures from ``all_figures``; drawn here if None.

    Returns:
        A mapping per figure with name, title, caption, svg, narrow and panels. The page shows narrow on screens no
        wider than a phone; it is None for figures that fit there anyway. Panels says for each of the two where lines of
        residents can be drawn, and is empty where all have one.
    """
    wide = all_figures(records, metrics) if drawn is None else drawn
    narrow = all_figures(records, metrics, narrow=True)
    captions = OF_CROWDS if len(residents(records)) > crowd_figures.MOST_DRAWN else CAPTIONS
    shown = []
    for name, figure in wide.items():
        title, caption = captions[name]
        one: dict[str, Any] = {"name": name, "title": title, "caption": caption, "svg": inline_svg(figure, name, title)}
        one["narrow"] = None if name in FITTING else inline_svg(narrow[name], f"{name}-narrow", title)
        one["panels"] = [crowd_figures.panels_of(form) for form in (figure, narrow.get(name)) if form is not None]
        shown.append(one)
    return shown
