"""Which model answers which module."""

import json
import re

import pytest
from configs import run_config
from society_answers import answer as answer_of_society
from stand_in import chat

from evaluation.commands.cli import main
from evaluation.models.model_roles import Models, options_for_resume, read_models
from evaluation.records.run_directory import RunDirectory
from evaluation.runs.run_config import RunConfig
from language_models.transcript.transcript import Transcript

FILE = """
name = "scripted"
[roles]
action = "openai:http://127.0.0.1:9/v1#qwen"
[options."openai:http://127.0.0.1:9/v1#qwen"]
concurrency = 64
rate = 5
"""
ADDRESS = "openai:http://127.0.0.1:9/v1#qwen"


def test_later_names_win_and_a_file_says_all(tmp_path):
    path = tmp_path / "models.toml"
    path.write_text(FILE)
    assert read_models([]) == Models()
    found = read_models([str(path), "matrix=smollm2", "smollm2"])
    assert found.model == "smollm2"
    assert found.roles == {"action": ADDRESS, "matrix": "smollm2"}
    assert found.options == {ADDRESS: {"concurrency": 64, "rate": 5}}
    configuration = run_config(model="scripted", roles=found.roles, options=found.options)
    assert RunConfig.from_json(json.loads(json.dumps(configuration.to_json()))) == configuration
    assert (configuration.model.of("action"), configuration.model.of("writing")) == (ADDRESS, "scripted")
    assert configuration.model.names == ["scripted", ADDRESS, "smollm2"]


def test_a_run_goes_on_with_other_options_of_how_its_models_are_reached(tmp_path):
    file = tmp_path / "models.toml"
    run = Models(
        model="smollm2",
        embedder="openai:http://127.0.0.1:9/v1#small",
        roles={"action": ADDRESS},
        options={ADDRESS: {"choosing": "plain", "retries": 1}},
    )
    assert options_for_resume([], run) == run.options
    file.write_text(
        f'name = "smollm2"\n[roles]\naction = "{ADDRESS}"\n[options."{ADDRESS}"]\nchoosing = "plain"\ndeadline = 900\n'
        f'[options.smollm2]\ncontext = 2048\n[options."{run.embedder}"]\ntimeout = 5'
    )
    assert options_for_resume([str(file)], run) == {
        ADDRESS: {"choosing": "plain", "retries": 1, "deadline": 900},
        "smollm2": {"context": 2048},
        run.embedder: {"timeout": 5},
    }


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ('name = "scripted"', "keeps the models that it started with; irollan branch --model takes others"),
        ('embedder = "hash"', "keeps the models that it started with"),
        ('[roles]\nmatrix = "scripted"', "keeps the models that it started with"),
        ("[options.'a.gguf']\ncontext = 512", f"the run asks no model 'a.gguf': it has minilm, {ADDRESS}, smollm2"),
        (
            f"[options.'{ADDRESS}']\nchoosing = 'plain'",
            f"choosing of {ADDRESS} decides what it answers, and is as by default as long as this run goes on; irollan",
        ),
        (
            f"[options.'{ADDRESS}']\nasks = 2",
            f"asks of {ADDRESS} decides what it answers, and is 5 as long as .*; irollan branch --model takes 2",
        ),
    ],
)
def test_a_run_goes_on_with_nothing_else(tmp_path, content, message):
    file = tmp_path / "models.toml"
    file.write_text(content)
    run = Models(model="smollm2", embedder="minilm", roles={"action": ADDRESS}, options={ADDRESS: {"asks": 5}})
    with pytest.raises(ValueError, match=message):
        options_for_resume([str(file)], run)


def test_resume_takes_what_changes_no_answer_and_keeps_it(tmp_path, server, capsys):
    server.answers = [(503, {}, {})]
    file, run = tmp_path / "models.toml", tmp_path / "run"
    name = f"openai:{server.url}#qwen"
    file.write_text(f'[roles]\naction = "{name}"\n[options."{name}"]\nretries = 0\n')
    models = ["--model", "scripted", "--model", str(file), "--architecture", "itcma"]
    assert main(["run", *models, "--steps", "1", "--out", str(run)]) == 1
    server.requests.clear()
    file.write_text(f'[options."{name}"]\nretries = 1\nbackoff = 0.0\n')
    assert main(["resume", str(run), "--model", str(file)]) == 1
    assert "failed 2 times, the last time with status 503" in capsys.readouterr().err.splitlines()[-1]
    effective = RunDirectory(run).read_manifest()["configuration"]["effective"]
    assert effective["model"]["options"] == {name: {"retries": 1, "backoff": 0.0}}
    assert main(["resume", str(run), "--model", "smollm2"]) == 2
    assert "keeps the models that it started with; irollan branch" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("[role]", "unknown key 'role': it must be one of name, embedder, roles, options; did you mean 'roles'"),
        ('[roles]\nactoin = "x"', "unknown role 'actoin': it must be one of elimination, protention, action, writing"),
        ("[roles]\naction = 3", "the names of models must be text"),
        ("[options.scripted]\nrate = 3", "options are for addresses, .* smollm2, paths of GGUF files and transformers"),
        (
            "[options.smollm2]\nrate = 3",
            "unknown option 'rate' of smollm2: for an embedded model it must be one of adapter, asks, context, ",
        ),
        (
            '[options."transformers:a"]\nslots = 3',
            "unknown option 'slots' of .*: for a folder it must be one of asks, dea",
        ),
        ('[options."a.gguf"]\ncontxt = 3', "unknown option 'contxt' .*; did you mean 'context'"),
        (f'[options."{ADDRESS}"]\nrat = 3', "unknown option 'rat' of .*; did you mean 'rate'"),
        (f'[options."{ADDRESS}"]\nextra_body = 3', "the option extra_body of .* must be of type dict, got 3"),
        (f'[options."{ADDRESS}"]\nretries = "3"', "the option retries of .* must be of type int, got '3'"),
        ("name = ", "does not say which models to use"),
    ],
)
def test_files_that_do_not_say_it(tmp_path, content, message):
    path = tmp_path / "models.toml"
    path.write_text(content)
    with pytest.raises(ValueError, match=message):
        read_models([str(path)])


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ("acton=scripted", "unknown role 'acton'.*did you mean 'action'"),
        ("", "not be empty"),
        ("action=", "not be empty"),
    ],
)
def test_a_name_that_is_none_is_wrong_usage(tmp_path, capsys, value, message):
    assert main(["run", "--model", value, "--out", str(tmp_path / "run")]) == 2
    assert re.search(message, capsys.readouterr().err)
    assert not (tmp_path / "run").exists()


