"""JSON schemas that servers constrain answers to, and servers that refuse them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Literal

from language_models.arguments import OPTIONS
from language_models.protocol import ModelError, ModelUnavailable

ChoiceMethod = Literal["logprobs", "structured", "logprobs+structured", "plain"]
"""A method of choosing; see ``choosing``."""


def takes_schema(method: ChoiceMethod | None) -> bool:
    """Whether answers in JSON are held to a schema by this method, and not by words alone."""
    return method is not None and "structured" in method


def response_format(schema: Mapping[str, Any], name: str) -> dict[str, Any]:
    """The field of a request that holds its answer to a schema.

    Without `uniqueItems`, which hosted servers refuse: whether items differ, is read.

    Args:
        schema: A JSON schema.
        name: What the answer is called there.
    """
    return {"type": "json_schema", "json_schema": {"name": name, "strict": True, "schema": _sent(schema)}}


def remedy_of_form(grammar_field: str | None, choosing: str, *, by_schema: bool) -> str:
    """What to do where answers do not have the form that was asked for, as it goes on after what is wrong with one.

    Args:
        grammar_field: The field in which the server is sent grammars; None for none.
        choosing: How the address is set to choose.
        by_schema: Whether the form is that of a JSON schema, and not of a grammar.
    """
    lines = 'choosing = "plain", with which whoever it leads is asked for lines of text,'
    may_be_lines = by_schema and choosing not in ("plain", "logprobs")
    if grammar_field is None:
        field = 'where the server takes GBNF grammars, as llama.cpp\'s does, set grammar_field = "grammar"'
        return f"; {field}{f', and elsewhere {lines}' if may_be_lines else ''} {OPTIONS}"
    checked = f"check that the server takes GBNF grammars in its field {grammar_field!r}, or leave out grammar_field"
    return f"; {checked}{f' and set {lines}' if may_be_lines else ''} {OPTIONS}"


@contextmanager
def stopping_where_refused(method: ChoiceMethod | None) -> Iterator[None]:
    """Stop the run if the server refuses a schema in this context: it would refuse all others, too.

    Raises:
        ModelUnavailable: in place of the ModelError that says so; it names the way to go on.
    """
    try:
        yield
    except ModelError as error:
        if takes_schema(method) and re.search("response_format|json_schema", str(error)):
            other = "logprobs" if method == "logprobs+structured" else "plain"
            raise ModelUnavailable(f'{error}; set choosing = "{other}" {OPTIONS}', usage=error.usage) from error
        raise


def _sent(schema: Mapping[str, Any]) -> dict[str, Any]:
    return {
        key: _sent(value) if isinstance(value, Mapping) else value
        for key, value in schema.items()
        if key != "uniqueItems"
    }
