"""SQLite store of raters' answers, flushed to disk before the page confirms them."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

from evaluation.records.files import check_no_link

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
CREATE TABLE IF NOT EXISTS conflicts (
    number INTEGER PRIMARY KEY,
    saved TEXT NOT NULL,
    rater TEXT NOT NULL,
    item INTEGER NOT NULL,
    question TEXT NOT NULL,
    value ANY NOT NULL,
    seen INTEGER NOT NULL,
    settled TEXT NOT NULL DEFAULT ''
) STRICT;
CREATE INDEX IF NOT EXISTS open_conflicts ON conflicts (rater, item, question) WHERE settled = '';
CREATE TABLE IF NOT EXISTS texts (
    version TEXT PRIMARY KEY,
    text TEXT NOT NULL
) STRICT;
"""

NAME = "name"
"""Question of item 0 that records a rater's name."""


def comment_on(question: str) -> str:
    """Return the key of the comment on a question."""
    return f"{question}.comment"


class Answer(NamedTuple):
    """An answer, the time it was saved (ISO 8601), and its version, which increases with every save."""

    value: int | str
    saved: str
    version: int


class Given(NamedTuple):
    """An answer sent by a page.

    Attributes:
        value: Value on the page.
        seen: Version of the answer that the page was made from; 0 for none.
        given_here: Whether the rater certainly gave it on this page; otherwise it counts as given here if it differs
            from that version.
    """

    value: int | str
    seen: int
    given_here: bool = False


class Conflict(NamedTuple):
    """A value from an outdated page, kept beside the current answer until the rater decides.

    Numbers rise with every conflict.
    """

    number: int
    value: int | str
    saved: str


def given_name(answers: Mapping[int, Mapping[str, Answer]]) -> str:
    """Return the name that a rater gave; empty for none."""
    given = answers.get(0, {}).get(NAME)
    return str(given.value) if given is not None else ""


