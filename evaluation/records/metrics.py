"""The long form of a run's numbers: one row per time step, subject and quantity.

A row tells how things stand when its time step is over: emotions and drivers as the residents felt them in it,
resources and topics as LTRHA left them, how many people are in each place, and the needs and variables of the world's
mechanics. What model calls cost has the module that made them as its subject.
"""

from __future__ import annotations

import csv
import io
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from operator import attrgetter
from pathlib import Path
from typing import Any

from evaluation.records.csv_cells import csv_cell, read_cell
from irollan_env.resident import Act
from language_models.transcript.calls import ModuleUsage
from ltrha import LTRHA

COLUMNS = ("time", "subject", "quantity", "value")
HEADER = ",".join(COLUMNS) + "\n"
USAGE = (
    "calls",
    "prompt_tokens",
    "cached_tokens",
    "generated_tokens",
    "seconds",
    "waiting",
    "retries",
    "unusable",
    "network_failures",
    "failures",
    "refusals",
)
OWN = frozenset(
    ("pleasure", "arousal", "dominance", "driver", "resources", "rate", "topic", "people", "dollars", *USAGE)
)
"""Quantities of every run; all others are needs and variables of the world's mechanics."""


@dataclass(frozen=True, slots=True)
class Metric:
    """Hold one number: its time step, its subject and its quantity."""

    time: int
    subject: str
    quantity: str
    value: float


def of_step(
    time: int,
    acts: Mapping[str, Act],
    framework: LTRHA | None,
    places: Mapping[str, str],
    variables: Mapping[str, Mapping[str, float]],
) -> list[Metric]:
    """Compute all metrics of one time step; resources, execution rates and topics only under LTRHA.

    Args:
        time: The time step.
        acts: What each resident decided that was there.
        framework: LTRHA after this time step; None without it.
        places: Where each resident is after it.
        variables: Needs and variables after it, by resident, and those of the world.

    Raises:
        ValueError: for a variable with the name of another quantity.
    """
    rows = [
        Metric(time, name, quantity, float(getattr(act, quantity)))
        for name, act in acts.items()
        for quantity in ("pleasure", "arousal", "dominance", "driver")
    ]
    if framework is not None:
        rows += [Metric(time, name, "resources", value) for name, value in framework.resources.items()]
        rows += [Metric(time, name, "rate", value) for name, value in framework.rates().items()]
        present = Counter(places.values())
        for locale, value in framework.topics.items():
            rows += [Metric(time, locale, "topic", value), Metric(time, locale, "people", float(present[locale]))]
    for subject, numbers in variables.items():
        if taken := sorted(numbers.keys() & OWN):
            raise ValueError(f"the variable {taken[0]!r} of the world has the name of a metric; rename it")
        rows += [Metric(time, subject, quantity, value) for quantity, value in numbers.items()]
    return rows


def of_usage(time: int, usage: Sequence[ModuleUsage], dollars: Mapping[str, float]) -> list[Metric]:
    """Sum the cost of one time step's model calls by module; also in US dollars where prices are known.

    Args:
        time: The time step.
        usage: By module and model, sorted.
        dollars: What the calls of each module cost, where it is known.
    """
    rows = [
        Metric(time, module, quantity, float(sum(getattr(one, quantity) for one in own)))
        for module, own in ((module, list(own)) for module, own in groupby(usage, attrgetter("module")))
        for quantity in USAGE
    ]
    return rows + [Metric(time, module, "dollars", cost) for module, cost in dollars.items()]


def to_csv(rows: Iterable[Metric]) -> str:
    """Write metrics as CSV lines without a header; numbers have every digit needed to read them back exactly."""
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    writer.writerows((row.time, csv_cell(row.subject), row.quantity, repr(float(row.value))) for row in rows)
    return buffer.getvalue()


def parse_csv(path: Path, data: bytes) -> list[dict[str, Any]]:
    """Parse the rows of a metrics.csv.

    Args:
        path: The file, for messages.
        data: Its content.

    Raises:
        ValueError: if it has other columns, or a value is no number.
    """
    try:
        reader = csv.DictReader(io.StringIO(data.decode(), newline=""))
        columns = tuple(reader.fieldnames or ())
    except (UnicodeDecodeError, csv.Error) as error:
        raise ValueError(f"{path} is no CSV file: {error}") from error
    if columns != COLUMNS:
        raise ValueError(f"{path}: the columns must be {', '.join(COLUMNS)}, got {', '.join(columns)}")
    try:
        return [
            {**row, "subject": read_cell(row["subject"]), "time": int(row["time"]), "value": float(row["value"])}
            for row in reader
        ]
    except (TypeError, ValueError, csv.Error) as error:
        raise ValueError(f"{path}, line {reader.line_num}: {error}") from error
