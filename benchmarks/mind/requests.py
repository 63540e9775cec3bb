"""What a run asked of a model that leads its minds: requests, tokens, how alike they begin, and their wording."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Annotated

import typer

from benchmarks.reporting import AsJson, Measurement, machine, show
from evaluation.records.records import read_jsonl
from evaluation.records.run_directory import RunDirectory
from language_models.transcript.calls import Call
from language_models.transcript.recorded_calls import RecordedCalls

DECIDING = "action"
"""The module that a mind asks in, which a model leads."""

INTERNAL = re.compile(
    r"\b(?:LTRHA|filter(?:ed)?|protention|retention|impression|channel|phenomenal|arousal|dominance|pleasure|PAD|driver|"
    r"habitus|locale|matrix|resources?|eliminat\w+|embedding|percepts?|admissible|agent)\b|\b(?-i:None|nan)\b",
    re.IGNORECASE,
)
"""Words of the mechanisms' own, which nobody in the valley knows."""

UNGRAMMATICAL = re.compile(
    r"  |,,|\.\.(?!\.)|\s[,.;:]|\bin/on\b|\bin outside\b|(?<!door )\bto outside\b|'s Home\b|"
    r"\bPublic (?:Canteen|Reading)|\(\)|"
    r"\b(?:a|an|the) (?:a|an|the)\b|\byou (?:is|has|was|takes|goes)\b|\bYou (?:is|has|was|takes|goes)\b|^\W*$"
)
"""What no line of plain English has."""

_ITS_OWN = ("Your name is ", "Your goal", "Your plan")
_QUOTED = re.compile(r'"[^"\n]*"')


def begins_alike(before: str, after: str) -> float:
    """Which share of a request's words, and so about of its tokens, is the beginning of the request before it."""
    old, new = before.split(), after.split()
    same = next((place for place, pair in enumerate(zip(old, new, strict=False)) if pair[0] != pair[1]), None)
    return (min(len(old), len(new)) if same is None else same) / max(1, len(new))


def faults(prompt: str) -> list[str]:
    """Internal words and slips of grammar in what the project itself wrote.

    What stands in quotes is somebody's words, and what a resident wants and thinks of people is the model's own.
    """
    found, people = [], False
    for line in prompt.splitlines():
        people = line == "People you know:" or (people and line.startswith("- "))
        if people or line.startswith(_ITS_OWN):
            continue
        own = _QUOTED.sub('"…"', line)
        found += [f"{match[0]!r} in {line.strip()[:100]!r}" for match in INTERNAL.finditer(own)]
        if line.strip():
            found += [f"{match[0]!r} in {line.strip()[:100]!r}" for match in UNGRAMMATICAL.finditer(own.strip())]
    return found


def measure(calls: Sequence[Call], steps: int, residents: int) -> list[Measurement]:
    """Requests and tokens a resident and step, beginnings that are alike, and faults of wording."""
    turns = steps * residents
    deciding = [call for call in calls if call.caller.module == DECIDING]
    prompts = [call.request.prompt for call in deciding]
    last: dict[str, str] = {}
    alike = []
    for call in deciding:
        if (before := last.get(call.caller.resident)) is not None:
            alike.append(begins_alike(before, call.request.prompt))
        last[call.caller.resident] = call.request.prompt
    again = sum(1 + call.usage.retries for call in calls)
    tokens = sum(call.usage.prompt_tokens + call.usage.generated_tokens for call in calls)
    own = sum(call.usage.prompt_tokens + call.usage.generated_tokens for call in deciding)
    wrong = [fault for prompt in prompts for fault in faults(prompt)]
    for fault in dict.fromkeys(wrong):
        print(f"wording: {fault}", file=sys.stderr)
    return [
        Measurement(name="requests a resident and step", value=again / turns, unit="", goal=1.2, at_least=False),
        Measurement(name="tokens a resident and step", value=tokens / turns, unit="", goal=900, at_least=False),
        Measurement(name="tokens of a decision", value=own / max(1, len(deciding)), unit=""),
        Measurement(name="begin as the one before", value=100 * _mean(alike), unit="%", goal=60),
        Measurement(name="requests read for wording", value=float(len(prompts)), unit=""),
        Measurement(name="faults of wording", value=float(len(wrong)), unit="", goal=0, at_least=False),
    ]


def _mean(values: Iterable[float]) -> float:
    found = list(values)
    return sum(found) / len(found) if found else 0.0


def command(
    run: Annotated[Path, typer.Argument(metavar="RUN", help="The folder of a run that a model led.")],
    as_json: AsJson = False,
) -> int:
    """Count what a run asked of its model, and read every request by rule."""
    directory = RunDirectory(run)
    records = read_jsonl(directory.events_path)
    transcript = RecordedCalls(directory.transcript_path)
    try:
        calls = list(transcript.calls())
    finally:
        transcript.close()
    residents = len({record["resident"] for record in records})
    steps = len(records) // max(1, residents)
    if not steps or not any(call.caller.module == DECIDING for call in calls):
        print(f"requests: {run} has no step in which a model decided", file=sys.stderr)
        return 1
    show(measure(calls, steps, residents), machine(), as_json=as_json)
    return 0
