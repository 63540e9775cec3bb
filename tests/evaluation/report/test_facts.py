"""Tests of the key facts of a run in its report."""

import pytest

from evaluation.report.facts import steps_by_people


@pytest.mark.parametrize(
    ("decided", "told"),
    [
        ([], ""),
        ([("LL", 3)], "LL in step 3"),
        ([("LL", 4), ("LL", 3), ("LL", 9)], "LL in steps 3 to 4 and 9"),
        ([("SG", 0), ("LL", 1), ("LL", 3), ("LL", 5), ("LL", 6)], "LL in steps 1, 3 and 5 to 6; SG in step 0"),
    ],
)
def test_for_whom_a_person_decided_is_told_by_steps(decided, told):
    assert steps_by_people(decided) == told
