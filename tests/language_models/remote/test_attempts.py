"""What comes back and is of no use: each such answer and request is recorded, and told from the others."""

import asyncio
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from stand_in import COUNTS, Server, chat

from language_models.protocol import LONGEST_TEXT, Attempt, Caller, GenerateRequest, ModelError, ModelUnavailable
from language_models.remote.openai_compatible import OpenAICompatible
from language_models.transcript.calls import Call
from language_models.transcript.recording import RecordedModel
from language_models.transcript.replaying import ReplayedModel
from language_models.transcript.transcript import Transcript

ADA = Caller(module="action", resident="ada", time=3)
YES_OR_NO = 'root ::= "yes" | "no"'
WRONG = Attempt(kind="unusable", reason="does not obey the pattern", text="Perhaps.")


def ask(
    server: Server, path: str | Path, question: Callable[[RecordedModel], Any], fails: bool = False, **options: Any
) -> Call:
    """The only call of a new transcript, as it is read from there."""

    async def run() -> None:
        settings: dict[str, Any] = {"model": "qwen", "backoff": 0.0, "api_key": "", **options}
        async with OpenAICompatible(server.url, **settings) as model:
            with Transcript(path) as transcript:
                recorded = RecordedModel(model, transcript)
                if fails:
                    with pytest.raises((ModelError, ModelUnavailable)):
                        await question(recorded)
                else:
                    await question(recorded)

    asyncio.run(run())
    with Transcript(path, read_only=True) as transcript:
        (call,) = transcript.calls()
        assert list(transcript.with_failed_attempts()) == ([call] if call.usage.attempts else [])
        assert transcript.get(call.usage.call) == transcript.lookup(call.request.key)[0] == call
        return call


def yes_or_no(model: RecordedModel) -> Any:
    return model.generate(GenerateRequest(prompt="Will it rain?", caller=ADA, pattern=YES_OR_NO))


def choose(model: RecordedModel) -> Any:
    return model.choose("Now?", ["go", "stay"], caller=ADA)


def test_an_answer_of_no_use_is_told_from_a_failure_of_the_server(server: Server, tmp_path: Path) -> None:
    server.answers = [chat("Perhaps."), (500, {}, b"out of order"), b"<html>", chat("yes")]
    call = ask(server, tmp_path / "t.sqlite", yes_or_no)
    assert (call.outcome, call.usage.retries) == ("ok", 3)
    assert call.usage.attempts == (
        WRONG,
        Attempt(kind="network", reason="status 500: out of order", text="out of order"),
        Attempt(kind="network", reason="HTML, and no JSON object: '<html>'", text="<html>"),
    )
    with Transcript(tmp_path / "t.sqlite") as transcript:
        (usage,) = transcript.costs.by_module()
    assert (usage.retries, usage.unusable, usage.network_failures, usage.failures) == (3, 1, 2, 0)


def test_of_a_call_that_fails_the_last_one_is_recorded_too(server: Server, tmp_path: Path) -> None:
    server.answers = [chat("Perhaps."), chat("  "), chat("<b>no</b>")]
    call = ask(server, tmp_path / "t.sqlite", yes_or_no, fails=True)
    assert (call.outcome, call.usage.retries) == ("failed", 2)
    reasons = [(attempt.reason, attempt.text) for attempt in call.usage.attempts]
    assert reasons == [
        ("does not obey the pattern", "Perhaps."),
        ("is empty", "  "),
        ("does not obey the pattern", "<b>no</b>"),
    ]


BODY = {"error": {"message": "no", "why": "w" * 1000}}
UNREPORTED: dict[str, Any] = {"choices": [{"message": {"content": "A"}}], "usage": COUNTS}


