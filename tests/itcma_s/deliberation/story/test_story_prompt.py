"""The page of a small model: what stands on it, what its grammar lets through, and how a turn is read."""

from __future__ import annotations

import pytest
from led import context_of
from scenes import observe

from itcma_s.deliberation.conversation import Conversation
from itcma_s.deliberation.model_answer import Unusable
from itcma_s.deliberation.story.prompt_of_step import prompt_of
from itcma_s.deliberation.story.story_prompt import StoryPrompt
from language_models.grammar_sampling import sample_grammar
from language_models.scripted import ScriptedModel

PAGE = StoryPrompt(
    me="LL",
    where="in the canteen",
    company=("AY", "SG"),
    things=("a book on the table", "a stove"),
    held={"LL": ("food",)},
    feeling="happy and curious",
    knows=("WM was outside",),
    remembers='in the canteen, SG said to LL: "The soup is gone."',
    recent=('AY said to LL: "Do you read?"',),
    goal="get to know AY",
)


@pytest.mark.parametrize("me", ["LL", 'L"L'])
@pytest.mark.parametrize("partner", ["AY", 'A"Y', None])
@pytest.mark.parametrize("seed", range(3))
def test_what_the_grammar_of_a_decided_act_allows_is_read(me: str, partner: str | None, seed: int) -> None:
    page = StoryPrompt(me=me, where="outside", held={}, about=f"talk with {partner}" if partner else "go out")
    text = sample_grammar(page.writing_grammar(partner, ("I wait.", "I want it."), (f"Hello, {partner}.",)), seed)
    thought, words = page.read_writing(text, partner)
    assert text == f"{me} thinks: {thought}\n" + (f'{me} says to {partner}: "{words}"\n' if partner else "")
    assert bool(words) == (partner is not None)


@pytest.mark.parametrize(
    ("text", "partner"),
    [
        ("", None),
        ("LL thinks:", None),
        ("LL thinks: \x1b", None),
        ("AY thinks: I wait.", None),
        ("I wait.", None),
        ("LL thinks: I wait.\nLL waits.", None),
        ('LL thinks: I wait.\nLL says to AY: "Hello."', None),
        ("LL thinks: I wait.", "AY"),
        ('LL thinks: I wait.\nLL says to MD: "Hello."', "AY"),
        ('LL thinks: I wait.\nAY says to LL: "Hello."', "AY"),
        ('LL thinks: I wait.\nLL says to AY: ""', "AY"),
        ('LL thinks: I wait.\nLL says to AY: "', "AY"),
        ('LL thinks: I wait.\nLL says to AY: "Hello, how', "AY"),
        ('LL thinks: I wait.\nLL says to AY: "Hello."\nAY says to LL: "Hello."', "AY"),
        ('LL says to AY: "Hello."\nLL thinks: I wait.', "AY"),
    ],
)
def test_what_is_no_thought_or_no_words_to_the_partner_is_refused(text: str, partner: str | None) -> None:
    with pytest.raises(Unusable):
        PAGE.read_writing(text, partner)


def test_marks_that_cannot_be_printed_are_left_out() -> None:
    text = 'LL thinks: I\x1b[31m wait\u2028here.\nLL says to AY: "Good\x85 day."'
    assert PAGE.read_writing(text, "AY") == ("I [31m wait here.", "Good day.")


SCENE = {
    "people": ("AY",),
    "furniture": ("chair 2", "table 2", "stoveburner 1"),
    "items": {"food 1": "table 2", "food 2": "table 2", "beefsteak": "stoveburner 1"},
    "admissible": (
        "go to outside",
        "chat with AY: ...",
        "use chair 2",
        "use stoveburner 1",
        "take food 1 from table 2",
        "take food 2 from table 2",
    ),
}


@pytest.mark.parametrize(
    ("said", "known"),
    [
        ("Where are WM and SG?", {"WM was outside", "SG was outside"}),
        ("How are you?", set()),
    ],
)
def test_what_one_knows_is_told_where_it_is_spoken_of(said: str, known: set[str]) -> None:
    observation = observe("Public Canteen", time=1, heard=[("AY", "MD", said)], result="Done.", **SCENE)
    context = context_of(observation, ScriptedModel())
    for name in ("SG", "WM", "LL"):
        context.familiarity.people[name] = 1
        context.familiarity.seen[name] = "outside"
    assert set(prompt_of(context, Conversation(), None).knows) == known


@pytest.mark.parametrize(
    ("action", "told"),
    [
        ("leave stoveburner 1", "MD stepped back from the stove."),
        ("leave Public Canteen", "MD went out."),
        ("leave chair 2", "MD got up."),
        ("leave AY", "MD turned away from AY."),
        ("use stoveburner 1", "MD cooked the beefsteak."),
        ("put food 1 in/on AY", "MD gave the food to AY."),
        ("use AY's clothes 1", "MD put on AY's clothes."),
    ],
)
def test_ones_own_deed_is_told_afterwards(action: str, told: str) -> None:
    observation = observe("Public Canteen", time=1, outcome="executed", result="Done.", **SCENE)
    page = prompt_of(context_of(observation, ScriptedModel()), Conversation(), action)
    assert page.recent == [told]
