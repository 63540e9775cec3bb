import asyncio
import contextlib
import json
import math
import re
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from email.utils import formatdate
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from language_models.openai_compatible import OpenAICompatible
from language_models.protocol import Caller, Generation, ModelError

ADA = Caller(module="action", resident="ada")
COUNTS = {"prompt_tokens": 12, "completion_tokens": 3, "prompt_tokens_details": {"cached_tokens": 8}}


@dataclass
class Server:
    """A stand-in on a loopback port: answers come from a list of (status, headers, body), the last one again."""

    url: str = ""
    answers: list[Any] = field(default_factory=list)
    requests: list[tuple[str, dict[str, str], Any]] = field(default_factory=list)
    lock: threading.Lock = field(default_factory=threading.Lock)
    at_once: int = 0
    most_at_once: int = 0
    delay: float = 0.0

    def reply(self, path: str, headers: dict[str, str], body: Any) -> tuple[int, dict[str, str], bytes]:
        with self.lock:
            self.requests.append((path, headers, body))
            self.at_once += 1
            self.most_at_once = max(self.most_at_once, self.at_once)
            answer = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
        time.sleep(self.delay)
        with self.lock:
            self.at_once -= 1
        answer = answer(path, body) if callable(answer) else answer
        status, extra, content = answer if isinstance(answer, tuple) else (200, {}, answer)
        return status, extra, content if isinstance(content, bytes) else json.dumps(content).encode()


@pytest.fixture
def server() -> Iterator[Server]:
    stand_in = Server()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def handle_any(self) -> None:
            length = int(self.headers.get("Content-Length") or 0)
            body = json.loads(self.rfile.read(length)) if length else None
            status, headers, content = stand_in.reply(self.path, dict(self.headers), body)
            with contextlib.suppress(BrokenPipeError, ConnectionResetError):
                self.send_response(status)
                for name, value in {**headers, "Content-Length": str(len(content))}.items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(content)

        do_GET = do_POST = handle_any

        def log_message(self, *_: object) -> None: ...

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as listening:
        listening.daemon_threads = True
        listening.block_on_close = False
        thread = threading.Thread(target=listening.serve_forever, kwargs={"poll_interval": 0.02})
        thread.start()
        stand_in.url = f"http://127.0.0.1:{listening.server_port}/v1"
        yield stand_in
        listening.shutdown()
        thread.join()


def chat(text: Any, logprobs: dict[str, float] | None = None) -> dict[str, Any]:
    choice: dict[str, Any] = {"message": {"role": "assistant", "content": text}}
    if logprobs is not None:
        top = [{"token": token, "logprob": value} for token, value in logprobs.items()]
        choice["logprobs"] = {"content": [{"token": text, "logprob": -0.1, "top_logprobs": top}]}
    return {"choices": [choice], "usage": COUNTS}


def use(server: Server, ask: Callable[[OpenAICompatible], Any], **options: Any) -> Any:
    async def run() -> Any:
        settings: dict[str, Any] = {"backoff": 0.01, "api_key": "", **options}
        async with OpenAICompatible(server.url, settings.pop("model", "qwen"), **settings) as model:
            return await ask(model)

    return asyncio.run(run())


def generate(model: OpenAICompatible, **options: Any) -> Any:
    return model.generate("Ada thinks:", caller=ADA, **options)


def test_generate_by_chat(server: Server) -> None:
    server.answers = [chat("Hello, Ben.")]
    answer: Generation = use(server, lambda model: generate(model, seed=4, stop=["\n"], max_tokens=9), api_key="secret")
    assert answer.text == "Hello, Ben."
    usage = answer.usage
    assert (usage.prompt_tokens, usage.cached_tokens, usage.generated_tokens, usage.call) == (12, 8, 3, -1)
    assert usage.seconds > 0
    ((path, headers, body),) = server.requests
    assert path == "/v1/chat/completions"
    assert headers["Authorization"] == "Bearer secret"
    assert body == {
        "model": "qwen",
        "messages": [{"role": "user", "content": "Ada thinks:"}],
        "max_tokens": 9,
        "temperature": 0.7,
        "seed": 4,
        "stop": ["\n"],
    }


def test_generate_by_completions_with_a_grammar(server: Server) -> None:
    server.answers = [{"choices": [{"text": "yes"}]}]
    options: dict[str, Any] = {"endpoint": "completions", "grammar_field": "grammar"}
    answer = use(server, lambda model: generate(model, pattern='root ::= "yes" | "no"'), **options)
    assert (answer.text, answer.usage.prompt_tokens) == ("yes", 0)
    ((path, headers, body),) = server.requests
    assert path == "/v1/completions"
    assert "Authorization" not in headers
    assert (body["prompt"], body["grammar"]) == ("Ada thinks:", 'root ::= "yes" | "no"')


