"""Tests of the human interface on the page: questions, accepted answers, and takeovers."""

import asyncio
import threading
import time

import pytest
from fastapi.testclient import TestClient
from viewed import copy_of_life

from evaluation.models.person import Left, Question
from evaluation.viewer.application import create_app
from evaluation.viewer.seat import PageSeat

HOST, TOKEN = "http://127.0.0.1:8123", "a-token"
PICK = Question(
    resident="LL", time=2, prompt="You are LL.\n\nHere.\n\nYou can:\n   1 outside", options=("go to outside", "wait")
)
SAY = Question(resident="LL", time=2, prompt="You say to SG:")


@pytest.fixture(scope="module")
def life(tmp_path_factory):
    return copy_of_life(tmp_path_factory.mktemp("seat") / "life", steps=2)


@pytest.fixture
def seat():
    return PageSeat()


@pytest.fixture
def client(life, seat):
    return TestClient(create_app([life], TOKEN, seat=seat), base_url=HOST)


def asked(seat, question):
    """Ask in a thread, as a run does, and return a function that joins it and returns the answer."""
    found = []

    def run():
        try:
            found.append(asyncio.run(seat.ask(question)))
        except Left as left:
            found.append(left)

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    while seat.waiting is None:
        time.sleep(0.001)

    def answered():
        thread.join(20)
        return found[0]

    return answered


def send(client, body, origin=HOST, token=TOKEN):
    return client.post(f"/{token}/answer", json=body, headers={"Origin": origin} if origin else {})


def test_a_person_picks_then_speaks(client, seat):
    answered = asked(seat, PICK)
    assert seat.waiting["options"] == ["go to outside", "wait"]
    assert seat.waiting["seen"] == "You are LL.\n\nHere."
    assert send(client, {"number": 1, "pick": 1}).status_code == 204
    assert answered() == "wait"
    answered = asked(seat, SAY)
    assert seat.waiting["seen"] == "You say to SG:"
    assert send(client, {"number": 2, "words": " Hello! "}).status_code == 204
    assert answered() == "Hello!"
    assert seat.waiting is None


def test_who_leaves_ends_the_run(client, seat):
    answered = asked(seat, PICK)
    assert send(client, {"number": 1, "leave": True}).status_code == 204
    assert isinstance(answered(), Left)


@pytest.mark.parametrize(
    ("question", "body", "status"),
    [
        (PICK, {"number": 1, "pick": 2}, 422),
        (PICK, {"number": 1, "words": "wait"}, 422),
        (PICK, {"number": 1}, 422),
        (PICK, {"number": 1, "pick": 0, "leave": True}, 422),
        (PICK, {"number": 2, "pick": 0}, 409),
        (SAY, {"number": 1, "pick": 0}, 422),
        (SAY, {"number": 1, "words": "x" * 2001}, 422),
        (SAY, {"number": 1, "words": "\x1b[2J"}, 422),
    ],
)
def test_what_is_no_answer_is_refused_and_the_question_waits_on(client, seat, question, body, status):
    answered = asked(seat, question)
    response = send(client, body)
    assert response.status_code == status
    assert isinstance(response.json()["detail"], str)
    assert seat.waiting["number"] == 1
    seat.leave(1)
    answered()


def test_an_answer_counts_once(client, seat):
    answered = asked(seat, PICK)
    assert send(client, {"number": 1, "pick": 0}).status_code == 204
    assert send(client, {"number": 1, "pick": 1}).status_code == 409
    assert answered() == "go to outside"


def test_a_run_in_which_nobody_is_asked(life):
    client = TestClient(create_app([life], TOKEN), base_url=HOST)
    assert send(client, {"number": 1, "pick": 0}).status_code == 409


def hold(client, resident, now=True, origin=HOST, token=TOKEN):
    headers = {"Origin": origin} if origin else {}
    return client.post(f"/{token}/hold", json={"resident": resident, "hold": now}, headers=headers)


@pytest.fixture
def begun(seat):
    seat.open_to(["LL", "SG"])
    return seat


def test_a_resident_is_taken_over_once_and_handed_back_once(client, begun):
    assert begun.free == {"LL": False, "SG": False}
    assert hold(client, "LL").status_code == 204
    assert (begun.holds("LL"), begun.holds("SG")) == (True, False)
    again = hold(client, "LL")
    assert (again.status_code, again.json()["detail"]) == (409, "LL is taken over already; hand it back first")
    assert hold(client, "LL", now=False).status_code == 204
    assert not begun.holds("LL")
    nothing = hold(client, "LL", now=False)
    assert (nothing.status_code, nothing.json()["detail"]) == (
        409,
        "LL is not taken over; there is nothing to hand back",
    )


@pytest.mark.parametrize("now", [True, False])
def test_a_resident_that_is_nobodys_is_refused(client, begun, now):
    answer = hold(client, "<b>L</b>", now)
    assert answer.status_code == 422
    assert answer.json()["detail"].startswith("'<b>L</b>' is no resident of this run who has a mind of its own")
    assert begun.free == {"LL": False, "SG": False}


@pytest.mark.parametrize("body", [{}, {"resident": "LL"}, {"resident": 3, "hold": True}, {"resident": "LL", "hold": 7}])
def test_what_is_no_wish_to_take_over_is_refused(client, begun, body):
    assert client.post(f"/{TOKEN}/hold", json=body, headers={"Origin": HOST}).status_code == 422
    assert not begun.holds("LL")


def test_before_the_run_begins_and_in_a_run_that_is_looked_at_nobody_can_be_taken_over(client, life):
    assert hold(client, "LL").status_code == 422
    looked_at = TestClient(create_app([life], TOKEN), base_url=HOST)
    assert hold(looked_at, "LL").status_code == 409


def test_handing_back_answers_the_question_that_waits(client, begun):
    assert hold(client, "LL").status_code == 204
    answered = asked(begun, PICK)
    assert begun.waiting["taken"] is True
    assert hold(client, "LL", now=False).status_code == 204
    assert answered() == PICK.options[-1]
    assert not begun.holds("LL")


def test_handing_back_leaves_another_ones_question_and_words_that_are_asked_for(client, begun):
    for question, other in ((PICK, "SG"), (SAY, "LL")):
        assert hold(client, other).status_code == 204
        answered = asked(begun, question)
        number = begun.waiting["number"]
        assert hold(client, other, now=False).status_code == 204
        assert begun.waiting["number"] == number
        begun.leave(number)
        answered()
