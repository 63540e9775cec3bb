"""Export of ratings as a tidy table for the statistics, one rating per row."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from evaluation.rating.participation import agreed_to, withdrawn
from evaluation.rating.rating_scale import ATTENTION_CHECK, COLUMNS, OPTIONAL_COLUMNS, PEOPLE
from evaluation.rating.store import Answer, Conflict, Store, comment_on
from evaluation.rating.study import ANSWERS, Item, RatingError, load_study
from evaluation.records.csv_cells import csv_cell

HEADER = (*COLUMNS, *OPTIONAL_COLUMNS, "position", "saved", "consent", "conflict")
"""The columns of a ratings file, and the position of the resident in the rater's order, the time of the answer, the
version of the consent text, and a conflicting answer that the rater has not resolved."""


@dataclass(frozen=True, kw_only=True)
class Export:
    """The ratings of a study so far.

    Attributes:
        rows: One per answer, with the keys ``HEADER``.
        ratings: Number of rows that are ratings.
        raters: Raters with at least one rating.
        finished: Raters who have rated everything.
        failed: Raters who failed an attention check.
        withdrawn: Raters who withdrew; they have no rows.
        undecided: Questions with conflicting answers that the rater has not resolved.
    """

    rows: tuple[dict[str, str | int], ...]
    ratings: int
    raters: int
    finished: int
    failed: tuple[str, ...]
    withdrawn: tuple[str, ...]
    undecided: int

    def to_csv(self) -> str:
        """Format the table as CSV with a header."""
        file = io.StringIO(newline="")
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(HEADER)
        writer.writerows([csv_cell(str(row[column])) for column in HEADER] for row in self.rows)
        return file.getvalue()


def export(directory: Path) -> Export:
    """Export the answers of a study; raters can continue meanwhile.

    Args:
        directory: Directory of the study.

    Raises:
        RatingError: if there is no study, it is damaged, or nobody has answered anything.
    """
    study, key = load_study(directory)
    none = RatingError(f"{directory} has no answers yet; raters give them at: irollan rate serve {directory}")
    if not (directory / ANSWERS).is_file():
        raise none
    store = Store(directory / ANSWERS)
    try:
        answers = {rater: store.all_answers(rater) for rater in study.items}
        conflicts = {rater: store.conflicts(rater) for rater in study.items}
    finally:
        store.close()
    left = tuple(rater for rater in study.items if withdrawn(answers[rater]))
    rows: list[dict[str, str | int]] = []
    for rater, packet in study.items.items():
        if rater in left:
            continue
        for number, item in enumerate(packet, 1):
            source = key[item.story]
            what = {"rater": rater, "run": source["run"], "architecture": source["architecture"]}
            what |= {"resident": item.resident, "position": number, "consent": agreed_to(answers[rater])}
            answered = _answered(item, answers[rater].get(number, {}), conflicts[rater].get(number, {}))
            rows += [{**what, **row} for row in answered]
    if not rows and not left:
        raise none
    return Export(
        rows=tuple(rows),
        ratings=sum(row["dimension"] != ATTENTION_CHECK and row["rating"] != "" for row in rows),
        raters=len({row["rater"] for row in rows}),
        finished=sum(
            len(study.rated(rater, answers[rater])) == len(study.items[rater])
            for rater in study.items
            if rater not in left
        ),
        failed=tuple(dict.fromkeys(str(row["rater"]) for row in rows if _wrong(row))),
        withdrawn=left,
        undecided=sum(row["conflict"] != "" for row in rows),
    )


def _answered(
    item: Item, answers: Mapping[str, Answer], conflicts: Mapping[str, Sequence[Conflict]]
) -> list[dict[str, str | int]]:
    """Return the rows of one item: each rating with its comment, or a comment alone if there is no rating yet."""
    rows: list[dict[str, str | int]] = []
    for question in item.questions:
        rating, comment = answers.get(question), answers.get(comment_on(question))
        others = [*conflicts.get(question, ()), *conflicts.get(comment_on(question), ())]
        if rating is None and (comment is None or not comment.value) and not others:
            continue
        last = max((one.saved for one in (rating, comment) if one is not None), default="")
        rows.append(
            {
                "dimension": question,
                "rating": rating.value if rating is not None else "",
                "comment": str(comment.value) if comment is not None else "",
                "expected": item.check.answer if item.check is not None and question == ATTENTION_CHECK else "",
                "source": PEOPLE,
                "saved": last,
                "conflict": " | ".join(str(one.value) for one in others),
            }
        )
    return rows


def _wrong(row: dict[str, str | int]) -> bool:
    return row["dimension"] == ATTENTION_CHECK and row["rating"] != row["expected"]
