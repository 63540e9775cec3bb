"""The format of a model's answer, as JSON or as labelled lines: its schema and its parser."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, Literal

from itcma_s.deliberation.model_answer import Answer, Unusable
from language_models.json_answers import UnusableObject, match_option, read_object, write_object

Form = Literal["json", "plain"]
"""The format of an answer: "json" for models that can be held to a schema, "plain" lines for others."""

MOST_STEPS = 3
MOST_DESCRIPTIONS = 3

_LONGEST = {"thought": 600, "goal": 160, "step": 120, "words": 400, "description": 260}  # in characters
_KEYS = ("thought", "goal_is", "goal", "plan", "action", "words")
_LABELS = {key.replace("_", " ").capitalize(): key for key in _KEYS}
_LINE = re.compile(rf"^\s*\**({'|'.join(sorted(_LABELS, key=len, reverse=True))})\**\s*:\**[ \t]*(.*)$")
_ABOUT = re.compile(r"^\s*About:?\s+(.*)$")
_SILENT = frozenset({"", "nothing", "none", '""', "-"})


def schema(options: int, *, describes: bool = False) -> dict[str, Any]:
    """Return the JSON schema of an answer, with its keys in the order of writing.

    Args:
        options: How many options there are, numbered from 1.
        describes: Whether descriptions are asked for.
    """
    text = {name: {"type": "string", "maxLength": most} for name, most in _LONGEST.items()}
    properties: dict[str, Any] = {
        "thought": {**text["thought"], "minLength": 1},
        "goal_is": {"type": "string", "enum": ["kept", "changed", "reached"]},
        "goal": text["goal"],
        "plan": {"type": "array", "items": text["step"], "maxItems": MOST_STEPS},
        "action": {"type": "integer", "minimum": 1, "maximum": options},
        "words": text["words"],
    }
    if describes:
        properties["about"] = {"type": "array", "items": text["description"], "maxItems": MOST_DESCRIPTIONS}
    return {"type": "object", "properties": properties, "required": list(properties), "additionalProperties": False}


def read(
    text: str,
    form: Form,
    *,
    options: int,
    talks: frozenset[int],
    describes: bool = False,
    texts: Sequence[str] = (),
) -> Answer:
    """Parse an answer; too long texts are cut, and unambiguous slips are corrected.

    Args:
        text: The model's output; untrusted.
        form: The requested format.
        options: How many options there are, numbered from 1.
        talks: Numbers of the options that require words.
        describes: Whether descriptions were asked for.
        texts: The options as they are listed, one of which a line may name in place of its number; empty for none.

    Raises:
        Unusable: if it has not the requested form.
    """
    if form == "plain":
        text = write_object(_from_lines(text, describes, texts))
    try:
        parts = read_object(text, schema(options, describes=describes))
    except UnusableObject as error:
        raise Unusable(str(error)) from None
    if not (thought := _one_line(parts["thought"])):
        raise Unusable("has no thought")
    words, action = _said(parts["words"]), parts["action"]
    if action in talks and not words:
        raise Unusable("talks to somebody and has no words")
    return Answer(
        thought=thought,
        goal_is=parts["goal_is"],
        goal=_said(parts["goal"]),
        plan=tuple(step for one in parts["plan"] if (step := _said(one))),
        action=action,
        words=words if action in talks else "",
        about=tuple(_one_line(one) for one in parts.get("about", ())),
    )


def _from_lines(text: str, describes: bool, texts: Sequence[str]) -> Mapping[str, Any]:
    """Parse labelled lines into the keys of the JSON form; an unlabelled line continues the previous one.

    Text before the first label is ignored.
    """
    found: dict[str, str] = {}
    about: list[str] = []
    last = ""
    for line in text.strip().splitlines():
        if match := _LINE.match(line):
            last = _LABELS[match[1]]
            if last in found:
                raise Unusable(f"has the line {match[1]!r} twice")
            found[last] = match[2].strip()
        elif describes and (match := _ABOUT.match(line)):
            about.append(match[1])
        elif last and line.strip():
            found[last] = f"{found[last]} {line.strip()}"
    if text.strip() and not found:
        raise Unusable(f"begins with {text.strip()[:40]!r} and has no line 'Thought'")
    found.setdefault("words", "")
    for label, key in _LABELS.items():
        if key not in found:
            raise Unusable(f"has no line {label!r}")
    number = re.fullmatch(r"[^\w]{0,3}(\d{1,4})\b.*", found["action"])
    named = match_option(found["action"], texts) if number is None else None
    if number is None and named is None:
        raise Unusable(f"chooses {found['action'][:40]!r}, which is no number")
    return {
        **{key: found[key] for key in ("thought", "words")},
        "goal_is": found["goal_is"],
        "goal": found["goal"],
        "plan": [step.strip() for step in found["plan"].split(";") if step.strip()],
        "action": int(number[1]) if number is not None else [*texts].index(str(named)) + 1,
        **({"about": about} if describes else {}),
    }


def _said(text: str) -> str:
    """Return a text on one line; empty for words such as "none"."""
    line = _one_line(text)
    return "" if line.lower().rstrip(".!") in _SILENT else line


def _one_line(text: str) -> str:
    """Return a text on one line, without unprintable characters."""
    return " ".join("".join(c if c.isprintable() else " " for c in text).split())
