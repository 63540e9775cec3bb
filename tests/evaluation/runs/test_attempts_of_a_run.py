"""Answers of no use in a whole run: in its report and its numbers, and the same bytes when it is replayed."""

import itertools

from society_answers import answer as answer_of_society
from stand_in import chat

from evaluation.commands.cli import main
from evaluation.records.run_directory import RunDirectory
from language_models.transcript.transcript import Transcript

NOT_MADE_AGAIN = {5: (400, {}, {"error": "no such <i>field</i>"}), 7: (400, {}, {"error": "no"})}
EVIL = "<script>alert(1)</script>" + "x" * 1000


def words(path, body):
    prompt = body["messages"][-1]["content"]
    if "response_format" in body:
        return answer_of_society(body)
    if prompt.endswith("There may be"):
        return "Shelves with books, and tables."
    spoken = "\nWords: Good day." if "talk with" in prompt.rpartition("You are about to:")[2] else ""
    return f"Thought: I wonder who lives here.{spoken}"


def test_they_are_in_the_report_and_the_metrics(server, tmp_path, with_page):
    turns = itertools.count(1)

    def answer(path, body):
        turn = next(turns)
        if turn == 2:
            return (503, {}, b"<b>busy</b>")
        if turn in NOT_MADE_AGAIN:
            return NOT_MADE_AGAIN[turn]
        return chat(EVIL if turn % 4 == 0 else words(path, body))

    server.answers = [answer]
    models = tmp_path / "models.toml"
    address = f"openai:{server.url}#qwen"
    models.write_text(f'name = "{address}"\n[options."{address}"]\nbackoff = 0.0\nchoosing = "structured"\n')
    run = ["run", "--model", str(models), "--embedder", "hash", "--steps", "2", "--out", str(tmp_path / "run")]
    assert main(run) == 0
    with Transcript(tmp_path / "run" / "transcript.sqlite") as transcript:
        troubled = list(transcript.with_failed_attempts())
        usage = transcript.costs.total()
    attempts = [attempt for call in troubled for attempt in call.usage.attempts]
    assert usage.network_failures == 3
    assert usage.unusable == len(attempts) - 3 >= 4
    assert usage.failures >= len(NOT_MADE_AGAIN)
    assert usage.unusable + usage.network_failures == usage.retries + usage.failures
    directory = RunDirectory(tmp_path / "run")
    counted = {
        quantity: sum(row["value"] for row in directory.metrics() if row["quantity"] == quantity)
        for quantity in ("retries", "unusable", "network_failures")
    }
    assert counted == {"retries": usage.retries, "unusable": usage.unusable, "network_failures": 3}
    page = directory.report_path.read_text(encoding="utf-8")
    assert "<script>" not in page
    assert "<b>busy" not in page
    assert "&lt;b&gt;busy&lt;/b&gt;" in page
    assert "no such &lt;i&gt;field&lt;/i&gt;" in page
    assert page.count("An answer which ") == usage.unusable
    assert "x" * 300 not in page
    assert "answers that were of no use" in page

    assert main(["replay", str(directory.path)]) == 0
