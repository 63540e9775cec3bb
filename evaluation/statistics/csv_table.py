"""Reader of CSV files whose errors name the line."""

from __future__ import annotations

import csv
import io
from array import array
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from evaluation.records.csv_cells import read_cell
from evaluation.records.files import has_ending, nearby
from irollan_env.hints import did_you_mean, quote

ROWS_A_REPORT = 250_000
"""Rows between two reports of progress."""

LONGEST_CELL = 2**31 - 1
"""Maximum number of characters in a cell, beyond any real file."""


class TableError(ValueError):
    """A table that cannot be used. The message names the file, the line and the remedy."""


@dataclass(frozen=True, kw_only=True)
class Table:
    """The contents of a CSV file, as text.

    Attributes:
        name: Name of the file, for messages.
        frame: One row per record: the columns as stripped text, empty for empty cells, and ``line``, the first line of
            the record in the file, from 1.
        broken: (line, reason) of each record with too few or too many cells.
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
    """Read a CSV file in UTF-8 with a header.

    Args:
        path: The file.
        columns: The header must have these, in any order.
        optional: Columns that are empty if missing from the file; other columns are ignored.
        on_rows: Called with the number of rows read so far, after every ``ROWS_A_REPORT`` rows.

    Returns:
        The records with their lines.

    Raises:
        TableError: if the file does not exist, is a directory, empty, not UTF-8, not CSV, or lacks a column.
        OSError: if it cannot be read.
    """
    path = Path(path)
    name = path.name
    _check_file(path)
    # With the library's limit a long comment would count as an unterminated quotation.
    csv.field_size_limit(LONGEST_CELL)
    header: list[str] = []
    read: dict[str, int] = {}
    rows: list[tuple[str, ...]] = []
    lines, broken, kept, line = array("q"), list[tuple[int, str]](), dict[str, str](), 1
    with path.open("rb") as data:
        if data.peek(2)[:2] in (b"\xff\xfe", b"\xfe\xff"):
            raise TableError(f"{name}, line 1: UTF-16 text, expected UTF-8; save it as 'CSV UTF-8'")
        reader = csv.reader(io.TextIOWrapper(data, encoding="utf-8-sig", newline=""), strict=True)
        try:
            for cells in reader:
                started, line = line, reader.line_num + 1
                if not any(cell and not cell.isspace() for cell in cells):
                    continue
                if not header:
                    header = [read_cell(cell.strip()) for cell in cells]
                    check_once(header, [*columns, *optional], f"{name}, line {started}")
                    _check_header(header, columns, f"{name}, line {started}")
                    read = {one: header.index(one) for one in (*columns, *optional) if one in header}
                elif len(cells) != len(header):
                    broken.append((started, f"has {len(cells)} cells where the header has {len(header)}"))
                else:
                    texts = [read_cell(cells[at].strip()) for at in read.values()]
                    # Repeated texts are stored once.
                    rows.append(tuple(kept.setdefault(text, text) for text in texts))
                    lines.append(started)
                    if len(rows) % ROWS_A_REPORT == 0:
                        on_rows(len(rows))
        except csv.Error as error:
            raise TableError(
                f"{name}, line {line}: not readable as CSV ({error}); is a quotation mark missing?"
            ) from None
        except UnicodeDecodeError as error:
            # All earlier lines were returned before the next piece of the file is decoded.
            line = reader.line_num + 1 + error.object.count(b"\n", 0, error.start)
            byte = f"byte 0x{error.object[error.start]:02x}"
            raise TableError(f"{name}, line {line}: {byte} is not UTF-8 text; save the file as 'CSV UTF-8'") from None
    if not header:
        raise TableError(f"{name} is empty; expected a header with {', '.join(columns)}")
    if not rows and not broken:
        raise TableError(f"{name} has a header and no row below it")
    frame = pd.DataFrame(rows, columns=list(read), dtype="object")
    frame = frame.reindex(columns=[*columns, *optional], fill_value="").assign(line=pd.Series(lines, dtype="int64"))
    return Table(name=name, frame=frame, broken=tuple(broken))


def _check_file(path: Path) -> None:
    if path.is_dir():
        raise TableError(f"{path} is a directory; give the CSV file itself")
    if not path.exists():
        near = nearby(path, has_ending(".csv"))
        raise TableError(f"there is no file {path}{f'; did you mean {near}?' if near is not None else ''}")


def check_once(header: Sequence[str], columns: Sequence[str], where: str) -> None:
    """Check that no column that is read is there several times.

    Raises:
        TableError: if one is.
    """
    if twice := [column for column in columns if header.count(column) > 1]:
        raise TableError(f"{where}: the column {twice[0]!r} is there {header.count(twice[0])} times, expected once")


def _check_header(header: Sequence[str], columns: Sequence[str], where: str) -> None:
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