def test_a_society_with_two_models(tmp_path, server, capsys):
    """The action is chosen at an address, all else by the scripted model; resumed and replayed, it is the same."""

    def answer(path, body):
        if "response_format" not in body:
            return chat("yes")
        options = body["response_format"]["json_schema"]["schema"]["properties"]["choice"]["enum"]
        content = json.dumps({"choice": min(options)})
        return {"choices": [{"message": {"content": content}}], "usage": {"prompt_tokens": 5, "completion_tokens": 2}}

    server.answers = [answer]
    name = f"openai:{server.url}#qwen"
    models = ["--model", "scripted", "--model", f"action={name}", "--embedder", "hash"]
    arguments = [*models, "--deliberation", "similarity"]
    assert main(["run", *arguments, "--steps", "2", "--out", str(tmp_path / "whole")]) == 0
    assert main(["run", *arguments, "--steps", "1", "--out", str(tmp_path / "run")]) == 0
    assert main(["resume", str(tmp_path / "run"), "--steps", "2"]) == 0
    events = (tmp_path / "run" / "events.jsonl").read_bytes()
    assert events == (tmp_path / "whole" / "events.jsonl").read_bytes()
    with Transcript(tmp_path / "run" / "transcript.sqlite") as transcript:
        models = {(call.caller.module == "action", call.request.model) for call in transcript.calls()}
    assert models == {(True, name), (False, "scripted")}
    assert set(RunDirectory(tmp_path / "run").read_manifest()["models"]) == {"model", "action model", "embedder"}
    # How the address chooses is found out once, and a run that goes on does not ask.
    assert RunDirectory(tmp_path / "run").read_manifest()["choosing"] == {name: "structured"}
    probed = ["response_format" not in body for _, _, body in server.requests]
    assert probed.count(True) == 2
    server.answers = [(500, {}, {})]
    capsys.readouterr()
    assert main(["replay", str(tmp_path / "run")]) == 0
    assert capsys.readouterr().out.startswith("identical: 2 steps, 12 records")
    branch = ["branch", str(tmp_path / "run"), "--at", "1", "--out", str(tmp_path / "branch")]
    assert main(branch) == 0
    assert (tmp_path / "branch" / "events.jsonl").read_bytes() == events


def test_two_providers_in_two_roles_get_a_key_each(tmp_path, server, monkeypatch, capsys):
    def answer(path, body):
        if "response_format" not in body:
            return chat("yes")
        return {"choices": [{"message": {"content": answer_of_society(body)}}]}

    server.answers = [answer]
    names = [f"openai:{server.url}#{model}" for model in ("one", "two")]
    file = tmp_path / "models.toml"
    file.write_text(
        f"""name = "scripted"
        [roles]
        action = "{names[0]}"
        matrix = "{names[1]}"
        [options."{names[0]}"]
        key_variable = "ONE_KEY"
        [options."{names[1]}"]
        key_variable = "TWO_KEY"
        """
    )
    run = ["run", "--model", str(file), "--embedder", "hash", "--steps", "2", "--out", str(tmp_path / "run")]
    monkeypatch.setenv("ONE_KEY", "first")
    assert main(run) == 2
    assert f"environment variable TWO_KEY, which key_variable names for {server.url}, is not" in capsys.readouterr().err
    assert not (tmp_path / "run").exists()
    monkeypatch.setenv("TWO_KEY", "second")
    assert main(run) == 0
    sent = {(body["model"], headers["Authorization"]) for _, headers, body in server.requests}
    assert sent == {("one", "Bearer first"), ("two", "Bearer second")}


def test_elimination_by_a_model_goes_on_exactly(tmp_path):
    arguments = ["--model", "scripted", "--model", "elimination=scripted"]
    assert main(["run", *arguments, "--steps", "2", "--out", str(tmp_path / "whole")]) == 0
    assert main(["run", *arguments, "--steps", "1", "--out", str(tmp_path / "run")]) == 0
    assert main(["resume", str(tmp_path / "run"), "--steps", "2"]) == 0
    for file in ("events.jsonl", "metrics.csv"):
        assert (tmp_path / "run" / file).read_bytes() == (tmp_path / "whole" / file).read_bytes()
    with Transcript(tmp_path / "run" / "transcript.sqlite") as transcript:
        assert any(call.caller.module == "elimination" for call in transcript.calls())
