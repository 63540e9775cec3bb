"""Probability that LTRHA executes each resident's action, by time step, and how often it held residents back."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from evaluation.report.facts import look_up
from ltrha import execution_rate


@dataclass(frozen=True, slots=True)
class HeldBack:
    """How often LTRHA held a resident back in a run.

    Attributes:
        resident: The resident.
        acts: Actions that it decided on; waiting is none.
        held: Those of them that were held back.
        rate: Mean probability with which they were executed; None where a step's is unknown.
        longest: Most of them that were held back in a row.
    """

    resident: str
    acts: int
    held: int
    rate: float | None
    longest: int


def held_back(
    records: Iterable[Mapping[str, Any]], rates: Mapping[tuple[int, str], float]
) -> tuple[list[HeldBack], str]:
    """Count how often each resident was held back, and say whether standing made a difference.

    Args:
        records: Records of a run, sorted by time.
        rates: Result of ``rates_of``.

    Returns:
        One entry a resident, whoever was held back most comes first; and a sentence that compares the upper with the
        lower half by resources at the time of each action, empty where there is nothing to compare.
    """
    found: dict[str, list[tuple[bool, float | None]]] = {}
    halves: dict[bool, list[bool]] = {True: [], False: []}
    for time, step in groupby(records, key=lambda record: int(record["time"])):
        acting = [one for one in step if _acts(one)]
        amounts = sorted(one["resources"] for one in acting if one["resources"] is not None)
        for record in acting:
            held, amount = record["outcome"] == "filtered", record["resources"]
            found.setdefault(record["resident"], []).append((held, rates.get((time, record["resident"]))))
            if amount is not None and (below := sum(one < amount for one in amounts)) != (
                above := sum(one > amount for one in amounts)
            ):
                halves[below > above].append(held)
    rows = [
        HeldBack(
            resident=name,
            acts=len(own),
            held=sum(held for held, _ in own),
            rate=None if any(rate is None for _, rate in own) else sum(rate or 0.0 for _, rate in own) / len(own),
            longest=max((sum(1 for _ in run) for held, run in groupby(held for held, _ in own) if held), default=0),
        )
        for name, own in found.items()
    ]
    upper, lower = halves[True], halves[False]
    sentence = (
        f"Of the acts of those with more resources than most others at that time, {sum(upper)} of {len(upper)} were "
        f"held back; of those with less than most others, {sum(lower)} of {len(lower)}."
        if upper and lower
        else ""
    )
    return sorted(rows, key=lambda row: -row.held / row.acts), sentence


def _acts(record: Mapping[str, Any]) -> bool:
    return record["outcome"] == "filtered" or (record["outcome"] != "failed" and record["action"] is not None)


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
    only_turns = look_up(manifest, "ltrha.standing_decides") == "turns"
    rates: dict[tuple[int, str], float] = {}
    for time, step in groupby(records, key=lambda record: int(record["time"])):
        resources = {record["resident"]: record["resources"] for record in step if record["resources"] is not None}
        found = [1.0] * len(resources) if only_turns else execution_rate(list(resources.values()), share=share)
        rates |= {(time, name): float(rate) for name, rate in zip(resources, found, strict=True)}
    # Recorded rates take precedence: a branch may use another reading of Eq. 18 than the steps before it.
    left = [row for row in metrics if row["quantity"] == "rate"]
    return rates | {(int(row["time"]) + 1, row["subject"]): float(row["value"]) for row in left}
