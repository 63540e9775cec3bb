"""Scripted days replayed line by line: the same seed and the same actions give the same text."""

import pytest
from golden import DAYS, FOLDER, replay


@pytest.mark.parametrize("file", DAYS)
def test_a_day_goes_as_it_went(file):
    text = (FOLDER / file).read_text(encoding="utf-8")
    assert len(text) > 10_000
    assert replay(text).splitlines() == text.splitlines()
