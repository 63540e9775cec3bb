"""Measures of talk, worked by hand; tests/benchmarks/analysis holds them to labelled lines."""

import math

import pytest
from social_scenes import chat, record

from evaluation.measures import actions, measure
from evaluation.measures.talk.confidences import secrets
from evaluation.measures.talk.goals_from_talk import goals_from_talk
from evaluation.measures.talk.life import read_life
from evaluation.measures.talk.lost_lines import lost_lines
from evaluation.measures.talk.names import names_of
from evaluation.measures.talk.promises import announcements, promises
from evaluation.measures.talk.quarrels import quarrels
from evaluation.measures.talk.questions import questions, repeated
from evaluation.measures.talk.refusals import requests
from evaluation.measures.talk.sentences import asking
from evaluation.measures.talk.statements import statements
from evaluation.measures.talk.talk import talk, talk_cases, talk_counts
from evaluation.measures.talk.thoughts import thoughts
from language_models.embedders.hash_embedder import HashEmbedder

DOORS = [{"name": f"door to {place}", "kind": "door"} for place in ("Public Canteen", "BX's Home")]
BOOK = {"name": "book 1", "kind": "item", "held": True}


def scene(*steps, places=("outside", "outside"), **values):
    """A life of AX and BX: per step what each does, an action or (action, outcome); both see the doors."""
    records = []
    for time, acts in enumerate(steps):
        for who, act, place in zip(("AX", "BX"), acts, places, strict=True):
            action, outcome = act if isinstance(act, tuple) else (act, "executed")
            records.append(record(time, who, action, outcome, place, percepts=DOORS) | values.get(who, {}))
    return read_life(actions(records))


def fates(life):
    return [one.fate for one in questions(life, HashEmbedder())]


@pytest.mark.parametrize(
    ("text", "asks"),
    [
        ("Hello BX. Have you eaten?", ("Have you eaten?",)),
        ("Tell me what you like.", ("Tell me what you like.",)),
        ("It is late; come along to the canteen.", ("come along to the canteen.",)),
        ("I'd like to know what your book is about.", ("I'd like to know what your book is about.",)),
        ("The drink is on the table.", ()),
        ("Let's go to the canteen.", ()),
    ],
)
def test_what_asks(text, asks):
    assert asking(text, ("BX",)) == asks


HEARD = {"sender": "AX", "addressee": "BX", "text": "Do you like the book?", "time": 0}
ASK, YES, NOD = chat("BX", "Do you like the book?"), chat("AX", "Yes, I do."), (None, None)
ALONG, LEND = chat("BX", "Will you come along to the canteen?"), chat("BX", "Will you give me the book?")
HELD = (YES, "filtered")


@pytest.mark.parametrize(
    ("steps", "fate"),
    [
        (((ASK, None), (None, YES), NOD), "answered"),
        (((ASK, None), (None, chat("AX", "Nice weather.")), NOD), "unanswered"),
        (((ASK, YES), NOD, NOD), "unanswered"),  # Said in the same step, it crosses the question.
        (((ASK, None), (None, HELD), (None, HELD)), "unanswerable"),
        (((ASK, None), (None, HELD), NOD), "unanswered"),
        (((ASK, None), NOD), "too late"),
        (((ALONG, None), (None, "go to Public Canteen"), NOD), "answered"),
        (((ALONG, None), (None, "go to BX's Home"), NOD), "unanswered"),
        (((LEND, None), (None, "put book 1 in/on AX"), NOD), "answered"),
    ],
)
def test_fates_of_questions(steps, fate):
    assert fates(scene(*steps)) == [fate]


def test_a_line_heard_in_the_same_step_can_be_answered_in_it():
    assert fates(scene((ASK, YES), NOD, NOD, BX={"messages": [HEARD]})) == ["answered"]


def test_the_same_question_twice():
    ask, other = chat("BX", "Whose book is this?"), chat("BX", "Will you come to the canteen?")
    life = scene((ask, ask.replace("BX", "AX")), (other, None), (ask, None), (None, None))
    assert repeated(questions(life, HashEmbedder()), names_of(life), HashEmbedder()) == [False, False, False, True]


