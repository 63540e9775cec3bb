"""What every benchmark gives: numbers with their goals, tables of rows, and the machine that they were measured on."""

from __future__ import annotations

import json
import os
import platform
import sys
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import asdict, dataclass
from statistics import median
from typing import Annotated, Any

import typer

from irollan_env.hints import did_you_mean

AsJson = Annotated[bool, typer.Option("--json", help="Print the numbers as JSON, for other programs.")]


@dataclass(frozen=True, kw_only=True, slots=True)
class Measurement:
    """One number, and what it is measured against.

    Attributes:
        name: What was measured.
        value: The number; None when it could not be measured.
        unit: Of the number.
        goal: What it should reach, None when it stands for itself.
        at_least: Whether more is better, rather than less.
        aim: What it should reach one day.
        note: Why there is no number, or what it means.
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
    """The median of some times, in milliseconds.

    Args:
        name: What was measured.
        seconds: The times, at least one.
        goal: The most that it should be, in milliseconds; None for no goal.
    """
    return Measurement(name=name, value=1000 * median(seconds), unit="ms", goal=goal, at_least=False)


def machine() -> dict[str, Any]:
    """What a benchmark runs on, and how busy it is with other things."""
    return {
        "python": platform.python_version(),
        "machine": platform.machine(),
        "cores": os.cpu_count(),
        "load": os.getloadavg()[0] if hasattr(os, "getloadavg") else None,
    }


def show(measurements: Sequence[Measurement], where: dict[str, Any], *, as_json: bool) -> None:
    """Print measurements: as JSON, or one a line.

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
    """A table in Markdown.

    Args:
        headings: Of the columns.
        rows: Each with as many cells as there are headings.
    """
    lines = (headings, ["---"] * len(headings), *rows)
    return "\n".join(f"| {' | '.join(map(str, cells))} |" for cells in lines)


def as_table_or_json(rows: Any, shown: str, *, as_json: bool) -> None:
    """Print rows as JSON, or what is shown of them."""
    print(json.dumps(rows, indent=1) if as_json else shown)


def progress(name: str) -> Callable[[str], None]:
    """Takes lines about the progress of a benchmark, and puts them on standard error."""
    return lambda line: print(f"{name}: {line}", file=sys.stderr, flush=True)


def check_known(what: str, given: Iterable[str], known: Collection[str]) -> None:
    """Check what was asked for by name.

    Raises:
        ValueError: for a name that is not among the known ones; the message has the nearest of them.
    """
    for name in given:
        if name not in known:
            raise ValueError(f"{what} must be one of {', '.join(known)}, got {name!r}{did_you_mean(name, known)}")
