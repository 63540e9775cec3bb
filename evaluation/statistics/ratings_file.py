"""Reader of ratings by people or judges, with a list of those left out and the reasons."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from evaluation.rating.rating_scale import (
    ATTENTION_CHECK,
    COLUMNS,
    DIMENSIONS,
    HIGHEST,
    JUDGE_PREFIX,
    LOWEST,
    OPTIONAL_COLUMNS,
    PEOPLE,
    SOURCES,
    ordered,
)
from evaluation.runs.architectures import ARCHITECTURES
from evaluation.statistics.csv_table import TableError, check_once, read_table
from irollan_env.hints import did_you_mean, quote

LEFT_OUT_COLUMNS = ("line", "rater", "run", "architecture", "resident", "dimension", "source", "reason")
REASONS_LISTED = 10
_KEY = list(COLUMNS[:-1])
REPEATED = f"the same {', '.join(_KEY[:-1])} and {_KEY[-1]}"


@dataclass(frozen=True, kw_only=True)
class Ratings:
    """Usable ratings, and those left out with the reasons.

    Attributes:
        frame: One rating per row: rater, run, architecture, resident, dimension, rating (int, 1 to 7), comment, line,
            source (people or judge).
        left_out: One row per rating that is not in ``frame``: line, rater, run, architecture, resident, dimension,
            source (empty if unknown), reason.
        remarks: Remarks on ratings in ``frame``.
        name: Name for messages, such as that of the file.
    """

    frame: pd.DataFrame
    left_out: pd.DataFrame
    remarks: tuple[str, ...]
    name: str = "the ratings"

    @property
    def sources(self) -> list[str]:
        """Sources of the ratings: people, judge or both."""
        return ordered(self.frame["source"], SOURCES)

    def of(self, source: str) -> Ratings:
        """Return the ratings of one source, with those of them that were left out.

        Raises:
            TableError: if there are none.
        """
        if source not in SOURCES:
            raise TableError(f"a source is one of {', '.join(SOURCES)}, got {quote(source)}")
        frame = self.frame[self.frame["source"] == source].reset_index(drop=True)
        if frame.empty:
            raise TableError(
                f"{self.name}: there are no ratings by {source} that can be used, only by {', '.join(self.sources)}"
            )
        left_out = self.left_out[self.left_out["source"].isin([source, ""])].reset_index(drop=True)
        return replace(self, frame=frame, left_out=left_out)


def read_ratings(path: str | Path, on_rows: Callable[[int], None] = lambda _: None) -> Ratings:
    """Read a file of ratings, as ``irollan rate export`` writes it.

    Args:
        path: A CSV file with the columns rater, run, architecture, resident, dimension, rating, and where there are any
            comment, expected (see ``ATTENTION_CHECK``) and source (people or judge; people where there is no such
            column).
        on_rows: Called repeatedly with the number of rows read so far.

    Returns:
        The ratings, and those left out.

    Raises:
        TableError: if the file is no such table, or has no usable rating.
        OSError: if it cannot be read at all.
    """
    table = read_table(path, COLUMNS, OPTIONAL_COLUMNS, on_rows)
    return check_ratings(table.frame, broken=table.broken, name=table.name)


def check_ratings(frame: pd.DataFrame, *, broken: Sequence[tuple[int, str]] = (), name: str = "the ratings") -> Ratings:
    """Separate the ratings that can be used from those that cannot.

    Left out are ratings with an empty cell, that are no whole number from 1 to 7, that repeat an earlier one of the
    same rater, run, architecture, resident and dimension (all of them, where they contradict each other), all ratings
    of a rater who answered an attention check wrongly, and dimensions that cannot be compared, where others can: so
    that one misspelt name costs its rows alone. Names are compared in Unicode's form NFC.

    Args:
        frame: Columns rater, run, architecture, resident, dimension, rating, and optionally comment, expected, source
            and line; without line, rows count from 2, as below a header.
        broken: (line, reason) of records that are not in the frame.
        name: Name for messages.

    Returns:
        The ratings, and those left out.

    Raises:
        TableError: if a column is missing or there twice, names differ in capitals only, a row does not say its source
            where that could be either, or no rating can be used.
    """
    check_once(list(frame.columns), [*COLUMNS, *OPTIONAL_COLUMNS, "line"], name)
    if missing := [column for column in COLUMNS if column not in frame.columns]:
        raise TableError(f"{name}: no column {', '.join(map(repr, missing))}; expected {', '.join(COLUMNS)}")
    text = _as_text(frame)
    text["source"] = _sources(text, name)
    is_check = text["dimension"] == ATTENTION_CHECK
    rows, checks = text[~is_check], text[is_check]
    for column in ("architecture", "dimension"):
        _check_capitals(rows, column, name)
    reasons = pd.Series("", index=text.index, dtype="object")
    _mark(reasons, rows.index, _empty_cells(rows, _KEY))
    _mark(reasons, rows.index, _not_a_rating(rows["rating"]))
    rows = rows.assign(rating=pd.to_numeric(rows["rating"], errors="coerce"))
    _mark(reasons, rows.index, _repeated(rows[reasons[rows.index] == ""]))
    failed, unusable = _attention(checks)
    _mark(reasons, checks.index, unusable)
    _mark(reasons, rows.index, rows["rater"].map(lambda rater: failed.get(rater, "")))
    _mark(reasons, rows.index, _without_comparison(rows[reasons[rows.index] == ""]))
    left_out = text[reasons != ""].assign(reason=reasons[reasons != ""])
    left_out = pd.concat([left_out, pd.DataFrame(broken, columns=["line", "reason"])])
    left_out = left_out.reindex(columns=list(LEFT_OUT_COLUMNS)).fillna("")
    left_out = left_out.astype({"line": "int64"}).sort_values("line", ignore_index=True)
    kept = rows[reasons[rows.index] == ""].astype({"rating": "int64"})
    if kept.empty:
        raise TableError(f"{name}: no rating that can be used{list_reasons(left_out)}")
    kept = kept[[*COLUMNS, "comment", "line", "source"]].reset_index(drop=True)
    return Ratings(frame=kept, left_out=left_out, remarks=(*_near_names(kept), *_same_everywhere(kept)), name=name)


def list_reasons(left_out: pd.DataFrame) -> str:
    """List ratings that were left out for an error message, ten at most: "; line 2: rating '9' lies outside 1 to 7".

    Args:
        left_out: As ``Ratings.left_out``.
    """
    listed = [f"; line {row.line}: {row.reason}" for row in left_out.head(REASONS_LISTED).itertuples()]
    more = f"; and {len(left_out) - len(listed)} more" if len(left_out) > len(listed) else ""
    return "".join(listed) + more


def _as_text(frame: pd.DataFrame) -> pd.DataFrame:
    columns = {
        column: _texts(frame[column]) if column in frame.columns else "" for column in (*COLUMNS, *OPTIONAL_COLUMNS)
    }
    lines = frame["line"].to_numpy() if "line" in frame.columns else range(2, len(frame) + 2)
    return pd.DataFrame(columns, index=frame.index, dtype="object").assign(line=lines).reset_index(drop=True)


def _texts(column: pd.Series) -> NDArray[Any]:
    """Return the cells as stripped text in Unicode's form NFC; empty for missing cells."""
    codes, kinds = pd.factorize(column.astype("object"))
    texts = [unicodedata.normalize("NFC", str(kind)).strip() for kind in kinds]
    # A missing cell has the code -1, which selects the last text.
    return np.array([*texts, ""], dtype=object)[codes]