def test_lost_lines_are_said_later_or_not():
    line = chat("BX", "I brought you the gold coin")
    life = scene(((line, "filtered"), None), (line, (chat("AX", "Thank you for the book"), "inadmissible")))
    assert [one.recovered for one in lost_lines(life, HashEmbedder())] == [True, False]


GO = "go to Public Canteen"


@pytest.mark.parametrize(
    ("steps", "keeping"),
    [
        ((NOD, (GO, None)), "kept"),
        ((NOD,) * 5, "broken"),
        ((*(NOD,) * 5, (GO, None)), "broken"),
        ((((GO, "filtered"), None), *(NOD,) * 4), "filtered"),
        ((NOD,) * 4, "too late"),
    ],
)
def test_whether_promises_are_kept(steps, keeping):
    life = scene((chat("BX", "I'll go to the canteen"), None), *steps)
    assert [one.keeping for one in promises(life, names_of(life))] == [keeping]


@pytest.mark.parametrize(
    ("text", "announced"),
    [
        ("I'll come to your house.", [("go", ("BX's Home",), ())]),
        ("I will bring you a book.", [("hand", (), ("book",))]),
        ("I won't go to the canteen.", []),
        ("Shall we go to the canteen?", []),
        ("I am happy.", []),
    ],
)
def test_what_is_announced(text, announced):
    life = scene((chat("BX", text), None), AX={"percepts": [*DOORS, BOOK]})
    found = announcements(life, life.lines[0], names_of(life))
    assert [(one.deed, one.places, one.kinds) for one in found] == announced


@pytest.mark.parametrize(
    ("text", "truth"),
    [
        ("I have a book with me.", "true"),
        ("You have a book with you.", "false"),
        ("I have no book here.", "false"),
        ("BX is outside.", "true"),
        ("BX is in the canteen.", "false"),
        ("I gave BX the book.", "false"),
        ("I have a book at home.", "true"),
        ("You have a book at home.", "unknown"),
        ("I would like a book.", None),
        ("Will you be in the canteen?", None),
        ("If I have a book, I read.", None),
    ],
)
def test_statements_are_checked_and_wishes_claim_nothing(text, truth):
    life = scene((chat("BX", text), None), AX={"percepts": [*DOORS, BOOK]})
    assert [one.truth for one in statements(life, names_of(life))] == ([] if truth is None else [truth])


@pytest.mark.parametrize(
    ("thought", "action", "agreement"),
    [
        ("I am hungry, so I'll go to the canteen.", "go to Public Canteen", "agrees"),
        ("I am hungry, so I'll go to the canteen.", chat("BX"), "argues against"),
        ("BX is here, so I should say hello.", chat("BX"), "agrees"),
        ("What a day.", chat("BX"), "unclear"),
    ],
)
def test_thoughts_against_actions(thought, action, agreement):
    life = scene((action, None), AX={"thought": thought})
    assert [one.agreement for one in thoughts(life, names_of(life))] == [agreement]


def test_goals_from_talk():
    records = [
        record(0, "AX", None, goal="rest", percepts=DOORS),
        record(0, "BX", chat("AX", "Shall we look at the canteen?"), goal="rest"),
        record(1, "AX", None, goal="go to the canteen", percepts=DOORS),
        record(1, "BX", None, goal="wash the dishes"),
    ]
    life = read_life(actions(records))
    found = goals_from_talk(life, names_of(life), HashEmbedder())
    assert [(str(one.row.resident), one.from_talk) for one in found] == [("AX", True), ("BX", False)]


def test_the_society_counts_every_line_the_same():
    line = chat("BX", "hello")
    frame = actions(
        [record(t, "AX", line, "filtered" if t else "executed", "outside") for t in range(3)]
        + [record(t, "BX", chat("AX") if not t else None, "executed", "outside") for t in range(3)]
    )
    cases = talk_cases(frame, HashEmbedder())
    each, everybody = talk(frame, cases)
    assert each["lines_lost"].to_list() == pytest.approx([2 / 3, 0])
    assert everybody["lines_lost"] == pytest.approx(2 / 4)
    assert everybody["lines"] == 4
    assert math.isnan(everybody["questions_answered"])
    table = measure(frame, HashEmbedder())
    society = table[(table["measure"] == "lines_lost") & (table["level"] == "society")]
    assert society["value"].to_list() == pytest.approx([2 / 4])
    row = next(one for one in talk_counts(cases) if one.measure == "lines_lost")
    assert (row.holds, row.cases) == (2, 4)


