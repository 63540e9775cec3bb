"""Tests of the viewer application: access control, and events of a running run."""

import json
import re
import shutil
import threading

import pytest
from fastapi.testclient import TestClient
from viewed import copy_of_life

from evaluation.viewer.application import create_app
from evaluation.viewer.gate import Gate, WatchedProgress
from evaluation.viewer.html_page import page_data
from evaluation.viewer.run_view import RunView

HOST = "http://127.0.0.1:8123"
TOKEN = "a-token"


@pytest.fixture(scope="module")
def life(tmp_path_factory):
    return copy_of_life(tmp_path_factory.mktemp("served") / "life", steps=6)


@pytest.fixture
def gate():
    return Gate()


@pytest.fixture
def client(life, gate):
    return TestClient(create_app([life], TOKEN, gate), base_url=HOST)


def test_the_link_opens_the_page(client):
    answer = client.get(f"/{TOKEN}/")
    assert answer.status_code == 200
    assert "A society in IrollanValley" in answer.text
    assert answer.headers["referrer-policy"] == "no-referrer"
    assert answer.headers["cache-control"] == "no-store"
    assert "access-control-allow-origin" not in answer.headers


def test_what_is_looked_up_is_not_in_the_page_of_a_run_that_has_ended(client, life):
    page, whole = client.get(f"/{TOKEN}/").text, page_data(RunView(life))
    first, later = (
        json.loads(re.search(rf'id="{part}">(.*?)</script>', page)[1].replace("\\u003c", "<"))
        for part in ("data", "details")
    )
    assert later == []
    assert first["runs"][0]["steps"] == whole["steps"]
    assert client.get(f"/{TOKEN}/details").json() == [{key: whole[key] for key in ("details", "calls")}]


@pytest.mark.parametrize("path", ["/", "/other/", "/other/details", "/other/events?seen=0", "//"])
def test_without_the_token_there_is_nothing(client, path):
    assert client.get(path).status_code == 404
    assert client.post("/other/wish", json={"wish": "pause"}, headers={"Origin": HOST}).status_code == 404


@pytest.mark.parametrize("host", ["evil.example", "evil.example:8123", "127.0.0.1.evil.example", ""])
def test_another_name_for_this_machine_is_refused(client, host):
    assert client.get(f"/{TOKEN}/", headers={"Host": host}).status_code == 400


@pytest.mark.parametrize("origin", ["http://evil.example", "null", "http://127.0.0.1:9999", "https://127.0.0.1:8123"])
def test_another_sites_page_is_refused(client, gate, origin):
    headers = {"Origin": origin}
    assert client.get(f"/{TOKEN}/", headers=headers).status_code == 403
    assert client.post(f"/{TOKEN}/wish", json={"wish": "pause"}, headers=headers).status_code == 403
    assert not gate.paused


def test_nothing_changes_by_get_or_without_an_origin(client, gate):
    assert client.get(f"/{TOKEN}/wish?wish=pause").status_code == 405
    assert client.post(f"/{TOKEN}/wish", json={"wish": "pause"}).status_code == 403
    assert client.post(f"/{TOKEN}/wish", json={"wish": "burn"}, headers={"Origin": HOST}).status_code == 422
    assert not gate.paused


def test_whoever_looks_pauses_and_steps(client, gate):
    def wish(what):
        assert client.post(f"/{TOKEN}/wish", json={"wish": what}, headers={"Origin": HOST}).status_code == 204

    wish("pause")
    assert gate.paused
    wish("step")
    gate.pass_through()
    assert gate.paused
    wish("go on")
    gate.pass_through()
    assert not gate.paused


def test_the_page_is_there_before_the_findings_are_tested(life):
    asked = []
    app = create_app([life], TOKEN, None, lambda: asked.append(1) or [[("Who leads", "LL.")]])
    client = TestClient(app, base_url=HOST)
    assert '"findings":' not in client.get(f"/{TOKEN}/").text
    assert not asked
    assert client.get(f"/{TOKEN}/findings").json() == [[["Who leads", "LL."]]]
    assert client.get("/wrong/findings").status_code == 404


