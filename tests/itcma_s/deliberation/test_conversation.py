"""What was said is remembered by who was there; what is open stays open until a word or a deed settles it."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from scenes import observe

from irollan_env.world.observation import Observation
from itcma_s.deliberation.conversation import DROPPED, SHOWN, Conversation, OwnDeed
from itcma_s.deliberation.named_times import Moment, named_time


def hears(*said: tuple[str, str, str], time: int = 4, people: tuple[str, ...] = ("AY",)) -> Observation:
    """What MD perceives, with what was said in the step before."""
    return observe("outside", people=people, time=time, heard=said)


def after(conversation: Conversation, observation: Observation, own: tuple[str, str] | None = None) -> Conversation:
    return conversation.with_step(observation, own, "outside", observation.company)


def test_a_question_is_open_until_its_asker_hears_a_word() -> None:
    asked = after(Conversation(), hears(("AY", "MD", "Do you like books?")))
    assert [line.speaker for line in asked.unanswered("MD", 4)] == ["AY"]
    to_another = after(asked, hears(time=5), ("WL", "Hello."))
    assert [line.speaker for line in to_another.unanswered("MD", 5)] == ["AY"]
    assert after(asked, hears(time=5), ("AY", "I do.")).unanswered("MD", 5) == ()


def test_requests_without_a_question_mark_are_requests_and_promises_are_not() -> None:
    for text in ("Tell me about your book.", "That is good; come along, then.", "Please wait.", "Let's go home."):
        assert after(Conversation(), hears(("AY", "MD", text))).unanswered("MD", 4), text
    for text in ("I'll come along with you.", "Thank you for the drink.", "You may wait if you like."):
        assert not after(Conversation(), hears(("AY", "MD", text))).unanswered("MD", 4), text


def test_what_was_asked_of_another_or_long_ago_is_not_open() -> None:
    asked = after(Conversation(), hears(("AY", "WL", "Do you like books?")))
    assert asked.unanswered("MD", 4) == ()
    mine = after(Conversation(), hears(("AY", "MD", "Do you like books?")))
    assert mine.unanswered("MD", 9)
    assert mine.unanswered("MD", 10) == ()


def test_deeds_answer_too() -> None:
    book = after(Conversation(), hears(("AY", "MD", "Would you lend me your book?")))
    assert book.unanswered("MD", 5, [OwnDeed(time=4, did="handed", whom="WL")])
    assert book.unanswered("MD", 5, [OwnDeed(time=2, did="handed", whom="AY")])
    assert not book.unanswered("MD", 5, [OwnDeed(time=4, did="handed", whom="AY")])
    # What is handed to the one who asked answers, whatever was asked.
    asked = after(Conversation(), hears(("AY", "MD", "Where is your book?")))
    assert not asked.unanswered("MD", 5, [OwnDeed(time=4, did="handed", whom="AY")])
    assert asked.unanswered("MD", 5, [OwnDeed(time=4, did="took")])
    along = after(Conversation(), hears(("AY", "MD", "Will you come to the canteen?")))
    assert not along.unanswered("MD", 5, [OwnDeed(time=4)])


def test_a_promise_is_told_until_it_is_kept() -> None:
    said = after(Conversation(), hears(time=4), ("AY", "It is late. I'll come to the canteen. Shall I bring a book?"))
    assert [line.text for line in said.promised("MD", 5)] == ["I'll come to the canteen."]
    assert said.promised("MD", 5, [OwnDeed(time=4)]) == ()
    assert said.promised("MD", 10) == ()
    assert said.promised("MD", 5, but=["It is late. I'll come to the canteen. Shall I bring a book?"]) == ()
    lent = after(Conversation(), hears(time=4), ("AY", "I will lend you my book."))
    assert lent.promised("MD", 5, [OwnDeed(time=4)])
    assert lent.promised("MD", 5, [OwnDeed(time=4, did="handed", whom="AY")]) == ()


def test_a_promise_is_made_to_whom_it_names_and_each_deed_keeps_its_own() -> None:
    text = "WM, I'm coming along. And thank you for book 4, WL, I'll bring it back when I've read it."
    said = after(Conversation(), hears(time=4, people=("WM", "WL")), ("WM", text))
    (promise,) = said.promised("MD", 5)
    assert promise.addressee == "WL"
    assert said.promised("MD", 5, [OwnDeed(time=4, did="handed", whom="WM")])
    assert said.promised("MD", 5, [OwnDeed(time=4, did="handed", whom="WL")]) == ()
    for words, kept in (
        ("I'll cook soup for you.", "cooked"),
        ("I'll fetch a book.", "took"),
        ("Come, let us eat.", "ate"),
    ):
        promised = after(Conversation(), hears(time=4), ("AY", words))
        assert promised.promised("MD", 5, [OwnDeed(time=4, did="talked", whom="AY")]), words
        assert promised.promised("MD", 5, [OwnDeed(time=4, did=kept)]) == (), words  # type: ignore[arg-type]
    tell = after(Conversation(), hears(time=4), ("AY", "I'll tell you later."))
    assert tell.promised("MD", 5, [OwnDeed(time=3, did="talked", whom="AY")])
    assert tell.promised("MD", 6, [OwnDeed(time=5, did="talked", whom="AY")]) == ()


def test_a_line_that_memory_cut_is_found_whole() -> None:
    conversation = after(Conversation(), hears(("AY", "MD", "Do you like books?")))
    assert conversation.whole("AY to MD: Do you…") == "AY to MD: Do you like books?"
    assert conversation.whole("AY to MD: Did you…") == "AY to MD: Did you…"


def test_what_is_told_keeps_its_beginning_for_some_steps() -> None:
    conversation, beginnings = Conversation(), []
    for step in range(40):
        conversation = after(conversation, hears(("AY", "MD", f"Line {step}."), time=step + 1))
        told = conversation.among(("AY",), step + 1)
        assert len(told) <= SHOWN
        assert told[-1].text == f"Line {step}."
        beginnings.append(told[0].text)
    assert len(set(beginnings)) <= 40 / DROPPED


def at(day: int, hour: float, *, time: int) -> Observation:
    """What MD perceives in a world with a calendar whose first day is a Monday."""
    clock = {"day": float(day), "hour": hour, "weekday": float((day - 1) % 7)}
    return replace(hears(time=time), variables=clock)


def test_a_promise_that_names_a_time_is_due_then() -> None:
    own = ("AY", "I will come to the canteen tomorrow evening.")
    said = after(Conversation(), at(1, 9.0, time=4), own)
    went = [OwnDeed(time=5, at=Moment(1, 10.0))]
    for _ in range(70):
        said = after(said, at(1, 20.0, time=20), ("AY", "Hello."))
    said = Conversation.from_state(json.loads(json.dumps(said.get_state())))
    (early,) = said.promised("MD", 40, went, clock=Moment(2, 9.0))
    assert early.due == Moment(2, 18.0)
    assert said.promised("MD", 40, went, clock=Moment(2, 18.0))
    kept = OwnDeed(time=42, at=Moment(2, 19.0))
    assert OwnDeed.from_state(json.loads(json.dumps(kept.get_state()))) == kept
    assert said.promised("MD", 42, [*went, kept], clock=Moment(2, 19.0)) == ()
    assert after(said, at(3, 18.0, time=60)).promised("MD", 60, clock=Moment(3, 18.0)) == ()


@pytest.mark.parametrize(
    ("words", "moment"),
    [
        ("See you on Wednesday.", Moment(3, 0.0)),
        ("Come at 18:30!", Moment(1, 18.5)),
        ("Meet me at 6 o'clock.", Moment(1, 18.0)),
        ("I'll be there at 9 in the evening tomorrow.", Moment(2, 21.0)),
        ("Tonight I cook.", Moment(1, 18.0)),
        ("I'll come at 7.", Moment(1, 19.0)),
        ("In the morning I bake.", Moment(2, 6.0)),
        ("Next Monday afternoon we meet.", Moment(1, 12.0)),
        ("I have 3 books at home.", None),
        ("Good morning, this is yours.", None),
    ],
)
def test_words_name_moments(words: str, moment: Moment | None) -> None:
    assert named_time(words, Moment(1, 10.0), 0) == moment
