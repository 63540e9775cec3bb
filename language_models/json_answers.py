"""JSON objects that a model was asked for: the schemas there are, and a text read strictly as an object of one.

A schema is a JSON schema of a small kind. At its root is an object with `properties`, `required` and
`additionalProperties` false. A property is a string (`minLength` and `maxLength`, or an `enum` of texts), an integer
(`minimum` and `maximum`, or an `enum` of numbers), or an array (`minItems`, `maxItems`, `uniqueItems`) of strings or
of arrays of strings.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any, NoReturn

LONGER = 4
"""A string may be so many times as long as its schema allows, and is cut then; one that is longer is of no use."""

_FENCE = re.compile(r"```[A-Za-z0-9]*[ \t]*\n(.*?)\n?[ \t]*```", re.DOTALL)
_KEYS: Mapping[str, frozenset[str]] = {
    "object": frozenset({"type", "properties", "required", "additionalProperties"}),
    "string": frozenset({"type", "minLength", "maxLength", "enum"}),
    "integer": frozenset({"type", "minimum", "maximum", "enum"}),
    "array": frozenset({"type", "items", "minItems", "maxItems", "uniqueItems"}),
}
_DEEPEST = 2


class UnusableObject(ValueError):
    """A text that is no object of its schema; its message goes on after "which"."""


def check_schema(schema: Mapping[str, Any]) -> None:
    """Check that a schema is of the kind that is known here.

    Raises:
        ValueError: if it is not; the message names the place and what is expected there.
    """
    _check_form(schema, "the schema", ("object",))
    properties = schema.get("properties")
    if not isinstance(properties, Mapping) or not properties:
        raise ValueError(f"the schema must have properties, at least one, got {properties!r}")
    if schema.get("additionalProperties") is not False:
        raise ValueError("the schema must have additionalProperties false: no other keys are read")
    if unknown := [key for key in schema.get("required", ()) if key not in properties]:
        raise ValueError(f"the schema requires {unknown[0]!r}, which is none of its properties {list(properties)}")
    for key, form in properties.items():
        _check_form(form, f"the schema of {key!r}", ("string", "integer", "array"))


def read_object(text: str, schema: Mapping[str, Any]) -> dict[str, Any]:
    """The object that a text is, with the keys in the order of the schema's properties.

    White space around it is passed over, and one code fence. Strings lose white space at both ends; one that is longer
    than its `maxLength`, up to four times as long, is cut at the end of a word; one that is longer still is of no use.

    Args:
        text: What a model wrote.
        schema: One that passes ``check_schema``.

    Raises:
        UnusableObject: if the text is something else, or has something beside it. It says what, as it goes on after
            "which": "has no key 'thought'".
    """
    text = text.strip()
    if (fenced := _FENCE.fullmatch(text)) is not None:
        text = fenced.group(1).strip()
    found = _decoded(text)
    properties: Mapping[str, Any] = schema["properties"]
    for key in found:
        if key not in properties:
            raise UnusableObject(f"has a key {_short(key)} beside {', '.join(map(repr, properties))}")
    for key in schema.get("required", ()):
        if key not in found:
            raise UnusableObject(f"has no key {key!r}")
    return {key: _value(found[key], form, repr(key)) for key, form in properties.items() if key in found}


def write_object(found: Mapping[str, Any]) -> str:
    """An object that was read as the one text that stands for it."""
    return json.dumps(found, ensure_ascii=False)


def _decoded(text: str) -> dict[str, Any]:
    """The only JSON object of a text.

    Raises:
        UnusableObject: if there is none, or more.
    """
    if not text:
        raise UnusableObject("is empty")
    if not text.startswith("{"):
        raise UnusableObject(f"begins with {_short(text)} and not with a JSON object")
    decoder = json.JSONDecoder(object_pairs_hook=_without_doubles, parse_constant=_refuse_constant)
    try:
        found, end = decoder.raw_decode(text)
    except UnusableObject:
        raise
    except RecursionError:
        raise UnusableObject("is nested too deeply") from None
    except ValueError as error:
        raise UnusableObject(f"is no JSON object: {str(error)[:100]}") from None
    if rest := text[end:].strip():
        raise UnusableObject(f"has {'another object' if rest[0] == '{' else _short(rest)} behind the JSON object")
    return dict(found)


def _without_doubles(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key, value in pairs:
        if key in found:
            raise UnusableObject(f"has the key {_short(key)} twice")
        found[key] = value
    return found


def _refuse_constant(name: str) -> NoReturn:
    raise UnusableObject(f"holds {name}, which is no JSON")


def _value(value: Any, form: Mapping[str, Any], where: str) -> Any:
    """A value as its schema has it; `where` names its place."""
    match form["type"]:
        case "string":
            return _string(value, form, where)
        case "integer":
            return _integer(value, form, where)
        case _:
            return _array(value, form, where)


def _string(value: Any, form: Mapping[str, Any], where: str) -> str:
    if not isinstance(value, str):
        raise UnusableObject(f"has {_short(value)} as {where} where a string is expected")
    if any("\ud800" <= character <= "\udfff" for character in value):
        raise UnusableObject(f"has a {where} that is not valid Unicode")
    if "enum" in form:
        if value not in form["enum"]:
            raise UnusableObject(f"has {_short(value)} as {where} where one of {_listed(form['enum'])} is expected")
        return value
    text = value.strip()
    most = form.get("maxLength", len(text))
    if len(text) > LONGER * most:
        raise UnusableObject(f"has a {where} of {len(text):,} characters where {most:,} are the most")
    text = _cut(text, most)
    if len(text) < (least := form.get("minLength", 0)):
        wrong = "an empty" if not text else f"only {len(text)} characters as"
        raise UnusableObject(f"has {wrong} {where} where {least} or more characters are expected")
    return text


def _cut(text: str, most: int) -> str:
    """As much of a text as there is room for: whole words, where its first one has room."""
    if len(text) <= most:
        return text
    whole = re.match(rf"(.{{0,{most}}})(?=\s)", text, re.DOTALL)
    return (whole.group(1).rstrip() if whole is not None else "") or text[:most]


def _integer(value: Any, form: Mapping[str, Any], where: str) -> int:
    if isinstance(value, bool) or not isinstance(value, int):
        raise UnusableObject(f"has {_short(value)} as {where} where a whole number is expected")
    if "enum" in form and value not in form["enum"]:
        raise UnusableObject(f"has {_short(value)} as {where} where one of {_listed(form['enum'])} is expected")
    if "enum" not in form and not form["minimum"] <= value <= form["maximum"]:
        expected = f"a number from {form['minimum']} to {form['maximum']}"
        raise UnusableObject(f"has {_short(value)} as {where} where {expected} is expected")
    return value


def _array(value: Any, form: Mapping[str, Any], where: str) -> list[Any]:
    if not isinstance(value, list):
        raise UnusableObject(f"has {_short(value)} as {where} where a list is expected")
    least, most = form.get("minItems", 0), form.get("maxItems", len(value))
    if not least <= len(value) <= most:
        limit = f"{most} are the most" if len(value) > most else f"{least} are the fewest"
        raise UnusableObject(f"has {len(value):,} items in {where} where {limit}")
    found = [_value(one, form["items"], f"{where}, item {n}") for n, one in enumerate(value, 1)]
    if form.get("uniqueItems"):
        for n, one in enumerate(found):
            if one in found[:n]:
                raise UnusableObject(f"has {_short(one)} twice in {where}")
    return found


def _check_form(form: Any, where: str, allowed: tuple[str, ...], depth: int = 0) -> None:
    kind = form.get("type") if isinstance(form, Mapping) else None
    if kind not in allowed:
        raise ValueError(f"{where} must be of type {' or '.join(allowed)}, got {kind!r}")
    if unknown := set(form) - _KEYS[kind]:
        raise ValueError(f"{where} has {min(unknown)!r}, which is not known of type {kind}")
    pairs = {"string": ("minLength", "maxLength"), "integer": ("minimum", "maximum"), "array": ("minItems", "maxItems")}
    bounds = [form[name] for name in pairs.get(kind, ()) if name in form]
    if not all(isinstance(bound, int) and not isinstance(bound, bool) for bound in bounds) or sorted(bounds) != bounds:
        raise ValueError(f"{where} must have whole numbers as bounds, the lower one first, got {bounds}")
    if kind != "integer" and any(bound < 0 for bound in bounds):
        raise ValueError(f"{where} must have bounds of at least 0, got {bounds}")
    if kind == "integer" and "enum" not in form and len(bounds) < 2:
        raise ValueError(f"{where} must have a minimum and a maximum, or an enum")
    if "enum" in form:
        expected = str if kind == "string" else int
        if not form["enum"] or not all(type(one) is expected for one in form["enum"]):
            raise ValueError(f"{where} must have an enum of at least one {kind}, got {form['enum']!r}")
    if kind == "array":
        inner = ("string", "array") if depth + 1 < _DEEPEST else ("string",)
        _check_form(form.get("items"), f"the items of {where}", inner, depth + 1)


def _short(value: Any) -> str:
    """A value as it is shown in a reason."""
    text = json.dumps(value, ensure_ascii=False) if isinstance(value, str | int | float | None) else _kind(value)
    text = text.encode("utf-8", "backslashreplace").decode()
    return text if len(text) <= 60 else f"{text[:57]}..."


def _kind(value: Any) -> str:
    return "a list" if isinstance(value, list) else "an object"


def _listed(options: list[Any]) -> str:
    """Options as they are named in a reason: the first eight."""
    shown = ", ".join(_short(one) for one in options[:8])
    return shown if len(options) <= 8 else f"{shown} ... ({len(options)} in all)"
