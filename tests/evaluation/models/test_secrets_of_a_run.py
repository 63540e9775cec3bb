"""A key that a server or a mind elsewhere repeats: nothing of it is in what a run leaves or prints."""

import json
import sqlite3

import pytest
from society_answers import answer
from stand_in import chat

from evaluation.commands.cli import main

KEY = 'sk-own/secret"0123456789'


def traces(folder, printed):
    """Where the key is: in what was printed, and in files, those of SQLite also row by row."""
    forms = [KEY, json.dumps(KEY)[1:-1], KEY.replace("/", "\\/"), KEY[3:]]
    found = ["printed" for form in forms if form in printed]
    for file in folder.rglob("*"):
        content = file.read_bytes() if file.is_file() else b""
        found += [file.name for form in forms if form.encode() in content]
        if content.startswith(b"SQLite"):
            with sqlite3.connect(file) as database:
                found += [file.name for line in database.iterdump() for form in forms if form in line]
    return found


def echoing(path, body):
    """Answers in form, with the key in every text and in the model's name."""
    said = chat(answer(body))
    if "response_format" in body:
        texts = json.loads(answer(body))
        texts |= {key: f"Bearer {KEY}" for key in ("thought", "goal", "words") if key in texts}
        said = chat(json.dumps(texts))
    return said | {"model": f"x {KEY}"}


@pytest.mark.usefixtures("with_page")
@pytest.mark.parametrize("status", [200, 401, 500])
def test_a_key_that_a_server_repeats_is_written_down_nowhere(server, tmp_path, monkeypatch, capsys, status):
    monkeypatch.setenv("IROLLAN_API_KEY", KEY)
    said = {"error": {"message": f"Incorrect API key provided: Bearer {KEY}"}}
    models, path = tmp_path / "models.toml", tmp_path / "run"
    address = f"openai:{server.url}#x"
    models.write_text(f'name = "{address}"\n[options."{address}"]\nretries = 1\nbackoff = 0\n')
    server.answers = [echoing if status == 200 else (status, {"X-Key": KEY}, said)]
    done = main(["run", "--model", str(models), "--embedder", "hash", "--steps", "1", "--out", str(path)])
    main(["view", str(path), "--out", str(tmp_path / "view.html")])
    assert server.requests[0][1]["Authorization"] == f"Bearer {KEY}"
    printed = "".join(capsys.readouterr())
    assert ("[secret]" in printed or "[secret]" in (path / "events.jsonl").read_text(), done) == (True, status != 200)
    assert traces(tmp_path, printed) == []


def test_a_token_that_a_mind_elsewhere_repeats_is_written_down_nowhere(server, tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("IROLLAN_MIND_TOKEN", KEY)
    good = {"action": None, "thought": f"Bearer {KEY}", "state": {KEY: [KEY]}}
    server.answers = [good, f"Bearer {KEY}".encode(), {"action": KEY, KEY: 1}, good]
    arguments = [
        "--mind",
        f"remote:{server.url}",
        "--model",
        "scripted",
        "--steps",
        "1",
        "--out",
        str(tmp_path / "run"),
    ]
    assert main(["run", *arguments]) == 0
    assert server.requests[0][1]["Authorization"] == f"Bearer {KEY}"
    assert "[secret]" in (tmp_path / "run" / "events.jsonl").read_text()
    assert traces(tmp_path, "".join(capsys.readouterr())) == []
