"""Draws the house from the code's own imports: ``python docs/draw_house.py`` writes docs/images/house.svg.

With ``--check`` it writes nothing, and fails when the picture is not current.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from itertools import islice
from pathlib import Path
from textwrap import wrap

import grimp

ROOT = Path(__file__).parents[1]
PICTURE = ROOT / "docs" / "images" / "house.svg"
COLUMNS = (("benchmarks", "evaluation"), ("itcma_s", "ltrha", "minds"), ("irollan_env", "language_models"))
"""Packages from left to right and from top to bottom."""

BOX, LINE, GAP, MARGIN, PANEL = 190, 13, 14, 20, 40
MOST = 3
"""How many rooms of a floor stand side by side."""
_FONT = "font-family='Helvetica, Arial, sans-serif'"


@dataclass(frozen=True, slots=True)
class Room:
    """A folder or a file of a package.

    Attributes:
        module: Its full name.
        purpose: The first sentence of its docstring.
        files: How many files it has.
    """

    module: str
    purpose: str
    files: int

    @property
    def name(self) -> str:
        """As people call it."""
        short = self.module.partition(".")[2]
        return f"{short}/" if (ROOT / self.module.replace(".", "/")).is_dir() else f"{short}.py"


def rooms(package: str) -> list[Room]:
    """The rooms of a package: its folders with code in them, and the files beside these."""
    found = []
    for path in sorted((ROOT / package).iterdir()):
        source = path / "__init__.py" if path.is_dir() else path
        if not source.is_file() or source.suffix != ".py" or source.name.startswith("__main__"):
            continue
        if source.parent == ROOT / package and source.name == "__init__.py":
            continue
        text = ast.get_docstring(ast.parse(source.read_text(encoding="utf-8"))) or ""
        first = " ".join(text.split("\n\n")[0].split())
        files = len([file for file in path.rglob("*.py") if file.stat().st_size > 0]) if path.is_dir() else 1
        found.append(Room(f"{package}.{path.stem}", first.removesuffix(".").replace("`", ""), files))
    return found


def arrows(package: str, names: Sequence[str]) -> dict[str, set[str]]:
    """Room -> the rooms of the same package that it imports something of."""
    graph = grimp.build_graph(package, cache_dir=None)
    result: dict[str, set[str]] = {name: set() for name in names}

    def room_of(module: str) -> str | None:
        return next((name for name in names if module == name or module.startswith(f"{name}.")), None)

    for module in sorted(graph.modules):
        for imported in graph.find_modules_directly_imported_by(module):
            above, below = room_of(module), room_of(imported)
            if above is not None and below is not None and above != below:
                result[above].add(below)
    return result


def imports_of_packages(packages: Sequence[str]) -> dict[str, set[str]]:
    """Package -> the other packages that it imports something of."""
    graph = grimp.build_graph(*packages, cache_dir=None)
    result: dict[str, set[str]] = {package: set() for package in packages}
    for module in graph.modules:
        for imported in graph.find_modules_directly_imported_by(module):
            above, below = module.partition(".")[0], imported.partition(".")[0]
            if above != below:
                result[above].add(below)
    return result


def floors(below: Mapping[str, Iterable[str]]) -> dict[str, int]:
    """Room -> its floor: 0 for what imports no other room, and one more than the highest room below it.

    Raises:
        ValueError: for a circle of imports.
    """
    known: dict[str, int] = {}

    def floor(room: str, above: tuple[str, ...]) -> int:
        if room in above:
            raise ValueError(f"a circle of imports: {' -> '.join((*above, room))}; move down what both need")
        if room not in known:
            known[room] = max((floor(one, (*above, room)) + 1 for one in below[room]), default=0)
        return known[room]

    for room in below:
        floor(room, ())
    return known


def needed_arrows(below: Mapping[str, set[str]]) -> list[tuple[str, str]]:
    """The arrows that do not follow from others: no other room that is imported leads to the same room."""

    def reach(room: str) -> set[str]:
        return set().union(*({one} | reach(one) for one in below[room])) if below[room] else set()

    return [
        (room, one)
        for room, others in below.items()
        for one in sorted(others)
        if not any(one in reach(other) for other in others - {one})
    ]


def batched(found: Iterable[Room], size: int) -> Iterator[tuple[Room, ...]]:
    """So many rooms at a time."""
    rest = iter(found)
    while some := tuple(islice(rest, size)):
        yield some


def arrow(x1: int, y1: int, x2: int, y2: int) -> str:
    """A curve from one point down to another."""
    bend = (y1 + y2) // 2
    return (
        f"<path d='M{x1} {y1} C{x1} {bend} {x2} {bend} {x2} {y2}' fill='none' stroke='#8a8470' stroke-width='1.2' "
        "marker-end='url(#head)'/>"
    )


def panel(package: str, others: set[str], x: int, y: int) -> tuple[list[str], int, int]:
    """A package that imports others, at a place: its SVG, its width and its height."""
    inside = rooms(package)
    below = arrows(package, [room.module for room in inside])
    level = floors(below)
    floor_rows = [
        list(batched([room for room in inside if level[room.module] == n], MOST))
        for n in range(max(level.values()), -1, -1)
    ]
    text = {room.module: wrap(room.purpose, 33)[:4] for room in inside}
    width = max(len(row) for floor in floor_rows for row in floor) * (BOX + GAP) - GAP + 2 * MARGIN
    place: dict[str, tuple[int, int, int]] = {}
    bands: list[str] = []
    top = y + PANEL + 14
    for floor in floor_rows:
        begin = top - 7
        for row in floor:
            height = 24 + LINE * max(len(text[room.module]) for room in row) + 8
            left = x + (width - len(row) * (BOX + GAP) + GAP) // 2
            for n, room in enumerate(row):
                place[room.module] = left + n * (BOX + GAP), top, height
            top += height + 8
        bands.append(
            f"<rect x='{x + 8}' y='{begin}' width='{width - 16}' height='{top - begin - 1}' rx='6' fill='#e9e5d9'/>"
        )
        top += 22
    height = top - 22 + MARGIN - y
    imported = ", ".join(sorted(others)) or "none of the others"
    drawn = [
        f"<rect x='{x}' y='{y}' width='{width}' height='{height}' rx='8' fill='#f6f4ee' stroke='#c9c2b0'/>",
        f"<text x='{x + MARGIN}' y='{y + 25}' {_FONT} font-size='17' font-weight='bold' fill='#333'>{package}</text>",
        f"<text x='{x + MARGIN}' y='{y + 40}' {_FONT} font-size='10.5' fill='#555'>imports {imported}</text>",
        *bands,
    ]
    lowest = {room.module for floor in floor_rows for room in floor[-1]}
    highest = {room.module for floor in floor_rows for room in floor[0]}
    for above, under in needed_arrows(below):
        # Another one would go behind rooms, and seem to begin there.
        if level[above] - level[under] != 1 or above not in lowest or under not in highest:
            continue
        (ax, ay, ah), (bx, by, _) = place[above], place[under]
        drawn.append(arrow(ax + BOX // 2, ay + ah, bx + BOX // 2, by - 4))
    for room in inside:
        left, top, tall = place[room.module]
        drawn.append(
            f"<rect x='{left}' y='{top}' width='{BOX}' height='{tall}' rx='5' fill='#ffffff' stroke='#5c7a99'/>"
        )
        drawn.append(
            f"<text x='{left + 9}' y='{top + 18}' {_FONT} font-size='13' font-weight='bold' fill='#1f3a56'>"
            f"{escape(room.name)}</text>"
        )
        drawn += [
            f"<text x='{left + 9}' y='{top + 34 + LINE * n}' {_FONT} font-size='10.5' fill='#444'>{escape(line)}</text>"
            for n, line in enumerate(text[room.module])
        ]
    return drawn, width, height


def picture() -> str:
    """The whole house as SVG."""
    drawn: list[str] = []
    x, deepest = MARGIN, 0
    packages = [package for column in COLUMNS for package in column]
    others = imports_of_packages(packages)
    for column in COLUMNS:
        y, widest = MARGIN, 0
        for package in column:
            part, width, height = panel(package, others[package], x, y)
            drawn += part
            y, widest = y + height + 22, max(widest, width)
        x, deepest = x + widest + 26, max(deepest, y)
    width, height = x - 26 + MARGIN, deepest
    return "\n".join(
        [
            f"<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 {width} {height}' width='{width}' "
            f"height='{height}'>",
            "<title>The packages and their rooms; an arrow goes from a room to one of the next floor that it imports"
            "</title>",
            "<defs><marker id='head' viewBox='0 0 8 8' refX='7' refY='4' markerWidth='7' markerHeight='7' "
            "orient='auto'><path d='M0 0 L8 4 L0 8 z' fill='#8a8470'/></marker></defs>",
            f"<rect width='{width}' height='{height}' fill='#ffffff'/>",
            *drawn,
            "</svg>",
            "",
        ]
    )


def main() -> int:
    """Write the picture, or check it."""
    sys.path.insert(0, str(ROOT))
    drawn = picture()
    if sys.argv[1:] == ["--check"]:
        current = PICTURE.is_file() and PICTURE.read_text(encoding="utf-8") == drawn
        if not current:
            print("docs/images/house.svg is not current; run python docs/draw_house.py", file=sys.stderr)
        return 0 if current else 1
    PICTURE.write_text(drawn, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
