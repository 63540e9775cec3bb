"""The configuration of a run in parts: what follows from what, what is refused, and one TOML file for all of it."""

import json
import tomllib

import pytest
from configs import run_config

from evaluation.commands.cli import main
from evaluation.runs.build_society import build_society
from evaluation.runs.config_parts import LTRHAConfig, MindConfig, ModelConfig, RankBy, ResourceMode
from evaluation.runs.run_config import KEYS, RESOURCE_MODE, SCHEDULING, RunConfig
from irollan_env.random_streams import stream
from language_models.embedders.hash_embedder import HashEmbedder
from language_models.scripted import ScriptedModel

LARGE = "openai:http://127.0.0.1:1/v1"


def printed(capsys, *arguments):
    """What irollan config prints; its one line on standard error where it refuses."""
    status = main(["config", *arguments])
    out, err = capsys.readouterr()
    assert (status == 0) == (not err)
    return out if status == 0 else err.strip()


@pytest.mark.parametrize(
    ("given", "path", "value"),
    [
        ({}, "model.embedder", "minilm"),
        ({"model": "scripted"}, "model.embedder", "hash"),
        ({"model": "scripted", "embedder": "minilm"}, "model.embedder", "minilm"),
        ({}, "mind.elimination", "embedder"),
        ({"roles": {"elimination": "scripted"}}, "mind.elimination", "model"),
        ({"elimination": "model"}, "mind.elimination", "model"),
        ({}, "mind.deliberation", "similarity"),
        ({"model": LARGE}, "mind.deliberation", "llm"),
        ({"roles": {"action": "transformers:folder"}}, "mind.deliberation", "llm"),
        ({"model": LARGE, "roles": {"action": "smollm2"}}, "mind.deliberation", "similarity"),
        ({"model": LARGE, "deliberation": "similarity"}, "mind.deliberation", "similarity"),
        ({"scheduling": "sequential"}, "world.scheduling", "sequential"),
    ],
)
def test_what_is_left_out_follows_from_the_rest(given, path, value):
    assert run_config(**given).get(path) == value


def test_scheduling_and_resources_follow_who_decides():
    for deliberation in SCHEDULING:
        found = run_config(deliberation=deliberation)
        assert (found.world.scheduling, found.ltrha.resource_mode) == (
            SCHEDULING[deliberation],
            RESOURCE_MODE[deliberation],
        )


def test_parts_take_choices_as_text_and_hold_them_as_members():
    config = RunConfig(
        model=ModelConfig(name="scripted"), mind=MindConfig(ablate=["emotion"]), ltrha=LTRHAConfig(rank_by="company")
    )
    assert config.ltrha.rank_by is RankBy.COMPANY
    assert config == run_config(model="scripted", ablate=["emotion"], rank_by="company")
    assert config.with_keys({"ltrha.resource_mode": "share"}).ltrha.resource_mode is ResourceMode.SHARE


@pytest.mark.parametrize("preset", ["default", "paper"])
def test_json_and_toml_give_an_equal_configuration_back(preset):
    config = RunConfig.from_keys(
        {
            "preset": preset,
            "steps": 3,
            "mind.ablate": ["driver", "retention"],
            "world.identities": {"LL": {"name": 'O"Hara \\ \x7fé', "memories": ["a", "b"]}},
            "model.name": LARGE,
            "model.options": {LARGE: {"retries": 2, "extra_body": {"top k": 1.5}}},
            "limits.max_cost": 0.5,
        }
    )
    assert RunConfig.from_json(json.loads(json.dumps(config.to_json()))) == config
    assert RunConfig.from_keys(tomllib.loads(config.to_toml())) == config


def test_a_run_of_before_the_parts_and_a_damaged_one_are_refused():
    data = RunConfig().to_json()
    with pytest.raises(ValueError, match="before configurations had parts"):
        RunConfig.from_json({**data, "model": "smollm2"})
    with pytest.raises(ValueError, match="lacks 'seed'"):
        RunConfig.from_json({key: value for key, value in data.items() if key != "seed"})
    with pytest.raises(ValueError, match="steps must be a whole number, got 'many'"):
        RunConfig.from_json({**data, "steps": "many"})


def test_the_numbers_of_the_equations_are_keys():
    keys = {"mind.parameters.retention": 8, "mind.parameters.driver_weights": {"pleasure": 0.2, "arousal": 0.5}}
    config = RunConfig.from_keys({**keys, "ltrha.parameters.s_max": 5})
    assert (config.mind.parameters.retention, config.mind.parameters.driver_weights.arousal) == (8, 0.5)
    assert config.ltrha.parameters.s_max == 5.0
    society = build_society(config.with_keys({"model.name": "scripted"}), ScriptedModel(), HashEmbedder())
    assert society.framework.matrix.s_max == 5.0
    assert {one.parameters for one in society.residents.values()} == {config.mind.parameters}


