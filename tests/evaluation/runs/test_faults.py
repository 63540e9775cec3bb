"""What goes wrong between a run and its server: it passes and leaves no trace in the records, or the run can go on."""

import itertools
import json
import re
import threading
import time

import pytest
from society_answers import answer
from stand_in import chat, serving

from evaluation.commands.cli import main
from evaluation.records.run_directory import RunDirectory
from language_models.remote.choosing import AGAINST, QUESTION
from language_models.transcript.transcript import Transcript

PASSING = [
    (429, {"Retry-After": "0.05"}, {}),
    (429, {}, {}),
    (500, {}, {"error": "no"}),
    (503, {}, b"busy"),
    b"<html>no JSON</html>",
    chat(""),
    chat("nothing that was asked for " * 40_000),
    chat('{"choice": "none of them"}'),
]
BROKEN = ["truncated", "closed", "dripping"]
AMID_LETTERS = [
    *PASSING[:5],
    (200, {"Content-Length": "1000", "Connection": "close"}, b'{"choices": ['),
    chat(""),
    chat("nonsense", {"nonsense": -0.1, "AB": -2.0, "The": -3.0}),
    chat("nothing that was asked for " * 40_000, {"nothing": -0.1, "": -3.0}),
    chat("A", {"A": -0.1}),
]


def well(path, body):
    return chat(answer(body))


def by_letters(path, body):
    """As well, and gives log-probabilities: the option that is first in the alphabet is the likeliest."""
    if "top_logprobs" not in body:
        return well(path, body)
    options = body["messages"][-1]["content"].rpartition("\nOptions:\n")[2].partition("\n\n")[0].splitlines()
    best = min(options, key=lambda option: option[3:])
    return chat(best[0], {option[0]: -0.1 if option == best else -4.0 for option in options})


def run(folder, url, *arguments, **options):
    """One step on a server that is asked again soon."""
    options = {"timeout": 20, "backoff": 0.001, "retries": 1, **options}
    given = "\n".join(f"{key} = {value}" for key, value in options.items())
    file = folder.with_suffix(".toml")
    file.write_text(f'name = "openai:{url}#qwen"\n[options."openai:{url}#qwen"]\n{given}\n')
    return main(["run", "--model", str(file), "--embedder", "hash", "--steps", "1", "--out", str(folder), *arguments])


def calls(path):
    with Transcript(path / "transcript.sqlite") as transcript:
        return list(transcript.calls())


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """The records of a run that nothing disturbed."""
    path = tmp_path_factory.mktemp("faults") / "whole"
    with serving() as server:
        server.answers = [well]
        assert run(path, server.url) == 0
    return (path / "events.jsonl").read_bytes()


def test_what_passes_is_asked_again_and_leaves_no_trace_in_the_records(tmp_path, server, whole):
    server.answers = [*PASSING, well]
    server.faults = list(BROKEN)
    assert run(tmp_path / "run", server.url, timeout=0.5, retries=10, asks=10, choosing='"structured"') == 0
    assert (tmp_path / "run" / "events.jsonl").read_bytes() == whole
    made = calls(tmp_path / "run")
    assert {call.outcome for call in made} == {"ok"}
    assert sum(call.usage.retries for call in made) == len(PASSING) + len(BROKEN)


def test_what_passes_in_the_midst_of_a_choice_by_letters_leaves_no_trace_in_the_records(tmp_path, server):
    """Residents that decide by likeness choose by letters among the actions that come close to the best."""
    likeness = ("--deliberation", "similarity", "--steps", "2")
    faults = iter(AMID_LETTERS)
    lock = threading.Lock()

    def faulty(path, body):
        if "top_logprobs" not in body or QUESTION in body["messages"][-1]["content"]:
            return by_letters(path, body)
        with lock:
            return next(faults, None) or by_letters(path, body)

    for name, answers in (("whole", by_letters), ("run", faulty)):
        server.answers = [answers]
        assert run(tmp_path / name, server.url, *likeness, retries=10, asks=10, choosing='"logprobs"') == 0
    assert (tmp_path / "run" / "events.jsonl").read_bytes() == (tmp_path / "whole" / "events.jsonl").read_bytes()
    made = calls(tmp_path / "run")
    assert {call.outcome for call in made} == {"ok"}
    attempts = [attempt for call in made for attempt in call.usage.attempts]
    assert sum(call.usage.retries for call in made) == len(attempts) == len(AMID_LETTERS)
    assert sum(attempt.kind == "unusable" for attempt in attempts) == 4


