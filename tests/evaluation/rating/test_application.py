import html
import re
from html.parser import HTMLParser

import pytest
from rater_without_javascript import RaterWithoutJavascript
from rating_studies import FIVE, QUOTED, SCRIPT, small_study

from evaluation.rating.application import LARGEST_BODY
from evaluation.rating.rater_requests import LONGEST_COMMENT
from evaluation.rating.rating_scale import ATTENTION_CHECK, DIMENSIONS


class Elements(HTMLParser):
    """The elements of a page with their attributes."""

    def __init__(self, page):
        super().__init__()
        self.found = []
        self.feed(page)

    def handle_starttag(self, tag, attrs):
        self.found.append((tag, attrs))


@pytest.fixture
def rater(tmp_path):
    return RaterWithoutJavascript(small_study(tmp_path))


def test_a_rater_goes_through_all_of_it_in_order(rater):
    front = rater.get()
    assert "0 of 2 rated" in front.text
    put = rater.client.put(f"{rater.link}/2/answers/logicality", json={"value": 4})
    assert rater.get("/2").status_code == rater.fill(2).status_code == put.status_code == 409
    assert set(rater.store.all_answers(rater.name)) == {0}
    assert ">Begin<" in re.sub(r">\s+", ">", front.text)
    page = rater.get("/1").text
    for moment in rater.study.moments(rater.packet[0]):
        for text in (moment.observation, moment.thought, moment.action, moment.outcome, moment.place):
            assert html.escape(text, quote=True).replace("&#x27;", "&#39;").replace("&quot;", "&#34;") in page
    assert page.count('type="radio"') == 6 * 7
    done = rater.fill(1, **{"logicality.comment": " it went\r\nround in circles "})
    assert (done.status_code, done.headers["location"]) == (303, f"{rater.link}/2")
    assert rater.answers(1)["logicality.comment"] == "it went\nround in circles"
    assert "1 of 2 rated" in rater.get().text
    last = rater.fill(2)
    assert (last.status_code, last.headers["location"]) == (303, rater.link)
    assert "Thank you" in rater.get().text
    again = rater.get("/1").text
    assert again.count(" checked") == 6
    assert "it went\nround in circles</textarea>" in again


def test_what_is_missing_is_named_and_the_rest_is_kept(rater):
    answer = rater.client.post(f"{rater.link}/1", data={"logicality": "5"}, follow_redirects=False)
    assert answer.headers["location"] == f"{rater.link}/1?missing=1#ratings"
    missing = {*DIMENSIONS, ATTENTION_CHECK} - {"logicality"}
    assert set(re.findall(r'<li><a href="#([\w-]+)-1">', rater.get("/1?missing=1").text)) == missing
    assert "missing" not in rater.get("/1").text
    assert rater.answers(1) == {"logicality": 5}


def test_an_answer_at_a_time(rater):
    def put(question, value):
        kept = rater.store.answers(rater.name, 1).get(question)
        body = {"value": value, "seen": 0 if kept is None else kept.version}
        return rater.client.put(f"{rater.link}/1/answers/{question}", json=body).status_code

    assert put("logicality", 1) == put("logicality", 7) == put("logicality.comment", "x" * LONGEST_COMMENT) == 200
    assert put(ATTENTION_CHECK, 3) == 200
    for value in (0, 8, -1, "7", "", None, 3.0, 3.5, True, [], 10**30):
        assert put("logicality", value) == 422, value
    assert put("logicality.comment", "x" * (LONGEST_COMMENT + 1)) == 422
    for question in ("logic", "name", f"{ATTENTION_CHECK}.comment", "logicality.comment.comment"):
        assert put(question, 3) == 404, question
    assert rater.answers(1)["logicality"] == 7


def test_a_form_with_no_rating_in_it(rater):
    for value in ("0", "8", "seven", "", "٣", "1" * 5000):
        answer = rater.client.post(f"{rater.link}/1", data={"logicality": value})
        assert (answer.status_code, rater.answers(1)) == (422, {}), value
        assert "from 1 to 7" in answer.text


