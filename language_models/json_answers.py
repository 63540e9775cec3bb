"""Reading of JSON objects that models write, checked against a subset of JSON Schema.

A schema is a JSON schema of the following subset. At its root is an object with `properties`, `required` and
`additionalProperties` false. A property is a string (`minLength` and `maxLength`, or an `enum` of texts), an integer
(`minimum` and `maximum`, or an `enum` of numbers), or an array (`minItems`, `maxItems`, `uniqueItems`) of strings or
of arrays of strings.
"""

from __future__ import annotations

import json
import re
import string
from collections.abc import Mapping, Sequence
from typing import Any, NoReturn

_HOLE = re.compile(r"\{[\w .-]{1,40}\}")
"""A placeholder in braces, as in "Dear {name}", which is no JSON object."""
_DIGITS = re.compile(r"-?[0-9]{1,9}")
_NUMBERED = re.compile(r"\s*#?([0-9]{1,9})\s*[.):](\s.*)?", re.DOTALL)
"""A number as it stands before a line of a list, such as "3." and "3. Go home"."""
_STRING_OR_LAST_COMMA = re.compile(r'"(?:[^"\\]|\\.)*"|,(?=\s*[}\]])', re.DOTALL)
_MARKS = f"{string.whitespace}{string.punctuation}\u2018\u2019\u201c\u201d\u201e\u00ab\u00bb\u3002\u2026"
"""What does not count at the ends of an option's name."""
_LAST_WORD = re.compile(r"\s\S{1,40}\Z")
_KEYS: Mapping[str, frozenset[str]] = {
    "object": frozenset({"type", "properties", "required", "additionalProperties"}),
    "string": frozenset({"type", "minLength", "maxLength", "enum"}),
    "integer": frozenset({"type", "minimum", "maximum", "enum"}),
    "array": frozenset({"type", "items", "minItems", "maxItems", "uniqueItems"}),
}
_DEEPEST = 2
LONGEST_CHOICE = 100_000
"""Characters of a text in which a choice is looked for."""
MOST_BRACES = 20
"""Opening braces at which the object of a choice is looked for."""


class UnusableObject(ValueError):
    """A text that is not an object of its schema; the message is worded to follow "which"."""


