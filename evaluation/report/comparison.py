"""Comparison of two runs: different settings, first difference, and outcomes of both."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean
from typing import Any

from evaluation.html_theme.templates import templates
from evaluation.models.file_hashes import describe_models
from evaluation.records.files import write_atomically
from evaluation.records.records import Record
from evaluation.records.run_directory import RunDirectory
from irollan_env.actions import Action, Primitive

_SHOWN = 200
_LONGEST = 300
_FIRST = 6


@dataclass(frozen=True, kw_only=True, slots=True)
class Parting:
    """The first record in which two runs differ.

    Attributes:
        time: Time step of the record.
        resident: Name of its resident.
        values: The keys that differ, with the value in the first run and the value in the second, as text.
    """

    time: int
    resident: str
    values: tuple[tuple[str, str, str], ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class Comparison:
    """Similarities and differences of two runs.

    Attributes:
        runs: Paths of the run directories.
        steps: Number of time steps of each run.
        models: Models of each run: "Model" or "Action model" -> its name and adapter.
        settings: Configuration keys that differ, with the value in the first run and the value in the second.
        parting: The first difference; None if the runs are equal as far as both go.
        grid: By resident, for each time step of both runs: "same" record, same action ("alike"), or "other" action.
        deeds: Different actions, in order: time, resident, action in the first run, action in the second.
        totals: Counts and means: label, value in the first run, value in the second; None without data.
    """

    runs: tuple[str, str]
    steps: tuple[int, int]
    models: tuple[Mapping[str, str], Mapping[str, str]]
    settings: tuple[tuple[str, str, str], ...]
    parting: Parting | None
    grid: Mapping[str, Sequence[str]]
    deeds: Sequence[tuple[int, str, str, str]]
    totals: Sequence[tuple[str, float | None, float | None]]


def compare(first: RunDirectory, second: RunDirectory) -> Comparison:
    """Compare two runs, record by record.

    Raises:
        ValueError: if a directory holds no run, its run has no time step yet, or nobody lives in both.
    """
    manifests = [directory.read_manifest() for directory in (first, second)]
    a, b = (_by_moment(directory) for directory in (first, second))
    moments = [moment for moment in a if moment in b]
    if not moments:
        here, there = (_listed({name for _, name in moments_of}) for moments_of in (a, b))
        raise ValueError(
            f"nobody lives in both runs: {first.path} has {here}, and {second.path} {there}; compare "
            "runs of one map, or their measures with irollan measures"
        )
    grid: dict[str, list[str]] = {}
    deeds: list[tuple[int, str, str, str]] = []
    parting = None
    for time, resident in moments:
        one, other = a[time, resident], b[time, resident]
        alike = _deed(one) == _deed(other)
        grid.setdefault(resident, []).append("same" if one == other else "alike" if alike else "other")
        if not alike:
            deeds.append((time, resident, _deed(one), _deed(other)))
        if parting is None and one != other:
            keys = [key for key in dict.fromkeys([*one, *other]) if one.get(key, ...) != other.get(key, ...)]
            values = tuple((key, _text(one.get(key)), _text(other.get(key))) for key in keys)
            parting = Parting(time=time, resident=resident, values=values)
    totals = [(what, one, other) for (what, one), (_, other) in zip(_totals(a), _totals(b), strict=True)]
    return Comparison(
        runs=(str(first.path), str(second.path)),
        steps=(len({time for time, _ in a}), len({time for time, _ in b})),
        models=(describe_models(manifests[0]), describe_models(manifests[1])),
        settings=_settings(*manifests),
        parting=parting,
        grid=grid,
        deeds=deeds,
        totals=totals,
    )


def _listed(names: set[str]) -> str:
    """List names, of many the first."""
    first = sorted(names)[:_FIRST]
    return ", ".join(first) + (f" and {len(names) - len(first)} more" if len(names) > len(first) else "")


def in_words(comparison: Comparison) -> str:
    """Describe in one sentence where the runs first differ."""
    common = min(comparison.steps)
    if (parting := comparison.parting) is None:
        return f"they are the same in all {common} time steps that both have"
    acts = sum(kind == "other" for row in comparison.grid.values() for kind in row)
    return (
        f"they part at time step {parting.time}, where {parting.resident} differs in "
        f"{', '.join(key for key, _, _ in parting.values)}; {acts} of "
        f"{sum(map(len, comparison.grid.values()))} actions in the {common} time steps that both have are others"
    )


def write_comparison(comparison: Comparison, path: Path) -> Path:
    """Write the comparison as an HTML page; all text from the runs is escaped."""
    page = (
        templates("evaluation.report")
        .get_template("comparison.html")
        .render(
            comparison=comparison,
            words=in_words(comparison),
            deeds=comparison.deeds[:_SHOWN],
            left_out=max(0, len(comparison.deeds) - _SHOWN),
        )
    )
    write_atomically(path, page.encode("utf-8", "backslashreplace"))
    return path


def _by_moment(directory: RunDirectory) -> dict[tuple[int, str], Record]:
    records = {(int(record["time"]), str(record["resident"])): record for record in directory.records()}
    if not records:
        raise ValueError(f"{directory.path} has no time step to compare yet")
    return records


def _deed(record: Mapping[str, Any]) -> str:
    """Return the action and its outcome as text, without the words of a chat."""
    action = record["action"]
    deed = "waits" if action is None else str(action).split(":")[0]
    return deed if record["outcome"] == "executed" else f"{deed} ({record['outcome']})"


def _settings(*manifests: Mapping[str, Any]) -> tuple[tuple[str, str, str], ...]:
    one, other = (_flat(manifest.get("configuration", {}).get("effective", {})) for manifest in manifests)
    keys = [key for key in dict.fromkeys([*one, *other]) if one.get(key) != other.get(key)]
    return tuple((key, _text(one.get(key)) or "–", _text(other.get(key)) or "–") for key in keys)


def _flat(tables: Mapping[str, Any], before: str = "") -> dict[str, Any]:
    """Flatten nested tables into values by dotted path."""
    found: dict[str, Any] = {}
    for key, value in tables.items():
        nested = isinstance(value, Mapping) and bool(value)
        found |= _flat(value, f"{before}{key}.") if nested else {f"{before}{key}": value}
    return found


def _totals(records: Mapping[Any, Record]) -> list[tuple[str, float | None]]:
    outcomes = [record["outcome"] for record in records.values()]
    chats = [record for record in records.values() if record["outcome"] == "executed" and _is_chat(record["action"])]
    last = max(time for time, _ in records)
    end = [record for (time, _), record in records.items() if time == last]
    resources = [record["resources"] for record in end if record["resources"] is not None]
    return [
        *((f"actions {kind}", float(outcomes.count(kind))) for kind in ("executed", "filtered", "inadmissible")),
        ("steps without an answer from the model", float(outcomes.count("failed"))),
        ("chats carried out", float(len(chats))),
        ("mean pleasure", fmean(record["pleasure"] for record in records.values())),
        ("mean arousal", fmean(record["arousal"] for record in records.values())),
        ("mean driver at the end", fmean(record["driver"] for record in end)),
        ("most resources at the end", max(resources, default=None)),
        ("least resources at the end", min(resources, default=None)),
    ]


def _is_chat(action: str | None) -> bool:
    read = None if action is None else Action.parse(action)
    return isinstance(read, Action) and read.primitive is Primitive.CHAT and read.partner is not None


def _text(value: Any) -> str:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}..."