def test_the_key_comes_from_the_environment(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    server.answers = [chat("Hello.")]
    monkeypatch.setenv("OPENAI_API_KEY", "second")
    use(server, generate, api_key=None)
    monkeypatch.setenv("IROLLAN_API_KEY", "first")
    use(server, generate, api_key=None)
    assert [headers["Authorization"] for _, headers, _ in server.requests] == ["Bearer second", "Bearer first"]


def test_what_does_not_obey_the_pattern_is_asked_for_again_and_counted(server: Server) -> None:
    server.answers = [chat("Perhaps."), chat(""), chat("yes")]
    answer = use(server, lambda model: generate(model, seed=7, pattern='root ::= "yes" | "no"'))
    assert answer.text == "yes"
    assert (answer.usage.prompt_tokens, answer.usage.generated_tokens) == (36, 9)
    assert [body["seed"] for _, _, body in server.requests] == [7, 8, 9]


def test_after_so_many_asks_the_call_fails(server: Server) -> None:
    server.answers = [chat("Perhaps.")]
    message = r"no usable answer in 2 asks; the last was 'Perhaps.', which does not obey"
    with pytest.raises(ModelError, match=message) as error:
        use(server, lambda model: generate(model, pattern='root ::= "yes"'), asks=2)
    assert error.value.usage.prompt_tokens == 24


@pytest.mark.parametrize("status", [429, 500, 503])
def test_passing_failures_are_tried_again(server: Server, status: int) -> None:
    server.answers = [(status, {}, {"error": "busy"})] * 2 + [chat("Hello.")]
    assert use(server, generate).text == "Hello."
    assert len(server.requests) == 3


@pytest.mark.parametrize("wait", ["0.2", lambda: formatdate(time.time() + 1.5, usegmt=True)])
def test_retry_after_is_honoured(server: Server, wait: Any) -> None:
    server.answers = [(429, {"Retry-After": wait() if callable(wait) else wait}, {}), chat("Hello.")]
    started = time.perf_counter()
    assert use(server, generate, backoff=0).text == "Hello."
    assert time.perf_counter() - started > 0.19


def test_retries_end(server: Server) -> None:
    server.answers = [(503, {}, b"down for the night")]
    with pytest.raises(ModelError, match=r"failed 3 times, the last time with status 503: down for the night; check"):
        use(server, generate, retries=2)


def test_a_refusal_is_not_tried_again(server: Server) -> None:
    server.answers = [(401, {}, {"error": {"message": "no such key"}})]
    with pytest.raises(ModelError, match=r"refused the request, status 401.*no such key"):
        use(server, generate)
    assert len(server.requests) == 1


def test_a_slow_server_times_out(server: Server) -> None:
    server.answers, server.delay = [chat("Hello.")], 0.5
    with pytest.raises(ModelError, match=r"failed 2 times, the last time with no answer within 0.05 s"):
        use(server, generate, timeout=0.05, retries=1)


def test_no_server() -> None:
    with pytest.raises(ModelError, match="failed 2 times, the last time with ConnectError"):
        use(Server(url="http://127.0.0.1:9/v1"), generate, retries=1)


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (b"<html>", "answered no JSON object: '<html>'"),
        (b"[1]", "answered no JSON object"),
        ({"choices": []}, "holds no text"),
        ({"choices": [{"message": {"content": None}}]}, "None, which is no text"),
        ({"choices": [{"message": {"content": "a\ud800"}}]}, "not valid Unicode"),
    ],
)
def test_answers_that_make_no_sense(server: Server, answer: Any, message: str) -> None:
    server.answers = [answer]
    with pytest.raises(ModelError, match=re.escape(message)):
        use(server, generate)


def test_no_more_requests_at_once_than_allowed(server: Server) -> None:
    server.answers, server.delay = [chat("Hello.")], 0.03

    async def many(model: OpenAICompatible) -> None:
        await asyncio.gather(*(generate(model, seed=seed) for seed in range(12)))

    use(server, many, concurrency=3)
    assert (server.most_at_once, len(server.requests)) == (3, 12)


def choose(model: OpenAICompatible) -> Any:
    return model.choose("What now?", ["go", "stay"], caller=ADA, descriptions=["see Ben", "rest"])


def test_choose_by_schema(server: Server) -> None:
    server.answers = [chat("I would go"), chat('{"choice": "run"}'), chat('{"choice": "stay"}')]
    choice = use(server, choose)
    assert (choice.option, choice.probabilities, choice.usage.prompt_tokens) == ("stay", (0.0, 1.0), 36)
    body = server.requests[0][2]
    schema = body["response_format"]["json_schema"]["schema"]
    assert schema["properties"]["choice"]["enum"] == ["go", "stay"]
    assert "What now?\n\nOptions:\n- go (see Ben)\n- stay (rest)\n" in body["messages"][0]["content"]


