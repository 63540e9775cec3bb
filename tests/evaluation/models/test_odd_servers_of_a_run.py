"""Runs on servers that answer oddly: no decision is lost, and what was found out is kept."""

import pytest
from odd_answers import OF_NO_USE, READ, honest
from society_answers import answer
from stand_in import chat

from evaluation.commands.cli import main
from evaluation.records.run_directory import RunDirectory
from language_models.transcript.transcript import Transcript


def run(server, path, *, steps=2):
    arguments = ["--embedder", "hash", "--steps", str(steps), "--out", str(path)]
    return main(["run", "--model", f"openai:{server.url}#x", *arguments])


def failures(path):
    return [record["failure"] for record in RunDirectory(path).records() if record["failure"] is not None]


def refusing_seed(path, body):
    if "seed" in body:
        return 400, {}, {"error": {"message": "Unsupported parameter: 'seed'"}}
    return chat(answer(body))


def test_a_refused_field_is_told_once_recorded_and_left_out_by_a_resumed_run(server, tmp_path, capsys):
    server.answers = [refusing_seed]
    assert run(server, tmp_path / "whole", steps=3) == 0
    capsys.readouterr()
    assert run(server, tmp_path / "run") == 0
    address = f"openai:{server.url}#x"
    told = f"the server of {address} refuses the field seed, which is left out of requests from now on"
    assert capsys.readouterr().err.splitlines().count(told) == 1
    assert RunDirectory(tmp_path / "run").read_manifest()["left_out"] == {address: {"seed": ""}}
    server.requests.clear()
    assert main(["resume", str(tmp_path / "run"), "--steps", "3"]) == 0
    assert not any("seed" in body for _, _, body in server.requests)
    assert told not in capsys.readouterr().err
    assert failures(tmp_path / "run") == []
    whole, gone_on = ((tmp_path / name / "events.jsonl").read_bytes() for name in ("whole", "run"))
    assert gone_on == whole


def test_a_field_is_dropped_by_an_option(server, tmp_path):
    server.answers = [lambda path, body: chat(answer(body))]
    address, models = f"openai:{server.url}#x", tmp_path / "models.toml"
    models.write_text(f'name = "{address}"\n[options."{address}"]\ndrop = ["seed", "temperature"]\n')
    arguments = ["--embedder", "hash", "--steps", "1", "--out", str(tmp_path / "run")]
    assert main(["run", "--model", str(models), *arguments]) == 0
    assert not any({"seed", "temperature"} & set(body) for _, _, body in server.requests)
    assert "left_out" not in RunDirectory(tmp_path / "run").read_manifest()


@pytest.mark.parametrize("times", [3, 100])
def test_an_outage_at_the_first_questions_decides_nothing(server, tmp_path, times):
    """One that passes is waited for; one that lasts ends the run, which then has no way to choose yet."""
    left = times
    address, models = f"openai:{server.url}#x", tmp_path / "models.toml"
    models.write_text(f'name = "{address}"\n[options."{address}"]\nbackoff = 0\nretries = 3\n')

    def reply(path, body):
        nonlocal left
        if (body.get("response_format") or {}).get("json_schema", {}).get("name") == "choice" and left:
            left -= 1
            return {"id": "g", "error": {"message": "Provider returned error", "code": 429}}
        return honest(body)

    server.answers = [reply]
    arguments = ["--embedder", "hash", "--steps", "1", "--out", str(tmp_path / "run")]
    assert main(["run", "--model", str(models), *arguments]) == (1 if times == 100 else 0)
    manifest = RunDirectory(tmp_path / "run").read_manifest()
    assert manifest.get("choosing") == (None if times == 100 else {address: "logprobs+structured"})
    left = 0
    if times == 100:
        assert main(["resume", str(tmp_path / "run")]) == 0
    assert failures(tmp_path / "run") == []


