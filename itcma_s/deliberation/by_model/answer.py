"""What a model answers: thought, goal, plan, action and words, read strictly from JSON or from lines of plain text."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

Form = Literal["json", "plain"]
"""How an answer is written: "json" where the model can be held to a schema, "plain" lines elsewhere."""

GoalIs = Literal["kept", "changed", "reached"]

_GOAL_IS: Mapping[str, GoalIs] = {"kept": "kept", "changed": "changed", "reached": "reached"}

LONGEST = {"thought": 600, "goal": 160, "step": 120, "words": 400}
"""Characters that are kept of each part; what is longer is cut at a word's end."""

MOST_STEPS = 3
_KEYS = ("thought", "goal_is", "goal", "plan", "action", "words")
_LABELS = {
    "Thought": "thought",
    "Goal is": "goal_is",
    "Goal": "goal",
    "Plan": "plan",
    "Action": "action",
    "Words": "words",
}
_LINE = re.compile(rf"^\s*({'|'.join(sorted(_LABELS, key=len, reverse=True))})\s*:[ \t]*(.*)$")
_ABOUT = re.compile(r"^\s*About (\w{1,40}):\s*(.*?)\s*\[([\d, ]*)\]\s*$")
_FENCE = re.compile(r"^```[a-zA-Z]*\s*\n(?P<inside>.*?)\n?```$", re.DOTALL)


