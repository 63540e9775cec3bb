"""Output of the benchmarks: measurements with their goals, tables, sections of pages, and what the machine is."""

from __future__ import annotations

import json
import os
import platform
import sys
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import median
from typing import Annotated, Any

import typer

from evaluation.records.numbers import wilson_interval
from irollan_env.hints import did_you_mean

AsJson = Annotated[bool, typer.Option("--json", help="Print the numbers as JSON, for other programs.")]


@dataclass(frozen=True, kw_only=True, slots=True)
class Measurement:
    """A measured number with its goal.

    Attributes:
        name: What was measured.
        value: The number; None when it could not be measured.
        unit: Unit of the number.
        goal: Value to reach; None for none.
        at_least: Whether the goal is a lower bound rather than an upper bound.
        aim: Long-term goal.
        note: Reason for a missing number, or an explanation.
    """

    name: str
    value: float | None
    unit: str
    goal: float | None = None
    at_least: bool = True
    aim: float | None = None
    note: str = ""

    @property
    def reached(self) -> bool | None:
        """Whether the goal was reached; None without a goal or a number."""
        if self.value is None or self.goal is None:
            return None
        return self.value >= self.goal if self.at_least else self.value <= self.goal


def milliseconds(name: str, seconds: Sequence[float], goal: float | None = None) -> Measurement:
    """Make a measurement of the median of times, in milliseconds.

    Args:
        name: What was measured.
        seconds: The times, at least one.
        goal: Upper bound in milliseconds; None for no goal.
    """
    return Measurement(name=name, value=1000 * median(seconds), unit="ms", goal=goal, at_least=False)


def machine() -> dict[str, Any]:
    """Describe the machine and its load."""
    return {
        "python": platform.python_version(),
        "machine": platform.machine(),
        "cores": os.cpu_count(),
        "load": os.getloadavg()[0] if hasattr(os, "getloadavg") else None,
    }


def show(measurements: Sequence[Measurement], where: dict[str, Any], *, as_json: bool) -> None:
    """Print measurements as JSON, or one per line.

    Args:
        measurements: At least one.
        where: The machine that they were measured on.
        as_json: Whether to print JSON.
    """
    if as_json:
        rows = [{**asdict(one), "reached": one.reached} for one in measurements]
        print(json.dumps({"measurements": rows, "machine": where}, indent=2))
        return
    width = max(len(one.name) for one in measurements)
    for one in measurements:
        value = one.note if one.value is None else f"{_short(one.value)} {one.unit}"
        verdict = {True: "reached", False: "not reached", None: ""}[one.reached]
        goal = "" if one.goal is None else f"  (goal: {'>=' if one.at_least else '<='} {_short(one.goal)}; {verdict})"
        print(f"{one.name:{width}}  {value}{goal}")


def _short(number: float) -> str:
    return f"{number:.3g}" if number < 100 else f"{number:,.0f}"


def table(headings: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Format a table in Markdown.

    Args:
        headings: Headings of the columns.
        rows: Rows with one cell per heading.
    """
    lines = (headings, ["---"] * len(headings), *rows)
    return "\n".join(f"| {' | '.join(map(str, cells))} |" for cells in lines)


def as_table_or_json(rows: Any, shown: str, *, as_json: bool) -> None:
    """Print rows as JSON, or their formatted table."""
    print(json.dumps(rows, indent=1) if as_json else shown)


def wilson(hits: float, of: int) -> tuple[float, float]:
    """Return Wilson's 95 per cent interval of the share `hits / of`, each end in [0, 1] and rounded to three places."""
    low, high = wilson_interval(hits, of)
    return round(low, 3), round(high, 3)


def put_section(page: Path, name: str, text: str) -> None:
    """Replace the section between its markers in a page.

    Args:
        page: A page in Markdown with the lines ``<!-- NAME -->`` and ``<!-- end of NAME -->``.
        name: Name of the section, that of the benchmark.
        text: The new section, in Markdown.

    Raises:
        ValueError: if the page lacks one of the markers.
    """
    begin, end = f"<!-- {name} -->\n", f"<!-- end of {name} -->"
    before, found, rest = page.read_text(encoding="utf-8").partition(begin)
    _, closed, after = rest.partition(end)
    if not (found and closed):
        raise ValueError(f"{page} lacks the lines {begin.strip()} and {end}; write them where the section is to stand")
    page.write_text(f"{before}{begin}\n{text.strip()}\n\n{end}{after}", encoding="utf-8")


def progress(name: str) -> Callable[[str], None]:
    """Return a function that prints a benchmark's progress on standard error."""
    return lambda line: print(f"{name}: {line}", file=sys.stderr, flush=True)


def check_known(what: str, given: Iterable[str], known: Collection[str]) -> None:
    """Check that all given names are known.

    Raises:
        ValueError: for an unknown name; the message suggests the closest known one.
    """
    for name in given:
        if name not in known:
            raise ValueError(f"{what} must be one of {', '.join(known)}, got {name!r}{did_you_mean(name, known)}")
