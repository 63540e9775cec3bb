"""The figures as the report shows them: wide and narrow, with their titles and what the paper's own look like."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from evaluation.html_theme.svg import inline_svg
from evaluation.records.records import Record
from evaluation.report.figures import all_figures
from evaluation.report.place_figures import Metric

CAPTIONS = {
    "driver": (
        "Driver of each resident over time.",
        "The paper's figure 6(a). The driver stands for how willing a resident is to act; it follows from the driver "
        "before it and the three emotions below.",
    ),
    "emotion": (
        "Pleasure, arousal and dominance of each resident over time.",
        "The paper's figure 6(b). There, pleasure stays high, arousal is high and fairly stable, and dominance, while "
        "low, rarely drops below zero.",
    ),
    "resources": (
        "Resources of each resident over time.",
        "The paper's figure 7(a). There, the resources of most residents rise, while those of some, such as WL and MD, "
        "flow continuously to others. Those who lost were often alone and did not interact with others.",
    ),
    "topics": (
        "Topic of each place over time.",
        "The paper's figure 7(b). Above zero the atmosphere of a place is positive, below it negative. Homes have full "
        "symbols, other places hollow ones. An empty place has no topic: its line begins with a symbol when people "
        "come and ends when all have left. In the paper the others gather at the leader's home, whose atmosphere rises "
        "continuously.",
    ),
    "interactions": (
        "Who turned to whom, and how often.",
        "The paper's figure 8. Rows initiate, columns receive; the stronger the colour, the more often. Counted are "
        "chats that were carried out, for the one they were addressed to, and things put into someone's hands.",
    ),
    "whereabouts": (
        "Where each resident was.",
        "Not in the paper. One band a place, and in it one lane a resident; those in the same band at the same time "
        "were together.",
    ),
}
"""By the name of the figure: title and caption."""
FITTING = ("interactions",)
"""Figures that fit a phone as they are."""


def shown_figures(records: Sequence[Record], metrics: Sequence[Metric]) -> list[dict[str, Any]]:
    """Every figure for which there is data: name, title, caption, svg, and narrow, which may be None.

    A page shows the narrow one where it is no wider than a phone.
    """
    narrow = all_figures(records, metrics, narrow=True)
    return [
        {
            "name": name,
            "title": CAPTIONS[name][0],
            "caption": CAPTIONS[name][1],
            "svg": inline_svg(figure, name, CAPTIONS[name][0]),
            "narrow": None if name in FITTING else inline_svg(narrow[name], f"{name}-narrow", CAPTIONS[name][0]),
        }
        for name, figure in all_figures(records, metrics).items()
    ]
