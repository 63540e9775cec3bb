"""Pictures of a world from above, by Matplotlib: places, furniture, things and people."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from irollan_env.map.records import Area, Rectangle
from irollan_env.map.valley_map import ValleyMap
from irollan_env.world.world import World

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

PERSON_COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9")
"""Okabe and Ito's colour-blind-safe palette, without black and yellow; colours repeat after six people."""

_THING_COLOURS = ("#8a6d3b", "#d55e00", "#5b4fa2", "#009e73", "#cc79a7", "#e69f00")
_WALL, _GROUND, _ROAD, _INK, _SOFT = "#555d66", "#eef2ee", "#c9d0d6", "#1b1f24", "#6a727b"
_PIXELS = 100
_MARGIN, _NAMES = 1.0, 9.0
_LEGIBLE = 12.0
"""Pixels a metre at which names and furniture can be read."""
_SMALL = 7.0
"""Pixels a metre below which furniture and things are too small to draw."""


def draw_world(world: World, *, width: int = 1000) -> NDArray[np.uint8]:
    """Draw a world from above.

    Args:
        world: The world.
        width: Width in pixels, 100 to 10,000.

    Returns:
        Red, green and blue of each pixel, shape ``(height, width, 3)``; the height follows from the map.

    Raises:
        ModuleNotFoundError: if Matplotlib is not installed.
    """
    from matplotlib.backends.backend_agg import FigureCanvasAgg

    figure = _figure(world, width)
    canvas = FigureCanvasAgg(figure)
    canvas.draw()  # type: ignore[no-untyped-call]
    pixels = np.asarray(canvas.buffer_rgba(), dtype=np.uint8)  # type: ignore[no-untyped-call]
    return pixels[:, :, :3].copy()


def save_picture(valley_map: ValleyMap, path: Path, *, width: int | None = None) -> None:
    """Draw a map with everybody and everything where it begins into a file.

    Args:
        valley_map: The map.
        path: The file; its suffix says the format: ``.png``, ``.svg`` or ``.pdf``.
        width: Width in pixels, 100 to 10,000; when None as much as the names of the houses need, at least 1400.

    Raises:
        ValueError: for another suffix.
        ModuleNotFoundError: if Matplotlib is not installed.
    """
    if path.suffix not in (".png", ".svg", ".pdf"):
        raise ValueError(f"{path} must end in .png, .svg or .pdf, which says the format of the picture")
    left, _, right, _ = _extent(valley_map)
    needed = max(1400, min(6000, round((right - left) * _LEGIBLE)))
    _figure(World(valley_map), needed if width is None else width).savefig(path)


def _figure(world: World, width: int) -> Figure:
    if not 100 <= width <= 10_000:
        raise ValueError(f"width must be 100 to 10,000 pixels, got {width}")
    figure_class = _matplotlib()
    left, bottom, right, top = _extent(world.map)
    across, high = right - left, top - bottom
    height = max(1.0, width * high / across)
    figure: Figure = figure_class(figsize=(width / _PIXELS, min(height, 20 * width) / _PIXELS), dpi=_PIXELS)
    axes = figure.add_axes((0, 0, 1, 1))
    axes.set_axis_off()
    axes.set_xlim(left, right)
    axes.set_ylim(bottom, top)
    axes.set_aspect("equal")
    _draw_places(axes, world.map, small=width / across < _SMALL, scale=width / across)
    if width / across >= _SMALL:
        _draw_furniture(axes, world, scale=width / across)
    _draw_people(axes, world, scale=width / across)
    return figure


def _matplotlib() -> Any:
    try:
        from matplotlib.figure import Figure
    except ModuleNotFoundError as error:
        raise ModuleNotFoundError(
            "drawing a map needs Matplotlib; python -m pip install matplotlib", name="matplotlib"
        ) from error
    return Figure


def _extent(valley_map: ValleyMap) -> tuple[float, float, float, float]:
    grounds = [ground.rectangle for ground in valley_map.grounds]
    return (
        min(one.west for one in grounds) - _MARGIN,
        min(one.south for one in grounds) - _MARGIN,
        max(one.east for one in grounds) + _MARGIN,
        max(one.north for one in grounds) + (_MARGIN if len(grounds) == 1 else _NAMES),
    )