class Unusable(ValueError):
    """An answer that cannot be used; the message says why, as it would go on after "which"."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Answer:
    """What a resident thinks, wants, plans, does and says.

    Attributes:
        thought: Not empty.
        goal_is: What became of the goal so far.
        goal: What it wants from now on; may be empty.
        plan: At most three steps.
        action: Number of the option, from 1.
        words: What it says; empty where it does not talk.
        about: What it says of people where it was asked to describe them: who, text, and from which memories.
    """

    thought: str
    goal_is: GoalIs
    goal: str
    plan: tuple[str, ...]
    action: int
    words: str
    about: tuple[Mapping[str, Any], ...] = ()


def schema(options: int, about: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """The JSON schema of an answer, in the order in which it is to be written.

    Args:
        options: How many options there are, numbered from 1.
        about: The schema of descriptions, where they are asked for.
    """
    text = {name: {"type": "string", "maxLength": most} for name, most in LONGEST.items()}
    properties: dict[str, Any] = {
        "thought": {**text["thought"], "minLength": 1},
        "goal_is": {"type": "string", "enum": list(_GOAL_IS)},
        "goal": text["goal"],
        "plan": {"type": "array", "items": text["step"], "maxItems": MOST_STEPS},
        "action": {"type": "integer", "minimum": 1, "maximum": options},
        "words": text["words"],
    }
    if about is not None:
        properties["about"] = dict(about)
    return {"type": "object", "properties": properties, "required": list(properties), "additionalProperties": False}


def read(text: str, form: Form, *, options: int, talks: frozenset[int], describes: bool = False) -> Answer:
    """Read an answer.

    Args:
        text: What the model wrote; untrusted.
        form: How it was asked to write.
        options: How many options there are, numbered from 1.
        talks: Numbers of those that need words.
        describes: Whether descriptions were asked for; none are read elsewhere.

    Raises:
        Unusable: if it is not what was asked for.
    """
    keys = (*_KEYS, "about") if describes else _KEYS
    parts = _from_json(text, keys) if form == "json" else _from_lines(text)
    thought = _text(parts, "thought", "thought")
    if not thought:
        raise Unusable("has no thought")
    said = _text(parts, "goal_is", "goal").lower().rstrip(".")
    if (goal_is := _GOAL_IS.get(said)) is None:
        raise Unusable(f"says of the goal {said[:40]!r}, and neither kept, changed nor reached")
    action = parts["action"]
    if not isinstance(action, int) or isinstance(action, bool) or not 1 <= action <= options:
        raise Unusable(f"chooses {str(action)[:40]!r}, which is no number from 1 to {options}")
    words = _text(parts, "words", "words")
    if action in talks and not words:
        raise Unusable("talks to somebody and has no words")
    steps = parts["plan"]
    if not isinstance(steps, list) or not all(isinstance(step, str) for step in steps):
        raise Unusable(f"has a plan that is no list of short texts: {str(steps)[:40]!r}")
    plan = tuple(step for step in (one_line(step, LONGEST["step"]) for step in steps) if step)[:MOST_STEPS]
    return Answer(
        thought=thought,
        goal_is=goal_is,
        goal=_text(parts, "goal", "goal"),
        plan=plan,
        action=action,
        words=words if action in talks else "",
        about=_about(parts["about"]) if describes else (),
    )


def _about(value: Any) -> tuple[Mapping[str, Any], ...]:
    if not isinstance(value, list) or not all(isinstance(entry, dict) for entry in value):
        raise Unusable(f"has {str(value)[:40]!r} for 'about', which is no list of objects")
    return tuple(value)


def _from_json(text: str, keys: Sequence[str]) -> Mapping[str, Any]:
    body = text.strip()
    if fenced := _FENCE.match(body):
        body = fenced["inside"].strip()
    try:
        parts = json.loads(body, object_pairs_hook=_once, parse_constant=_no_number)
    except RecursionError:
        raise Unusable("is nested too deep") from None
    except Unusable:
        raise
    except ValueError as error:
        raise Unusable(f"is not one JSON object: {error}") from None
    if not isinstance(parts, dict):
        raise Unusable(f"is JSON, and no object: {body[:40]!r}")
    for key in keys:
        if key not in parts:
            raise Unusable(f"has no key {key!r}")
    if unknown := next((key for key in parts if key not in keys), None):
        raise Unusable(f"has a key {unknown[:40]!r} that was not asked for")
    return parts


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    parts: dict[str, Any] = {}
    for key, value in pairs:
        if key in parts:
            raise Unusable(f"has the key {key[:40]!r} twice")
        parts[key] = value
    return parts


def _no_number(name: str) -> None:
    raise Unusable(f"has {name}, which is no number")


def _from_lines(text: str) -> Mapping[str, Any]:
    found: dict[str, str] = {}
    about: list[dict[str, Any]] = []
    last = ""
    for line in text.strip().splitlines():
        if match := _ABOUT.match(line):
            about.append(
                {"who": match[1], "text": match[2], "from": [int(one) for one in re.findall(r"\d+", match[3])]}
            )
        elif match := _LINE.match(line):
            last = _LABELS[match[1]]
            if last in found:
                raise Unusable(f"has the line {match[1]!r} twice")
            found[last] = match[2].strip()
        elif line.strip():
            if not last:
                raise Unusable(f"begins with {line.strip()[:40]!r} and not with 'Thought:'")
            found[last] = f"{found[last]} {line.strip()}"
    for label, key in _LABELS.items():
        if key not in found and key != "words":
            raise Unusable(f"has no line {label!r}")
    number = re.fullmatch(r"(\d{1,4})\b.*", found["action"])
    steps = [step.strip() for step in found["plan"].split(";")]
    words = found.get("words", "").strip()
    return {
        **found,
        "action": int(number[1]) if number else found["action"],
        "plan": [step for step in steps if step],
        "about": about,
        "words": "" if words.lower().rstrip(".") in ("nothing", "none", '""', "-") else words,
    }


def _text(parts: Mapping[str, Any], key: str, name: str) -> str:
    if not isinstance(value := parts[key], str):
        raise Unusable(f"has {str(value)[:40]!r} for {key!r}, which is no text")
    return one_line(value, LONGEST[name])


def one_line(text: str, most: int) -> str:
    """A text on one line, without characters that cannot be printed, cut at a word's end."""
    line = " ".join("".join(c if c.isprintable() else " " for c in text).split())
    return line if len(line) <= most else line[: most - 1].rsplit(" ", 1)[0].rstrip(" ,;:") + "…"