def test_scripts_from_models_and_raters_are_shown_as_text(tmp_path):
    def change(record):
        record.update(observation=SCRIPT, thought=SCRIPT, goal=SCRIPT + QUOTED, place=SCRIPT, action=SCRIPT + "do")
        record.update(result=SCRIPT, outcome="executed")
        record["messages"] = [{"sender": QUOTED, "addressee": SCRIPT, "text": SCRIPT}]
        record["percepts"] = [{"name": SCRIPT, "kind": "person"}]
        record["resident"] += QUOTED

    rater = RaterWithoutJavascript(small_study(tmp_path, change=change))
    rater.client.post(f"{rater.link}/name", data={"name": SCRIPT + QUOTED})
    pages = [rater.get().text, rater.get("/1").text, rater.get("/1?missing=1").text]
    rater.fill(1, **{f"{dimension}.comment": SCRIPT + QUOTED for dimension in DIMENSIONS})
    pages += [rater.get("/1").text, rater.get("/2").text, rater.get().text]
    rater.fill(2)
    pages += [rater.get().text, rater.client.get(f"/rate/{SCRIPT}").text, rater.get(f"/{QUOTED}").text]
    whole = "\n".join(pages)
    assert whole.count(html.escape(SCRIPT)) > 50
    assert "hacked" in whole
    for page in pages:
        elements = Elements(page).found
        assert "html" in {name for name, _ in elements}
        assert "img" not in {name for name, _ in elements}
        scripts = [dict(given) for name, given in elements if name == "script"]
        assert scripts in ([], [{"src": "/static/rating.js", "defer": None}])
        assert not [key for _, given in elements for key, _ in given if key.startswith("on") or key == "style"]


def test_pages_allow_no_foreign_script_and_leak_no_secret(rater):
    for response in (rater.get(), rater.get("/1"), rater.get("/9"), rater.client.get("/static/rating.js")):
        policy = response.headers["content-security-policy"].split("; ")
        assert {"default-src 'none'", "script-src 'self'"} <= set(policy)
        headers = [response.headers[name] for name in ("referrer-policy", "x-content-type-options", "cache-control")]
        assert headers == ["no-referrer", "nosniff", "no-store"]
    for page in (rater.get().text, rater.get("/1").text):
        assert not re.findall(r'(?:src|href)="(?:https?:)?//', page)


def test_no_page_tells_the_architecture(tmp_path):
    rater = RaterWithoutJavascript(small_study(tmp_path, architectures=FIVE, raters=5, residents=2))
    pages = [rater.client.get("/").text, rater.get().text]
    for number in range(1, len(rater.packet) + 1):
        pages.append(rater.get(f"/{number}").text)
        rater.fill(number)
    pages.append(rater.get().text)
    assert len(pages) == 13
    whole = "\n".join(pages).replace(rater.link, "").lower()
    for word in (*FIVE, "filtered", "scripted", "run-", "s01", "seed", "pleasure", "arousal", "dominance", "resources"):
        assert word not in whole, word


def test_raters_are_kept_apart(tmp_path):
    directory = small_study(tmp_path)
    first, second = RaterWithoutJavascript(directory, 0), RaterWithoutJavascript(directory, 1)
    first.fill(1)
    assert "0 of 2 rated" in second.get().text
    assert first.client.get("/rate/nobody").status_code == 404
    assert "link that you were given" in first.client.get("/").text
    for path in ("/docs", "/openapi.json", "/study.json", "/static/../study.json", "/static/%2e%2e/rubric.toml"):
        assert first.client.get(path).status_code == 404


def test_text_that_is_hardly_text(tmp_path):
    def change(record):
        record.update(thought="lone \ud83d surrogate, nul \0, bell \a, \u202e turned")

    rater = RaterWithoutJavascript(small_study(tmp_path, change=change))
    assert "lone \ufffd surrogate, nul , bell , \ufffd turned" in rater.get("/1").text
    raw = '{"value": "a \\ud800 b \\u0000 c 😀"}'
    headers = {"content-type": "application/json"}
    rater.client.put(f"{rater.link}/1/answers/logicality.comment", content=raw, headers=headers).raise_for_status()
    assert rater.answers(1) == {"logicality.comment": "a \ufffd b  c 😀"}


def test_what_is_too_large_or_no_answer_at_all(rater):
    address = f"{rater.link}/1/answers/logicality.comment"
    assert rater.client.put(address, content=b"x" * (LARGEST_BODY + 1)).status_code == 413
    assert rater.client.put(address, content=iter([b"x" * 1000] * 500)).status_code == 413
    assert rater.client.put(address, headers={"content-length": "1" * 5000}, content=b"").status_code == 413
    for body in (b"", b"[", b"[]", b"{}", b'"x"', b"\xff"):
        answer = rater.client.put(address, content=body, headers={"content-type": "application/json"})
        assert answer.status_code == (400 if body == b"\xff" else 422)
    assert rater.client.post(f"{rater.link}/name", data={"name": "x" * 81}).status_code == 422
    assert rater.answers(1) == {}
