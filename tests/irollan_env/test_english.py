"""Furniture and places are called as people call them; things that their numbers tell apart keep these."""

import pytest

from irollan_env.actions import Action
from irollan_env.english import phrase, the, without_numbers
from irollan_env.world.observation import mood


@pytest.mark.parametrize(
    ("text", "called"),
    [
        ("put beefsteak on stoveburner 2", "put the beefsteak on the stove"),
        ("took food 1 from foodshelf 1", "took food 1 from the food shelf"),
        ("went to LL's Home", "went to LL's house"),
        ("went to Public Canteen", "went to the canteen"),
        ("took 10 dollar from table 16", "took the dollar bill from the table"),
    ],
)
def test_names_as_people_say_them(text, called):
    assert without_numbers(text) == called


def test_the_mood_has_one_scale():
    assert [mood(topic) for topic in (-0.06, 0.0, 0.05, 0.35, 0.65)] == ["tense", "flat", "calm", "friendly", "lively"]


@pytest.mark.parametrize(
    ("action", "form", "words"),
    [
        ("chat with LL: ...", "past", "talked with LL"),
        ("chat with noticeboard 1: ...", "past", "wrote on the noticeboard"),
        ("put SG's clothes 1 in/on SG", "infinitive", "give SG's clothes to SG"),
        ("put book 1 in/on table 2", "gerund", "putting the book on the table"),
        ("use bed 1", "past", "lay down on the bed"),
        ("use beverage 1", "present", "drinks the drink"),
        ("use lamp 1", "present", "uses the lamp"),
        ("go to outside", "present", "goes out"),
        ("go to Public Canteen", "past", "went to the canteen"),
        ("leave LL", "gerund", "leaving LL"),
        ("take 1 gold coin from storagebin 1", "past", "took the gold coin from the box"),
    ],
)
def test_an_action_in_each_form(action, form, words):
    assert phrase(Action(action), form, name=the) == words


def test_an_action_by_names_and_words_of_ones_own():
    assert phrase(Action("use book 1"), "gerund", uses={}) == "using book 1"
    assert phrase(Action("go to outside"), out="go outside") == "go outside"
    assert phrase(Action("chat with LL: Hi."), "past", talk="talk to", name=str.lower) == "talked to ll"
