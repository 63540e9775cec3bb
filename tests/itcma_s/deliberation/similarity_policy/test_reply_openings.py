from __future__ import annotations

import pytest
from scenes import observe

from itcma_s.deliberation.similarity_policy.reply_openings import answers
from itcma_s.memory.familiarity import Familiarity

NOW = observe("LL's Home", people=["SG", "WM"], items={"book 1": "bed 2"}, held=["food 1"], doors=["outside"])
KNOWN = Familiarity(
    places={"LL's Home": 3, "outside": 2, "Public Canteen": 1, "SG's Home": None},
    people={"SG": 1, "WM": 0, "AY": 2, "LL": 0},
    seen={"SG": "LL's Home", "WM": "LL's Home", "book 1": "LL's Home", "food 1": "LL's Home", "AY": "Public Canteen",
          "toy 1": "SG's Home", "LL's clothes 1": "outside"},
)  # fmt: skip


@pytest.mark.parametrize(
    ("heard", "expected"),
    [
        ("Have you seen the toy?", ["I remember the toy in SG's house.", "You may find the toy in SG's house."]),
        ("I have been looking for AY.", ["I remember AY in the canteen.", "You may find AY in the canteen."]),
        ("Have you seen LL?", ["I do not know where LL is."]),
        ("You may find the toy outside.", []),
        ("I have not seen the toy.", []),
        ("Where is WM?", ["You can see WM here."]),
        ("Have you seen the book?", ["I can see the book here.", "You may find the book here."]),
        ("Have you seen the food?", ["I have the food with me.", "I am holding the food."]),
        ("Do you know whose book it is?", ["I do not know whose book it is.", "I found the book here."]),
        ("Who left LL's clothes outside?", ["I remember LL's clothes outside."]),
        ("Have you been to the canteen today?", ["I have been to the canteen.", "I was in the canteen."]),
        ("Have you been to SG's house today?", ["I have never been to SG's house."]),
        ("Will you come with me to SG's house?", ["I will come with you to SG's house.",
                                                  "I would like to see what there is in SG's house."]),
        ("Would you like to have the book?", ["I would like to have the book.", "I do not need the book."]),
        ("Do you like it in LL's house?", ["I like it in LL's house.", "It is nice in LL's house."]),
        ("I am going to the canteen.", []),
        ("Have you seen the umbrella?", []),
        ("Hello, MD.", []),
        ("", []),
    ],
)  # fmt: skip
def test_questions_are_answered_from_what_is_known(heard: str, expected: list[str]) -> None:
    assert list(answers(heard, NOW, KNOWN, "AY")) == expected


def test_nothing_is_known_at_the_beginning() -> None:
    assert answers("Have you seen the toy in the canteen?", observe(), Familiarity(), "AY") == ()
    assert answers("x" * 100_000 + " seen", NOW, KNOWN, "AY") == ()
