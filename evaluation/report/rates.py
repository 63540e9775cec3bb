"""With what probability LTRHA let each resident act in each time step."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import groupby
from typing import Any

from evaluation.report.facts import look_up
from ltrha import execution_rate


def rates_of(
    manifest: Mapping[str, Any], records: Iterable[Mapping[str, Any]], metrics: Iterable[Mapping[str, Any]]
) -> dict[tuple[int, str], float]:
    """The rate (Eq. 18) that each resident decided under, by time step and name; none without LTRHA.

    Args:
        manifest: Of a run.
        records: Of the run, sorted by time.
        metrics: Rows of its metrics.csv.
    """
    share = look_up(manifest, "ltrha.resource_mode") == "share"
    rates: dict[tuple[int, str], float] = {}
    for time, step in groupby(records, key=lambda record: int(record["time"])):
        resources = {record["resident"]: record["resources"] for record in step if record["resources"] is not None}
        found = execution_rate(list(resources.values()), share=share)
        rates |= {(time, name): float(rate) for name, rate in zip(resources, found, strict=True)}
    # As each step left it: a branch may read Eq. 18 in another way than the steps before it did.
    left = [row for row in metrics if row["quantity"] == "rate"]
    return rates | {(int(row["time"]) + 1, row["subject"]): float(row["value"]) for row in left}