@pytest.mark.parametrize(
    ("answer", "kind", "reason", "outcome"),
    [
        *[((status, {}, BODY), "network", f"status {status}: ", "failed") for status in (400, 401, 402, 403, 404, 413)],
        ((400, {}, {**BODY, "code": "context_length_exceeded"}), "network", "status 400: ", "failed"),
        (chat("x" * 20_000), "network", "more than 10000 bytes", "failed"),
        ({"choices": []}, "unusable", "holds no text", "failed"),
        ({"choices": [{"message": {"refusal": "No. " * 100}}]}, "unusable", "refuses what was asked", "refused"),
    ],
)
def test_a_request_that_is_not_made_again_is_recorded_too(
    server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, answer: Any, kind: str, reason: str, outcome: str
) -> None:
    monkeypatch.setattr("language_models.remote.http_request.LONGEST_ANSWER", 10_000)
    server.answers = [(503, {}, b"busy"), answer]
    call = ask(server, tmp_path / "t.sqlite", yes_or_no, fails=True)
    before, attempt = call.usage.attempts
    assert before.reason == "status 503: busy"
    assert (call.outcome, attempt.kind) == (outcome, kind)
    assert attempt.reason.startswith(reason)
    # Of the answer itself, and not only its beginning, as in the error.
    assert attempt.text == json.dumps(answer[2] if isinstance(answer, tuple) else answer)[:LONGEST_TEXT]
    with Transcript(tmp_path / "t.sqlite") as transcript:
        usage = transcript.costs.total()
    assert (usage.unusable, usage.network_failures) == (int(kind == "unusable"), 1 + int(kind == "network"))


@pytest.mark.parametrize(
    ("answer", "options", "reason"),
    [
        (UNREPORTED, {"choosing": "logprobs"}, "has no log-probabilities"),
        (chat("A", {"A": 0.5}), {"choosing": "logprobs"}, "gives 'A' a log-probability of 0.5"),
        ({"choices": []}, {"choosing": "structured"}, "holds no text"),
        (
            (400, {}, {"error": "response_format"}),
            {"choosing": "structured"},
            'status 400: {"error": "response_format"}',
        ),
    ],
)
def test_of_a_choice_that_cannot_be_had_every_answer_is_recorded(
    server: Server, tmp_path: Path, answer: Any, options: dict[str, Any], reason: str
) -> None:
    server.answers = [answer]
    call = ask(
        server, tmp_path / "t.sqlite", lambda model: model.choose("Now?", ["go", "stay"], caller=ADA), True, **options
    )
    assert len(call.usage.attempts) == len(server.requests)
    assert {attempt.reason for attempt in call.usage.attempts} == {reason}
    content = answer[2] if isinstance(answer, tuple) else answer
    assert {attempt.text for attempt in call.usage.attempts} == {json.dumps(content)}


def test_texts_that_a_server_does_not_score_are_recorded(server: Server, tmp_path: Path) -> None:
    server.answers = [UNREPORTED]
    call = ask(server, tmp_path / "t.sqlite", lambda model: model.score("A", [" b", " c"], caller=ADA), fails=True)
    assert call.usage.prompt_tokens == 2 * COUNTS["prompt_tokens"]
    attempts = [(attempt.kind, attempt.reason, attempt.text) for attempt in call.usage.attempts]
    assert attempts == [("unusable", "has no log-probabilities of the prompt", json.dumps(UNREPORTED))] * 2


def test_that_a_server_cannot_do_what_it_is_asked_for_in_finding_out_is_no_failure(
    server: Server, tmp_path: Path
) -> None:
    """What went wrong on the way to that answer is one."""

    def limited(path: str, body: Any) -> Any:
        if "top_logprobs" in body:
            return 400, {}, {"error": "no logprobs here"}
        return chat('{"choice": "go"}' if "go" in body["messages"][0]["content"] else '{"choice": "read a book"}')

    server.answers = [(503, {}, b"busy"), limited]
    call = ask(server, tmp_path / "t.sqlite", choose)
    assert [attempt.reason for attempt in call.usage.attempts] == ["status 503: busy"]


@pytest.mark.parametrize(
    ("options", "delay", "reasons"),
    [
        ({"retries": 1}, 0.0, ["status 503: busy"] * 2),
        ({"retries": 5, "deadline": 0.2}, 0.3, ["no answer when 0.2 s were over"]),
    ],
)
def test_requests_of_a_server_that_is_given_up(
    server: Server, tmp_path: Path, options: dict[str, Any], delay: float, reasons: list[str]
) -> None:
    server.answers, server.delay = [(503, {}, b"busy")], delay
    call = ask(server, tmp_path / "t.sqlite", yes_or_no, fails=True, **options)
    assert [attempt.reason for attempt in call.usage.attempts] == reasons
    assert {attempt.kind for attempt in call.usage.attempts} == {"network"}