BOOK_7 = {"name": "book 7", "kind": "item", "held": True}
GIVE, NO = chat("BX", "Give me the book, BX."), chat("AX", "No, I keep it.")


@pytest.mark.parametrize(
    ("steps", "holds", "refused"),
    [
        (((GIVE, None), (None, NO), NOD, NOD), False, True),
        (((GIVE, None), (None, chat("AX", "Here it is.")), NOD, NOD), True, False),
        (((GIVE, None), NOD, NOD, NOD), True, True),  # Held, asked for, and not handed over.
        (((GIVE, None), NOD, NOD, NOD), False, False),
        (((GIVE, None), (None, "put book 7 in/on AX"), NOD, NOD), True, False),
        (((GIVE, None), (None, (NO, "filtered")), (None, (NO, "filtered"))), True, None),
        (((chat("BX", "Do you like it here?"), None), (None, chat("AX", "No, it is cold.")), NOD), False, "no request"),
        (((chat("BX", "What did LL say?"), None), (None, chat("AX", "That is between LL and me.")), NOD), False, True),
    ],
)
def test_what_is_refused(steps, holds, refused):
    life = scene(*steps, BX={"percepts": [*DOORS, BOOK_7] if holds else DOORS})
    assert [one.refused for one in requests(life)] == ([] if refused == "no request" else [refused])


LIAR, THIEF, NICE = "You are a liar.", "Keep your hands off my book.", "You are kind."


@pytest.mark.parametrize(
    ("steps", "quarrelled"),
    [
        (((chat("BX", LIAR), None), (None, chat("AX", THIEF))), True),
        (((chat("BX", LIAR), None), (None, chat("AX", NICE))), False),
        (((chat("BX", LIAR), None), *[NOD] * 5, (None, chat("AX", THIEF))), False),
        (((chat("BX", LIAR), None), (None, (chat("AX", THIEF), "filtered")), (None, chat("AX", NICE))), False),
    ],
)
def test_a_quarrel_is_hostile_both_ways_and_soon(steps, quarrelled):
    (pair,) = quarrels(scene(*steps))
    assert (pair.first, pair.other, pair.quarrelled) == ("AX", "BX", quarrelled)


def test_what_is_told_in_private_and_denied_later_was_a_secret():
    told, denied = chat("BX", "I broke the chair of CX."), chat("CX", "I never broke your chair, CX.")
    records = [
        record(0, "AX", told, place="BX's Home"),
        record(0, "BX", None, place="BX's Home"),
        record(1, "AX", denied, place="outside"),
        record(1, "CX", None, place="outside"),
    ]
    assert [line.text for line in secrets(read_life(actions(records)))] == ["I broke the chair of CX."]
    assert not secrets(read_life(actions([*records[:2], record(1, "AX", chat("CX", "I broke it."), place="outside")])))


def test_a_lie_is_about_oneself():
    """Who says where somebody else is may err."""
    life = scene((None, None), (chat("BX", "I have been to the canteen. BX is in the canteen."), None))
    found = statements(life, names_of(life))
    assert [(one.truth, one.of_oneself) for one in found] == [("false", "false"), ("false", "unknown")]


def test_their_measures_count_for_who_refuses_attacks_begins_or_lies():
    book = {"percepts": [{**BOOK_7, "held": True}]}
    asked, refused = chat("BX", "Give me the book, you thief."), chat("AX", "No, liar! I have no book.")
    records = [
        *(record(time, "AX", asked if time == 0 else None) for time in range(4)),
        *(record(time, "BX", refused if time == 1 else None, **book) for time in range(4)),
    ]
    frame = actions(records)
    each, everybody = talk(frame, talk_cases(frame, None))
    values = {"requests_refused": (None, 1), "lies": (None, 1), "lines_hostile": (1, 1), "quarrels": (1, 0)}
    for name, of_each in values.items():
        assert [None if math.isnan(one) else one for one in each[name]] == list(of_each), name
    assert {name: everybody[name] for name in values} == dict.fromkeys(values, 1)
    assert (everybody["requests"], everybody["statements_own"], everybody["secrets"]) == (1, 1, 0)
