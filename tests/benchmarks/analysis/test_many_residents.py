"""``python -m benchmarks many_residents``, at its smallest."""

import json

import pytest

from benchmarks.__main__ import main


# It runs, kills, resumes and replays towns, and draws their report.
@pytest.mark.slow
def test_as_json(capsys):
    # A busy machine misses the goals in seconds.
    assert main(["many_residents", "--residents", "18", "--steps", "2", "--json"]) in (0, 1)
    rows = {row["name"]: row for row in json.loads(capsys.readouterr().out)["measurements"]}
    assert rows["records of the same bytes"]["value"] == rows["replayed with the same bytes"]["value"] == 1.0
    assert all(row["value"] > 0 for row in rows.values())