def _sources(text: pd.DataFrame, name: str) -> pd.Series:
    """Return the source of each row; people if there is no column source and no rater is a judge."""
    given = text["source"]
    for row in text[(given != "") & ~given.isin(SOURCES)].itertuples():
        raise TableError(
            f"{name}, line {row.line}: source {quote(str(row.source))} must be one of {', '.join(SOURCES)}"
        )
    judged = text["rater"].str.startswith(JUDGE_PREFIX)
    for row in text[judged & (given == PEOPLE)].itertuples():
        raise TableError(f"{name}, line {row.line}: rater {quote(str(row.rater))} is a language model, not people")
    if (given == "").all() and not judged.any():
        return given.where(given != "", PEOPLE)
    for row in text[given == ""].itertuples():
        raise TableError(
            f"{name}, line {row.line}: ratings by people and by a language model must not mix unsaid; give the table a "
            f"column source that says in every row which they are, {' or '.join(SOURCES)}"
        )
    return given


def _mark(reasons: pd.Series, index: pd.Index, found: pd.Series) -> None:
    """Set the reason of the rows found that have none yet."""
    found = found.reindex(index).fillna("")
    reasons[index] = reasons[index].where(reasons[index] != "", found)


def _empty_cells(rows: pd.DataFrame, columns: Sequence[str]) -> pd.Series:
    reasons = pd.Series("", index=rows.index, dtype="object")
    for column in reversed(columns):
        reasons[rows[column] == ""] = f"no {column}"
    return reasons


