"""Cost of the calls of a transcript, summed in SQLite."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from language_models.transcript.calls import ModuleUsage
from language_models.transcript.transcript_file import COUNT_ATTEMPTS


class CallCosts:
    """Sums over the calls of one transcript, failed ones included."""

    def __init__(self, rows: Callable[[str], list[tuple[Any, ...]]], has_table: Callable[[str], bool]) -> None:
        """Prepare; nothing is read yet.

        Args:
            rows: Gives the rows of a query.
            has_table: Says whether there is a table of a name.
        """
        self._rows = rows
        self._has_table = has_table

    def total(self) -> ModuleUsage:
        """What all calls cost together."""
        return self._sums()[0]

    def by_module(self) -> list[ModuleUsage]:
        """What each module cost, sorted by name."""
        return self._sums("module")

    def by_model(self) -> list[ModuleUsage]:
        """What each module cost of each model, sorted by module and model."""
        return self._sums("module", "model")

    def tokens_by_step(self) -> list[tuple[int, str, int, int, int]]:
        """For each time step and model: time, name, tokens of prompts, those of them cached, tokens generated."""
        sums = "SUM(prompt_tokens), SUM(cached_tokens), SUM(generated_tokens)"
        return self._rows(f"SELECT time, model, {sums} FROM calls GROUP BY time, model ORDER BY time, model")

    def uncounted_models(self) -> list[str]:
        """Names of the models that gave an answer for which no token of a prompt was counted, sorted."""
        query = "SELECT DISTINCT model FROM calls WHERE outcome = 'ok' AND prompt_tokens = 0 ORDER BY model"
        return [name for (name,) in self._rows(query)]

    def rewound(self) -> list[ModuleUsage]:
        """Cost of the calls that `Transcript.rewind` removed, by module and model; no other sum includes it."""
        if not self._has_table("rewound"):
            return []
        return self._sums("module", "model", table="rewound")

    def _sums(self, *by: str, table: str = "calls") -> list[ModuleUsage]:
        names = ("prompt_tokens", "cached_tokens", "generated_tokens", "seconds", "waiting", "retries")
        # Of what was taken back, the cost alone is known.
        known = table == "calls" and self._has_table("attempts")
        kinds_of_attempts = [COUNT_ATTEMPTS.format(kind=kind) if known else "0" for kind in ("unusable", "network")]
        summed = (*names, *kinds_of_attempts, "outcome = 'failed'", "outcome = 'refused'")
        columns = ", ".join((*by, "COUNT(*)", *(f"COALESCE(SUM({what}), 0)" for what in summed)))
        groups = ", ".join(by)
        rows = self._rows(f"SELECT {columns} FROM {table}" + (f" GROUP BY {groups} ORDER BY {groups}" if by else ""))
        kinds = (*by, "calls", *names, "unusable", "network_failures", "failures", "refusals")
        return [ModuleUsage(**dict(zip(kinds, row, strict=True))) for row in rows]
