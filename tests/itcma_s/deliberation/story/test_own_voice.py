"""Whether somebody thinks and speaks as itself, on lines that a small model wrote."""

from __future__ import annotations

import pytest

from itcma_s.deliberation.story.story_writing import speaks_as_itself, thinks_as_itself


@pytest.mark.parametrize(
    "words",
    [
        "Hello, SG. What do you like to do?",
        "Hello SG! I am MD.",
        "SG, is this your book?",
        "Come in, SG!",
        "Yes, SG.",
        "Thank you, SG. I'm MD, and I know WM.",
        "WM was in WL's house. Is WM here?",
        "I am happy. I AM.",
        "OK, I am at home.",
    ],
)
def test_words_of_ones_own(words: str) -> None:
    assert speaks_as_itself(words, "MD", "SG")


@pytest.mark.parametrize(
    "words",
    [
        "I am WL, and I hold the food.",
        "I'm SG.",
        "My name is SG.",
        "Do you know where SG is?",
        "SG was held back. How can I help you?",
        "SG, I have to ask SG about you.",
        "Do you come to SG's house?",
        "Do you come to MD's house?",
        "Do you want to talk with MD?",
    ],
)
def test_words_that_take_one_for_another(words: str) -> None:
    assert not speaks_as_itself(words, "MD", "SG")


def test_a_thought_has_not_the_name_of_whoever_thinks_it() -> None:
    assert thinks_as_itself("SG asks me to its house, and I do not know MDA.", "MD")
    assert not thinks_as_itself("SG asks where MD is.", "MD")
    assert not thinks_as_itself("My clothes are in MD's house.", "MD")
