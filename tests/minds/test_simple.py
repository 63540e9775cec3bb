"""Simple minds: what they ask and what they remember; tests/evaluation/runs holds that they go on exactly."""

import json
import threading
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest
from hosting import decide, first_observation, hosted, lived_on, modules_of, society_of, take_steps

from evaluation.records.failures import is_listed
from irollan_env.world.observation import Message
from language_models.scripted import ScriptedModel
from minds.history import History

SIMPLE = ("model", "react", "reflexion", "scripted", "random", "idle", "me")


@pytest.mark.parametrize("mind", SIMPLE)
def test_it_answers_what_is_admissible_and_asks_nothing_where_nothing_is(mind):
    model = ScriptedModel()
    assert decide(hosted(mind, model=model), replace(first_observation(), admissible=())).action is None
    assert model.calls == 0
    records = take_steps(society_of(mind, architecture="itcma"), 6)
    actions = [record for record in records if record["action"] is not None]
    assert all(is_listed(record["action"], record["admissible"]) for record in actions)
    assert bool(actions) == (mind != "idle")
    assert all(record["failure"] is None for record in records)


@pytest.mark.parametrize(
    ("mind", "modules"),
    [("model", {"action"}), ("react", {"action"}), ("reflexion", {"action", "reflection"}), ("scripted", set())],
)
def test_one_request_a_step_and_lessons_now_and_then(mind, modules):
    asked, records = modules_of(mind, 12, architecture="itcma")
    assert set(asked) == modules
    if modules:
        assert asked["action"] == len(records)
        assert 6 <= asked.get("reflection", 6) < len(records) / 2


def test_react_has_its_last_steps_before_it():
    heard = Message(time=0, sender="SG", addressee="LL", text="The soup is on table 13.")
    prompts = []

    def watch(caller, prompt):
        prompts.append(prompt)
        return False

    resident = hosted("react", model=ScriptedModel(fail_on=watch))
    decide(resident, replace(first_observation(), messages=(heard,)))
    decide(resident, replace(first_observation(), time=1))
    assert 'SG says to you: "The soup is on table 13."' in prompts[1]
    assert "Thought:" in prompts[1]


@pytest.mark.parametrize("mind", ["react", "reflexion", "piano", "generative-agents"])
def test_what_cannot_be_printed_comes_back_in_no_later_request(mind):
    prompts = []

    class Hostile(ScriptedModel):
        """Ends each text with marks that steer a terminal or turn a line, and a line of its own."""

        async def generate(self, request):
            prompts.append(request.prompt)
            answer = await super().generate(request)
            schema = request.schema
            if schema is None:
                return replace(answer, text=f"{answer.text} \x1b[31m\u202eevil\u202c")
            texts = [key for key, one in schema["properties"].items() if one.get("type") == "string"]
            filled = json.loads(answer.text)
            filled |= {
                key: f"so \x1b[31m\u202e{key}\u202c\nand on" for key in texts if "enum" not in schema["properties"][key]
            }
            return replace(answer, text=json.dumps(filled))

    resident = hosted(mind, model=Hostile())
    acts = [decide(resident, replace(first_observation(), time=time)) for time in range(3)]
    assert [act.failure for act in acts] == [None] * 3
    told = "\n".join(prompts)
    assert all(line.isprintable() for line in told.split("\n"))
    assert "evil" in told or "so  [31m" in told
    if mind == "react":
        assert {act.thought for act in acts} == {"so  [31m thought \nand on"}
        assert "Thought: so  [31m thought \nand on\nAction: " in prompts[-1]


def test_reflexion_learns_from_what_came_to_nothing():
    prompts = {}

    def watch(caller, prompt):
        prompts.setdefault(caller.module, []).append(prompt)
        return False

    model = ScriptedModel(fail_on=watch, writers={"reflection": lambda prompt, seed: "Knock before going in."})
    resident = hosted("reflexion", model=model)
    observation = first_observation()
    decide(resident, observation)
    decide(resident, replace(observation, time=1, outcome="inadmissible", result="Nothing happens. It is shut."))
    assert "It is shut." in prompts["reflection"][0]
    assert "- Knock before going in." in prompts["action"][-1]


@pytest.fixture
def elsewhere(monkeypatch):
    """A mind in another thread, over HTTP; gives its address and what it was sent."""
    monkeypatch.setenv("IROLLAN_MIND_TOKEN", "secret")
    sent, answers = [], []

    class Answer(BaseHTTPRequestHandler):
        def do_POST(self):
            request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            sent.append((self.headers["Authorization"], request))
            count = (request["state"] or 0) + 1
            action = request["observation"]["admissible"][count % len(request["observation"]["admissible"])]
            body = answers.pop(0) if answers else json.dumps({"action": action, "state": count}).encode()
            self.send_response(200)
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_):
            pass

    server = HTTPServer(("127.0.0.1", 0), Answer)
    threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
    yield f"remote:http://127.0.0.1:{server.server_port}", sent, answers
    server.shutdown()
    server.server_close()


def test_a_mind_elsewhere_gets_the_token_and_its_own_state(elsewhere):
    mind, sent, _ = elsewhere
    whole, gone_on = lived_on(mind, 4, 2, architecture="itcma")
    assert gone_on == whole
    assert {token for token, _ in sent} == {"Bearer secret"}
    assert {request["state"] for _, request in sent} == {None, 1, 2, 3}
    assert all(request["observation"]["resident"] == request["resident"] for _, request in sent)
    assert not any("history" in request for _, request in sent)
    decide(hosted(mind, history=History(age=34)), first_observation())
    assert sent[-1][1]["history"] == ["I am 34 years old."]


WRONG = {
    b"no json": "no JSON object",
    b"[]": "must be an object with the key 'action'",
    b'{"action": null, "thougt": "x"}': "an unknown key 'thougt'; did you mean 'thought'?",
    b'{"action": 3}': "answered '3'",
    b'{"action": null, "state": ' + b"[" * 900 + b"]" * 900 + b"}": "has a state of more than 100 levels",
    b"[" * 100_000: "no JSON object",
    b'{"action": "\\ud800", "plan": 3}': "raised TypeError",
}


def test_a_mind_elsewhere_that_answers_nothing_of_use_or_is_not_there_fails_its_step(elsewhere):
    mind, _, answers = elsewhere
    for answer, what in WRONG.items():
        answers.append(answer)
        assert what in decide(hosted(mind), first_observation()).failure
    act = decide(hosted("remote:http://127.0.0.1:9"), first_observation())
    assert "raised RemoteError: http://127.0.0.1:9 did not answer" in act.failure
