"""Runs that begin in the middle of others."""

import asyncio
import json
from collections import Counter
from pathlib import Path
from typing import ClassVar

import pytest
from configs import run_config
from stand_in import chat

from evaluation.commands.cli import main
from evaluation.records.run_directory import RunDirectory
from evaluation.runs.ancestry import reconfigure, stages
from evaluation.runs.branching import read_changes
from evaluation.runs.build_society import build_society
from irollan_env.map.valley_map import ValleyMap
from language_models.embedders.hash_embedder import HashEmbedder
from language_models.protocol import ModelError, ModelUnavailable
from language_models.scripted import ScriptedModel
from language_models.transcript.transcript import Transcript

SAME = ("events.jsonl", "metrics.csv")


@pytest.fixture(scope="module")
def parent(tmp_path_factory):
    path = tmp_path_factory.mktemp("branching") / "parent"
    assert main(["run", "--model", "scripted", "--steps", "6", "--out", str(path)]) == 0
    return path


def branch(parent, out, *arguments):
    return main(["branch", str(parent), "--out", str(out), *arguments])


def calls(path):
    with Transcript(path / "transcript.sqlite") as transcript:
        return list(transcript.calls())


def records(path):
    return RunDirectory(path).records()


def test_with_no_change_it_is_identical(parent, tmp_path, capsys, monkeypatch):
    # No model is asked: all that is asked was asked before.
    monkeypatch.setattr(ScriptedModel, "_ask", lambda *arguments: pytest.fail("the model was asked"))
    assert branch(parent, tmp_path / "b", "--at", "3") == 0
    assert capsys.readouterr().out == f"{tmp_path / 'b' / 'report.html'}\n"
    for name in SAME:
        assert (tmp_path / "b" / name).read_bytes() == (parent / name).read_bytes()
    assert calls(tmp_path / "b") == calls(parent)
    manifest = RunDirectory(tmp_path / "b").read_manifest()
    assert (manifest["parent"]["run"], manifest["parent"]["at"]) == (str(parent), 3)
    assert manifest["parent"]["configuration"] == RunDirectory(parent).read_manifest()["configuration"]


def test_another_seed_parts_at_the_branch_and_the_branch_is_replayed_and_resumed(parent, tmp_path, capsys):
    assert branch(parent, tmp_path / "b", "--at", "3", "--seed", "5") == 0
    own, theirs = records(tmp_path / "b"), records(parent)
    assert own[:18] == theirs[:18]
    assert own[18:] != theirs[18:]
    capsys.readouterr()
    assert main(["replay", str(tmp_path / "b")]) == 0
    assert capsys.readouterr().out.startswith("identical: 6 steps, 36 records")
    # A branch that was stopped goes on as if it had not been, and a branch of a branch knows both parents.
    assert branch(parent, tmp_path / "c", "--at", "3", "--seed", "5", "--set", "steps=4") == 0
    assert main(["resume", str(tmp_path / "c"), "--steps", "6"]) == 0
    assert records(tmp_path / "c") == own
    assert branch(tmp_path / "b", tmp_path / "d", "--at", "5", "--set", "architecture=itcma", "--set", "steps=7") == 0
    assert records(tmp_path / "d")[:30] == own[:30]
    assert RunDirectory(tmp_path / "d").read_manifest()["parent"]["parent"]["run"] == str(parent)
    capsys.readouterr()
    assert main(["replay", str(tmp_path / "d")]) == 0
    assert capsys.readouterr().out.startswith("identical: 7 steps, 42 records")


