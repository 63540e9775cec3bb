"""Tests of writing and reading submissions, and of the leaderboard page."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from project import DOCS

from evaluation.ability.submissions import cell, interval, leaderboard, read_submission, submission, table
from evaluation.ability.task_protocol import Result
from irollan_env.tasks import FAMILIES

FOLDER = DOCS.parent / "benchmarks" / "data" / "leaderboard"


def result(*steps: int | None, family: str = "fetch", seed: int | None = None) -> Result:
    return Result(family=family, split="test_seen", steps=steps, seed=seed)


def written(path: Path, *rows: Result) -> Path:
    path.write_text(json.dumps(submission(path.stem, "a test", rows)), encoding="utf-8")
    return path


def test_a_submission_goes_through_a_file(tmp_path: Path) -> None:
    rows = [result(12, None, 14)]
    path = written(tmp_path / "mine.json", *rows)
    assert read_submission(path) == ("mine", "a test", rows)
    assert table({"mine": rows}).splitlines()[2] == "| `fetch` | test_seen | 67% of 3 [21%, 94%], 13 steps |"
    assert "- **mine**: a test" in leaderboard(tmp_path)
    path.write_text(path.read_text().replace("tasks-v1", "tasks-v0"), encoding="utf-8")
    with pytest.raises(ValueError, match="it is of 'irollan-tasks-v0'; this is 'irollan-tasks-v1'"):
        read_submission(path)


def test_seeds_go_through_a_file_and_make_one_cell(tmp_path: Path) -> None:
    rows = [result(12, None, 14, 10, seed=0), result(None, None, 20, None, seed=1)]
    assert read_submission(written(tmp_path / "learner.json", *rows))[2] == rows
    assert (
        table({"learner": rows}).splitlines()[2] == "| `fetch` | test_seen | 50% of 4, 2 seeds [0%, 100%], 14 steps |"
    )


def test_the_interval_over_seeds_is_students_where_it_is_the_wider() -> None:
    # Shares 0.2, 0.4 and 0.6: mean 0.4, standard deviation 0.2, and t of 2 degrees of freedom is 4.3027.
    rows = [result(*[9] * n, *[None] * (100 - n), seed=n) for n in (20, 40, 60)]
    low, high = interval(rows)
    assert (low, high) == (0.0, pytest.approx(0.4 + 4.3027 * 0.2 / 3**0.5, abs=1e-4))
    same = [result(9, 9, 9, *[None] * 7, seed=seed) for seed in range(3)]
    assert interval(same) == pytest.approx(interval([result(9, 9, 9, *[None] * 7)]))
    assert interval([result(*[None] * 10)]) == pytest.approx((0.0, 0.2775), abs=1e-4)
    assert cell([result(9, 9, 9, *[None] * 7)]) == "30% of 10 [11%, 60%], 9 steps"


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ((result(1), result(2)), r"2 results, which need a seed each, and have \[None, None\]"),
        ((result(1, seed=3), result(2, seed=3)), r"need a seed each, and have \[3, 3\]"),
        (
            (result(1, seed=3), result(2, 3, seed=4)),
            r"must play the same instances of 'fetch' in 'test_seen', got \[1, 2\]",
        ),
    ],
)
def test_seeds_that_cannot_be_put_together(rows: tuple[Result, ...], message: str, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=message):
        read_submission(written(tmp_path / "mine.json", *rows))


def test_who_played_some_families_stands_beside_chance(tmp_path: Path) -> None:
    written(tmp_path / "random.json", *(result(None, family=family) for family in FAMILIES))
    written(tmp_path / "learner.json", result(7))
    whole, some = leaderboard(tmp_path).split("## Some families")
    assert "| family | split | random |" in whole
    assert "| `eat` | test_seen | 0% of 1 [0%, 79%] |" in whole
    assert "| `fetch` | test_seen | 100% of 1 [21%, 100%], 7 steps | 0% of 1 [0%, 79%] |" in some
    assert "`eat`" not in some


def test_the_page_is_what_the_submissions_say() -> None:
    assert (DOCS / "leaderboard.md").read_text(encoding="utf-8") == leaderboard(FOLDER)