def check_schema(schema: Mapping[str, Any]) -> None:
    """Check that a schema belongs to the supported subset.

    Raises:
        ValueError: if it does not; the message names the place and what is expected there.
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
    """Read the only object in a text, with keys in the order of the schema's properties.

    Unambiguous deviations are accepted: prose, a fence, a list or another object around the object, ends of lines
    within strings, commas behind the last item, keys of another case or beside those asked for, 3.0 or "3" or "3." for
    a whole number, null for an empty text or list, one text for a list of it, " Kept." for an option "kept". Strings
    lose white space at both ends; one that is longer than its `maxLength` is cut, at the end of a word if one is near,
    and a list that is longer than its `maxItems` loses its last items.

    Args:
        text: What a model wrote.
        schema: One that passes ``check_schema``.

    Raises:
        UnusableObject: if the text is something else, or has a second object. The message is worded to follow
            "which": "has no key 'thought'".
    """
    properties: Mapping[str, Any] = schema["properties"]
    found = _one_object(text)
    if len(found) == 1 and isinstance(inner := next(iter(found.values())), dict):
        found = inner  # The whole of it under a name, such as "answer": no property is an object.
    found = _with_own_keys(found, properties)
    for key in schema.get("required", ()):
        if key not in found:
            others = [_short(one) for one in found if one not in properties]
            raise UnusableObject(f"has no key {key!r}{f', but has a key {others[0]}' if others else ''}")
    return {key: _value(found[key], form, repr(key)) for key, form in properties.items() if key in found}


def match_option(text: str, options: Sequence[str], lines: Sequence[str] = ()) -> str | None:
    """Return the only option that a text names; None if it names none, or several.

    Case, blanks, and marks at both ends do not count: " Kept." names "kept".

    Args:
        text: What a model wrote; untrusted.
        options: At least one.
        lines: The options as a prompt lists them, which a text may repeat; as many as options, or none.
    """
    if text in options:
        return text
    said = _bare(text)
    pairs = zip(options, lines or options, strict=True)
    named = [option for option, line in pairs if said and said in (_bare(option), _bare(line))]
    return named[0] if len(named) == 1 else None


def read_choice(text: str, options: Sequence[str], lines: Sequence[str] = ()) -> str:
    """Return the option that a text chooses, as {"choice": OPTION} or as the whole text.

    Args:
        text: What a model wrote; untrusted.
        options: At least one.
        lines: The options as a prompt lists them; as many as options, or none.

    Raises:
        UnusableObject: if it chooses none; the message is worded to follow "which".
    """
    if (whole := match_option(text, options, lines)) is not None:
        return whole
    found = _first_object(text[:LONGEST_CHOICE])
    if found is not None and len(found) == 1:
        found = {"choice": next(iter(found.values()))}
    if found is None or "choice" not in found:
        raise UnusableObject("is not JSON with a choice")
    said = found["choice"]
    if isinstance(said, list) and len(said) == 1:
        said = said[0]
    if not isinstance(said, str) or (chosen := match_option(said, options, lines)) is None:
        raise UnusableObject(f"chooses none of the options {list(options)!r}")
    return chosen


def write_object(found: Mapping[str, Any]) -> str:
    """Serialise an object in its canonical form."""
    return json.dumps(found, ensure_ascii=False)


def _value(value: Any, form: Mapping[str, Any], where: str) -> Any:
    """Read a value as its schema requires; `where` names its place in the object."""
    match form["type"]:
        case "string":
            return _string(value, form, where)
        case "integer":
            return _integer(value, form, where)
        case _:
            return _array(value, form, where)


def _string(value: Any, form: Mapping[str, Any], where: str) -> str:
    if value is None and "enum" not in form:
        value = ""
    if not isinstance(value, str):
        raise UnusableObject(f"has {_short(value)} as {where} where a string is expected")
    if any("\ud800" <= character <= "\udfff" for character in value):
        raise UnusableObject(f"has a {where} that is not valid Unicode")
    if "enum" in form:
        return _option(value, form["enum"], where)
    text = value.strip()
    text = _cut(text, form.get("maxLength", len(text)))
    if len(text) < (least := form.get("minLength", 0)):
        wrong = "an empty" if not text else f"only {len(text)} characters as"
        raise UnusableObject(f"has {wrong} {where} where {least} or more characters are expected")
    return text


def _option(value: str, options: list[str], where: str) -> str:
    """Find the option that a text names, ignoring case and surrounding marks."""
    if (named := match_option(value, options)) is None:
        raise UnusableObject(f"has {_short(value)} as {where} where one of {_listed(options)} is expected")
    return named


def _bare(text: str) -> str:
    return " ".join(text.split()).strip(_MARKS).casefold()


def _cut(text: str, most: int) -> str:
    """Cut a text to a length, at the end of a word unless its last word is very long."""
    if len(text) <= most:
        return text
    kept = text[:most]
    if not text[most].isspace() and (word := _LAST_WORD.search(kept)) is not None:
        kept = kept[: word.start()]
    return kept.rstrip()


def _integer(value: Any, form: Mapping[str, Any], where: str) -> int:
    if isinstance(value, str) and (numbered := _NUMBERED.fullmatch(value)) is not None:
        value = numbered[1]
    in_digits = isinstance(value, str) and _DIGITS.fullmatch(value.strip())
    if in_digits or (isinstance(value, float) and value.is_integer()):
        value = int(value)
    if isinstance(value, bool) or not isinstance(value, int):
        raise UnusableObject(f"has {_short(value)} as {where} where a whole number is expected")
    if "enum" in form and value not in form["enum"]:
        raise UnusableObject(f"has {_short(value)} as {where} where one of {_listed(form['enum'])} is expected")
    if "enum" not in form and not form["minimum"] <= value <= form["maximum"]:
        expected = f"a number from {form['minimum']} to {form['maximum']}"
        raise UnusableObject(f"has {_short(value)} as {where} where {expected} is expected")
    return value


def _array(value: Any, form: Mapping[str, Any], where: str) -> list[Any]:
    if value is None or (isinstance(value, str) and form["items"]["type"] == "string"):
        value = [value] if value else []
    if not isinstance(value, list):
        raise UnusableObject(f"has {_short(value)} as {where} where a list is expected")
    least, most, differ = form.get("minItems", 0), form.get("maxItems", len(value)), form.get("uniqueItems", False)
    if len(value) < least:
        raise UnusableObject(f"has {len(value):,} items in {where} where {least} are the fewest")
    # Items beyond the maximum are read only to find duplicates.
    found = [
        _value(one, form["items"], f"{where}, item {n}") for n, one in enumerate(value if differ else value[:most], 1)
    ]
    if differ:
        for n, one in enumerate(found):
            if one in found[:n]:
                raise UnusableObject(f"has {_short(one)} twice in {where}")
    return found[:most]


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


def _listed(options: list[Any]) -> str:
    """List the first eight options, for an error message."""
    shown = ", ".join(_short(one) for one in options[:8])
    return shown if len(options) <= 8 else f"{shown} ... ({len(options)} in all)"


def _one_object(text: str) -> dict[str, Any]:
    """Find the only JSON object in a text, which may be repeated.

    A broken object makes the text unusable, even beside a valid one: a valid object inside
    a broken one may be quoted speech.

    Args:
        text: What a model wrote; untrusted.

    Raises:
        UnusableObject: if there is none, a broken one, several that differ, or one within a list.
    """
    if not text.strip():
        raise UnusableObject("is empty")
    text = _unquoted(text)
    decoder = json.JSONDecoder(object_pairs_hook=_without_doubles, parse_constant=_refuse_constant, strict=False)
    found: dict[str, Any] | None = None
    place = text.find("{")
    while place >= 0:
        try:
            one, end, text = _decode(decoder, text, place)
            differs = found is not None and json.dumps(one, sort_keys=True) != json.dumps(found, sort_keys=True)
        except UnusableObject:
            raise
        except RecursionError:
            raise UnusableObject("is nested too deeply") from None
        except ValueError as error:
            if (hole := _HOLE.match(text, place)) is None:
                raise UnusableObject(_broken(error, found)) from None
            end = hole.end()
        else:
            if differs:
                raise UnusableObject("has another object behind the JSON object")
            if text[:place].rstrip().endswith("[") and not text[end:].lstrip().startswith("]"):
                raise UnusableObject("has a list around the JSON object")
            found = one
        place = text.find("{", end)
    if found is None:
        raise UnusableObject(f"begins with {_short(text.strip())} and has no JSON object")
    return found


def _unquoted(text: str) -> str:
    """Return the text that a JSON string holds, where it begins as an object does; any other text as it is."""
    if not text.strip().startswith('"{'):
        return text
    try:
        return str(json.loads(text, strict=False))
    except ValueError:
        return text


def _first_object(text: str) -> dict[str, Any] | None:
    """Return the first JSON object in a text; None if there is none at the first few braces."""
    decoder = json.JSONDecoder(strict=False)
    place = text.find("{")
    for _ in range(MOST_BRACES):
        if place < 0:
            return None
        try:
            found, _, _ = _decode(decoder, text, place)
        except (ValueError, RecursionError):
            place = text.find("{", place + 1)
        else:
            return found if isinstance(found, dict) else None
    return None


def _decode(decoder: json.JSONDecoder, text: str, place: int) -> tuple[Any, int, str]:
    """Decode the JSON value at a place; return it, its end, and the text, which may have lost commas behind last items.

    Raises:
        ValueError: if there is none.
    """
    try:
        return (*decoder.raw_decode(text, place), text)
    except json.JSONDecodeError:
        rest = _STRING_OR_LAST_COMMA.sub(lambda found: "" if found[0] == "," else found[0], text[place:])
        if len(rest) == len(text) - place:
            raise
        text = text[:place] + rest
        return (*decoder.raw_decode(text, place), text)


def _with_own_keys(found: Mapping[str, Any], properties: Mapping[str, Any]) -> dict[str, Any]:
    """Return an object with keys that differ in case alone from a property under the property's name."""
    names = {key.casefold(): key for key in properties}
    own = {key: value for key, value in found.items() if key in properties}
    for key, value in found.items():
        if key not in own:
            own.setdefault(names.get(key.strip().casefold(), key), value)
    return own


def _short(value: Any) -> str:
    """Shorten a value for an error message."""
    text = json.dumps(value, ensure_ascii=False) if isinstance(value, str | int | float | None) else _kind(value)
    text = text.encode("utf-8", "backslashreplace").decode()
    return text if len(text) <= 60 else f"{text[:57]}..."


def _kind(value: Any) -> str:
    return "a list" if isinstance(value, list) else "an object"


def _broken(error: ValueError, found: dict[str, Any] | None) -> str:
    return (
        f"{'is no JSON object' if found is None else 'has a broken object behind the JSON object'}: {str(error)[:100]}"
    )


def _without_doubles(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key, value in pairs:
        if key in found:
            raise UnusableObject(f"has the key {_short(key)} twice")
        found[key] = value
    return found


def _refuse_constant(name: str) -> NoReturn:
    raise UnusableObject(f"holds {name}, which is no JSON")
