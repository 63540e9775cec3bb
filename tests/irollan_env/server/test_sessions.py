"""Sessions over HTTP: create, reset, observe, act, step, snapshot, restore, close."""

import json
from collections.abc import Iterator
from typing import Any

import pytest
from fastapi.testclient import TestClient
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import irollan_env
from irollan_env.map.json_form import map_from_json, map_to_json
from irollan_env.server.app import create_app
from irollan_env.server.limits import Limits

JSON = ("content-type", "application/json")
RESIDENTS = ["AY", "SG", "MD", "WL", "LL", "WM"]


@pytest.fixture(scope="module")
def http() -> Iterator[TestClient]:
    with TestClient(create_app(limits=Limits(sessions=10_000)), base_url="http://127.0.0.1") as client:
        yield client


def create(http: TestClient, **arguments: Any) -> str:
    answer = http.post("/sessions", json=arguments)
    assert answer.status_code == 201
    return f"/sessions/{answer.json()['session']}"


def begun(http: TestClient, seed: int = 0, **arguments: Any) -> str:
    session = create(http, **arguments)
    assert http.post(f"{session}/reset", json={"seed": seed}).status_code == 200
    return session


def detail(answer: Any, status: int) -> str:
    assert answer.status_code == status, answer.text
    assert list(answer.json()) == ["detail"]
    return str(answer.json()["detail"])


def test_a_session_says_what_it_is(http: TestClient) -> None:
    answer = http.post("/sessions").json()
    assert answer.pop("session")
    assert answer == {"residents": RESIDENTS, "max_steps": 75, "idle_seconds": 1800.0, "actions": []}


def test_the_observation_is_that_of_the_world(http: TestClient) -> None:
    session = begun(http, seed=5)
    env = irollan_env.parallel_env(percepts=True)
    env.reset(seed=5)
    acts = {"AY": "go to outside", "LL": "go to outside", "WM": "use chair 1"}
    env.step(acts)
    stepped = http.post(f"{session}/step", json={"actions": acts}).json()
    for name in RESIDENTS:
        expected = json.loads(json.dumps(env.world.observe(name).to_json()))
        assert stepped["observations"][name] == expected
        assert http.get(f"{session}/observations/{name}").json() == expected
    assert http.get(f"{session}/observations").json()["observations"] == stepped["observations"]
    assert stepped["rewards"] == dict.fromkeys(RESIDENTS, 0.0)
    assert stepped["infos"]["AY"] == {"score": 0.0}


def test_acts_are_held_until_the_step(http: TestClient) -> None:
    session = begun(http)
    assert http.post(f"{session}/act", json={"resident": "LL", "action": "go to outside"}).json() == {"held": ["LL"]}
    held = http.post(f"{session}/act", json={"resident": "AY", "action": "use bed 1"}).json()
    assert held == {"held": ["AY", "LL"]}
    before = http.get(f"{session}/observations").json()
    assert before["observations"]["LL"]["place"] == "LL's Home"
    # A later act takes the place of an earlier one, and so does what the step itself says.
    http.post(f"{session}/act", json={"resident": "LL", "action": "use chair 7"})
    after = http.post(f"{session}/step", json={"actions": {"AY": "go to outside"}}).json()["observations"]
    assert (after["LL"]["doing"], after["AY"]["place"]) == ("using the chair 7", "outside")
    again = http.post(f"{session}/step").json()["observations"]
    assert [again[name]["result"] for name in ("LL", "AY")] == ["You wait.", "You wait."]


def test_a_refused_step_changes_nothing_and_keeps_what_is_held(http: TestClient) -> None:
    session = begun(http)
    http.post(f"{session}/act", json={"resident": "AY", "action": "go to outside"})
    before = http.get(f"{session}/snapshot").json()
    answer = http.post(f"{session}/step", json={"actions": {"Ay": "go to outside"}})
    assert detail(answer, 422).startswith("unknown resident 'Ay'; did you mean 'AY'?")
    assert http.get(f"{session}/snapshot").json() == before
    assert http.post(f"{session}/step").json()["observations"]["AY"]["place"] == "outside"


def test_calls_out_of_order(http: TestClient) -> None:
    session = create(http, max_steps=1)
    for method, path, body in (
        ("POST", "step", {}),
        ("POST", "act", {"resident": "AY", "action": None}),
        ("GET", "observations", None),
        ("GET", "observations/AY", None),
        ("GET", "snapshot", None),
    ):
        assert "before reset" in detail(http.request(method, f"{session}/{path}", json=body), 409)
    http.post(f"{session}/reset")
    ended = http.post(f"{session}/step").json()
    assert ended["agents"] == []
    assert all(ended["truncations"].values())
    assert "after the episode had ended" in detail(http.post(f"{session}/step"), 409)
    assert http.get(f"{session}/observations/AY").json() == ended["observations"]["AY"]
    assert http.post(f"{session}/reset", json={"max_steps": 2}).json()["agents"] == RESIDENTS


def test_a_closed_session_is_gone(http: TestClient) -> None:
    session = begun(http)
    assert http.delete(session).status_code == 204
    assert "there is no session" in detail(http.post(f"{session}/step"), 404)
    assert "there is no session 'nobody'" in detail(http.delete("/sessions/nobody"), 404)
    assert http.get("/sessions").status_code == 405


