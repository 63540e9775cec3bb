"""The answers of raters in SQLite: on the disk before a rater is told that they are saved."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

_SCHEMA = """
CREATE TABLE IF NOT EXISTS answers (
    number INTEGER PRIMARY KEY,
    saved TEXT NOT NULL,
    rater TEXT NOT NULL,
    item INTEGER NOT NULL,
    question TEXT NOT NULL,
    value ANY NOT NULL
) STRICT;
CREATE INDEX IF NOT EXISTS answers_by_question ON answers (rater, item, question, number);
CREATE TABLE IF NOT EXISTS places (
    rater TEXT NOT NULL,
    item INTEGER NOT NULL,
    step INTEGER NOT NULL,
    PRIMARY KEY (rater, item)
) STRICT;
"""

NAME = "name"
"""The question, of item 0, what a rater wants to be called."""


def comment_on(question: str) -> str:
    """The question under which the comment on another one is kept."""
    return f"{question}.comment"


class Answer(NamedTuple):
    """An answer and when it was saved, as an ISO 8601 time."""

    value: int | str
    saved: str


def given_name(answers: Mapping[int, Mapping[str, Answer]]) -> str:
    """What a rater wants to be called, among all its answers; empty when nothing."""
    given = answers.get(0, {}).get(NAME)
    return str(given.value) if given is not None else ""


class Store:
    """The answers of one study.

    Nothing is overwritten: a changed answer is a further row, and the last one counts. Every save is one transaction
    that has reached the disk when ``save`` returns. Threads may share a store, and processes the file.
    """

    def __init__(self, path: Path) -> None:
        """Open the file, or make it."""
        self._lock = threading.Lock()
        self._database = sqlite3.connect(path, timeout=30, isolation_level=None, check_same_thread=False)
        self._database.execute("PRAGMA journal_mode = WAL")
        self._database.execute("PRAGMA synchronous = FULL")
        self._database.executescript(_SCHEMA)

    def save(self, rater: str, item: int, answers: Mapping[str, int | str]) -> None:
        """Keep answers to questions about an item; those that say what is kept already add nothing."""
        saved = datetime.now(UTC).isoformat(timespec="seconds")
        with self._lock:
            known = self._latest(rater, item)
            rows = [
                (saved, rater, item, question, value)
                for question, value in answers.items()
                if (known[question].value if question in known else "") != value
            ]
            if not rows:
                return
            self._database.execute("BEGIN IMMEDIATE")
            try:
                self._database.executemany(
                    "INSERT INTO answers (saved, rater, item, question, value) VALUES (?, ?, ?, ?, ?)", rows
                )
            except BaseException:
                self._database.execute("ROLLBACK")
                raise
            self._database.execute("COMMIT")

    def save_place(self, rater: str, item: int, step: int) -> None:
        """Keep at which step a rater is reading an item."""
        with self._lock:
            self._database.execute("INSERT OR REPLACE INTO places VALUES (?, ?, ?)", (rater, item, step))

    def place(self, rater: str, item: int) -> int:
        """The step at which a rater was last seen reading an item, from 1; 0 before any."""
        with self._lock:
            row = self._database.execute(
                "SELECT step FROM places WHERE rater = ? AND item = ?", (rater, item)
            ).fetchone()
        return int(row[0]) if row is not None else 0

    def answers(self, rater: str, item: int) -> dict[str, Answer]:
        """What a rater has answered about an item, by question."""
        with self._lock:
            return self._latest(rater, item)

    def all_answers(self, rater: str) -> dict[int, dict[str, Answer]]:
        """What a rater has answered, by item and question."""
        with self._lock:
            rows = self._database.execute(
                "SELECT item, question, value, saved FROM answers WHERE rater = ? ORDER BY number", (rater,)
            ).fetchall()
        by_item: dict[int, dict[str, Answer]] = {}
        for item, question, value, saved in rows:
            by_item.setdefault(item, {})[question] = Answer(value, saved)
        return by_item

    def history(self) -> list[tuple[str, str, int | str]]:
        """Rater, question and value of every answer ever saved, in order."""
        with self._lock:
            return self._database.execute("SELECT rater, question, value FROM answers ORDER BY number").fetchall()

    def close(self) -> None:
        """Let go of the file."""
        with self._lock:
            self._database.close()

    def _latest(self, rater: str, item: int) -> dict[str, Answer]:
        rows = self._database.execute(
            "SELECT question, value, saved FROM answers WHERE rater = ? AND item = ? ORDER BY number", (rater, item)
        )
        return {question: Answer(value, saved) for question, value, saved in rows}
