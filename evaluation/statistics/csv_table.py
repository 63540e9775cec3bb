"""CSV files read so that every error can name its line."""

from __future__ import annotations

import csv
import io
from array import array
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from evaluation.records.files import nearby
from irollan_env.hints import did_you_mean, quote

ROWS_A_REPORT = 250_000
"""Rows between two reports of progress."""

LONGEST_CELL = 2**31 - 1
"""Characters of a cell: more than any file has."""


class TableError(ValueError):
    """A table that cannot be used. The message names the file, the line and the remedy."""


@dataclass(frozen=True, kw_only=True)
class Table:
    """The contents of a CSV file, as text.

    Attributes:
        name: Of the file, for messages.
        frame: One row a record: the columns as stripped text, empty where a cell is, and ``line``, the line of the file
            that the record starts in, from 1.
        broken: (line, what is wrong with it) of the records that do not have a cell for each column.
    """

    name: str
    frame: pd.DataFrame
    broken: tuple[tuple[int, str], ...]


def read_table(
    path: str | Path,
    columns: Sequence[str],
    optional: Sequence[str] = (),
    on_rows: Callable[[int], None] = lambda _: None,
) -> Table:
    """Read a CSV file, row by row: a text that is there many times is kept once.

    Args:
        path: The file: UTF-8, with a header.
        columns: The header must have these, in any order.
        optional: These are read where they are there, and are empty where not; other columns are passed over.
        on_rows: Called with the number of rows read so far, after every ``ROWS_A_REPORT`` rows.

    Raises:
        TableError: if there is no such file, or it is a directory, empty, not UTF-8, not CSV, or lacks a column.
        OSError: if it cannot be read.
    """
    path = Path(path)
    name = path.name
    _check_file(path)
    # The limit of the library would take a long comment for a quotation that has no end.
    csv.field_size_limit(LONGEST_CELL)
    rows = _Rows(columns, optional, name, on_rows)
    with path.open("rb") as data:
        if data.peek(2)[:2] in (b"\xff\xfe", b"\xfe\xff"):
            raise TableError(f"{name}, line 1: UTF-16 text, expected UTF-8; save it as 'CSV UTF-8'")
        reader = csv.reader(io.TextIOWrapper(data, encoding="utf-8-sig", newline=""), strict=True)
        line = 1
        try:
            for cells in reader:
                rows.add(line, cells)
                line = reader.line_num + 1
        except csv.Error as error:
            raise TableError(
                f"{name}, line {line}: not readable as CSV ({error}); is a quotation mark missing?"
            ) from None
        except UnicodeDecodeError as error:
            # All lines before have been handed out by the time the next piece of the file is decoded.
            line = reader.line_num + 1 + error.object.count(b"\n", 0, error.start)
            raise TableError(
                f"{name}, line {line}: byte 0x{error.object[error.start]:02x} is not UTF-8 text; "
                "save the file as 'CSV UTF-8'"
            ) from None
    return rows.table()


class _Rows:
    """The rows of a table by column, each text kept once."""

    def __init__(
        self, columns: Sequence[str], optional: Sequence[str], name: str, on_rows: Callable[[int], None]
    ) -> None:
        self._columns, self._optional, self._name, self._on_rows = columns, optional, name, on_rows
        self._width = 0
        self._at: dict[str, int] = {}
        self._cells: dict[str, list[str]] = {}
        self._kept: dict[str, str] = {}
        self._lines = array("q")
        self._broken: list[tuple[int, str]] = []

    def add(self, line: int, cells: list[str]) -> None:
        """Add a record; the first one that is not empty is the header."""
        if not any(cell and not cell.isspace() for cell in cells):
            return
        if not self._width:
            self._begin(line, [cell.strip() for cell in cells])
            return
        if len(cells) != self._width:
            self._broken.append((line, f"has {len(cells)} cells where the header has {self._width}"))
            return
        for column, place in self._at.items():
            cell = cells[place].strip()
            self._cells[column].append(self._kept.setdefault(cell, cell))
        self._lines.append(line)
        if len(self._lines) % ROWS_A_REPORT == 0:
            self._on_rows(len(self._lines))

    def _begin(self, line: int, header: list[str]) -> None:
        _check_header(header, self._columns, f"{self._name}, line {line}")
        self._width = len(header)
        self._at = {one: header.index(one) for one in (*self._columns, *self._optional) if one in header}
        self._cells = {column: [] for column in self._at}

    def table(self) -> Table:
        """What was added.

        Raises:
            TableError: if that was nothing, or a header alone.
        """
        if not self._width:
            raise TableError(f"{self._name} is empty; expected a header with {', '.join(self._columns)}")
        if not self._lines and not self._broken:
            raise TableError(f"{self._name} has a header and no row below it")
        empty = [""] * len(self._lines)
        frame = pd.DataFrame(
            {column: self._cells.get(column, empty) for column in (*self._columns, *self._optional)}, dtype="object"
        )
        frame["line"] = pd.Series(self._lines, dtype="int64")
        return Table(name=self._name, frame=frame, broken=tuple(self._broken))


def _check_file(path: Path) -> None:
    """Check that there is something to read.

    Raises:
        TableError: if there is not, or it is a directory.
    """
    if path.is_dir():
        raise TableError(f"{path} is a directory; give the CSV file itself")
    if not path.exists():
        near = nearby(path)
        hint = f"; did you mean {near}?" if near is not None else ""
        raise TableError(f"there is no file {path}{hint}")


def _check_header(header: Sequence[str], columns: Sequence[str], where: str) -> None:
    if twice := [column for column in columns if header.count(column) > 1]:
        raise TableError(f"{where}: the column {twice[0]!r} is there twice; a table has each column once")
    missing = [column for column in columns if column not in header]
    if not missing:
        return
    if len(header) == 1 and any(mark in header[0] for mark in ";\t"):
        raise TableError(f"{where}: the cells are not separated by commas; save the file as comma-separated CSV")
    hint = did_you_mean(missing[0], (column for column in header if column not in columns))
    found = f" (instead there is a similar one{hint.removeprefix('; did you mean')[:-1]})" if hint else ""
    raise TableError(
        f"{where}: no column {', '.join(map(repr, missing))}{found}; expected {', '.join(columns)}, "
        f"got {quote(', '.join(header))}"
    )