def test_a_place_that_the_server_says_nothing_usable_of_takes_no_decision_and_is_asked_about_once(server, tmp_path):
    prompts = []

    def reply(path, body):
        prompt = body["messages"][-1]["content"]
        if prompt.endswith("There may be"):
            prompts.append(prompt)
            return chat("## A list:\n- a bed\n- a table")
        return chat(answer(body))

    server.answers = [reply]
    assert run(server, tmp_path / "whole", steps=3) == 0
    assert failures(tmp_path / "whole") == []
    assert prompts
    assert len(prompts) == 3 * len(set(prompts))  # As often as any answer of no use is asked for again.
    assert run(server, tmp_path / "run", steps=1) == 0
    assert main(["resume", str(tmp_path / "run"), "--steps", "3"]) == 0
    whole, gone_on = ((tmp_path / name / "events.jsonl").read_bytes() for name in ("whole", "run"))
    assert gone_on == whole


@pytest.mark.parametrize(("preset", "asked"), [("default", {"matrix": 3}), ("paper", {"elimination": 18, "matrix": 3})])
def test_no_decision_is_lost_to_requests_that_it_can_do_without(server, tmp_path, capsys, preset, asked):
    def reply(path, body):
        schema = (body.get("response_format") or {}).get("json_schema", {}).get("schema", {})
        return chat(answer(body) if "thought" in schema.get("properties", {}) else "## A list:\n- a bed\n- a table")

    server.answers = [reply]
    models = tmp_path / "models.toml"
    models.write_text(f'name = "openai:{server.url}#x"\n[options."openai:{server.url}#x"]\nchoosing = "structured"\n')
    arguments = ["run", "--model", str(models), "--embedder", "hash", "--preset", preset]
    assert main([*arguments, "--steps", "8", "--out", str(tmp_path / "whole")]) == 0
    told = capsys.readouterr().err
    manifest = RunDirectory(tmp_path / "whole").read_manifest()
    places = manifest["failed_calls"].pop("protention")
    assert manifest["failed_calls"] == asked
    assert "calls without a usable answer: " in told
    assert f"{places} for protention, 3 for matrix; decisions were made without them" in told
    outcomes = [record["outcome"] for record in RunDirectory(tmp_path / "whole").records()]
    assert (len(outcomes), outcomes.count("failed")) == (48, 0)
    assert main([*arguments, "--steps", "3", "--out", str(tmp_path / "run")]) == 0
    assert main(["resume", str(tmp_path / "run"), "--steps", "8"]) == 0
    whole, gone_on = ((tmp_path / name / "events.jsonl").read_bytes() for name in ("whole", "run"))
    assert gone_on == whole
    assert main(["replay", str(tmp_path / "run")]) == 0


def test_lone_surrogates_end_no_run_and_are_counted(server, tmp_path):
    server.answers = [lambda path, body: {**chat(answer(body).replace("wonder", "\ud83d")), "model": "x\udc00"}]
    assert run(server, tmp_path / "run") == 0
    assert main(["resume", str(tmp_path / "run"), "--steps", "3"]) == 0
    manifest = RunDirectory(tmp_path / "run").read_manifest()
    assert manifest["replaced_characters"][f"openai:{server.url}#x"] > 20
    assert list(manifest["served"].values()) == ["x\ufffd"]


def test_what_a_model_thought_is_in_the_transcript_and_in_no_life(server, tmp_path):
    thought = {"reasoning_content": "Secretly I think."}

    def reply(path, body):
        said = chat(answer(body))
        said["choices"][0]["message"] |= thought
        return said

    server.answers = [reply]
    assert run(server, tmp_path / "run", steps=1) == 0
    assert "Secretly" not in (tmp_path / "run" / "events.jsonl").read_text()
    with Transcript(tmp_path / "run" / "transcript.sqlite") as transcript:
        thoughts = {call.response.get("reasoning") for call in transcript.calls() if call.response is not None}
    assert thoughts == {"Secretly I think."}


def test_an_empty_account_stops_the_run_at_once(server, tmp_path, capsys):
    odd, _ = OF_NO_USE["nothing left to pay with, 429"]
    server.answers = [lambda path, body: odd(honest(body), body, 0)]
    assert run(server, tmp_path / "run") == 1
    assert "nothing is left to pay with" in capsys.readouterr().err.splitlines()[-1]


@pytest.mark.parametrize("name", ["harmony", "a tool call", "a stream", "a raw newline", "tokens -1", "parts"])
def test_no_decision_is_lost_to_a_form(server, tmp_path, name):
    server.answers = [lambda path, body: READ[name](honest(body), body, 9)]
    assert run(server, tmp_path / "run", steps=1) == 0
    assert failures(tmp_path / "run") == []
