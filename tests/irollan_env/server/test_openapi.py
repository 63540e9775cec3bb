"""The server against its own OpenAPI description."""

from typing import Any

import pytest
import schemathesis
from fastapi.testclient import TestClient
from hypothesis import HealthCheck, Phase, settings
from schemathesis.specs.openapi.checks import negative_data_rejection, positive_data_acceptance

from irollan_env.server.app import create_app
from irollan_env.server.limits import Limits

LOOPBACK = "http://127.0.0.1"
HOST = {"Host": "127.0.0.1"}
app = create_app(limits=Limits(sessions=10_000))
http = TestClient(app, base_url=LOOPBACK)
schema = schemathesis.openapi.from_asgi("/openapi.json", app, headers=HOST)


def live_session() -> str:
    session = str(http.post("/sessions", json={"percepts": False}).json()["session"])
    http.post(f"/sessions/{session}/reset", json={"seed": 0})
    return session


@schema.parametrize()
@settings(max_examples=6, deadline=None, suppress_health_check=list(HealthCheck), phases=[Phase.generate])
def test_answers_are_as_described(case: Any) -> None:
    # What the description allows can still be refused: names and states are the session's, not the description's.
    positive = case.meta is not None and case.meta.generation.mode.is_positive
    if positive and "session" in case.path_parameters:
        case.path_parameters["session"] = live_session()
    # A field of a form is a text: an empty one is none, and "1.0" is a number.
    of_a_form = [negative_data_rejection] if case.path == "/reset" else []
    case.call_and_validate(headers=HOST, excluded_checks=[positive_data_acceptance, *of_a_form])


@pytest.mark.parametrize("path", ["/docs", "/static-offline-docs/swagger-ui-bundle.js"])
def test_the_page_needs_no_other_server(path: str) -> None:
    page = http.get(path)
    assert page.status_code == 200
    if path == "/docs":
        assert "https://" not in page.text
