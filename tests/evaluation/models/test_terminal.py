"""A person at a terminal: what is shown, what is no answer, and how one leaves."""

import asyncio
import io
import os

import pytest

from evaluation.models.person import Left, Person, Question
from evaluation.models.terminal import HELP, Terminal
from language_models.protocol import Caller, GenerateRequest, ModelError

OPTIONS = ("go to outside", "wait", "hand LL over to the model")
PICK = Question(resident="LL", time=2, prompt="You can:\n   1 outside", options=OPTIONS)
SAY = Question(resident="LL", time=2, prompt="You say to SG:")
LL = Caller(module="person", resident="LL", time=2)


@pytest.fixture
def terminal():
    """A terminal, its screen, and what types into it."""
    ours, its = os.pipe()
    screen = io.StringIO()

    def type_in(text):
        os.write(its, text if isinstance(text, bytes) else text.encode())

    yield Terminal(ours, screen), screen, type_in, lambda: os.close(its)
    os.close(ours)


def answer(terminal, typed, question):
    seat, screen, type_in, _ = terminal
    type_in(typed)
    return asyncio.run(seat.ask(question)), screen.getvalue()


def test_a_number_picks(terminal):
    picked, shown = answer(terminal, " 2 \n", PICK)
    assert picked == "wait"
    assert shown == "\nYou can:\n   1 outside\nLL, step 3 (1 to 3, h for help)> "


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        ("0", "'0' is no number from 1 to 3; h for help"),
        ("4", "'4' is no number from 1 to 3; h for help"),
        ("-1", "'-1' is no number"),
        ("²", "'²' is no number"),
        ("0000000000002", "'0000000000002' is no number"),
        ("", "'' is no number"),
        ("outside", "'outside' is no number"),
        ("7" * 300, "77'... is no number from 1 to 3"),
        ("1\x1b[A", "a character that cannot be shown"),
        (b"1\xff", "a character that cannot be shown"),
    ],
)
def test_what_is_no_answer_is_told_in_one_line_and_asked_again(terminal, wrong, told):
    raw = wrong if isinstance(wrong, bytes) else wrong.encode()
    picked, shown = answer(terminal, raw + b"\n1\n", PICK)
    assert picked == "go to outside"
    line, again = shown.split("> ")[1].split("\n")
    assert told in line
    assert line.isprintable()
    assert again == "LL, step 3 (1 to 3, h for help)"


def test_help(terminal):
    picked, shown = answer(terminal, "h\n1\n", PICK)
    assert picked == "go to outside"
    assert all(line in shown for line in HELP)


def test_words(terminal):
    assert answer(terminal, "q\n", SAY)[0] == "q"
    assert answer(terminal, "\n", SAY)[0] == ""
    said, shown = answer(terminal, f"{'x' * 2001}\nWas für ein Tag, 17!\n", SAY)
    assert said == "Was für ein Tag, 17!"
    assert "these are 2001 characters, and 2000 can be said in one step" in shown


@pytest.mark.parametrize("question", [PICK, SAY])
def test_the_end_of_the_input_is_a_person_who_left(terminal, question):
    seat, _, type_in, close = terminal
    type_in("no end of a line")
    close()
    with pytest.raises(Left, match="LL's person has left in step 3"):
        asyncio.run(seat.ask(question))


def test_q_leaves(terminal):
    with pytest.raises(Left):
        answer(terminal, "q\n", PICK)


def test_nothing_that_is_shown_steers_the_terminal(terminal):
    evil = Question(resident="LL\x1b", time=0, prompt="SG says: \x1b[2J\u202eH\x07i\r\x9b1A", options=OPTIONS)
    _, shown = answer(terminal, "1\n", evil)
    assert shown.replace("\n", "").isprintable()


def test_two_residents_are_asked_one_after_the_other(terminal):
    seat, screen, type_in, _ = terminal

    async def both():
        asked = [asyncio.ensure_future(seat.ask(PICK)) for _ in range(2)]
        await asyncio.sleep(0)
        type_in("1\n2\n")
        return await asyncio.gather(*asked)

    assert asyncio.run(both()) == ["go to outside", "wait"]
    assert screen.getvalue().count("You can:") == 2


def test_a_person_is_a_model_that_takes_its_time(terminal):
    seat, _, type_in, _ = terminal
    type_in("2\nHello\n")

    async def ask():
        person = Person(seat)
        choice = await person.choose("What now?", OPTIONS, caller=LL)
        return choice, await person.generate(GenerateRequest(prompt="You say to SG:", caller=LL))

    choice, said = asyncio.run(ask())
    assert (choice.option, choice.probabilities, said.text) == ("wait", (0.0, 1.0, 0.0), "Hello")
    assert choice.usage.prompt_tokens == choice.usage.generated_tokens == 0


@pytest.mark.parametrize(
    "form",
    [
        {"pattern": "root ::= [0-9]"},
        {"schema": {"type": "object", "properties": {"a": {"type": "string"}}, "additionalProperties": False}},
        {"samples": 2},
    ],
)
def test_a_person_writes_no_forms_and_scores_nothing(terminal, form):
    person = Person(terminal[0])
    with pytest.raises(ModelError):
        asyncio.run(person.generate(GenerateRequest(prompt="x", caller=LL, **form)))
    with pytest.raises(ModelError):
        asyncio.run(person.score("x", ["y"], caller=LL))
