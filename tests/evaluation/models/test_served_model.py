"""An address that has another model than before: it is noticed, and nothing of it gets into the run."""

import json

from society_answers import answer
from stand_in import chat

from evaluation.commands.cli import main
from evaluation.records.run_directory import RunDirectory
from language_models.transcript.transcript import Transcript


def serving(name, *, says=None):
    """What a server with one model answers, which says in its answers that they are of it, or not."""

    def reply(path, body):
        if body is None:
            return {"data": [{"id": name}]}
        assert body["model"] in (name, "alias")
        return chat(answer(body)) | ({} if says is None else {"model": says})

    return reply


def run(path, address, *, steps=2):
    return main(["run", "--model", address, "--embedder", "hash", "--steps", str(steps), "--out", str(path)])


def served(path):
    return RunDirectory(path).read_manifest().get("served")


def events(path):
    return (path / "events.jsonl").read_bytes()


def test_a_server_that_has_another_model_is_not_gone_on_with(tmp_path, server, capsys):
    address, path = f"openai:{server.url}", tmp_path / "run"
    server.answers = [serving("small")]
    assert run(tmp_path / "whole", address, steps=3) == 0
    assert run(path, address) == 0
    assert served(path) == {address: "small"}
    before = events(path)

    server.answers = [serving("large")]
    capsys.readouterr()
    assert main(["resume", str(path), "--steps", "3"]) == 1
    assert capsys.readouterr().err.splitlines()[-1] == (
        f"irollan: {address} answers as 'large', and answered as 'small' when {path} started, so that the run "
        "cannot be resumed exactly; have it serve that one again, or name the other one behind # in irollan branch "
        f"--model (stopped after step 2 of 3); resume with: irollan resume {path}"
    )
    assert events(path) == before
    assert served(path) == {address: "small"}

    # Nor by a branch, unless it names the other one.
    arguments = ["branch", str(path), "--at", "1", "--set", "steps=3"]
    assert main([*arguments, "--seed", "5", "--out", str(tmp_path / "b")]) == 1
    assert "answers as 'large', and answered as 'small'" in capsys.readouterr().err
    assert main([*arguments, "--model", f"{address}#large", "--out", str(tmp_path / "c")]) == 0
    assert served(tmp_path / "c") == {f"{address}#large": "large"}

    server.answers = [serving("small")]
    assert main(["resume", str(path)]) == 0
    assert events(path) == events(tmp_path / "whole")


def test_a_model_that_changes_during_a_run_ends_it(tmp_path, server, capsys):
    address, path = f"openai:{server.url}#alias", tmp_path / "run"
    server.answers = [serving("small", says="small-1")]
    assert run(tmp_path / "whole", address) == 0
    needed = len(server.requests)
    server.answers = [serving("small", says="small-1")] * (3 * needed // 4) + [serving("small", says="small-2")]
    capsys.readouterr()
    assert run(path, address) == 1
    last = capsys.readouterr().err.splitlines()[-1]
    assert last.startswith(f"irollan: {address} answers as 'small-2', and answered as 'small-1' when {path} started, ")
    assert last.endswith(f" (stopped after step 1 of 2); resume with: irollan resume {path}")
    # What the other one answered is no part of the run, and what it took is counted.
    with Transcript(path / "transcript.sqlite") as transcript:
        failed = [call for call in transcript.calls() if call.response is None]
    assert failed
    assert all(call.usage.prompt_tokens == 12 for call in failed if "small-2" in call.error)
    (attempt,) = next(call.usage.attempts for call in failed if "small-2" in call.error)
    assert (attempt.kind, attempt.reason) == ("unusable", "is not taken")
    assert attempt.text.startswith('{"')
    server.answers = [serving("small", says="small-1")]
    assert main(["resume", str(path)]) == 0
    assert events(path) == events(tmp_path / "whole")


def test_which_model_answers_is_known_before_the_first_step_is_over(tmp_path, server):
    """A run that is killed then is not resumed with another one either."""
    found = []

    def reply(path, body):
        found.append(json.loads((tmp_path / "run" / "manifest.json").read_bytes()).get("served"))
        return serving("small")(path, body)

    server.answers = [reply]
    assert run(tmp_path / "run", f"openai:{server.url}", steps=1) == 0
    assert found[0] is None
    assert found[-1] == {f"openai:{server.url}": "small"}