@pytest.mark.parametrize(
    ("fault", "message"),
    [
        ((401, {}, {"error": "no such key"}), "status 401: .*; the key is missing or wrong; .* IROLLAN_API"),
        ((429, {"Retry-After": "0.02"}, {}), "failed 2 times, the last time with status 429"),
        (b"<html>", "failed 2 times, the last time with HTML, and no JSON object: '<html>'"),
        (chat('{"choice": "none of them"}'), "no answer for anyone in step 1: .* no usable answer in 3 asks"),
        ("truncated", "failed 2 times, the last time with an answer that breaks off"),
        ("dripping", "failed 2 times, the last time with no answer within 0.1 s"),
    ],
)
def test_what_does_not_pass_ends_the_run_in_one_line_and_it_goes_on_when_it_has(
    tmp_path, capsys, server, whole, fault, message
):
    if isinstance(fault, str):
        server.faults = [fault] * 100
    else:
        server.answers = [fault]
    capsys.readouterr()
    assert run(tmp_path / "run", server.url, timeout=0.1 if fault == "dripping" else 20) == 1
    last = capsys.readouterr().err.splitlines()[-1]
    assert re.search(message, last)
    assert last.endswith(f" (stopped after step 0 of 1); resume with: irollan resume {tmp_path / 'run'}")
    assert RunDirectory(tmp_path / "run").records() == []
    assert {call.response for call in calls(tmp_path / "run")} == {None}
    server.answers, server.faults = [well], []
    assert main(["resume", str(tmp_path / "run")]) == 0
    assert (tmp_path / "run" / "events.jsonl").read_bytes() == whole


@pytest.mark.parametrize(
    ("url", "reason"),
    [
        ("http://127.0.0.1:9/v1", r"no connection to 127.0.0.1:9 \(Connection refused\)"),
        ("http://no-such-host.invalid/v1", r"the host 'no-such-host.invalid' is not known \(.+\)"),
    ],
)
def test_a_server_that_is_not_there_ends_the_run_in_one_line(tmp_path, capsys, url, reason):
    assert run(tmp_path / "run", url) == 1
    last = capsys.readouterr().err.splitlines()[-1]
    assert re.match(f"irollan: {re.escape(url)}/.* failed 2 times, the last time with {reason}; check that", last)
    assert last.endswith(f"resume with: irollan resume {tmp_path / 'run'}")
    assert RunDirectory(tmp_path / "run").read_manifest()["status"] == "failed"


def test_a_passing_outage_does_not_decide_how_a_run_chooses(tmp_path, capsys, server):
    """Neither does it when the run goes on: it chooses, and acts, as if nothing had been."""
    server.answers = [by_letters]
    assert run(tmp_path / "whole", server.url) == 0
    server.answers = [
        lambda path, body: (503, {}, b"busy") if body["messages"][-1]["content"] == AGAINST else by_letters(path, body)
    ]
    capsys.readouterr()
    assert run(tmp_path / "run", server.url) == 1
    last = capsys.readouterr().err.splitlines()[-1]
    assert "status 503: busy; check that the server runs; so it is not known whether a schema holds its answers" in last
    assert last.endswith(f" (stopped after step 0 of 1); resume with: irollan resume {tmp_path / 'run'}")
    assert "choosing" not in RunDirectory(tmp_path / "run").read_manifest()
    server.answers = [by_letters]
    assert main(["resume", str(tmp_path / "run")]) == 0
    (way,) = RunDirectory(tmp_path / "run").read_manifest()["choosing"].values()
    assert way == "logprobs+structured"
    assert (tmp_path / "run" / "events.jsonl").read_bytes() == (tmp_path / "whole" / "events.jsonl").read_bytes()
    assert main(["replay", str(tmp_path / "run")]) == 0


def test_a_clock_that_jumps_changes_nothing(tmp_path, server, whole, monkeypatch):
    real, jumps = time.time, itertools.cycle([0.0, -86_400.0, 1e9])
    monkeypatch.setattr(time, "time", lambda: real() + next(jumps))
    server.answers = [(429, {"Retry-After": "0.05"}, {}), well]
    assert run(tmp_path / "run", server.url) == 0
    assert (tmp_path / "run" / "events.jsonl").read_bytes() == whole
    assert 0 <= json.loads((tmp_path / "run" / "manifest.json").read_text())["seconds"] < 60
    assert all(0 <= call.usage.waiting <= call.usage.seconds < 60 for call in calls(tmp_path / "run"))