def _draw_places(axes: Axes, valley_map: ValleyMap, *, small: bool, scale: float) -> None:
    for road in valley_map.roads:
        (x0, y0), (x1, y1) = road.gates
        axes.plot([x0, x1], [y0, y1], color=_ROAD, linewidth=4, zorder=0)
    for ground in valley_map.grounds:
        _box(axes, ground.rectangle, face=_GROUND, edge=_ROAD, line=1.0)
        if len(valley_map.grounds) > 1:
            where = ((ground.rectangle.west + ground.rectangle.east) / 2, ground.rectangle.north)
            axes.annotate(
                _literal(ground.name), where, color=_INK, fontsize=9, ha="center", va="bottom", fontweight="bold"
            )
    for area in valley_map.areas:
        _box(axes, area.rectangle, face="white", edge=_WALL, line=0.6 if small else 1.6)
        x, y = area.door
        if y in (area.rectangle.south, area.rectangle.north):
            axes.plot([x - 0.5, x + 0.5], [y, y], color="white", linewidth=3, zorder=2)
        else:
            axes.plot([x, x], [y - 0.5, y + 0.5], color="white", linewidth=3, zorder=2)
        size = min(10.0, (area.rectangle.east - area.rectangle.west) * scale / max(6, len(area.name)) * 1.2)
        if size >= 5:
            out_x, out_y = _outwards(area)
            where = (x + 0.6 * out_x, y + 0.6 * out_y)
            across = {1: "left", -1: "right", 0: "center"}[out_x]
            along = {1: "bottom", -1: "top", 0: "center"}[out_y]
            axes.annotate(_literal(area.name), where, color=_SOFT, fontsize=size, ha=across, va=along, zorder=5)


def _outwards(area: Area) -> tuple[int, int]:
    """Return the direction, east and north, in which an area's door opens."""
    box, (x, y) = area.rectangle, area.door
    if y in (box.south, box.north):
        return 0, 1 if y == box.north else -1
    return 1 if x == box.east else -1, 0


def _box(axes: Axes, box: Rectangle, *, face: str, edge: str, line: float) -> None:
    from matplotlib.patches import Rectangle as Patch

    size = (box.east - box.west, box.north - box.south)
    axes.add_patch(Patch((box.west, box.south), *size, facecolor=face, edgecolor=edge, linewidth=line, zorder=1))


def _draw_furniture(axes: Axes, world: World, *, scale: float) -> None:
    position = {piece.name: piece.position for piece in world.map.furniture}
    for x, y in position.values():
        _box(axes, Rectangle(x - 0.45, y - 0.3, x + 0.45, y + 0.3), face="#e8eaec", edge="#b9bfc5", line=0.6)
    shown: dict[str, int] = {}
    kinds = list(world.map.tables.items_of)
    for item in world.map.tables.items:
        where = world.where_is(item)
        if where in position:
            number = shown.get(where, 0)
            shown[where] = number + 1
            x, y = position[where]
            colour = _THING_COLOURS[kinds.index(world.kind_of(item)) % len(_THING_COLOURS)]
            at = (x - 0.32 + 0.16 * (number % 5), y - 0.18 + 0.16 * (number // 5 % 3))
            axes.plot(*at, "o", color=colour, markersize=max(1.5, 0.1 * scale), markeredgewidth=0, zorder=3)


def _draw_people(axes: Axes, world: World, *, scale: float) -> None:
    size = float(np.clip(0.9 * scale, 5, 26))
    for number, name in enumerate(world.residents):
        if not world.is_present(name):
            continue
        x, y = world.position_of(name)
        colour = PERSON_COLOURS[number % len(PERSON_COLOURS)]
        axes.plot(x, y, "o", color=colour, markersize=size, markeredgecolor="white", zorder=6)
        if size >= 12:
            parts = re.findall(r"\w+", name)
            initials = name if len(name) <= 3 else "".join(part[0] for part in parts[:3]) if parts[1:] else name[:2]
            axes.annotate(
                _literal(initials), (x, y), color="white", fontsize=size * 0.42, ha="center", va="center", zorder=7
            )


def _literal(text: str) -> str:
    """Escape dollar signs, so that Matplotlib does not read a formula."""
    return text.replace("$", r"\$")
