"""Tasks over HTTP: given when a session is made or reset, scored, saved."""

from collections.abc import Iterator
from typing import Any

import pytest
from fastapi.testclient import TestClient

from irollan_env.server.app import create_app
from irollan_env.server.limits import Limits

RESIDENTS = ["AY", "SG", "MD", "WL", "LL", "WM"]


@pytest.fixture(scope="module")
def http() -> Iterator[TestClient]:
    with TestClient(create_app(limits=Limits(sessions=100)), base_url="http://127.0.0.1") as client:
        yield client


def create(http: TestClient, **asked: Any) -> str:
    return f"/sessions/{http.post('/sessions', json=asked).json()['session']}"


def begun(http: TestClient, **asked: Any) -> str:
    session = create(http, **asked)
    assert http.post(f"{session}/reset", json={"seed": 0}).status_code == 200
    return session


def test_tasks_over_http(http: TestClient) -> None:
    task = {"AY": {"family": "fetch", "kind": "food", "furniture": "bed", "place": "AY's Home"}, "LL": "deliver"}
    session = begun(http, task=task, reward="dense", expert_plan=True)
    frame = http.get(f"{session}/observations").json()
    assert frame["observations"]["AY"]["goal"] == "Fetch some food and put it in/on a bed in AY's Home."
    assert frame["observations"]["LL"]["goal"]
    assert frame["observations"]["WM"]["goal"] is None
    plan = ["take food 1 from foodshelf 1", "put food 1 in/on bed 1"]
    assert frame["infos"]["AY"] == {"score": 0.0, "expert_plan": plan}
    state = http.get(f"{session}/snapshot").json()["state"]
    frame = http.post(f"{session}/step", json={"actions": {"AY": plan[0]}}).json()
    assert (frame["rewards"]["AY"], frame["infos"]["AY"]["score"]) == (0.5, 0.5)
    frame = http.post(f"{session}/step", json={"actions": {"AY": plan[1]}}).json()
    assert (frame["rewards"]["AY"], frame["infos"]["AY"]) == (0.5, {"score": 1.0, "expert_plan": []})
    assert not any(frame["terminations"].values())
    while frame["agents"]:
        plans = {name: info["expert_plan"][0] for name, info in frame["infos"].items() if info["expert_plan"]}
        frame = http.post(f"{session}/step", json={"actions": plans}).json()
    assert all(frame["terminations"].values())
    again = http.post(f"{session}/restore", json={"state": state}).json()
    assert (again["agents"], again["infos"]["AY"]["score"]) == (RESIDENTS, 0.0)


def test_reset_gives_and_takes_tasks(http: TestClient) -> None:
    session = create(http)

    def goal(**asked: Any) -> Any:
        return http.post(f"{session}/reset", json={"seed": 1, **asked}).json()["observations"]["AY"]["goal"]

    assert goal() is None
    fetch = goal(task="fetch")
    assert fetch
    assert goal() == goal(split=None) == fetch
    assert goal(split="test_unseen") != fetch
    assert goal(task=None) is None


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ({"task": "fech"}, "unknown task family 'fech'; did you mean 'fetch'?"),
        ({"task": {"AY": {"family": "fetch"}}}, "a 'fetch' task lacks 'kind'"),
        ({"task": {"AY": ["fetch"]}}, "body.task."),
        ({"credit": "mine"}, "unknown credit 'mine'"),
        ({"expert_plan": 1}, "body.expert_plan: input should be a valid boolean"),
    ],
)
def test_tasks_that_are_none(http: TestClient, asked: dict[str, Any], message: str) -> None:
    refused = http.post("/sessions", json=asked)
    assert (refused.status_code, message in refused.json()["detail"]) == (422, True), refused.text
    session = begun(http)
    before = http.get(f"{session}/snapshot").json()
    refused = http.post(f"{session}/reset", json=asked)
    assert (refused.status_code, message in refused.json()["detail"]) == (422, True), refused.text
    assert http.get(f"{session}/snapshot").json() == before
