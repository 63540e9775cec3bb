"""Optional fields of requests that a server does not take: they are left out, or sent by another name."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from language_models.arguments import one_of
from language_models.remote.failures import OPTIONAL_FIELDS, RefusedField


class RequestFields:
    """Which optional fields the requests to one server lack.

    Attributes:
        dropped: Those that are left out since the user said so.
        changes: By field, the name that it is sent by; empty for a field that is left out.
    """

    def __init__(self, drop: Collection[str] = ()) -> None:
        """Leave out these fields from the beginning.

        Args:
            drop: Some of ``failures.OPTIONAL_FIELDS``.

        Raises:
            ValueError: if one is no optional field.
        """
        if isinstance(drop, str):
            raise ValueError(f"drop must be a list of fields, got the text {drop!r}")
        self.dropped = frozenset(drop)
        self.changes: dict[str, str] = {one_of("drop", field, OPTIONAL_FIELDS): "" for field in drop}

    @property
    def refused(self) -> dict[str, str]:
        """Those of `changes` that the server refused."""
        return {field: name for field, name in self.changes.items() if field not in self.dropped}

    def restore(self, changes: Mapping[str, str]) -> None:
        """Add what was found in an earlier part of a run.

        Raises:
            ValueError: if a field is no optional one.
        """
        for field, name in changes.items():
            one_of("a field that is left out", field, OPTIONAL_FIELDS)
            self.changes[field] = name

    def apply(self, body: Mapping[str, Any]) -> dict[str, Any]:
        """Return a request without the fields that the server does not take."""
        named = {self._name(field): value for field, value in body.items()}
        named.pop("", None)
        return named

    def refuse(self, error: RefusedField) -> None:
        """Leave out the refused field from now on, or send it by the name that the server takes."""
        if error.field not in self.changes:
            self.changes[error.field] = error.instead if error.instead not in self.changes else ""

    def _name(self, field: str) -> str:
        while field in self.changes:
            field = self.changes[field]
        return field