@pytest.mark.parametrize(
    ("keys", "message"),
    [
        ({"steps": 0}, "steps must be a whole number from 1 to 1000000, got 0"),
        ({"steps": 1_000_001}, "steps must be a whole number from 1 to 1000000, got 1000001"),
        ({"steps": 2.5}, "steps must be a whole number, got 2.5"),
        ({"seed": True}, "seed must be a whole number, got True"),
        ({"seed": -1}, "seed must be a whole number from 0 to 9223372036854775807, got -1"),
        ({"architecture": ["itcma"]}, r"architecture must be a text, got \['itcma'\]"),
        ({"model.name": 3}, "model.name must be a text, got 3"),
        ({"model.name": ""}, "model.name must not be empty"),
        ({"model.roles": {"matrix": 3}}, "model.roles must name a model for each role, got 3 for matrix"),
        ({"mind.elimination": "modle"}, "mind.elimination must be one of embedder, model, got 'modle'; did you mean"),
        ({"mind.elimination": "embedder", "model.roles": {"elimination": "scripted"}}, "leave one of the two out"),
        ({"mind.descriptions": "on"}, "mind.descriptions must be true or false, got 'on'"),
        ({"mind.ablate": 3}, "mind.ablate must be a list of texts, got 3"),
        ({"mind.ablate": '["emotion"'}, r'mind.ablate must be a list such as \["a", "b"\], got'),
        ({"mind.ablate": ["emotoin"]}, "unknown mechanism 'emotoin'"),
        ({"mind.ablate": ["topic"], "architecture": "driver"}, "'topic', which the architecture driver lacks"),
        ({"model.on_failure": "halt"}, "model.on_failure must be one of wait, stop, got 'halt'"),
        ({"ltrha.resource_mode": "shares"}, "one of amount, share, no-debt, got 'shares'; did you mean 'share'?"),
        ({"world.scheduling": "one-by-one"}, "world.scheduling must be one of sequential, simultaneous"),
        ({"recording.checkpoint_every": 0}, "recording.checkpoint_every must be a whole number from 1"),
        ({"limits.max_tokens": -1}, "limits.max_tokens must be a finite number above 0, got -1"),
        ({"preset": "papper"}, "preset must be one of default, paper, got 'papper'; did you mean 'paper'?"),
        ({"stepz": 3}, "^unknown key 'stepz'; did you mean 'steps'\\?$"),
        ({"mind.zzz": 3}, r"^unknown key 'mind.zzz': the part mind has mind.name, (?!.*ltrha)"),
        ({"zzz": 3}, r"^unknown key 'zzz': it must be one of architecture, .*, ltrha.KEY, (?!.*rank_by)"),
        ({"rank_by": "company"}, "unknown key 'rank_by'.*did you mean 'ltrha.rank_by'?"),
        ({"ltrha": {"rank_bye": "company"}}, "unknown key 'ltrha.rank_bye'.*did you mean 'ltrha.rank_by'?"),
        ({"ltrha": "share"}, "ltrha is a part of the configuration: give one of its keys"),
    ],
)
def test_what_no_run_can_be_is_refused_by_its_key(keys, message):
    with pytest.raises(ValueError, match=message):
        RunConfig.from_keys(keys)


@pytest.mark.parametrize("value", ["emotion, driver", '["emotion", "driver"]', ["emotion", "driver"]])
def test_a_list_is_taken_as_a_list_as_toml_or_with_commas(value):
    assert RunConfig.from_keys({"mind.ablate": value}).get("mind.ablate") == ["emotion", "driver"]


def test_a_part_that_is_none_is_refused():
    with pytest.raises(ValueError, match="model must be a ModelConfig, got 'scripted'"):
        RunConfig(model="scripted")


def test_the_paper_has_its_models_by_module_unless_a_model_is_named():
    paper = RunConfig.from_keys({"preset": "paper"})
    assert paper.model.of("action").endswith("gpt-4o")
    assert {paper.model.of(role) for role in ("elimination", "protention", "matrix")} == {paper.model.of("matrix")}
    assert "Llama-3.1-8B" in paper.model.of("matrix")
    values = ("mind.elimination", "mind.prompt_detail", "mind.deliberation", "ltrha.resource_mode")
    assert [paper.get(path) for path in values] == ["model", "positions", "llm", "amount"]
    own = RunConfig.from_keys({"preset": "paper", "model.name": "scripted", "ltrha.resource_mode": "share"})
    assert (own.model.names, own.mind.elimination, own.ltrha.resource_mode) == (["scripted"], "model", "share")


