"""Figure of the social network."""

from __future__ import annotations

import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.patches import Circle, FancyArrowPatch

from evaluation.html_theme.colours import HEAT, INK, MUTED, colour, literal
from evaluation.social.structure import SocialStructure

MOST_NAMED = 24
"""Maximum number of residents that all have a name beside them."""

_MOST_ARROWS = 200


def network(structure: SocialStructure) -> Figure:
    """Draw the directed network of turns, residents in a circle.

    The width of an arrow is the number of turns; it is dark if that exceeds its expectation. The area of a node is the
    number of turns received; a ring marks the leader. Of many residents, those of a community stand together, the
    arrows are the strongest of the dark ones, and the names are of those who were turned to the most.
    """
    everyone = [str(name) for name in structure.matrix.index]
    many = len(everyone) > MOST_NAMED
    order = np.argsort(structure.residents["community"].to_numpy(), kind="stable") if many else np.arange(len(everyone))
    counts = structure.matrix.to_numpy()[np.ix_(order, order)]
    expected = structure.expected.to_numpy()[np.ix_(order, order)]
    names = [everyone[one] for one in order]
    n = len(names)
    drawn = counts > 0
    if many:
        drawn &= counts > expected
        excess = np.sort((counts - expected)[drawn])[-_MOST_ARROWS:]
        drawn &= counts - expected >= (excess[0] if len(excess) else np.inf)
    named: list[int] = []
    for one in map(int, np.argsort(-counts.sum(axis=0), kind="stable")):
        # Names of neighbours on the circle would lie on each other.
        if not many or all(min(abs(one - other), n - abs(one - other)) > n / MOST_NAMED / 2 for other in named):
            named.append(one)
    figure = Figure(figsize=(5.4, 5.4))
    FigureCanvasAgg(figure)
    axes = figure.add_axes((0.0, 0.0, 1.0, 1.0))
    axes.set_xlim(-1.36, 1.36)
    axes.set_ylim(-1.36, 1.36)
    axes.set_aspect("equal")
    axes.set_axis_off()
    angles = np.pi / 2 - 2 * np.pi * np.arange(n) / n
    spots = np.column_stack([np.cos(angles), np.sin(angles)]) * (1.0 if n > 1 else 0.0)
    most = max(int(counts.max(initial=0)), 1)
    received = counts.sum(axis=0)
    # Counts are proportional to areas, not radii; with many residents circles shrink so that they do not touch.
    room = min(0.2, np.pi / max(n, 1) * 0.55)
    radii = room * np.sqrt(0.25 + 0.75 * received / max(int(received.max(initial=0)), 1))
    for beyond in (False, True):
        for i, j in zip(*np.nonzero(drawn), strict=True):
            if (counts[i, j] > expected[i, j]) != beyond:
                continue
            axes.add_patch(_arrow(spots[i], spots[j], radii[i], radii[j], counts[i, j] / most, beyond))
    for i, name in enumerate(names):
        shade = colour(name, everyone)
        axes.add_patch(Circle((spots[i, 0], spots[i, 1]), radii[i], facecolor=shade, linewidth=0, zorder=4))
        if name == structure.leader:
            ring = Circle(
                (spots[i, 0], spots[i, 1]), radii[i] + 0.035, fill=False, edgecolor=INK, linewidth=1.4, zorder=4
            )
            axes.add_patch(ring)
        if i not in named:
            continue
        out = spots[i] * (1 + (radii[i] + 0.13)) if n > 1 else np.array([0.0, radii[i] + 0.13])
        axes.text(out[0], out[1], literal(name), ha="center", va="center", fontsize=11.5, color=INK, zorder=5)
    if not counts.any():
        axes.text(0, 0.0 if n > 1 else -0.4, "Nobody turned to anybody.", ha="center", va="center", color=MUTED)
    return figure


def _arrow(
    start: np.ndarray[tuple[int], np.dtype[np.float64]],
    end: np.ndarray[tuple[int], np.dtype[np.float64]],
    start_radius: float,
    end_radius: float,
    share: float,
    beyond: bool,
) -> FancyArrowPatch:
    """Build an arrow from rim to rim, bent to the left so that both directions of a pair are visible."""
    way = (end - start) / np.hypot(*(end - start))
    # Where a bent arrow meets the rim: a little to the side of the straight line.
    turn = 0.3
    left = np.array([[np.cos(turn), np.sin(turn)], [-np.sin(turn), np.cos(turn)]])
    begin, finish = start + left @ way * (start_radius + 0.02), end - left.T @ way * (end_radius + 0.03)
    return FancyArrowPatch(
        (begin[0], begin[1]),
        (finish[0], finish[1]),
        connectionstyle="arc3,rad=0.16",
        arrowstyle="-|>",
        mutation_scale=7 + 7 * share,
        linewidth=0.7 + 4.3 * share,
        color=HEAT if beyond else MUTED,
        alpha=0.9 if beyond else 0.3,
        shrinkA=0,
        shrinkB=0,
        capstyle="butt",
        joinstyle="miter",
        zorder=3 if beyond else 2,
    )
