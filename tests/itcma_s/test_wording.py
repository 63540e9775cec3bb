"""Names and texts in plain words."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from itcma_s.wording import plain


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("ask somebody whose book 1 it is", "ask somebody whose book it is"),
        ("give SG's clothes 1 back to SG", "give SG's clothes back to SG"),
        ("put food 12 in the foodshelf 1", "put the food in the food shelf"),
        ("a book 3 and the book 4", "a book and the book"),
        ("see what there is in Public Canteen", "see what there is in the canteen"),
        ("see what there is in SG's Home", "see what there is in SG's house"),
        ("ask SG about 1 gold coin", "ask SG about the gold coin"),
        ("ask SG whose the 10 dollar is", "ask SG whose dollar bill is"),
        ('say "hello"\n\nto “LL”', "say hello to LL"),
    ],
)
def test_plain(text: str, told: str) -> None:
    assert plain(text) == told


@given(st.text())
def test_plain_gives_one_line(text: str) -> None:
    assert not re.search(r'["“”\n]', plain(text))