def test_a_branch_does_not_live_the_outage_of_its_parent_again(parent, tmp_path, monkeypatch):
    generate = ScriptedModel.generate
    failed = []

    async def answering(self, request):
        caller = request.caller
        if caller.time == 2 and caller.resident == "MD" and not failed:
            failed.append(caller)
            raise ModelError("once")
        if caller.time == 3 and caller.resident in ("MD", "LL"):
            raise ModelUnavailable("no connection")
        return await generate(self, request)

    monkeypatch.setattr(ScriptedModel, "generate", answering)
    away = tmp_path / "away"
    assert main(["run", "--model", "scripted", "--steps", "6", "--out", str(away)]) == 1
    assert RunDirectory(away).read_manifest()["steps_done"] == 3
    assert any(call.response is None and call.caller.time == 3 for call in calls(away))
    monkeypatch.undo()
    # What failed in a step that was finished belongs to the parent, and stays.
    assert branch(away, tmp_path / "b", "--at", "2") == 0
    assert [call.caller.time for call in calls(tmp_path / "b") if call.response is None] == [2]
    assert records(tmp_path / "b")[:18] == records(away)
    assert main(["resume", str(away)]) == 0
    assert records(tmp_path / "b") == records(away)


@pytest.mark.parametrize("architecture", ["itcma", "compressed-memory"])
def test_another_architecture_from_there_on(parent, tmp_path, architecture):
    assert branch(parent, tmp_path / "b", "--at", "4", "--architecture", architecture) == 0
    found = records(tmp_path / "b")
    assert all(record["relevance"] is not None for record in found[:24])
    assert all(record["relevance"] is None and record["resources"] is None for record in found[24:])


def choosing(path, body):
    """Holds answers to a schema by /chat/completions, and gives log-probabilities by /completions only."""
    if "chat" in path and (form := body.get("response_format")):
        return chat(json.dumps({"choice": min(form["json_schema"]["schema"]["properties"]["choice"]["enum"])}))
    if "chat" in path:
        return chat("I go to bed")
    return {"choices": [{"text": "A", "logprobs": {"top_logprobs": [{"A": -0.5, "B": -1.5, "C": -3.0}]}}]}


def asked(path):
    """By module, the models that were asked from the fourth step on."""
    return {(call.caller.module, call.request.model) for call in calls(path) if call.caller.time >= 3}


def test_other_models_for_some_modules_from_there_on(parent, tmp_path, server, capsys):
    server.answers = [choosing]
    address = f"openai:{server.url}#qwen"
    assert (
        branch(parent, tmp_path / "b", "--at", "3", "--model", f"action={address}", "--model", "matrix=scripted") == 0
    )
    assert server.requests
    found = records(tmp_path / "b")
    assert found[:18] == records(parent)[:18]
    # All places had been imagined by then.
    assert asked(tmp_path / "b") == {("action", address), ("writing", "scripted")}
    assert {call.request.model for call in calls(tmp_path / "b") if call.caller.time < 3} == {"scripted"}
    manifest = RunDirectory(tmp_path / "b").read_manifest()
    assert manifest["configuration"]["effective"]["model"]["roles"] == {"action": address, "matrix": "scripted"}
    assert set(manifest["models"]) == {"model", "action model", "matrix model", "embedder"}

    # A file says the same, and how the address is asked.
    file = tmp_path / "models.toml"
    file.write_text(f'[roles]\naction = "{address}"\nmatrix = "scripted"\n[options."{address}"]\nconcurrency = 2\n')
    assert branch(parent, tmp_path / "c", "--at", "3", "--model", str(file)) == 0
    assert records(tmp_path / "c") == found
    effective = RunDirectory(tmp_path / "c").read_manifest()["configuration"]["effective"]
    assert effective["model"]["options"] == {address: {"concurrency": 2}}

    # A branch of it may take a module back, and keeps the others.
    assert branch(tmp_path / "c", tmp_path / "d", "--at", "5", "--model", "action=scripted") == 0
    effective = RunDirectory(tmp_path / "d").read_manifest()["configuration"]["effective"]
    assert effective["model"]["roles"] == {"action": "scripted", "matrix": "scripted"}

    # Replayed, resumed or branched with no change it is the same, whatever has become of the server.
    server.answers = [(500, {}, {})]
    for name in ("b", "d"):
        capsys.readouterr()
        assert main(["replay", str(tmp_path / name)]) == 0
        assert capsys.readouterr().out.startswith("identical: 6 steps, 36 records")
    assert branch(tmp_path / "b", tmp_path / "e", "--at", "4") == 0
    assert records(tmp_path / "e") == found