def test_one_file_says_a_run_and_options_override_it(tmp_path, capsys):
    file = tmp_path / "run.toml"
    file.write_text('preset = "paper"\nsteps = 9\n[model]\nname = "scripted"\n[ltrha]\nrank-by = "company"\n')
    text = printed(capsys, "--config", str(file), "--steps", "4", "--set", "ltrha.rank_scope=locale", "--rank-by=goals")
    found = RunConfig.from_keys(tomllib.loads(text))
    assert (found.steps, found.model.name, found.mind.prompt_detail) == (4, "scripted", "positions")
    assert (found.ltrha.rank_by, found.ltrha.rank_scope) == ("goals", "locale")
    file.write_text(text)
    assert printed(capsys, "--config", str(file)) == text


def test_every_key_can_be_set_but_tables(capsys):
    values = {str: "x", int: "7", bool: "false", tuple: "driver,emotion", float: "0.5"}
    for path, kind in KEYS.items():
        if kind in values and path.startswith(("limits.max", "recording", "mind.descriptions", "mind.ablate")):
            keys = RunConfig.from_keys(
                tomllib.loads(printed(capsys, "--model", LARGE, "--set", f"{path}={values[kind]}"))
            )
            assert keys.get(path) in (7, False, 0.5, ["emotion", "driver"])
    assert "model.roles is a table" in printed(capsys, "--set", "model.roles=x")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("--architecture itcma --execution-draw before", "ltrha.execution_draw has no effect"),
        ("--architecture driver --set ltrha.rank_scope=locale", "ltrha.rank_scope has no effect"),
        ("--prompt-detail names", "mind.prompt_detail has no effect: residents decide by similarity"),
        ("--mind react --deliberation llm", "mind.deliberation has no effect: no resident has the mind itcma-s"),
        ("--set mind.descriptions=false", "mind.descriptions has no effect"),
        (
            "--model scripted --set model.serving=fast",
            "model.serving has no effect: no model of the run is a GGUF file",
        ),
        ("--model scripted --model person=scripted", "model.roles.person has no effect: no resident has the mind me"),
        (f"--model {LARGE} --model writing=scripted", "model.roles.writing has no effect: the model of the role"),
        ("--architecture itcma --model elimination=scripted", "model.roles.elimination has no effect"),
        ("--architecture driver --model matrix=scripted", "model.roles.matrix has no effect"),
        ("--mind random --model protention=scripted", "model.roles.protention has no effect: no mind of the run asks"),
        ("--architecture itcma --set mind.parameters.appraisal.resource=1", "there are no resources"),
        (f"--model {LARGE} --architecture driver --set mind.descriptions=false", "compresses no memories"),
        (f"--model {LARGE} --set ltrha.parameters.ranking.tone=0.5", "ltrha.parameters.ranking.tone has no effect"),
        ("--architecture itcma --set mind.elimination=model", "mind.elimination has no effect"),
        (
            "--architecture driver --set mind.parameters.segment_length=3",
            "mind.parameters.segment_length has no effect",
        ),
        ("--set mind.parameters.blend_threshold=3", "mind.parameters: blend_threshold must lie in [0, 1], got 3.0"),
        ("--set ltrha.parameters.s_max=x", "ltrha.parameters.s_max must be a number, got 'x'"),
        ("--set seed", "--set takes KEY=VALUE, got 'seed'"),
        ("--set seed=x", "seed must be a whole number, got 'x'"),
        ("--set mind.descriptions=off", "mind.descriptions must be true or false, got 'off'"),
        ("--config none.toml", "cannot read the configuration none.toml: No such file"),
    ],
)
def test_an_option_without_effect_and_a_wrong_one_are_refused_in_one_line(capsys, arguments, message):
    line = printed(capsys, *arguments.split())
    assert message in line
    assert "\n" not in line


def test_a_default_without_effect_is_not_refused(capsys):
    assert "[ltrha]" not in printed(capsys, "--architecture", "itcma")
    assert "deliberation" not in printed(capsys, "--mind", "react")


def test_each_name_has_a_stream_of_its_own():
    first = {name: stream(3, name).integers(2**62) for name in ("world", "ltrha", "resident AY", "resident YA")}
    assert len(set(first.values())) == 4
    assert first["world"] == stream(3, "world").integers(2**62) != stream(4, "world").integers(2**62)