def _not_a_rating(cells: pd.Series) -> pd.Series:
    """Return the reason why a cell is no rating from 1 to 7; empty otherwise."""
    numbers = pd.to_numeric(cells, errors="coerce")
    reasons = pd.Series("", index=cells.index, dtype="object")
    reasons[numbers % 1 != 0] = "is not a whole number"
    reasons[~numbers.between(LOWEST, HIGHEST)] = f"lies outside {LOWEST} to {HIGHEST}"
    reasons[numbers.isna()] = "is not a number"
    wrong = reasons != ""
    reasons[wrong] = "rating " + cells[wrong].map(quote) + " " + reasons[wrong]
    reasons[cells == ""] = "no rating"
    return reasons


def _repeated(rows: pd.DataFrame) -> pd.Series:
    reasons = pd.Series("", index=rows.index, dtype="object")
    same = rows[rows.duplicated(_KEY, keep=False)]
    for _, group in same.groupby(_KEY, sort=False):
        first, later = group.index[0], group.index[1:]
        if group["rating"].nunique() == 1:
            reasons[later] = f"repeats line {group['line'].iloc[0]}"
            continue
        lines = ", ".join(str(line) for line in group["line"])
        reasons[[first, *later]] = f"{REPEATED} has different ratings in lines {lines}"
    return reasons


def _without_comparison(rows: pd.DataFrame) -> pd.Series:
    """Find dimensions without two architectures of two ratings each; none if this holds for all dimensions."""
    sizes = rows.groupby(["dimension", "architecture"]).size()
    enough = (sizes >= 2).groupby("dimension").sum() >= 2
    if enough.all() or not enough.any():
        return pd.Series("", index=rows.index, dtype="object")
    fine = [str(name) for name in enough[enough].index]
    reasons = {
        name: f"dimension {quote(str(name))} has no two architectures with two ratings each, so that nothing can be "
        f"compared{did_you_mean(str(name), (*fine, *DIMENSIONS))}"
        for name in enough[~enough].index
    }
    return rows["dimension"].map(lambda name: reasons.get(name, ""))


def _attention(checks: pd.DataFrame) -> tuple[dict[str, str], pd.Series]:
    """Find raters who failed an attention check, with the reason, and checks whose expected answer is invalid."""
    unusable = _not_a_rating(checks["expected"]).str.replace("rating", "expected answer", n=1)
    unusable = unusable.where(unusable == "", "attention check: " + unusable)
    _mark(unusable, checks.index, _empty_cells(checks, ["rater"]))
    failed: dict[str, str] = {}
    answers = pd.to_numeric(checks["rating"], errors="coerce")
    wrong = checks[(unusable == "") & (answers != pd.to_numeric(checks["expected"], errors="coerce"))]
    for rater, line, given, asked in zip(
        wrong["rater"], wrong["line"], wrong["rating"], wrong["expected"], strict=True
    ):
        answer = f"answered {quote(given)}" if given else "gave no answer"
        failed.setdefault(
            rater, f"rater {quote(rater)} failed the attention check in line {line}: asked for {asked}, {answer}"
        )
    return failed, unusable


def _check_capitals(rows: pd.DataFrame, column: str, name: str) -> None:
    first = rows.drop_duplicates(column)
    folded = first[column].str.casefold()
    clash = first[folded.duplicated(keep=False)].sort_values("line")
    if len(clash):
        one, other = clash[folded[clash.index] == folded[clash.index[0]]].iloc[:2].itertuples()
        raise TableError(
            f"{name}, line {other.line}: {column} {quote(getattr(other, column))} differs from "
            f"{quote(getattr(one, column))} in line {one.line} in capitals only; write both alike"
        )


def _near_names(kept: pd.DataFrame) -> list[str]:
    remarks = []
    for column, known in (("architecture", tuple(ARCHITECTURES)), ("dimension", DIMENSIONS)):
        for name, line in kept.groupby(column)["line"].min().items():
            if str(name) not in known and (hint := did_you_mean(str(name), known)):
                remarks.append(f"line {line}: {column} {quote(str(name))} is not one of the paper's{hint}")
    return remarks


def _same_everywhere(kept: pd.DataFrame) -> list[str]:
    by_rater = kept.groupby("rater").agg(n=("rating", "size"), kinds=("rating", "nunique"), first=("line", "min"))
    constant = by_rater[(by_rater["kinds"] == 1) & (by_rater["n"] >= len(DIMENSIONS))]
    return [
        f"rater {quote(str(rater))} (from line {row['first']}) gave the same rating all {row['n']} times; kept"
        for rater, row in constant.iterrows()
    ]