def test_requests_for_the_name_of_the_only_model_are_counted(server: Server, tmp_path: Path) -> None:
    busy, names = (503, {}, b"busy"), {"data": [{"id": "small"}]}
    server.answers = [busy, names, busy, chat("yes")]
    call = ask(server, tmp_path / "a.sqlite", yes_or_no, model="")
    assert (call.usage.retries, len(call.usage.attempts)) == (2, 2)
    failing: list[list[Any]] = [[busy], [busy, names, busy], [busy, {"data": []}], [busy, {"nothing": 0}]]
    for number, answers in enumerate(failing):
        server.answers, server.requests = [*answers], []
        usage = ask(server, tmp_path / f"{number}.sqlite", yes_or_no, fails=True, model="", retries=1).usage
        assert len(usage.attempts) == len([answer for answer in answers if answer != names]) + (answers[-1] == busy)


@pytest.mark.parametrize(
    ("answer", "text"),
    [
        (chat("x" * 1_000_000), "x" * LONGEST_TEXT),
        (chat("half \ud800"), "half \\ud800"),
        (chat(["no", "text"]), '["no", "text"]'),
        ({**chat("yes"), "usage": {"prompt_tokens": -1}}, '"prompt_tokens": -1'),
    ],
)
def test_any_answer_can_be_recorded(server: Server, tmp_path: Path, answer: Any, text: str) -> None:
    server.answers = [answer, chat("yes")]
    (attempt,) = ask(server, tmp_path / "t.sqlite", yes_or_no).usage.attempts
    assert text in attempt.text
    assert len(attempt.text) <= LONGEST_TEXT
    assert attempt.reason


def test_a_choice_keeps_what_was_answered_instead(server: Server, tmp_path: Path) -> None:
    server.answers = [chat('{"choice": "fly"}'), chat("go"), chat('{"choice": "go"}')]
    call = ask(server, tmp_path / "t.sqlite", choose, choosing="plain")
    assert [(attempt.reason, attempt.text) for attempt in call.usage.attempts] == [
        ("chooses none of the options ['go', 'stay']", '{"choice": "fly"}'),
        ("is not JSON with a choice", "go"),
    ]


def test_a_call_that_went_well_adds_nothing(server: Server, tmp_path: Path) -> None:
    """Nor does it in transcripts from before there was the table, which are read alike."""
    server.answers = [chat("yes")]
    assert ask(server, tmp_path / "t.sqlite", yes_or_no).usage.attempts == ()
    with Transcript(tmp_path / "t.sqlite") as transcript:
        assert not transcript._has_table("attempts")
        assert (transcript.costs.total().unusable, transcript.costs.total().network_failures) == (0, 0)


def test_an_answer_from_a_transcript_has_what_came_before_it(server: Server, tmp_path: Path) -> None:
    server.answers = [chat("Perhaps."), chat("yes")]
    call = ask(server, tmp_path / "t.sqlite", yes_or_no)
    with Transcript(tmp_path / "t.sqlite") as transcript, Transcript(tmp_path / "branch.sqlite") as other:
        answer = asyncio.run(yes_or_no(RecordedModel(ReplayedModel(transcript), other)))
        assert answer.usage == call.usage
        assert list(other.with_failed_attempts()) == [call]
        assert other.take_usage() == other.costs.by_model()


def test_what_is_taken_back_leaves_none_behind(server: Server, tmp_path: Path) -> None:
    server.answers = [chat("Perhaps."), chat("yes")]
    call = ask(server, tmp_path / "t.sqlite", yes_or_no)
    with Transcript(tmp_path / "t.sqlite") as transcript:
        assert transcript.rewind({}) == 1
        assert list(transcript.with_failed_attempts()) == []
        assert transcript.costs.total().unusable == 0
        assert transcript.costs.rewound()[0].retries == 1
        server.answers = [chat("no")]
    again = ask(server, tmp_path / "t.sqlite", yes_or_no)
    assert again.usage.call == call.usage.call
    assert again.usage.attempts == ()
