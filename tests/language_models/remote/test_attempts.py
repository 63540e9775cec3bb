"""Answers of no use and requests in vain are in the transcript, told from each other, counted, and replayed."""

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from asking import ADA
from stand_in import Server, chat

from language_models.protocol import Attempt, GenerateRequest, ModelError, ModelUnavailable
from language_models.remote.openai_compatible import OpenAICompatible
from language_models.transcript.calls import Call
from language_models.transcript.recording import RecordedModel
from language_models.transcript.replaying import ReplayedModel
from language_models.transcript.transcript import Transcript

BUSY = (503, {}, b"busy")


def ask(
    server: Server, path: Path, question: Callable[[RecordedModel], Any], fails: bool = False, **options: Any
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
    return model.generate(GenerateRequest(prompt="Will it rain?", caller=ADA, pattern='root ::= "yes" | "no"'))


def choose(model: RecordedModel) -> Any:
    return model.choose("Now?", ["go", "stay"], caller=ADA)


def test_an_answer_of_no_use_is_told_from_a_failure_of_the_server(server: Server, tmp_path: Path) -> None:
    server.answers = [chat("Perhaps."), (500, {}, b"out of order"), b"<html>", chat("yes")]
    call = ask(server, tmp_path / "t.sqlite", yes_or_no)
    assert (call.outcome, call.usage.retries) == ("ok", 3)
    assert call.usage.attempts == (
        Attempt(kind="unusable", reason="does not obey the pattern", text="Perhaps."),
        Attempt(kind="network", reason="status 500: out of order", text="out of order"),
        Attempt(kind="network", reason="HTML, and no JSON object: '<html>'", text="<html>"),
    )
    with Transcript(tmp_path / "t.sqlite") as transcript:
        (usage,) = transcript.costs.by_module()
    assert (usage.retries, usage.unusable, usage.network_failures, usage.failures) == (3, 1, 2, 0)


@pytest.mark.parametrize(
    ("answers", "question", "options", "outcome", "attempts"),
    [
        (
            [chat("Perhaps."), chat("  "), chat("<b>no</b>")],
            yes_or_no,
            {},
            "failed",
            ["does not obey the pattern", "is empty", "does not obey the pattern"],
        ),
        ([{"choices": [{"message": {"refusal": "No."}}]}], yes_or_no, {}, "refused", ["refuses what was asked"]),
        ([BUSY], yes_or_no, {"retries": 1}, "failed", ["status 503: busy"] * 2),
        ([BUSY], yes_or_no, {"backoff": 30.0, "deadline": 0.05}, "failed", ["status 503: busy"]),
        ([chat(7)], choose, {"choosing": "structured", "asks": 1}, "failed", ["is no text"]),
        (
            [(400, {}, b"response_format")],
            choose,
            {"choosing": "structured"},
            "failed",
            ["status 400: response_format"],
        ),
        ([chat("A")], choose, {"choosing": "logprobs"}, "failed", ["has no log-probabilities"]),
        ([chat("A", {"A": 0.5})], choose, {"choosing": "logprobs"}, "failed", ["gives 'A' a log-probability of 0.5"]),
    ],
)
def test_all_attempts_of_a_call_that_fails_are_recorded(
    server: Server, tmp_path: Path, answers: Any, question: Any, options: Any, outcome: str, attempts: list[str]
) -> None:
    server.answers = [*answers]
    call = ask(server, tmp_path / "t.sqlite", question, fails=True, **options)
    assert (call.outcome, len(call.usage.attempts)) == (outcome, len(server.requests))
    assert list(dict.fromkeys(one.reason for one in call.usage.attempts)) == list(dict.fromkeys(attempts))


def test_that_a_server_cannot_do_what_it_is_asked_for_in_finding_out_is_no_failure(
    server: Server, tmp_path: Path
) -> None:
    """What went wrong on the way to that answer is one."""

    def limited(path: str, body: Any) -> Any:
        if "top_logprobs" in body:
            return 400, {}, {"error": "no logprobs here"}
        return chat('{"choice": "go"}' if "go" in body["messages"][0]["content"] else '{"choice": "read a book"}')

    server.answers = [BUSY, limited]
    call = ask(server, tmp_path / "t.sqlite", choose)
    assert [attempt.reason for attempt in call.usage.attempts] == ["status 503: busy"]


def test_requests_for_the_name_of_the_only_model_are_counted(server: Server, tmp_path: Path) -> None:
    names = {"data": [{"id": "small"}]}
    server.answers = [BUSY, names, BUSY, chat("yes")]
    call = ask(server, tmp_path / "a.sqlite", yes_or_no, model="")
    assert (call.usage.retries, len(call.usage.attempts)) == (2, 2)
    failing: list[list[Any]] = [[BUSY], [BUSY, names, BUSY], [BUSY, {"data": []}], [BUSY, {"nothing": 0}]]
    for number, answers in enumerate(failing):
        server.answers, server.requests = [*answers], []
        usage = ask(server, tmp_path / f"{number}.sqlite", yes_or_no, fails=True, model="", retries=1).usage
        assert len(usage.attempts) == len([answer for answer in answers if answer != names]) + (answers[-1] == BUSY)


def test_a_call_that_went_well_adds_nothing(server: Server, tmp_path: Path) -> None:
    server.answers = [chat("yes")]
    assert ask(server, tmp_path / "t.sqlite", yes_or_no).usage.attempts == ()
    with Transcript(tmp_path / "t.sqlite") as transcript:
        assert not transcript._has_table("attempts")
        assert (transcript.costs.total().unusable, transcript.costs.total().network_failures) == (0, 0)


def test_attempts_are_replayed_with_their_answer_and_taken_back_with_it(server: Server, tmp_path: Path) -> None:
    server.answers = [chat("Perhaps."), chat("yes")]
    call = ask(server, tmp_path / "t.sqlite", yes_or_no)
    with Transcript(tmp_path / "t.sqlite") as transcript, Transcript(tmp_path / "branch.sqlite") as other:
        answer = asyncio.run(yes_or_no(RecordedModel(ReplayedModel(transcript), other)))
        assert answer.usage == call.usage
        assert list(other.with_failed_attempts()) == [call]
        assert other.take_usage() == other.costs.by_model()
        assert transcript.rewind({}) == 1
        assert list(transcript.with_failed_attempts()) == []
        assert transcript.costs.total().unusable == 0
        assert transcript.costs.rewound()[0].retries == 1
    server.answers = [chat("no")]
    again = ask(server, tmp_path / "t.sqlite", yes_or_no)
    assert (again.usage.call, again.usage.attempts) == (call.usage.call, ())
