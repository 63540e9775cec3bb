from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scenes import CALLER, EMBEDDER, observe, run

from irollan_env.actions import Action
from itcma_s.deliberation.similarity_policy.fitting import fits, sound
from itcma_s.deliberation.similarity_policy.story_page import (
    Situation,
    page_grammar,
    read_page,
    tidy,
)
from itcma_s.deliberation.similarity_policy.writing import Text, write
from itcma_s.wording import Style, plain
from language_models.grammar import compile_grammar
from language_models.grammar_sampling import sample_grammar
from language_models.protocol import ModelError
from language_models.scripted import ScriptedModel

CHAT = Situation(
    observation=observe(
        "Public Canteen",
        people=["WM", "SG"],
        items={"book 1": "table 2", "food 3": "table 2", "food 4": "table 2"},
        held=["AY's clothes 1"],
        heard=[("WM", "SG", "Good day."), ("SG", "MD", 'Is "book 1" yours?'), ("LL", "MD", "Come out!")],
    ),
    action=Action("chat with SG: ..."),
    goal="ask SG about book 1",
    memory='Before, SG said to me: "Hello."',
    feeling="content and calm",
    expected="I talk with SG.",
)
ALONE = Situation(observation=observe(), action=Action("take book 1 from bookshelf 1"), goal="read book 1")


def compose(situation: Situation, style: Style, output: str | None = None) -> Text:
    model = ScriptedModel(outputs=None if output is None else [output])
    return run(write(situation, style=style, model=model, embedder=EMBEDDER, vocabulary=None, seed=1, caller=CALLER))


@pytest.mark.parametrize("naming", [False, True])
@pytest.mark.parametrize("situation", [CHAT, ALONE])
@pytest.mark.parametrize("seed", range(2))
def test_what_the_grammar_allows_can_be_read(situation: Situation, seed: int, naming: bool) -> None:
    grammar = page_grammar(situation, naming=naming)
    text = sample_grammar(grammar, "page", seed)
    assert compile_grammar(grammar).fullmatch(text)
    thought, words = read_page(text, situation)
    assert thought.startswith(f"I want to {plain(situation.goal)}")
    assert thought.endswith(".")
    assert "\n" not in thought + words
    assert '"' not in words
    assert bool(words) == (situation.partner is not None)


def test_the_grammar_by_hand() -> None:
    chat, alone = compile_grammar(page_grammar(CHAT)), compile_grammar(page_grammar(ALONE))
    text = ', because I saw it here.\nMD: "I do not know whose it is."\n'
    assert not alone.fullmatch(", but I will not do it.\n")  # a thought stands by what is wanted
    assert chat.fullmatch(text)
    assert not alone.fullmatch(text)
    assert alone.fullmatch(", because I saw it here.\n")
    assert not chat.fullmatch(text.replace("MD", "SG"))
    assert read_page(text, CHAT) == (
        "I want to ask SG about the book, because I saw it here.",
        "I do not know whose it is.",
    )


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("  Hello ,   you .  ", "Hello, you."),
        ('"Is it yours?"', "Is it yours?"),
        ("Is it yours? I thou", "Is it yours?"),
        ("Yes,.", "Yes."),
        ("no end", "no end"),
        ("two\nlines. And", "two lines."),
        ("", ""),
    ],
)
def test_tidy(text: str, told: str) -> None:
    assert tidy(text) == told
    assert tidy(told) == told


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("ask somebody whose book 1 it is", "ask somebody whose book it is"),
        ("give SG's clothes 1 back to SG", "give SG's clothes back to SG"),
        ("put food 12 in the foodshelf 1", "put the food in the food shelf"),
        ("a book 3 and the book 4", "a book and the book"),
        ("see what there is in Public Canteen", "see what there is in the canteen"),
        ("ask SG about 1 gold coin", "ask SG about the gold coin"),
        ("ask SG whose the 10 dollar is", "ask SG whose dollar bill is"),
        ('say "hello"\n\nto “LL”', "say hello to LL"),
    ],
)
def test_plain(text: str, told: str) -> None:
    assert plain(text) == told


@settings(max_examples=40)
@given(st.text(max_size=80))
def test_plain_and_tidy_give_one_line(text: str) -> None:
    assert not re.search(r'["“”\n]', plain(text))
    assert "\n" not in tidy(text)


@pytest.mark.parametrize(
    ("words", "fitting"),
    [
        ("I found the book over there.", True),
        ("Good day.", False),
        ("It is not my book, MD.", False),
        ("I will do it.", False),
        ("I foundthe book over there.", False),
        ("I found the to the book.", False),
        ("I want to eat for the book.", True),
        ("I found MD's book over there.", False),
        ("I found my book over there.", True),
        ("The book of LWL is over there.", False),
        ("I want to eat because there is plenty in the pot for the book.", False),
    ],
)
def test_words_fit_that_answer_or_name_something_and_are_neither_garbled_nor_copied(words: str, fitting: bool) -> None:
    known = (
        "I found the book over there it is not my MD MD's SG good day to you will do want eat because plenty pot in for"
    )
    assert fits(words, CHAT, EMBEDDER, frozenset(known.split())) == fitting


@pytest.mark.parametrize(
    "odd",
    [
        "because the climb was steep and I am tired",
        "so I look at the in the house",
    ],
)
def test_of_two_thoughts_a_sound_one_is_kept_and_where_none_is_it_is_cut_to_the_goal(odd: str) -> None:
    known = "because the climb was steep and I am tired so look at in house MD wants to read of it all with"
    words = frozenset(known.split())
    odd, own = f", {odd}.\n", ", because I am tired of it all.\n"
    for second, thought in (
        (own, "I want to read the book, because I am tired of it all."),
        (odd, "I want to read the book."),
    ):
        drawn = {1: odd, 2: second}
        model = ScriptedModel(writers={CALLER.module: lambda _, seed, drawn=drawn: drawn[seed]})
        text = run(write(ALONE, style="page", model=model, embedder=EMBEDDER, vocabulary=words, seed=1, caller=CALLER))
        assert text.thought == thought
        assert len(text.usages) == 1
        assert sound(thought, ALONE, words)


@pytest.mark.parametrize(
    ("situation", "output", "thought", "words"),
    [
        (CHAT, 'Thought: I wonder.\nWords: "Whose is it?"', "I wonder.", "Whose is it?"),
        (CHAT, "Thought: I wonder.\n\nWords: Whose is it? Yours?\n", "I wonder.", "Whose is it? Yours?"),
        (ALONE, "Thought: I like to read.\n", "I like to read.", ""),
    ],
)
def test_instructed_text_is_read(situation: Situation, output: str, thought: str, words: str) -> None:
    text = compose(situation, "instruct", output)
    assert (text.thought, text.words) == (thought, words)


@pytest.mark.parametrize("output", ["I wonder.", "Thought: I wonder.", "Words: Hello.", "Thought:\nWords: Hello."])
def test_a_text_without_the_form_is_an_error(output: str) -> None:
    with pytest.raises(ModelError, match="does not obey the pattern"):
        compose(CHAT, "instruct", output)