def test_choose_never_returns_anything_else(server: Server) -> None:
    for answer in ('{"choice": "run"}', '{"choice": ["go"]}', '"go"', "go", "[]", "3"):
        server.answers = [chat(answer)]
        with pytest.raises(ModelError, match="no usable answer in 3 asks"):
            use(server, choose)


def test_choose_by_letter(server: Server) -> None:
    logprobs = {"B": math.log(0.5), " A": math.log(0.2), "A": math.log(0.05), "The": math.log(0.1)}
    server.answers = [chat("B", logprobs)]
    choice = use(server, choose, choosing="logprobs")
    assert choice.option == "stay"
    assert choice.probabilities == pytest.approx((1 / 3, 2 / 3))
    assert server.requests[0][2]["top_logprobs"] == 20
    server.answers = [{"choices": [{"text": "A", "logprobs": {"top_logprobs": [logprobs]}}]}]
    assert use(server, choose, choosing="logprobs", endpoint="completions").option == "stay"


def test_choose_by_letter_without_letters_or_log_probabilities(server: Server) -> None:
    server.answers = [chat("The", {"The": -0.1})]
    with pytest.raises(ModelError, match="no letter of an option among the likely tokens"):
        use(server, choose, choosing="logprobs")
    server.answers = [chat("A")]
    with pytest.raises(ModelError, match=r'returns no log-probabilities; choose with choosing="structured"'):
        use(server, choose, choosing="logprobs")
    with pytest.raises(ValueError, match="takes up to 20 options, got 21"):
        use(server, lambda m: m.choose("p", [str(n) for n in range(21)], caller=ADA), choosing="logprobs")


def test_score_by_echo(server: Server) -> None:
    def echo(path: str, body: Any) -> dict[str, Any]:
        tokens = re.findall(r"\s?\S+", body["prompt"])
        offsets = [sum(map(len, tokens[:n])) for n in range(len(tokens))]
        values = [None, *(-float(len(token)) for token in tokens[1:])]
        logprobs = {"tokens": tokens, "token_logprobs": values, "text_offset": offsets}
        return {"choices": [{"text": body["prompt"], "logprobs": logprobs}], "usage": COUNTS}

    server.answers = [echo]
    scores = use(server, lambda model: model.score("Ada will", [" go home", " rest"], caller=ADA))
    assert scores.values == (-8.0, -5.0)
    assert (scores.usage.prompt_tokens, scores.usage.generated_tokens) == (24, 3)
    body = server.requests[0][2]
    assert (body["echo"], body["max_tokens"]) == (True, 0)


@pytest.mark.parametrize("logprobs", [None, {}, {"tokens": ["A"], "token_logprobs": [None], "text_offset": [0]}])
def test_a_server_that_does_not_score(server: Server, logprobs: Any) -> None:
    server.answers = [{"choices": [{"text": "A b", "logprobs": logprobs}]}]
    with pytest.raises(ModelError, match="does not score"):
        use(server, lambda model: model.score("A", [" b"], caller=ADA))


def test_the_only_model_served_is_taken(server: Server) -> None:
    server.answers = [{"data": [{"id": "tiny"}]}, chat("Hello.")]
    assert use(server, generate, model="").text == "Hello."
    assert [path for path, _, _ in server.requests] == ["/v1/models", "/v1/chat/completions"]
    assert server.requests[1][2]["model"] == "tiny"
    server.answers = [{"data": [{"id": "one"}, {"id": "two"}]}]
    with pytest.raises(ModelError, match=r"serves \['one', 'two'\]; name one of them, as in openai:http.*#MODEL"):
        use(server, generate, model="")


def test_one_model_serves_several_event_loops(server: Server) -> None:
    server.answers = [chat("Hello.")]
    model = OpenAICompatible(server.url, "qwen", api_key="")
    for _ in range(2):
        assert asyncio.run(generate(model)).text == "Hello."


@pytest.mark.parametrize(
    ("url", "options", "message"),
    [
        ("localhost:8000", {}, "must look like http://127.0.0.1:8000/v1, got 'localhost:8000'"),
        ("http://", {}, "must look like"),
        ("http://me:secret@host/v1", {}, "must hold no password; put the key into IROLLAN_API_KEY"),
        ("http://host/v1?key=1", {}, "must end before any ? or #"),
        ("http://host/v1", {"concurrency": 0}, "concurrency must be at least 1, got 0"),
        ("http://host/v1", {"retries": -1}, "retries must be at least 0, got -1"),
        ("http://host/v1", {"asks": 0}, "asks must be at least 1, got 0"),
        ("http://host/v1", {"timeout": 0}, "timeout must be above 0"),
        ("http://host/v1", {"endpoint": "talk"}, "endpoint must be one of chat, completions, got 'talk'"),
        ("http://host/v1", {"choosing": "lots"}, "choosing must be one of structured, logprobs, got 'lots'"),
    ],
)
def test_wrong_settings(url: str, options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=re.escape(message)) as error:
        OpenAICompatible(url, **options)
    assert "secret" not in str(error.value)
