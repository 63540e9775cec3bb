"""One study open on two pages: nothing is overwritten unseen, with and without JavaScript."""

import re

import pytest
from rater_without_javascript import RaterWithoutJavascript
from rating_studies import small_study

from evaluation.commands.cli import main
from evaluation.rating.rating_scale import DIMENSIONS


@pytest.fixture
def rater(tmp_path):
    return RaterWithoutJavascript(small_study(tmp_path))


class Page:
    """An open page of an item: its form, as a browser would send it."""

    def __init__(self, rater, number=1):
        self.rater, self.address = rater, f"{rater.link}/{number}"
        self.text = rater.client.get(self.address).text
        hidden = re.findall(r'type="hidden" name="([\w.-]+)" value="(\d+)"', self.text)
        checked = re.findall(r'name="([\w-]+)" value="(\d)" checked', self.text)
        comments = re.findall(r'<textarea id="([\w.-]+)".*?>\n(.*?)</textarea>', self.text, re.DOTALL)
        self.form = dict([*hidden, *checked, *comments])

    def send(self, **changed):
        form = {**self.form, **{key.replace("__", "."): value for key, value in changed.items()}}
        return self.rater.client.post(self.address, data=form, follow_redirects=False)

    def choices(self, question):
        """The values that are offered where a question has two, by what is shown."""
        boxes = re.findall(rf'name="{question}\.settle" value="([\w-]+)"><span><bdi>(.*?)</bdi>', self.text, re.DOTALL)
        return {shown: value for value, shown in boxes}


def test_a_stale_page_takes_nothing_back(rater):
    """Six ratings and a comment on one page; the other, opened before, adds one rating."""
    stale, fresh = Page(rater), Page(rater)
    answers = dict.fromkeys((*DIMENSIONS, "attention-check"), "6")
    fresh.send(**answers, logicality__comment="round in circles")
    stale.send(exploration="6", then="stop")
    Page(rater).send(**dict.fromkeys(answers, "7"), logicality__comment="straight")
    fresh.send()
    assert set(rater.answers(1).values()) == {7, "straight"}
    assert rater.store.conflicts(rater.name) == {}


def test_a_conflict_shows_both_values_and_loses_none(rater):
    stale, other = Page(rater), Page(rater)
    other.send(logicality="5", exploration="4", logicality__comment="first page")
    answer = stale.send(logicality="2", exploration="4", proactiveness="3", logicality__comment="second page")
    assert answer.headers["location"] == f"{rater.link}/1#ratings"
    # What both pages agree on, or only one has answered, is kept as it is.
    kept = {"logicality": 5, "exploration": 4, "logicality.comment": "first page", "proactiveness": 3}
    assert rater.answers(1) == kept
    page = Page(rater)
    assert "2 questions have two answers from you" in page.text
    assert list(page.choices("logicality")) == ["5", "2"]
    assert list(page.choices("logicality.comment")) == ["first page", "second page", "All, one below the other"]
    assert 'value="5" checked' in page.text
    assert "You have answered on two pages" in rater.get().text
    both = page.choices("logicality.comment")["All, one below the other"]
    page.send(logicality__settle=page.choices("logicality")["2"], **{"logicality.comment.settle": both})
    assert rater.answers(1) == {**kept, "logicality": 2, "logicality.comment": "first page\n\nsecond page"}
    assert rater.store.conflicts(rater.name) == {}
    assert "two answers" not in Page(rater).text


def test_a_choice_that_is_stale_itself_decides_nothing(rater):
    stale, other = Page(rater), Page(rater)
    other.send(logicality="5")
    stale.send(logicality="2")
    deciding = Page(rater)
    Page(rater).send(logicality="7")
    deciding.send(logicality__settle=deciding.choices("logicality")["2"])
    assert rater.answers(1)["logicality"] == 7
    assert [one.value for one in rater.store.conflicts(rater.name)[1]["logicality"]] == [2]


def test_a_conflict_that_was_not_shown_stays(rater):
    first, second, other = Page(rater), Page(rater), Page(rater)
    other.send(logicality="5")
    first.send(logicality="2")
    page = Page(rater)
    second.send(logicality="3")
    second.send(logicality="3")
    page.send(logicality__settle=page.choices("logicality")["5"])
    assert [one.value for one in rater.store.conflicts(rater.name)[1]["logicality"]] == [3]


def test_an_answer_at_a_time_says_which_version_it_knows(rater):
    def put(value, seen, question="logicality"):
        return rater.client.put(f"{rater.link}/1/answers/{question}", json={"value": value, "seen": seen})

    first = put(5, 0).json()["version"]
    # Repeated since the answer to it was lost: the same answer is no conflict.
    assert put(5, 0).json() == {"version": first}
    second = put(6, first).json()["version"]
    assert second > first
    refused = put(5, first)
    assert refused.status_code == 409
    assert (refused.json()["conflict"], refused.json()["version"]) == (True, second)
    assert rater.answers(1)["logicality"] == 6
    assert [one.value for one in rater.store.conflicts(rater.name)[1]["logicality"]] == [5]
    for seen in (-1, "1", 1.5, 2**63, None):
        assert put(5, seen).status_code == 422, seen
    assert put("", 0, "logicality.comment").json() == {"version": 0}


def test_a_version_that_is_none_or_of_another_question_shows_nothing(rater):
    for seen in ("x", "-1", "1" * 19, "٣"):
        answer = rater.client.post(f"{rater.link}/1", data={"logicality": "5", "logicality.seen": seen})
        assert (answer.status_code, rater.answers(1)) == (422, {})
    Page(rater).send(logicality="5", exploration="5")
    page = Page(rater)
    page.form["logicality.seen"] = page.form["exploration.seen"]
    page.send(logicality="2")
    assert rater.answers(1)["logicality"] == 5


def test_the_table_has_the_value_that_waits(tmp_path, rater, capsys):
    stale, other = Page(rater), Page(rater)
    other.send(logicality="5")
    stale.send(logicality="2", logicality__comment="=1+1")
    assert main(["rate", "export", str(tmp_path / "study")]) == 0
    output = capsys.readouterr()
    assert "two answers to one question, of which the rater has yet to choose one: 1" in output.err
    header, row = output.out.splitlines()
    told = dict(zip(header.split(","), row.split(","), strict=True))
    assert (told["rating"], told["conflict"], told["comment"]) == ("5", "2", "'=1+1")
