"""Minds decide, feel and remember as they did, step by step."""

import pytest
from golden_minds import FOLDER, LIVES, live


@pytest.mark.parametrize("file", LIVES)
def test_a_life_goes_as_it_went(file: str) -> None:
    text = (FOLDER / file).read_text(encoding="utf-8")
    assert len(text) > 10_000
    assert live(LIVES[file]).splitlines() == text.splitlines()
