"""How wide figures are, and how their panels make room for what stands beside them."""

from __future__ import annotations

from matplotlib.figure import Figure
from matplotlib.gridspec import GridSpec

WIDE, NARROW = 9.2, 3.8
"""Widths of figures, in inches: of a page, and of a phone held upright."""
_EDGE, _LEAST = 0.04, 1.3


def make_room(figure: Figure) -> None:
    """Move the left and right edges of all panels until the names and numbers beside them are within the figure.

    Args:
        figure: All drawn; its panels are of one grid, whose edges are given. They stay at least 1.3 inches wide
            together, so that names without end are cut off.

    Raises:
        ValueError: if the figure has no panel.
    """
    place = figure.axes[0].get_subplotspec() if figure.axes else None
    grid = place.get_gridspec() if place else None
    if not isinstance(grid, GridSpec):
        raise ValueError("a figure without panels in a grid has nothing to make room for; draw its panels first")
    width, box = figure.get_figwidth(), figure.get_tightbbox()
    edges = grid.get_subplot_params(figure)
    left = edges.left * width + max(_EDGE - box.x0, 0.0)
    right = edges.right * width - max(box.x1 - (width - _EDGE), 0.0)
    left = min(left, width - _LEAST - _EDGE)
    grid.update(left=left / width, right=max(right, left + _LEAST) / width)
    for axes in figure.axes:
        if (spot := axes.get_subplotspec()) is not None:
            axes.set_position(spot.get_position(figure))


def short(name: str, most: int = 20) -> str:
    """A name, cut where it is longer than so many characters."""
    return name if len(name) <= most else f"{name[: most - 1]}…"
