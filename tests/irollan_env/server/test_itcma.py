"""The three endpoints of ITCMA's public client, spoken to as that client speaks."""

from collections.abc import Iterator
from typing import Any

import pytest
from fastapi.testclient import TestClient

from irollan_env.server.app import create_app


class ItcmaClient:
    """What the client keeps of the answers: actions, the expert's plan, the description, the goal, the score."""

    def __init__(self, http: TestClient) -> None:
        self.http = http
        self.score = 0.0

    def reset(self) -> None:
        answer = self.read(self.http.post("/reset"))
        lines = answer["obs"].split("\n")
        self.describe = lines[2]
        self.goal = next((line for line in lines if "Your task is to: " in line), "")
        self.score = 0.0

    def action(self, text: str) -> str:
        answer = self.read(self.http.post("/action", data={"actions": text}))
        self.score += answer["score"]
        return str(answer["obs"])

    def read(self, response: Any) -> dict[str, Any]:
        assert response.status_code == 200, response.text
        answer: dict[str, Any] = response.json()
        self.action_space = answer["infos"]["admissible_commands"]
        self.oracle = answer["infos"]["policy_commands"]
        return answer


@pytest.fixture
def http() -> Iterator[TestClient]:
    with TestClient(create_app(resident="LL"), base_url="http://127.0.0.1:8888") as client:
        yield client


def test_an_episode(http: TestClient) -> None:
    client = ItcmaClient(http)
    client.reset()
    assert client.describe.startswith("You are in LL's Home. Looking around you, you see")
    assert (client.goal, client.oracle) == ("", [])
    offered = client.action_space
    client.read(http.post("/get_info"))
    assert client.action_space == offered
    seen = client.action("go to outside")
    assert seen.startswith("You go to outside.\n")
    assert "You are in outside." in seen
    assert "leave LL's Home" not in client.action_space
    assert client.action("dance").startswith("Nothing happens. 'dance' is none of the six actions")
    assert client.score == 0.0


def test_order_and_form(http: TestClient) -> None:
    for path, form in (("/get_info", None), ("/action", {"actions": "go to outside"})):
        early = http.post(path, data=form)
        assert early.status_code == 409
        assert "before reset" in early.json()["detail"]
    ItcmaClient(http).reset()
    missing = http.post("/action")
    assert (missing.status_code, missing.json()["detail"]) == (422, "body.actions: field required")
    for number in range(75):
        answer = http.post("/action", data={"actions": "wait"}).json()
        assert answer["done"] is (number == 74)
    assert http.post("/action", data={"actions": "wait"}).status_code == 409


@pytest.mark.parametrize("split", ["train", "test_unseen"])
def test_a_task_is_solved_as_that_client_does(split: str) -> None:
    app = create_app(resident="LL", task="deliver", split=split)
    with TestClient(app, base_url="http://127.0.0.1:8888") as http:
        client = ItcmaClient(http)
        for _ in range(3):
            client.reset()
            assert client.goal.startswith("Your task is to: ")
            done = False
            while not done:
                assert 0.0 <= client.score < 1.0
                answer = client.read(http.post("/action", data={"actions": client.oracle[0]}))
                client.score += answer["score"]
                done = answer["done"]
            assert client.score == pytest.approx(1.0)
            assert client.oracle == []


def test_a_reset_takes_a_seed(http: TestClient) -> None:
    def episode(seed: int) -> list[str]:
        seen = [http.post("/reset", data={"seed": seed}).json()["obs"]]
        return seen + [http.post("/action", data={"actions": "go to outside"}).json()["obs"] for _ in range(8)]

    assert episode(7) == episode(7)
    assert episode(7) != episode(8)
    assert http.post("/reset", data={"seed": -1}).status_code == 422
