"""Translation of JSON schemas to GBNF grammars, for backends with constrained sampling."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

MOST_NUMBERS = 1000
"""Most integers in a range: each is an alternative of the grammar."""

SHORTEST = 8
"""Length that open strings are never shortened below."""

_MARK = r'"\""'
_RULES = r"""
visible ::= [^"\\\x00-\x20\x7F] | "\\" ["\\]
character ::= visible | " " | "\\n"
"""


def grammar_of(schema: Mapping[str, Any]) -> str:
    """Return the grammar of a schema's objects, each on one line with its keys in the schema's order.

    Texts begin with what is neither a blank nor the end of a line. Keys that are not required are written, too. It does
    not enforce `uniqueItems`: repeated items are found when the text is read.

    Args:
        schema: One that passes ``json_answers.check_schema``.

    Raises:
        ValueError: if a range of whole numbers is too wide.
    """
    members = [f"{_literal(key)} {quoted(': ')} {_form(form)}" for key, form in schema["properties"].items()]
    separator = f" {quoted(', ')} "
    return f"root ::= {quoted('{')} {separator.join(members)} {quoted('}')}{_RULES}"


def shortened(schema: Mapping[str, Any], characters: int) -> dict[str, Any]:
    """Shorten the open strings of a schema, all by the same share, to about this many characters in total.

    Those of arrays are counted as often as there may be items. No string is shorter than its `minLength`, nor than 8.

    Args:
        schema: One that passes ``json_answers.check_schema``, with bounds for its open strings and its arrays.
        characters: Total length of all open strings.
    """
    total = sum(_open_characters(form) for form in schema["properties"].values())
    share = min(1.0, characters / total) if total else 1.0
    return {**schema, "properties": {key: _scaled(form, share) for key, form in schema["properties"].items()}}


def _open_characters(form: Mapping[str, Any]) -> int:
    """Return the most characters that the open strings of a value may have."""
    if form["type"] == "array":
        return int(form.get("maxItems", 1)) * _open_characters(form["items"])
    return 0 if "enum" in form else int(form.get("maxLength", 0))


def _scaled(form: Mapping[str, Any], share: float) -> dict[str, Any]:
    if form["type"] == "array":
        return {**form, "items": _scaled(form["items"], share)}
    if "maxLength" not in form:
        return dict(form)
    least = max(form.get("minLength", 0), SHORTEST)
    return {**form, "maxLength": min(form["maxLength"], max(least, int(form["maxLength"] * share)))}


def _form(form: Mapping[str, Any]) -> str:
    """Return the right-hand side of the rule for a value."""
    if "enum" in form:
        return f"({' | '.join(_literal(one) for one in form['enum'])})"
    match form["type"]:
        case "integer":
            return _integer(form["minimum"], form["maximum"])
        case "array":
            return _array(form)
        case _:
            return _string(form.get("minLength", 0), form.get("maxLength"))


def _string(least: int, most: int | None) -> str:
    if most == 0:
        return quoted('""')
    text = f"visible character{_times(max(least - 1, 0), None if most is None else most - 1)}"
    return f"{_MARK} {text if least else f'({text})?'} {_MARK}"


def _integer(least: int, most: int) -> str:
    if most - least >= MOST_NUMBERS:
        raise ValueError(f"a range of whole numbers must hold at most {MOST_NUMBERS}, got {least} to {most}")
    return f"({' | '.join(_literal(number) for number in range(least, most + 1))})"


def _array(form: Mapping[str, Any]) -> str:
    item, least, most = _form(form["items"]), form.get("minItems", 0), form.get("maxItems")
    if most == 0:
        return quoted("[]")
    more = _times(max(least - 1, 0), None if most is None else most - 1)
    filled = f"{item} ({quoted(', ')} {item}){more}"
    return f"{quoted('[')} {filled if least else f'({filled})?'} {quoted(']')}"


def _times(least: int, most: int | None) -> str:
    return f"{{{least},{'' if most is None else most}}}"


def _literal(value: Any) -> str:
    """Write a JSON value as a grammar literal."""
    return quoted(json.dumps(value, ensure_ascii=False))


def quoted(text: str) -> str:
    """Write a text as a grammar literal."""
    return json.dumps(text, ensure_ascii=False)
