"""Comma-separated tables from people and programs, read so that every error can name its line."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from evaluation.records.files import nearby
from irollan_env.hints import did_you_mean, quote


class TableError(ValueError):
    """A table that cannot be used. The message names the file, the line and the remedy."""


@dataclass(frozen=True, kw_only=True)
class Table:
    """What a file says, as text.

    Attributes:
        name: Of the file, for messages.
        frame: One row a record: the columns as stripped text, empty where a cell is, and ``line``, the line of the file
            that the record starts in, from 1.
        broken: (line, what is wrong with it) of the records that do not have a cell for each column.
    """

    name: str
    frame: pd.DataFrame
    broken: tuple[tuple[int, str], ...]


def read_table(path: str | Path, columns: Sequence[str], optional: Sequence[str] = ()) -> Table:
    """Read a CSV file.

    Args:
        path: The file: UTF-8, with a header.
        columns: The header must have these, in any order.
        optional: These are read where they are there, and are empty where not; other columns are passed over.

    Raises:
        TableError: if there is no such file, or it is empty, not UTF-8, not CSV, or lacks a column.
        OSError: if it cannot be read.
    """
    path = Path(path)
    name = path.name
    if not path.exists():
        near = nearby(path)
        hint = f"; did you mean {near}?" if near is not None else ""
        raise TableError(f"there is no file {path}{hint}")
    text = _decode(path.read_bytes(), name)
    if not text.strip():
        raise TableError(f"{name} is empty; expected a header with {', '.join(columns)}")
    reader = csv.reader(io.StringIO(text, newline=""), strict=True)
    records: list[tuple[int, list[str]]] = []
    line = 1
    try:
        for cells in reader:
            if any(cell.strip() for cell in cells):
                records.append((line, [cell.strip() for cell in cells]))
            line = reader.line_num + 1
    except csv.Error as error:
        raise TableError(f"{name}, line {line}: not readable as CSV ({error}); is a quotation mark missing?") from None
    (header_line, header), *rows = records
    _check_header(header, columns, f"{name}, line {header_line}")
    if not rows:
        raise TableError(f"{name} has a header and no row below it")
    wanted = [*columns, *optional]
    at = {column: header.index(column) for column in wanted if column in header}
    whole = [(line, cells) for line, cells in rows if len(cells) == len(header)]
    frame = pd.DataFrame(
        {column: [cells[at[column]] if column in at else "" for _, cells in whole] for column in wanted},
        dtype="object",
    )
    frame["line"] = pd.Series([line for line, _ in whole], dtype="int64")
    broken = tuple(
        (line, f"has {len(cells)} cells where the header has {len(header)}")
        for line, cells in rows
        if len(cells) != len(header)
    )
    return Table(name=name, frame=frame, broken=broken)


def _decode(data: bytes, name: str) -> str:
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise TableError(f"{name}, line 1: UTF-16 text, expected UTF-8; save it as 'CSV UTF-8'")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise TableError(
            f"{name}, line {line}: byte 0x{data[error.start]:02x} is not UTF-8 text; save the file as 'CSV UTF-8'"
        ) from None


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
