"""The one JSON object of a text: what a model says before and behind it, and a fence around it, is passed over."""

from __future__ import annotations

import json
import re
from typing import Any, NoReturn

_HOLE = re.compile(r"\{[\w .-]{1,40}\}")
"""A word in braces, as in "Dear {name}": no object, and nothing that an object could have begun with."""


class UnusableObject(ValueError):
    """A text that is no object of its schema; its message goes on after "which"."""


def one_object(text: str) -> dict[str, Any]:
    """The only JSON object of a text; the same one may stand there several times.

    What begins like an object and is none makes the text unusable, whatever else it holds: a whole object may stand in
    a broken one as what somebody else said.

    Args:
        text: What a model wrote; untrusted.

    Raises:
        UnusableObject: if there is none, a broken one, several that differ, or one within a list.
    """
    if not text.strip():
        raise UnusableObject("is empty")
    decoder = json.JSONDecoder(object_pairs_hook=_without_doubles, parse_constant=_refuse_constant)
    found: dict[str, Any] | None = None
    place = text.find("{")
    while place >= 0:
        try:
            one, end = decoder.raw_decode(text, place)
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
            if text[:place].rstrip().endswith("["):
                raise UnusableObject("has a list around the JSON object")
            found = one
        place = text.find("{", end)
    if found is None:
        raise UnusableObject(f"begins with {short(text.strip())} and has no JSON object")
    return found


def short(value: Any) -> str:
    """A value as it is shown in a reason."""
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
            raise UnusableObject(f"has the key {short(key)} twice")
        found[key] = value
    return found


def _refuse_constant(name: str) -> NoReturn:
    raise UnusableObject(f"holds {name}, which is no JSON")
