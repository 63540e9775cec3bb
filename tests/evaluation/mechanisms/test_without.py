"""Tests that runs with an ablated mechanism match decisions repeated without it."""

from pathlib import Path

import pytest
from configs import run_config
from lived_runs import Silent, lived
from requests_of_lives import lived as led

from evaluation.commands.cli import main
from evaluation.records.run_directory import RunDirectory
from evaluation.runs.build_society import build_society, find_backends
from evaluation.runs.replay import replay
from evaluation.runs.resume import resume
from evaluation.runs.start import start
from evaluation.sweeps import read_declaration
from evaluation.sweeps.table import group_of
from itcma_s.ablation.mechanisms import MECHANISMS
from itcma_s.ablation.resident import AblatedResident
from itcma_s.actions import without_words
from itcma_s.deliberation.similarity_policy.similarity_policy import SimilarityPolicy
from language_models.embedders.hash_embedder import HashEmbedder
from language_models.scripted import ScriptedModel


def decided(run):
    """Return actions and goals by time and resident."""
    return {(one["time"], one["resident"]): (one["action"], one["goal"]) for one in run.records()}


# Without protention the emotion of the next step is another one already.
@pytest.mark.parametrize("name", [one.name for one in MECHANISMS if one.name != "protention"])
@pytest.mark.slow
def test_lives_part_where_the_first_decision_made_again_without_a_mechanism_says_and_as_it_says(
    name, run, measured, tmp_path
):
    compared = [one for one in measured.comparisons if one.mechanism == name and one.how == "removed"]
    parting = min((one.time for one in compared if one.other_action or one.other_goal), default=7)
    after = decided(lived(tmp_path / "run", steps=parting + 1, ablate=[name]))
    before = {key: done for key, done in decided(run).items() if key in after}
    parts = min((time for (time, who) in before if before[time, who] != after[time, who]), default=parting + 1)
    assert not [one for one in compared if one.time < parts and (one.other_action or one.other_goal)]
    for one in compared:
        if one.time == parts <= parting:
            action, goal = after[one.time, one.resident]
            assert (action and without_words(action), goal) == (
                one.became.action and without_words(one.became.action),
                one.became.goal,
            )
    if name in ("driver", "emotion", "habitus", "activated memory"):
        assert parts <= parting < 11


def test_without_protention_actions_are_expected_to_leave_things_as_they_are(tmp_path):
    for record in lived(tmp_path / "run", steps=3, ablate=["protention"]).records():
        ways = {action for action in record["protention"] if action.startswith(("go to ", "leave "))}
        assert len({sentence for action, sentence in record["protention"].items() if action not in ways}) <= 1
        # Where a way leads is in its words, and no forecast; what one will find there is.
        for action in ways - {one for one in ways if one.startswith("leave ")}:
            place = action.removeprefix("go to ").removeprefix("Public ").lower()
            assert place.replace("'s home", "") in record["protention"][action].lower()
            assert "find" not in record["protention"][action]


def test_what_is_taken_from_decisions_is_computed_and_recorded_all_the_same_and_goals_are_formed_without_it(
    tmp_path, monkeypatch
):
    drivers = []
    topics = set()
    aim = SimilarityPolicy.aim

    async def noting(self, observation, familiarity, driver, *more):
        drivers.append(driver)
        topics.add(observation.topic)
        return await aim(self, observation, familiarity, driver, *more)

    monkeypatch.setattr(SimilarityPolicy, "aim", noting)
    records = list(lived(tmp_path / "run", steps=7, ablate=["driver", "emotion", "topic"]).records())
    assert len(drivers) > 35
    assert set(drivers) == {0.0}
    assert topics == {None}
    for key in ("driver", "pleasure", "topic"):
        assert any(record[key] for record in records), key


def test_without_elimination_every_action_is_left(run, tmp_path):
    records = list(lived(tmp_path / "run", steps=3, ablate=["elimination"]).records())
    for record in records:
        assert record["relevance"] is None
        assert set(record["protention"]) == set(record["admissible"])
    assert any(len(one["protention"]) < len(one["admissible"]) for one in run.records() if one["time"] < 3)


