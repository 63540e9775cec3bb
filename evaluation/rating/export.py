"""Ratings as a tidy table: one rating a row, as the statistics read it."""

from __future__ import annotations

import csv
import io
from dataclasses import dataclass
from pathlib import Path

from evaluation.rating.rating_scale import ATTENTION_CHECK, COLUMNS, OPTIONAL_COLUMNS, PEOPLE
from evaluation.rating.store import Answer, Store, comment_on
from evaluation.rating.study import ANSWERS, Item, RatingError, Study, read_key

HEADER = (*COLUMNS, *OPTIONAL_COLUMNS, "position", "saved")
"""Besides the columns of a ratings file: the how manieth resident it was for the rater, and when it was answered."""

_FORMULA = ("=", "+", "-", "@", "\t", "\n")


@dataclass(frozen=True, kw_only=True)
class Export:
    """What a study has brought so far.

    Attributes:
        rows: One per answer, as ``HEADER``.
        ratings: How many of them are ratings.
        raters: How many raters have given any.
        finished: How many of those have rated everything.
        failed: Raters with a wrong answer to an attention check.
    """

    rows: tuple[dict[str, str | int], ...]
    ratings: int
    raters: int
    finished: int
    failed: tuple[str, ...]

    def to_csv(self) -> str:
        """The table as CSV, with a header."""
        file = io.StringIO(newline="")
        writer = csv.DictWriter(file, HEADER, lineterminator="\n")
        writer.writeheader()
        writer.writerows(self.rows)
        return file.getvalue()


def export(directory: Path) -> Export:
    """Read the answers of a study; raters may go on meanwhile.

    Args:
        directory: What ``irollan rate prepare`` made.

    Raises:
        RatingError: if there is no study, it is damaged, or nobody has answered anything.
    """
    study, key = Study.load(directory), read_key(directory)
    if not (directory / ANSWERS).is_file():
        raise RatingError(f"{directory} has no answers yet; raters give them at: irollan rate serve {directory}")
    if missing := [story for story in study.stories if story not in key]:
        raise RatingError(f"the key of {directory} does not belong to it: it lacks {missing[0]!r}")
    store = Store(directory / ANSWERS)
    try:
        answers = {rater: store.all_answers(rater) for rater in study.items}
    finally:
        store.close()
    rows: list[dict[str, str | int]] = []
    for rater, packet in study.items.items():
        for number, item in enumerate(packet, 1):
            source = key[item.story]
            where = {"rater": rater, "run": source["run"], "architecture": source["architecture"]}
            answered = _answered(item, answers[rater].get(number, {}))
            rows += [{**where, "resident": item.resident, **row, "position": number} for row in answered]
    if not rows:
        raise RatingError(f"{directory} has no answers yet; raters give them at: irollan rate serve {directory}")
    return Export(
        rows=tuple(rows),
        ratings=sum(row["dimension"] != ATTENTION_CHECK and row["rating"] != "" for row in rows),
        raters=len({row["rater"] for row in rows}),
        finished=sum(len(study.rated(rater, answers[rater])) == len(study.items[rater]) for rater in study.items),
        failed=tuple(dict.fromkeys(str(row["rater"]) for row in rows if _wrong(row))),
    )


def _answered(item: Item, answers: dict[str, Answer]) -> list[dict[str, str | int]]:
    """The answers about one item: a comment stands beside its rating, or alone where there is no rating yet."""
    rows: list[dict[str, str | int]] = []
    for question in item.questions:
        rating, comment = answers.get(question), answers.get(comment_on(question))
        if rating is None and (comment is None or not comment.value):
            continue
        last = max((one.saved for one in (rating, comment) if one is not None), default="")
        rows.append(
            {
                "dimension": question,
                "rating": rating.value if rating is not None else "",
                "comment": _harmless(str(comment.value)) if comment is not None else "",
                "expected": item.check.answer if item.check is not None and question == ATTENTION_CHECK else "",
                "source": PEOPLE,
                "saved": last,
            }
        )
    return rows


def _harmless(comment: str) -> str:
    """The comment with an apostrophe before it where a spreadsheet would run it as a formula."""
    return f"'{comment}" if comment.startswith(_FORMULA) else comment


def _wrong(row: dict[str, str | int]) -> bool:
    return row["dimension"] == ATTENTION_CHECK and row["rating"] != row["expected"]