@pytest.mark.parametrize(
    ("path", "body", "message"),
    [
        ("", {"max_step": 3}, "body.max_step: unknown key"),
        ("", {"max_steps": "3"}, "body.max_steps: input should be a valid integer"),
        ("/reset", {"task": {"AY": {"family": "fetch"}}}, "a 'fetch' task lacks 'kind'"),
        ("/reset", {"task": {"AY": ["fetch"]}}, "body.task."),
        ("/reset", {"credit": "mine"}, "unknown credit 'mine'"),
        ("/reset", {"seed": -1}, "body.seed: input should be greater than or equal to 0"),
        ("/act", {"resident": "AY"}, "body.action: field required"),
        ("/act", {"resident": "Mister X", "action": None}, "unknown resident 'Mister X'; known are ['AY'"),
        ("/step", {"actions": {"AY": 3}}, "body.actions.AY: input should be a valid string"),
        ("/step", [1], "body: input should be a valid dictionary"),
        ("/restore", {"state": {}}, "state has version None, this is version 4"),
    ],
)
def test_wrong_values_say_where(http: TestClient, path: str, body: Any, message: str) -> None:
    session = begun(http) if path else "/sessions"
    assert detail(http.post(session + path, json=body), 422).startswith(message)


def test_half_a_character(http: TestClient) -> None:
    session = begun(http)

    def send(body: bytes) -> Any:
        return http.post(f"{session}/step", content=body, headers=[JSON])

    assert send(b'{"actions": {"AY": "\\ud800"}}').json()["observations"]["AY"]["outcome"] == "inadmissible"
    assert detail(send(b'{"actions": {"\\ud800": null}}'), 422).startswith("unknown resident '\\ud800'")


def test_a_state_that_cannot_be_says_where_and_changes_nothing(http: TestClient) -> None:
    session = begun(http)
    state = http.get(f"{session}/snapshot").json()["state"]
    twice = json.loads(json.dumps(state))
    twice["world"]["residents"]["WM"]["holding"] = ["book 1"]
    answer = http.post(f"{session}/restore", json={"state": twice})
    assert "state.residents['WM'].holding: 'book 1' is in two places" in detail(answer, 422)
    answer = http.post(f"{session}/restore", json={"state": {**state, "version": 99}})
    assert detail(answer, 422).startswith("state has version 99")
    for number in (10**400, "1" * 5000):
        far = json.loads(json.dumps(state))
        far["world"]["residents"]["WM"]["heading"] = number
        answer = http.post(f"{session}/restore", json={"state": far})
        assert detail(answer, 422).startswith("state.residents['WM'] needs a position [x, y] in metres and a heading")
        assert len(answer.text) < 1100
    assert http.get(f"{session}/snapshot").json()["state"] == state


JSON_VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.sampled_from([10**400, -1, 2**64])
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(codec=None), max_size=5)
    | st.sampled_from([*RESIDENTS, "food 1", "outside", "chair 1", "moving", "clean", "hot"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=4,
)


@settings(max_examples=30, deadline=None, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_no_state_breaks_the_server(http: TestClient, data: st.DataObject) -> None:
    session = begun(http)
    state = http.get(f"{session}/snapshot").json()["state"]
    for _ in range(data.draw(st.integers(1, 3))):
        place: Any = state
        while True:
            key: Any = data.draw(st.sampled_from(range(len(place)) if isinstance(place, list) else sorted(place)))
            if not place[key] or not isinstance(place[key], (dict, list)) or data.draw(st.booleans()):
                break
            place = place[key]
        place[key] = data.draw(JSON_VALUES)
    answer = http.post(f"{session}/restore", content=json.dumps({"state": state}), headers=[JSON])
    assert answer.status_code in (200, 400, 422)
    if answer.status_code == 200:
        assert http.post(f"{session}/step").status_code == (200 if answer.json()["agents"] else 409)
        assert http.get(f"{session}/snapshot").status_code == 200
    http.delete(session)


def test_the_map_travels(http: TestClient) -> None:
    valley = irollan_env.ValleyMap.default()
    assert map_from_json(http.get(f"{create(http)}/map").json()) == valley
    data = map_to_json(valley)
    data["residents"][0]["home"] = "Nowhere"
    with pytest.raises(ValueError, match="unknown home 'Nowhere'"):
        map_from_json(data)
    with pytest.raises(ValueError, match=r"map\.areas: Field required"):
        map_from_json({key: value for key, value in data.items() if key != "areas"})


def test_a_step_that_is_asked_for_again_is_taken_once(http: TestClient) -> None:
    session = begun(http)
    asked = {"actions": {"AY": "take food 1 from foodshelf 1"}, "time": 0}
    first = http.post(f"{session}/step", json=asked).json()
    assert http.post(f"{session}/step", json=asked).json() == first
    assert first["observations"]["AY"]["time"] == 1
    assert first["observations"]["AY"]["result"].startswith("You take the food 1")
    refused = http.post(f"{session}/step", json={**asked, "actions": {}})
    assert refused.status_code == 409
    assert refused.json()["detail"].startswith("a step at time 0 was asked for, and the session is at 1")
    assert http.post(f"{session}/step", json={"time": 2}).status_code == 409
    assert http.post(f"{session}/step", json={"time": 1}).json()["observations"]["AY"]["time"] == 2
    http.post(f"{session}/reset", json={"seed": 1})
    assert http.post(f"{session}/step", json={"time": 1}).status_code == 409


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
