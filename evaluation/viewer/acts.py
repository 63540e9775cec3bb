"""Conversion of a record into page data: what is drawn at once, and details shown on request."""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence
from typing import Any

from evaluation.records.interactions import Record
from evaluation.viewer.things import held
from irollan_env.actions import Action, Primitive, Refusal
from irollan_env.english import Form, phrase
from irollan_env.map.geometry import Pose
from irollan_env.world.events import Event
from itcma_s.actions import handled

_REACHED = "reached the goal"
_AS_RECORDED = (
    *("place", "goal", "thought", "outcome", "result", "failure", "explanation", "topic", "memories", "calls"),
    *("pleasure", "arousal", "dominance", "driver", "resources"),
)


def act_of(record: Record, pose: Pose | None, turn: int, rate: float | None, places: Container[str]) -> dict[str, Any]:
    """Return the data that the page draws of a record.

    Args:
        record: A record of events.jsonl; those of old versions have no events or plans.
        pose: Pose of its resident; None if unknown.
        turn: Number of others seen or heard acting in this time step before it decided.
        rate: Probability that LTRHA executes its action; None without LTRHA.
        places: Names of all places of the map.
    """
    return {
        **{key: record[key] for key in _AS_RECORDED},
        "at": None if pose is None else [round(value, 2) for value in pose],
        "turn": turn,
        "rate": None if rate is None else round(rate, 4),
        "holds": held(record),
        "deed": deed_of(record["action"]),
        "plan": list(record.get("plan", ())),
        "heard": list(record["messages"]),
        "seen": [{**event, "told": Event(**event).describe("", places)} for event in record.get("events", ())],
        "reached": any(term.startswith(_REACHED) for term in record["explanation"]),
        **{key: dict(record[key]) for key in ("needs", "variables") if record.get(key)},
    }


def deed_of(action: str | None) -> dict[str, str]:
    """Parse an action into its kind (go, use, leave, take, put, say, did, wait, other) and its arguments.

    What was done by a primitive of the world's own has its words in three forms: "fish", "fishes", "fished".
    """
    if action is None:
        return {"kind": "wait"}
    parsed = Action.parse(action)
    if isinstance(parsed, Refusal):
        return {"kind": "other", "text": action}
    match parsed.primitive:
        case Primitive.GO_TO:
            return {"kind": "go", "other": parsed.target}
        case Primitive.USE:
            return {"kind": "use", "thing": parsed.target}
        case Primitive.LEAVE:
            return {"kind": "leave", "other": parsed.target}
        case Primitive.TAKE | Primitive.PUT:
            return {"kind": str(parsed.primitive), "thing": str(parsed.item), "other": parsed.target}
        case Primitive.CHAT if parsed.partner is None:
            return {"kind": "use", "thing": parsed.target}
        case Primitive.CHAT:
            return {"kind": "say", "other": parsed.target, "text": parsed.words}
        case _:
            forms: tuple[Form, ...] = ("infinitive", "present", "past")
            words = dict(zip(("to", "does", "did"), (phrase(parsed, form) for form in forms), strict=True))
            return {
                "kind": "did",
                "thing": handled(parsed) or "",
                "other": parsed.partner or "",
                "text": action,
                **words,
            }


def detail_of(record: Record, kinds: Mapping[str, str], threshold: float) -> dict[str, Any]:
    """Return the details of a record: its perceived and imagined fields, and its options.

    ``field`` has one row per percept: name, kind, phi (radians, 0 straight ahead, growing to the left), horizontal
    distance in metres, and what it lies on or does. ``blended`` has such rows for the blend of the present with a
    memory, with the source, "seen" or "remembered", in the last column; null without a blend. ``options`` has one row
    per admissible action, the best first: action, relevance (1 to 5, or null), expected value (null for eliminated
    actions).

    Args:
        record: A record of events.jsonl; those of old versions have no imagination.
        kinds: Kind of everything seen so far, by name; unknown names, remembered from before the run, count as items.
        threshold: The relevance from which actions of the run were not eliminated, in [1, 5].
    """
    relevance, expected = record["relevance"] or {}, record["protention"] or {}
    options = [[action, relevance.get(action), expected.get(action)] for action in record["admissible"]]
    options.sort(key=lambda option: (option[2] is None, -(option[1] or 0.0)))
    return {
        "observation": record["observation"],
        "field": [
            [
                percept["name"],
                percept["kind"],
                round(percept["phi"], 3),
                round(percept["gamma"], 2),
                percept["on"] or percept["doing"],
            ]
            for percept in record["percepts"]
            if not percept["held"]
        ],
        "blended": _blended(record, kinds),
        "options": options,
        "threshold": threshold if relevance else None,
    }


def _blended(record: Record, kinds: Mapping[str, str]) -> list[list[Any]] | None:
    if (imagination := record.get("imagination")) is None:
        return None
    percepts = record["percepts"]
    hands = {percept["name"] for percept in percepts if percept["held"]}
    seen = {(one["name"], *(round(one[key], 2) for key in ("theta", "phi", "gamma"))) for one in percepts}
    return [
        [
            name,
            kinds.get(name, "item"),
            round(phi, 3),
            round(gamma, 2),
            "seen" if (name, round(theta, 2), round(phi, 2), round(gamma, 2)) in seen else "remembered",
        ]
        for name, theta, phi, gamma in imagination
        if name not in hands
    ]


def turns_of(records: Sequence[Mapping[str, Any]]) -> dict[str, int]:
    """Return how many others each resident had seen act or heard speak in the same time step when it decided."""
    return {
        record["resident"]: len(
            {event["actor"] for event in record.get("events", ()) if event["time"] == record["time"]}
            | {message["sender"] for message in record["messages"] if message["time"] == record["time"]}
        )
        for record in records
    }
