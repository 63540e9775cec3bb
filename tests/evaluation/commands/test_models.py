"""A model tried out from the command."""

import json

from stand_in import chat

from evaluation.commands.cli import main


def answer(path, body):
    if path.endswith("/models"):
        return {"data": [{"id": "qwen"}, {"id": "llama"}]}
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
    assert [trial["works"] for trial in found["trials"]] == [True] * 6


def test_an_address_that_cannot_score_will_do(server, capsys):
    server.answers = [answer]
    assert main(["models", "test", f"openai:{server.url}#qwen"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line[:24].strip() for line in lines] == [
        "serves",
        "answers",
        "keeps to a form",
        "is held to a form",
        "chooses",
        "gives top_logprobs",
        "is held to a schema",
        "gives log-probabilities",
        "answers six at once",
    ]
    assert lines[0].endswith("  qwen, llama")
    assert '  go to the kitchen and eat (by choosing = "structured", it tells nothing about the others)' in lines[4]
    assert [line[25:28].strip() for line in lines[5:8]] == ["no", "yes", "no"]
    assert lines[6].endswith("where the prompt asks for something else")
    assert "echo is not supported" in lines[7]


def trials_of(server, capsys):
    assert main(["models", "test", f"openai:{server.url}#qwen", "--json"]) == 0
    return {trial["what"]: trial for trial in json.loads(capsys.readouterr().out)["trials"]}


def obliging(path, body):
    """A model that does as it is told on a server that takes no notice of any form."""
    if "echo" in body:
        return 400, {}, {"error": "echo is not supported"}
    asked = body["messages"][0]["content"]
    if "Answer in JSON" in asked:
        return chat('{"choice": "go to the kitchen and eat"}')
    if "yes or no only" in asked:
        return chat("yes")
    return chat("The sea is blue.")


def test_obeying_the_words_is_not_being_held_to_a_form(server, capsys):
    server.answers = [lambda path, body: {"data": [{"id": "qwen"}]} if body is None else obliging(path, body)]
    found = trials_of(server, capsys)
    works = {what for what, trial in found.items() if trial["works"]}
    assert works == {"serves", "answers", "keeps to a form", "chooses", "answers six at once"}
    assert 'set grammar_field = "grammar"' in found["is held to a form"]["result"]
    told = found["is held to a schema"]["result"]
    assert told == "the server takes no notice of response_format: The sea is blue."
    assert found["chooses"]["result"].endswith('(by choosing = "plain", it tells nothing about the others)')


def test_where_there_are_top_logprobs_they_are_what_to_choose_by(server, capsys):
    def by_letters(path, body):
        if body is None:
            return {"data": [{"id": "qwen"}]}
        return chat("A", {"A": -0.2, "B": -2.0, "C": -3.0}) if "top_logprobs" in body else obliging(path, body)

    server.answers = [by_letters]
    found = trials_of(server, capsys)
    assert found["gives top_logprobs"]["works"]
    assert 'by choosing = "logprobs", probability 0.' in found["chooses"]["result"]


def test_many_models_are_a_short_list_and_refused_fields_are_told(server, capsys):
    def many(path, body):
        if body is None:
            return {"data": [{"id": f"org/model-{number:03}-instruct:free"} for number in range(400)]}
        return (400, {}, {"error": "seed is not supported"}) if "seed" in body else obliging(path, body)

    server.answers = [many]
    found = trials_of(server, capsys)
    assert found["serves"]["result"].endswith("org/model-007-instruct:free ... (400 in all)")
    assert (found["takes all fields"]["works"], found["takes all fields"]["result"]) == (False, "left out: seed")


def test_what_does_not_work_is_said_in_one_line(server, capsys):
    server.answers = [(401, {}, {"error": "no such key"})]
    assert main(["models", "test", f"openai:{server.url}#qwen"]) == 1
    output = capsys.readouterr()
    assert [line.split()[:2] for line in output.out.splitlines()] == [["serves", "no"], ["answers", "no"]]
    last = output.err.splitlines()[-1]
    assert last.startswith(f"irollan: a run needs a model that answers: {server.url}/")
    assert "the key is missing or wrong; put it into" in last


def test_an_embedder_is_tried_too(server, capsys):
    assert main(["models", "test", "hash", "--embedder", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["embedder"], found["works"]) == ("hash", True)
    assert [trial["what"] for trial in found["trials"]] == ["embeds", "tells meanings apart", "embeds 64 at once"]
    assert found["trials"][0]["result"] == "256 numbers a text"

    def embed(path, body):
        return {"data": [{"index": n, "embedding": [1.0, len(text)]} for n, text in enumerate(body["input"])]}

    server.answers = [embed]
    assert main(["models", "test", f"openai:{server.url}", "--embedder"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert "2 numbers a text" in lines[0]
    assert lines[2].endswith("texts a second")
    server.answers = [(404, {}, {"error": "no embeddings here"})]
    assert main(["models", "test", f"openai:{server.url}", "--embedder"]) == 1
    assert "/embeddings answered status 404" in capsys.readouterr().err.splitlines()[-1]


def test_wrong_usage(tmp_path, capsys):
    assert main(["models", "tset", "scripted"]) == 2
    assert "got 'tset'; did you mean 'test'?" in capsys.readouterr().err
    assert main(["models", "test"]) == 2
    assert "needs the NAME of a model" in capsys.readouterr().err
    assert main(["models", "test", "scriptd"]) == 2
    assert "did you mean 'scripted'?" in capsys.readouterr().err
    assert main(["models", "test", "minilm"]) == 2
    assert "; as an embedder: irollan models test minilm --embedder" in capsys.readouterr().err
    assert main(["models", "test", "mini", "--embedder"]) == 2
    assert "did you mean 'minilm'?" in capsys.readouterr().err
    (tmp_path / "models.toml").write_text('name = "scripted"')
    assert main(["models", "test", str(tmp_path / "model.toml")]) == 2
    assert f"there is no file {tmp_path / 'model.toml'}; did you mean {tmp_path / 'models.toml'}?" in (
        capsys.readouterr().err
    )
    (tmp_path / "folder").mkdir()
    for given in (f"transformers:{tmp_path / 'folder'}", str(tmp_path / "folder")):
        assert main(["models", "test", given, "--embedder"]) == 2
        assert main(["models", "test", given]) in (1, 2)
        assert "did you mean" not in capsys.readouterr().err