class Weights(ScriptedModel):
    """A file of weights that is named for its last part alone, as the embedded model is."""

    asked: ClassVar[Counter[Path]] = Counter()

    def __init__(self, path, **options):
        super().__init__(name=path.name)
        self.path = path

    def _ask(self, caller, prompt):
        self.asked[self.path] += 1
        return super()._ask(caller, prompt)


@pytest.fixture
def files(tmp_path, monkeypatch):
    """Three files of one name, the first and the last of which are the same."""
    monkeypatch.setattr("language_models.local.embedded.EmbeddedModel", Weights)
    monkeypatch.setattr(Weights, "asked", Counter())
    paths = [tmp_path / folder / "model.gguf" for folder in ("one", "other", "copy")]
    for path, text in zip(paths, ("weights", "other weights", "weights"), strict=True):
        path.parent.mkdir()
        path.write_text(text)
    return paths


def test_other_weights_of_the_same_name_are_asked_for_everything(tmp_path, capsys, files):
    one, other, copy = files
    base = tmp_path / "base"
    assert main(["run", "--model", str(one), "--embedder", "hash", "--steps", "4", "--out", str(base)]) == 0
    Weights.asked.clear()
    capsys.readouterr()
    assert branch(base, tmp_path / "b", "--at", "2", "--model", str(other)) == 0
    assert f"note: model.gguf has other files or options than in {base}, and is" in capsys.readouterr().err
    anew = [call for call in calls(tmp_path / "b") if call.caller.time >= 2]
    assert Weights.asked == {other: len(anew)}
    assert {call.request.model for call in anew} == {"model.gguf"}
    assert main(["replay", str(tmp_path / "b")]) == 0
    # The same bytes in another place answer alike.
    Weights.asked.clear()
    assert branch(base, tmp_path / "c", "--at", "2", "--model", str(copy)) == 0
    assert not Weights.asked
    # The steps before it parted were answered by its parent's weights, which a branch from there must not take for its.
    assert branch(tmp_path / "b", tmp_path / "d", "--at", "1", "--set", "recording.checkpoint_every=2") == 0
    assert Weights.asked == {other: sum(call.caller.time >= 1 for call in calls(tmp_path / "d"))}
    Weights.asked.clear()
    assert branch(tmp_path / "c", tmp_path / "e", "--at", "1") == 0
    assert not Weights.asked


def test_two_models_that_a_transcript_could_not_tell_apart_are_refused(tmp_path, capsys, files):
    one, other, _ = files
    models = ["--model", str(one), "--model", f"action={other}"]
    assert main(["run", *models, "--embedder", "hash", "--steps", "2", "--out", str(tmp_path / "run")]) == 2
    assert f"'{one}' and '{other}' are both recorded as 'model.gguf', so that their" in capsys.readouterr().err
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize(
    ("options", "alike"),
    [
        ("concurrency = 2\ndeadline = 60.0\nretries = 1", True),
        ('choosing = "structured"', False),
        ('endpoint = "completions"', False),
    ],
)
def test_an_address_that_is_asked_otherwise_is_asked_for_everything(tmp_path, server, capsys, options, alike):
    address, base, file = f"openai:{server.url}#qwen", tmp_path / "base", tmp_path / "models.toml"
    server.answers = [choosing]
    models = ["--model", "scripted", "--model", f"action={address}", "--deliberation", "similarity"]
    assert main(["run", *models, "--steps", "2", "--out", str(base)]) == 0
    ways = RunDirectory(base).read_manifest()["choosing"]
    assert ways == {address: "structured"}
    file.write_text(f'[options."{address}"]\n{options}\n')
    server.requests.clear()
    capsys.readouterr()
    assert branch(base, tmp_path / "b", "--at", "1", "--model", str(file)) == 0
    assert (server.requests == []) is alike
    assert ("has other files or options than" in capsys.readouterr().err) is not alike
    # How it chooses, too, goes over only where it is asked as before.
    now = {} if alike else RunDirectory(tmp_path / "b").read_manifest()["choosing"]
    assert alike or now == {address: "logprobs" if "completions" in options else "structured"}
    assert main(["replay", str(tmp_path / "b")]) == 0


