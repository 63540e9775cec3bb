"""A model tried out from the command."""

import json

from stand_in import chat

from evaluation.cli import main


def answer(path, body):
    if path.endswith("/completions") and "echo" in body:
        return 400, {}, {"error": "echo is not supported"}
    if "response_format" in body:
        options = body["response_format"]["json_schema"]["schema"]["properties"]["choice"]["enum"]
        return chat(json.dumps({"choice": options[0]}))
    return chat("yes")


def test_the_scripted_model_can_do_all(capsys):
    assert main(["models", "test", "scripted", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["works"] is True
    assert [trial["works"] for trial in found["trials"]] == [True] * 5


def test_an_address_that_cannot_score_will_do(server, capsys):
    server.answers = [answer]
    assert main(["models", "test", f"openai:{server.url}#qwen"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines] == ["answers", "keeps", "chooses", "gives", "answers"]
    assert "  go to the kitchen and eat (it tells nothing about the others)" in lines[2]
    assert " no " in lines[3]
    assert "echo is not supported" in lines[3]


def test_what_does_not_work_is_said_in_one_line(server, capsys):
    server.answers = [(401, {}, {"error": "no such key"})]
    assert main(["models", "test", f"openai:{server.url}#qwen"]) == 1
    output = capsys.readouterr()
    assert len(output.out.splitlines()) == 1
    assert "the key is missing or wrong; put it into" in output.err.splitlines()[-1]


def test_wrong_usage(capsys):
    assert main(["models", "tset", "scripted"]) == 2
    assert "got 'tset'; did you mean 'test'?" in capsys.readouterr().err
    assert main(["models", "test"]) == 2
    assert "needs the NAME of a model" in capsys.readouterr().err
    assert main(["models", "test", "scriptd"]) == 2
    assert "did you mean 'scripted'?" in capsys.readouterr().err