class Store:
    """Store of the answers of one study.

    Nothing is overwritten: a changed answer is a further row, and the last one counts. Every save is one transaction
    that has reached the disk when ``save`` or ``merge`` returns. Threads may share a store, and processes the file.
    """

    def __init__(self, path: Path) -> None:
        """Open or create the file.

        Raises:
            ValueError: if it is a link.
        """
        check_no_link(path)
        self._lock = threading.Lock()
        self._database = sqlite3.connect(path, timeout=30, isolation_level=None, check_same_thread=False)
        self._database.execute("PRAGMA journal_mode = WAL")
        self._database.execute("PRAGMA synchronous = FULL")
        self._database.executescript(_SCHEMA)

    def save(self, rater: str, item: int, answers: Mapping[str, int | str]) -> None:
        """Save answers about an item unconditionally, except unchanged ones.

        Args:
            rater: The rater.
            item: Number of the item.
            answers: By question.
        """
        with self._writing():
            known = self._latest(rater, item)
            changed = {question: value for question, value in answers.items() if _value(known.get(question)) != value}
            self._append(rater, item, changed)

    def merge(self, rater: str, item: int, given: Mapping[str, Given]) -> None:
        """Save only the answers that were changed on a page.

        An answer that was changed elsewhere since the page was made stays current; the page's value is stored beside it
        as a conflict.

        Args:
            rater: The rater.
            item: Number of the item.
            given: The page's answers by question.
        """
        with self._writing():
            known = self._latest(rater, item)
            changed: dict[str, int | str] = {}
            for question, one in given.items():
                last = known.get(question)
                untouched = not one.given_here and one.value == self._seen(rater, item, question, one.seen)
                if untouched or one.value == _value(last):
                    continue
                if last is None or last.version == one.seen:
                    changed[question] = one.value
                else:
                    self._keep_beside(rater, item, question, one)
            self._append(rater, item, changed)

    def conflicts(self, rater: str) -> dict[int, dict[str, list[Conflict]]]:
        """Return the unresolved conflicts of a rater, by item and question, in order."""
        columns = "item, question, number, value, saved"
        asked = f"SELECT {columns} FROM conflicts WHERE rater = ? AND settled = '' ORDER BY number"
        waiting: dict[int, dict[str, list[Conflict]]] = {}
        with self._lock:
            for item, question, *rest in self._database.execute(asked, (rater,)):
                waiting.setdefault(item, {}).setdefault(question, []).append(Conflict(*rest))
        return waiting

    def settle(self, rater: str, item: int, question: str, until: int) -> None:
        """Mark the conflicts of a question as resolved.

        Args:
            rater: The rater.
            item: Number of the item.
            question: The question.
            until: Number of the last conflict shown to the rater.
        """
        with self._writing():
            self._database.execute(
                "UPDATE conflicts SET settled = ? "
                "WHERE rater = ? AND item = ? AND question = ? AND number <= ? AND settled = ''",
                (_now(), rater, item, question, until),
            )

    def keep_text(self, version: str, text: str) -> None:
        """Store a consent text with its version.

        Args:
            version: Version from ``version_of``.
            text: The text.
        """
        with self._writing():
            self._database.execute("INSERT OR IGNORE INTO texts VALUES (?, ?)", (version, text))

    def texts(self) -> dict[str, str]:
        """Return all consent texts by version."""
        with self._lock:
            return dict(self._database.execute("SELECT version, text FROM texts").fetchall())

    def save_place(self, rater: str, item: int, step: int) -> None:
        """Store the step at which a rater is reading an item.

        Args:
            rater: The rater.
            item: Number of the item.
            step: From 1.
        """
        with self._lock:
            self._database.execute("INSERT OR REPLACE INTO places VALUES (?, ?, ?)", (rater, item, step))

    def place(self, rater: str, item: int) -> int:
        """Return the step at which a rater was last reading an item.

        Args:
            rater: The rater.
            item: Number of the item.

        Returns:
            The step from 1; 0 if none is stored.
        """
        asked = "SELECT step FROM places WHERE rater = ? AND item = ?"
        with self._lock:
            row = self._database.execute(asked, (rater, item)).fetchone()
        return int(row[0]) if row is not None else 0

    def answers(self, rater: str, item: int) -> dict[str, Answer]:
        """Read the answers of a rater about an item.

        Args:
            rater: The rater.
            item: Number of the item.

        Returns:
            The current answers by question.
        """
        with self._lock:
            return self._latest(rater, item)

    def all_answers(self, rater: str) -> dict[int, dict[str, Answer]]:
        """Return all current answers of a rater, by item and question."""
        asked = "SELECT item, question, value, saved, number FROM answers WHERE rater = ? ORDER BY number"
        by_item: dict[int, dict[str, Answer]] = {}
        with self._lock:
            for item, question, *rest in self._database.execute(asked, (rater,)):
                by_item.setdefault(item, {})[question] = Answer(*rest)
        return by_item

    def history(self) -> list[tuple[str, str, int | str]]:
        """Return rater, question and value of every answer ever saved, in order."""
        with self._lock:
            return self._database.execute("SELECT rater, question, value FROM answers ORDER BY number").fetchall()

    def close(self) -> None:
        """Close the file."""
        with self._lock:
            self._database.close()

    @contextmanager
    def _writing(self) -> Iterator[None]:
        """Hold an exclusive transaction within a block."""
        with self._lock:
            self._database.execute("BEGIN IMMEDIATE")
            try:
                yield
            except BaseException:
                self._database.execute("ROLLBACK")
                raise
            self._database.execute("COMMIT")

    def _latest(self, rater: str, item: int) -> dict[str, Answer]:
        rows = self._database.execute(
            "SELECT question, value, saved, number FROM answers WHERE rater = ? AND item = ? ORDER BY number",
            (rater, item),
        )
        return {question: Answer(*rest) for question, *rest in rows}

    def _seen(self, rater: str, item: int, question: str, version: int) -> int | str:
        """Return the value of an answer in a version; empty if there is none."""
        row = self._database.execute(
            "SELECT value FROM answers WHERE number = ? AND rater = ? AND item = ? AND question = ?",
            (version, rater, item, question),
        ).fetchone()
        return "" if row is None else row[0]

    def _append(self, rater: str, item: int, answers: Mapping[str, int | str]) -> None:
        saved = _now()
        self._database.executemany(
            "INSERT INTO answers (saved, rater, item, question, value) VALUES (?, ?, ?, ?, ?)",
            [(saved, rater, item, question, value) for question, value in answers.items()],
        )

    def _keep_beside(self, rater: str, item: int, question: str, given: Given) -> None:
        """Store a value as a conflict unless the same one is unresolved already."""
        where = (rater, item, question, given.value)
        waits = self._database.execute(
            "SELECT 1 FROM conflicts WHERE rater = ? AND item = ? AND question = ? AND value = ? AND settled = ''",
            where,
        ).fetchone()
        if waits is None:
            self._database.execute(
                "INSERT INTO conflicts (rater, item, question, value, seen, saved) VALUES (?, ?, ?, ?, ?, ?)",
                (*where, given.seen, _now()),
            )


def _value(answer: Answer | None) -> int | str:
    return answer.value if answer is not None else ""


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")