def test_how_an_address_chose_is_not_kept_where_it_is_asked_no_more(tmp_path, server, monkeypatch):
    base, out = tmp_path / "base", tmp_path / "b"
    server.answers = [choosing]
    models = ["--model", "scripted", "--model", f"action=openai:{server.url}#qwen", "--deliberation", "similarity"]
    assert main(["run", *models, "--steps", "2", "--out", str(base)]) == 0
    written, write = [], RunDirectory.write_manifest

    def counted(self, manifest):
        written.append(dict(manifest))
        write(self, manifest)

    monkeypatch.setattr(RunDirectory, "write_manifest", counted)
    assert branch(base, out, "--at", "1", "--set", "steps=9", "--model", "action=scripted") == 0
    assert not any("choosing" in manifest for manifest in written)
    # At the beginning of the branch and of its own steps, and at its end: not in every step.
    assert len(written) == 3


def test_elimination_by_a_model_from_there_on(parent, tmp_path, capsys):
    assert branch(parent, tmp_path / "b", "--at", "3", "--model", "elimination=scripted") == 0
    assert {module for module, _ in asked(tmp_path / "b")} >= {"elimination"}
    assert RunDirectory(tmp_path / "b").read_manifest()["configuration"]["effective"]["mind"]["elimination"] == "model"
    capsys.readouterr()
    assert main(["replay", str(tmp_path / "b")]) == 0
    assert capsys.readouterr().out.startswith("identical: 6 steps, 36 records")


def test_another_model_for_elimination_scores_everything_anew():
    first = run_config(model="scripted", roles={"elimination": "scripted"})
    second = run_config(model="scripted", roles={"elimination": "openai:http://127.0.0.1:9/v1#qwen"})
    model, embedder = ScriptedModel(), HashEmbedder()
    society = build_society(first, model, embedder)
    asyncio.run(society.step())
    known = {name: mind["scorer"]["known"] for name, mind in society.get_state()["residents"].items()}
    assert all(known.values())
    for after, kept in ((first, known), (second, {name: {} for name in known})):
        rebuilt = reconfigure(society.get_state(), first, after, model, embedder, ValleyMap.default())
        assert {name: mind["scorer"]["known"] for name, mind in rebuilt.get_state()["residents"].items()} == kept


def test_a_society_gets_ltrha_in_the_middle_of_its_life():
    model, embedder = ScriptedModel(), HashEmbedder()
    before, after = run_config(architecture="itcma", model="scripted"), run_config(model="scripted")
    society = build_society(before, model, embedder)
    society.world.step({"LL": f"go to {society.observe('LL').admissible[0].removeprefix('go to ')}"})
    rebuilt = reconfigure(society.get_state(), before, after, model, embedder, ValleyMap.default())
    assert rebuilt.framework.resources == dict.fromkeys(society.residents, 1.0)
    assert rebuilt.framework.get_state()["places"] == {name: society.world.place_of(name) for name in society.residents}
    assert rebuilt.get_state()["world"] == society.get_state()["world"]


def test_a_branch_keeps_the_limits_and_counts_what_came_before(parent, tmp_path, capsys):
    limited, spent = tmp_path / "limited", sum(call.usage.prompt_tokens for call in calls(parent))
    limit = spent * 3 // 2
    arguments = ["--at", "3", "--set", "steps=20"]
    assert branch(parent, limited, *arguments, "--max-tokens", str(limit)) == 1
    with Transcript(limited / "transcript.sqlite") as transcript:
        assert spent < transcript.costs.total().tokens <= limit
    # The limit goes on to a branch of the branch.
    assert branch(limited, tmp_path / "kept", *arguments) == 1
    assert stages(RunDirectory(tmp_path / "kept").read_manifest())[-1].configuration.limits.max_tokens == limit
    assert records(tmp_path / "kept") == records(limited)
    assert "tokens are spent" in capsys.readouterr().err
    assert branch(limited, tmp_path / "free", "--at", "3", "--set", "steps=4", "--no-limits") == 0
    assert not stages(RunDirectory(tmp_path / "free").read_manifest())[-1].configuration.limits.any