@pytest.mark.parametrize(("name", "words"), [("resources", "others think neither"), ("topic", "mood here is")])
def test_a_model_that_leads_is_not_told_of_what_is_taken_away(name, words):
    whole, lacking = (led(3, ablate=ablate)[0] for ablate in ([], [name]))
    assert any(words in prompt.lower() for prompt in whole.prompts)
    assert not any(words in prompt.lower() for prompt in lacking.prompts)


def test_such_a_run_is_resumed_and_replayed_to_the_byte(tmp_path):
    for steps, name in ((4, "whole"), (2, "stopped")):
        configuration = run_config(model="scripted", steps=steps, ablate=["driver", "retention"])
        start(configuration, Silent(), out=tmp_path / name, write_report=None)
    resume(tmp_path / "stopped", Silent(), changes={"steps": 4}, write_report=None)
    events = [(tmp_path / name / "events.jsonl").read_bytes() for name in ("whole", "stopped")]
    assert events[0] == events[1]
    replay(RunDirectory(tmp_path / "whole"), Silent())


@pytest.mark.usefixtures("no_figures")
def test_a_branch_may_lack_what_its_trunk_had(tmp_path, capsys):
    path, out = tmp_path / "trunk", tmp_path / "branch"
    start(run_config(model="scripted", steps=5), Silent(), out=path, write_report=None)
    assert main(["branch", str(path), "--at", "3", "--set", "mind.ablate=driver", "--out", str(out)]) == 0
    trunk, branch = decided(RunDirectory(path)), decided(RunDirectory(out))
    assert not [key for key in trunk if key[0] < 3 and trunk[key] != branch[key]]
    assert trunk != branch
    assert main(["branch", str(path), "--at", "3", "--set", "mind.ablate=drive"]) == 2
    assert "did you mean 'driver'" in capsys.readouterr().err


def test_only_who_lacks_something_is_another_resident():
    def kinds(*ablate):
        society = build_society(run_config(model="scripted", ablate=ablate), ScriptedModel(), HashEmbedder())
        return {isinstance(one, AblatedResident) for one in society.residents.values()}

    assert kinds() == {False}
    assert kinds("habitus") == {True}


def test_names_come_in_one_order_and_what_cannot_be_left_out_is_refused():
    assert run_config(ablate=["habitus", "driver", "driver"]).mind.ablate == ("driver", "habitus")
    for name, architecture in (("habitus", "driver"), ("elimination", "ltrha"), ("imagination", "itcma")):
        with pytest.raises(ValueError, match=f"'{name}', which the architecture {architecture} lacks"):
            run_config(ablate=[name], architecture=architecture)


@pytest.mark.usefixtures("no_figures")
def test_the_command_takes_several_and_its_decisions_are_not_measured_again(tmp_path, capsys):
    out = str(tmp_path / "run")
    asked = ["--model", "scripted", "--steps", "1", "--ablate", "topic", "--ablate", "driver", "--out", out]
    assert main(["run", *asked]) == 0
    assert RunDirectory(Path(out)).read_manifest()["configuration"]["effective"]["mind"]["ablate"] == [
        "driver",
        "topic",
    ]
    capsys.readouterr()
    assert main(["bench", "mechanisms", out]) == 2
    assert "ran without driver, topic" in capsys.readouterr().err


def test_somebody_has_to_have_what_is_left_out():
    everybody = dict.fromkeys(("AY", "SG", "MD", "WL", "LL", "WM"), "random")
    for minds in ({"mind": "random"}, {"by_resident": everybody}):
        with pytest.raises(ValueError, match=r"mind\.ablate has no effect: no resident has the mind itcma-s"):
            find_backends(run_config(model="scripted", ablate=["driver"], **minds))


def test_a_sweep_takes_each_in_turn():
    cells = read_declaration(None, ["mind.ablate=nothing,driver,driver + habitus", "seed=0"]).cells()
    assert [cell.name.partition("ablate-")[2] for cell in cells] == ["nothing", "driver", "driver-habitus"]
    groups = [group_of(cell, ["mind.ablate"]) for cell in cells]
    assert groups == ["ablate=nothing", "ablate=driver", "ablate=driver + habitus"]
