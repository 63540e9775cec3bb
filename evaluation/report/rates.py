"""Probability that LTRHA executes each resident's action, by time step."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import groupby
from typing import Any

from evaluation.report.facts import look_up
from ltrha import execution_rate


def rates_of(
    manifest: Mapping[str, Any], records: Iterable[Mapping[str, Any]], metrics: Iterable[Mapping[str, Any]]
) -> dict[tuple[int, str], float]:
    """Return the execution rate (Eq. 18) of each decision, by time step and resident; empty without LTRHA.

    Args:
        manifest: Manifest of a run.
        records: Records of the run, sorted by time.
        metrics: Rows of its metrics.csv.
    """
    share = look_up(manifest, "ltrha.resource_mode") == "share"
    rates: dict[tuple[int, str], float] = {}
    for time, step in groupby(records, key=lambda record: int(record["time"])):
        resources = {record["resident"]: record["resources"] for record in step if record["resources"] is not None}
        found = execution_rate(list(resources.values()), share=share)
        rates |= {(time, name): float(rate) for name, rate in zip(resources, found, strict=True)}
    # Recorded rates take precedence: a branch may use another reading of Eq. 18 than the steps before it.
    left = [row for row in metrics if row["quantity"] == "rate"]
    return rates | {(int(row["time"]) + 1, row["subject"]): float(row["value"]) for row in left}