def test_default_directory_and_a_parent_that_has_gone(parent, tmp_path, capsys):
    mine = tmp_path / "mine"
    assert branch(parent, mine, "--at", "6", "--set", "steps=7") == 0
    capsys.readouterr()
    for name in ("mine-at2", "mine-at2-2"):
        assert main(["branch", str(mine), "--at", "2", "--seed", "9", "--set", "steps=3", "--json"]) == 0
        assert json.loads(capsys.readouterr().out)["run"] == str(tmp_path / name)
    mine.rename(tmp_path / "elsewhere")
    assert main(["resume", str(tmp_path / "mine-at2"), "--steps", "4"]) == 0
    assert "transcript.sqlite is not there any more" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("", "missing option '--at'"),
        ("--at 7", "at must be a time step of "),
        ("--at 2 --set steps=2", "steps must be more than the 2 that come before the branch, got 2"),
        ("--at 2 --set steps=many", "steps must be a whole number, got 'many'"),
        ("--at 2 --set steps", "--set takes KEY=VALUE, got 'steps'"),
        ("--at 2 --set mind.nmae=x", "unknown key 'mind.nmae'; did you mean 'mind.name'?"),
        ("--at 2 --ablate emotion", "unknown option --ablate; give --set mind.ablate=VALUE; see irollan branch"),
        ("--at 2 --steps 9", "unknown option --steps; give --set steps=VALUE"),
        ("--at 2 --scenario x", "unknown option --scenario: world.scenario cannot change within a run"),
        (
            "--at 2 --set model.embedder=minilm",
            "the embedder cannot change within a run: memories are kept in its terms",
        ),
        (
            "--at 2 --set model.roles=action",
            "model.roles is a table: give --model ROLE=NAME",
        ),
        ("--at 2 --model acton=scripted", "unknown role 'acton': it must be one of elimination, protention, action, "),
        ("--at 2 --model action=smolm2", "unknown model 'smolm2'"),
        ("--at 2 --model none.toml", "there is no file none.toml"),
        ("--at 2 --architecture itcma --set ltrha.rank_by=company", "ltrha.rank_by has no effect"),
        ("--at 2 --model person=scripted", "model.roles.person has no effect: no resident has the mind me"),
        ("--at 2 --architecture itcm", "unknown architecture 'itcm'"),
        ("--at 2 --set model.name=smolm2", "unknown model 'smolm2'"),
        (
            "--at 2 --model other.toml",
            "the embedder cannot change within a run: memories are kept in its terms; the run ",
        ),
    ],
)
def test_wrong_usage_writes_nothing(parent, tmp_path, capsys, monkeypatch, arguments, message):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "other.toml").write_text('embedder = "minilm"')
    assert branch(parent, tmp_path / "b", *arguments.split()) == 2
    assert message in capsys.readouterr().err
    assert not (tmp_path / "b").exists()


def test_settings_are_read_by_the_type_of_their_field():
    changes = read_changes(["recording.checkpoint-every=3", "model.name = scripted "])
    assert changes == {"recording.checkpoint_every": 3, "model.name": "scripted"}


def test_deliberation_stays_and_how_steps_are_taken_may_change():
    with pytest.raises(ValueError, match=r"^mind.deliberation cannot change within a run"):
        read_changes(["mind.deliberation=llm"])
    settings = ["world.scheduling=sequential", "ltrha.execution_draw=before", "ltrha.resource_mode=share"]
    assert read_changes(settings) == dict(setting.split("=") for setting in settings)