def test_a_run_that_is_only_looked_at_cannot_be_paused(life):
    client = TestClient(create_app([life], TOKEN), base_url=HOST)
    answer = client.post(f"/{TOKEN}/wish", json={"wish": "pause"}, headers={"Origin": HOST})
    assert answer.status_code == 409


def events(text):
    """Parse the events of a stream into kind and data."""
    for block in text.strip().split("\n\n"):
        lines = dict(line.split(": ", 1) for line in block.splitlines())
        yield lines.get("event", "message"), json.loads(lines["data"])


@pytest.mark.parametrize("seen", [0, 4, 6])
def test_the_stream_brings_what_the_page_lacks(client, life, seen):
    whole = page_data(RunView(life))
    found = list(events(client.get(f"/{TOKEN}/events?seen={seen}").text))
    steps = [step for kind, data in found if kind == "message" for step in data["steps"]]
    assert steps == whole["steps"][seen:]
    calls = {name: call for kind, data in found if kind == "message" for name, call in data["calls"].items()}
    assert calls == {name: call for name, call in whole["calls"].items() if call["time"] >= seen}
    kind, head = found[-2]
    assert (kind, head["status"]) == ("end", "finished")
    assert found[-1] == ("findings", [])


def test_the_stream_brings_nothing_that_turns_the_text_around_it(tmp_path):
    evil = copy_of_life(tmp_path / "life", steps=1, change=lambda one: one.update(thought="\u202ea \x1b\n"))
    found = list(events(TestClient(create_app([evil], TOKEN), base_url=HOST).get(f"/{TOKEN}/events?seen=0").text))
    acts = next(data["steps"][0]["acts"] for kind, data in found if kind == "message")
    assert {one["thought"] for one in acts.values()} == {"\ufffda \ufffd\n"}


def test_a_run_that_goes_on_is_followed_to_its_end(tmp_path, life):
    going = copy_of_life(tmp_path / "going", steps=2, status="running")
    client = TestClient(create_app([going], TOKEN), base_url=HOST)
    page = client.get(f"/{TOKEN}/").text
    assert f'"served":"/{TOKEN}","live":true' in page
    assert "connect-src &#39;self&#39;" in page

    def grow():
        for name in ("events.jsonl", "metrics.csv", "checksums.jsonl"):
            shutil.copy(life.path / name, going.path / name)
        going.write_manifest({**going.read_manifest(), "status": "finished"})

    timer = threading.Timer(0.5, grow)
    timer.start()
    found = list(events(client.get(f"/{TOKEN}/events?seen=2").text))
    timer.join()
    steps = [step for kind, data in found if kind == "message" for step in data["steps"]]
    assert steps == page_data(RunView(life))["steps"][2:]
    assert [(kind, data["status"]) for kind, data in found if kind in ("state", "end")] == [
        ("state", "running"),
        ("end", "finished"),
    ]


class Silent:
    """A progress that shows nothing."""

    def say(self, text):
        pass

    begin = act = end = lambda self, *given, **named: None
    step = say


def test_a_paused_run_waits_after_its_step_and_ctrl_c_lets_it_go(gate):
    begun, passed = [], []
    progress = WatchedProgress(Silent(), gate, lambda: begun.append(True))
    progress.begin(0, 3)
    assert begun == [True]
    gate.pause()

    class Step:
        time = 0

    def take():
        progress.step(Step)
        passed.append(True)

    thread = threading.Thread(target=take)
    thread.start()
    thread.join(0.3)
    assert passed == []
    progress.say("stopping after this step")
    thread.join()
    assert passed == [True]
    gate.pause()
    Step.time = 2
    progress.step(Step)
