"""Objects of a JSON schema written without a model: by rule, from the request alone."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

Draw = Callable[[int, str], int]
"""A number below the first argument that hangs on the request and the second argument only."""

Sentence = Callable[[str], str]
"""A sentence that hangs on the request and the argument only."""


def object_by_rule(schema: Mapping[str, Any], draw: Draw, sentence: Sentence) -> dict[str, Any]:
    """An object that obeys a schema.

    Strings are sentences, cut at a word's end where they are too long and filled up with full stops where they are too
    short; integers lie anywhere in their range; an array has one item or two, as far as its bounds let it, or, where
    its items are an enum and unique, all of that in a drawn order, as far as there is room.

    Args:
        schema: One that passes ``json_answers.check_schema``.
        draw: Numbers for what is open.
        sentence: Sentences for strings.
    """
    return {key: _value(form, key, draw, sentence) for key, form in schema["properties"].items()}


def _value(form: Mapping[str, Any], where: str, draw: Draw, sentence: Sentence) -> Any:
    if "enum" in form:
        return form["enum"][draw(len(form["enum"]), where)]
    match form["type"]:
        case "integer":
            return form["minimum"] + draw(form["maximum"] - form["minimum"] + 1, where)
        case "array":
            return _array(form, where, draw, sentence)
        case _:
            return _text(form, where, sentence)


def _array(form: Mapping[str, Any], where: str, draw: Draw, sentence: Sentence) -> list[Any]:
    items, unique = form["items"], form.get("uniqueItems", False)
    least, most = form.get("minItems", 0), form.get("maxItems", 2)
    if unique and "enum" in items:
        drawn = sorted(items["enum"], key=lambda one: (draw(2**32, f"{where} {one}"), one))
        return drawn[: form.get("maxItems", len(drawn))]
    count = max(least, min(most, 1 + draw(2, where)))
    return [_value(items, f"{where} {n}", draw, sentence) for n in range(count)]


def _text(form: Mapping[str, Any], where: str, sentence: Sentence) -> str:
    text = sentence(where)
    if len(text) > (most := form.get("maxLength", len(text))):
        text = text[:most].rpartition(" ")[0] or text[:most]
    return text.ljust(form.get("minLength", 0), ".")
