"""JSON schemas that constrain a server's answers, and servers that reject them."""

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
    """Return whether this method constrains JSON answers to a schema instead of by the prompt alone."""
    return method is not None and "structured" in method


def response_format(schema: Mapping[str, Any], name: str) -> dict[str, Any]:
    """Return the request field that constrains the answer to a schema.

    It omits `uniqueItems`, which hosted servers reject; repeated items are found when the answer is read.

    Args:
        schema: A JSON schema.
        name: Name of the schema in the request.
    """
    return {"type": "json_schema", "json_schema": {"name": name, "strict": True, "schema": _sent(schema)}}


def remedy_of_form(grammar_field: str | None, choosing: str, *, by_schema: bool) -> str:
    """Return a remedy for answers that lack the requested form, worded to follow what is wrong.

    Args:
        grammar_field: The request field for grammars; None for none.
        choosing: The configured method of choosing.
        by_schema: Whether the form is a JSON schema instead of a grammar.
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
    """Stop the run if the server rejects a schema in this context: it would reject all others, too.

    Raises:
        ModelUnavailable: in place of the server's ModelError; its message says how to resume.
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
