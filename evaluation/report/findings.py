"""Main findings of a run in sentences, by the false discovery rate where they are tested."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from evaluation.records.records import Record
from evaluation.report.number_format import amount, count, dollars, known, number
from evaluation.social import SocialStructure

_OF_THEIR_OWN = ("leader", "left out", "resources of the sociable")
"""Tests with a sentence of their own."""
_NOBODY = "nobody turned to anybody, so that there is nothing to test"


def findings(
    records: Sequence[Record],
    structure: SocialStructure | None,
    usage: Sequence[Mapping[str, Any]],
    step_tokens: Sequence[int],
    price_days: str,
    uncounted: Sequence[str] = (),
) -> list[tuple[str, str]]:
    """Summarise who leads, who was left out, how resources were distributed, and what the run cost.

    Args:
        records: Records of the run.
        structure: Social structure of the run; None if no time step is complete.
        usage: One row per module, as in ``ReportData``.
        step_tokens: Tokens of each time step, as in ``ReportData``.
        price_days: Dates of the prices; empty if none is known.
        uncounted: Tokens missing from the sums, as in ``ReportData``.

    Returns:
        Pairs of a subject and a sentence about it: who leads, who was left out, what resources did, what else the tests
        found if anything, and what it cost.
    """
    others = (
        [] if structure is None else [one for test, one in structure.sentences.items() if test not in _OF_THEIR_OWN]
    )
    return [
        ("Who leads", _leader(structure)),
        ("Who was left out", _left_out(structure)),
        ("What resources did", _resources(records, structure)),
        *([("What else was found", " ".join(others))] if others else []),
        ("What it cost", _cost(len(records), usage, step_tokens, price_days, uncounted)),
    ]


def _leader(structure: SocialStructure | None) -> str:
    if structure is None or structure.leader is None:
        return f"Nobody can be said to lead: {_NOBODY}."
    name, q = structure.leader, float(structure.tests["q"]["leader"])
    counted = _turned(structure.residents.to_dict("index")[name])
    if q <= structure.alpha:
        return f"{name} leads: others turned to {name} {counted}, beyond chance ({_q(q)})."
    return f"No leader was found: others turned to {name} the most beyond who was there, {counted} ({_q(q)})."


def _left_out(structure: SocialStructure | None) -> str:
    if structure is None or structure.leader is None:
        return f"Nobody can be said to be left out: {_NOBODY}."
    table = structure.residents.sort_values("p_left_out", kind="stable").to_dict("index")
    q = _q(float(structure.tests["q"]["left out"]))
    if structure.left_out:
        told = "; ".join(f"{name}, {_turned(row)}" for name, row in table.items() if name in structure.left_out)
        return f"Left out though there, beyond chance: {told} ({q})."
    name, row = next(iter(table.items()))
    return f"Nobody was found to be left out: nearest to it is {name}, turned to {_turned(row)} ({q})."


def _turned(row: Mapping[Any, Any]) -> str:
    times = int(row["received"])
    return f"{times} {'time' if times == 1 else 'times'} where {known(float(row['expected']), 1)} were to be expected"


def _resources(records: Sequence[Record], structure: SocialStructure | None) -> str:
    last = max(int(record["time"]) for record in records)
    owned = {
        str(record["resident"]): float(record["resources"])
        for record in records
        if int(record["time"]) == last and record["resources"] is not None
    }
    if not owned:
        return "There are none to tell of: without LTRHA nobody has resources."
    most, least = max(owned, key=lambda name: owned[name]), min(owned, key=lambda name: owned[name])
    if owned[most] == owned[least]:
        return f"In time step {last} all had {amount(owned[most])}; there is no difference to be sure or unsure of."
    ends = f"In time step {last} they reached from {amount(owned[least])} ({least}) to {amount(owned[most])} ({most})"
    if structure is None or structure.leader is None:
        return f"{ends}; whether they went to those who interact more cannot be tested."
    row = structure.tests.to_dict("index")["resources of the sociable"]
    test = {key: float(row[key]) for key in ("value", "q", "null_low", "null_high")}
    if not math.isfinite(test["q"]):
        return f"{ends}; whether they went to those who interact more cannot be tested."
    verdict = (
        "went to those who interact more"
        if test["q"] <= structure.alpha
        else "were not found to go to those who interact more"
    )
    chance = f"by chance {number(test['null_low'])} to {number(test['null_high'])}"
    return f"{ends}; they {verdict} (rank correlation {number(test['value'])}, {chance}, {_q(test['q'])})."


def _cost(
    decisions: int,
    usage: Sequence[Mapping[str, Any]],
    step_tokens: Sequence[int],
    price_days: str,
    uncounted: Sequence[str],
) -> str:
    if not usage:
        return "Nothing that was counted: no model was called."
    tokens = sum(int(row["prompt_tokens"]) + int(row["generated_tokens"]) for row in usage)
    calls = sum(int(row["calls"]) for row in usage)
    said = (
        f"{count(calls)} model calls and {count(tokens)} tokens, {count(round(tokens / decisions))} a resident and step"
    )
    if len(step_tokens) > 1:
        low, high = np.quantile(step_tokens, (0.05, 0.95)) * len(step_tokens) / decisions
        said += f" (nine in ten time steps between {count(float(low))} and {count(float(high))})"
    paid = _paid([row.get("dollars") for row in usage], price_days, all_counted=not uncounted)
    return " ".join([f"{said}{paid}.", *(f"{one[:1].upper()}{one[1:]}." for one in uncounted)])


def _paid(costs: Sequence[float | None], price_days: str, *, all_counted: bool) -> str:
    paid = math.fsum(cost for cost in costs if cost is not None)
    if None in costs:
        at_least = f"at least {dollars(paid)}, as some prices are not known"
        return f"; {at_least if paid else 'no price: the run was given none (irollan run --prices FILE)'}"
    if not paid:
        return ", which cost nothing" if all_counted else ""
    return f"; {'' if all_counted else 'at least '}{dollars(paid)}" + (
        f" at prices of {price_days}" if price_days else ""
    )


def _q(value: float) -> str:
    return "q\u00a0<\u00a00.001" if value < 0.001 else f"q\u00a0=\u00a0{value:.3f}"
