"""Widths of figures, and room for the labels beside their panels."""

from __future__ import annotations

from matplotlib.figure import Figure
from matplotlib.gridspec import GridSpec

WIDE, NARROW = 9.2, 3.8
"""Widths of figures, in inches: for a full page, and for a phone held upright."""
_EDGE, _LEAST = 0.04, 1.3


def make_room(figure: Figure) -> None:
    """Move the left and right edges of all panels until the labels beside them fit inside the figure.

    Args:
        figure: A finished figure whose panels are in one grid with explicit edges. The grid stays at least 1.3 inches
            wide, so that very long names are cut off.

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
    """Truncate a name to at most ``most`` characters."""
    return name if len(name) <= most else f"{name[: most - 1]}…"
