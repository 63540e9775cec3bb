"""Records: what one resident perceived, felt, thought and did in one time step (events.jsonl)."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, TypeAlias

from pydantic import BaseModel, ConfigDict, ValidationError

from evaluation.records.checksums import first_fault
from irollan_env.resident import Act
from irollan_env.world.acting import Outcome
from irollan_env.world.mechanic import WORLD, Change
from irollan_env.world.observation import Observation

Record: TypeAlias = dict[str, Any]


def make_record(observation: Observation, act: Act, outcome: Outcome) -> Record:
    """Make the record of one resident and time step; resources and topic are those before the action.

    Args:
        observation: What the resident perceived.
        act: What it decided.
        outcome: What became of it.
    """
    seen = observation.to_json()
    numbers: Record = {key: seen[key] for key in ("needs", "variables") if key in seen}
    return {
        "time": observation.time,
        "resident": observation.resident,
        "place": observation.place,
        "observation": observation.sentence,
        "percepts": [{**percept, "status": list(percept["status"])} for percept in seen["percepts"]],
        "messages": list(seen["messages"]),
        "events": list(seen["events"]),
        "goal": act.goal,
        "plan": list(act.plan),
        "admissible": list(observation.admissible),
        "relevance": None if act.relevance is None else dict(act.relevance),
        "protention": dict(act.protention),
        "thought": act.thought,
        "action": act.action,
        "outcome": outcome.kind,
        "result": outcome.result,
        "failure": act.failure,
        "pleasure": act.pleasure,
        "arousal": act.arousal,
        "dominance": act.dominance,
        "driver": act.driver,
        "explanation": dict(act.explanation),
        "resources": observation.resources,
        "topic": observation.topic,
        "memories": list(act.memories),
        "imagination": None if act.imagination is None else [list(row) for row in act.imagination],
        "calls": list(act.calls),
        **numbers,
    }


def describe_world(variables: Mapping[str, Mapping[str, float]], changes: Iterable[Change]) -> Record:
    """Make what the first record of a step has as ``world``; it is left out where it is empty.

    Args:
        variables: After the step, as ``World.variables`` gives them.
        changes: What mechanics changed in the step.
    """
    about = {"variables": dict(variables.get(WORLD, {})), "changes": [change._asdict() for change in changes]}
    return {key: value for key, value in about.items() if value}


def to_jsonl(records: Iterable[Record]) -> bytes:
    """Write one line of JSON per record; equal records give equal bytes.

    Raises:
        ValueError: for a number that is not finite.
    """
    try:
        lines = [json.dumps(r, ensure_ascii=False, allow_nan=False, separators=(",", ":")) + "\n" for r in records]
    except ValueError as error:
        raise ValueError(f"a record must hold finite numbers only: {error}") from error
    # A lone surrogate, which a model's text may hold, becomes the JSON escape that stands for it.
    return "".join(lines).encode("utf-8", "backslashreplace")


def parse_jsonl(path: Path, data: bytes) -> list[Record]:
    """Parse the records of an events.jsonl.

    Args:
        path: The file, for messages.
        data: Its content.

    Raises:
        ValueError: for a line that is no JSON object, naming it.
    """
    return [read_line(path, number, line) for number, line in enumerate(data.split(b"\n")[:-1], 1)]


def read_line(path: Path, number: int, line: bytes) -> Record:
    """Read the record on one line.

    Args:
        path: The events.jsonl, for the message.
        number: Of the line, from 1.
        line: Its bytes.

    Raises:
        ValueError: if it is no record, naming it.
    """
    try:
        record: Record = json.loads(line)
        _Shape.model_validate(record)
    except ValidationError as error:
        raise ValueError(f"{path}, line {number} is no record: {first_fault(error)}") from error
    except (ValueError, RecursionError) as error:
        raise ValueError(f"{path}, line {number} is not JSON: {error}") from error
    return record


class _Change(BaseModel):
    model_config = ConfigDict(strict=True)

    time: int
    what: str
    thing: str
    origin: str | None
    target: str | None
    cause: str


class _World(BaseModel):
    model_config = ConfigDict(strict=True)

    variables: dict[str, float] = {}
    changes: list[_Change] = []


class _Shape(BaseModel):
    """Types of a record's values; records of before some of them were kept lack those."""

    model_config = ConfigDict(strict=True)

    time: int
    resident: str = ""
    place: str = ""
    observation: str = ""
    percepts: list[Any] = []
    messages: list[Any] = []
    events: list[Any] = []
    goal: str = ""
    plan: list[Any] = []
    admissible: list[Any] = []
    relevance: dict[str, Any] | None = None
    protention: dict[str, Any] = {}
    thought: str = ""
    action: str | None = None
    outcome: str = ""
    result: str = ""
    failure: str | None = None
    pleasure: float = 0
    arousal: float = 0
    dominance: float = 0
    driver: float = 0
    explanation: dict[str, Any] = {}
    resources: float | None = None
    topic: float | None = None
    memories: list[Any] = []
    imagination: list[Any] | None = None
    calls: list[Any] = []
    needs: dict[str, float] = {}
    variables: dict[str, float] = {}
    world: _World = _World()
