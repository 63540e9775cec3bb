"""Minds decide, feel and remember as they did, step by step, and ask their models the same to the byte."""

import golden_prompts
import pytest
from golden_minds import FOLDER, LIVES, live


@pytest.mark.parametrize("file", LIVES)
def test_a_life_goes_as_it_went(file):
    text = (FOLDER / file).read_text(encoding="utf-8")
    assert len(text) > 10_000
    assert live(LIVES[file]).splitlines() == text.splitlines()


@pytest.mark.parametrize("case", golden_prompts.CASES)
def test_models_are_asked_the_same(case):
    kept = golden_prompts.FILE.read_text(encoding="utf-8").splitlines()
    made = golden_prompts.digests(case).splitlines()
    assert made == [line for line in kept if line.startswith(f"{case}, step")]
