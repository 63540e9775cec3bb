"""What runs cost in calls and tokens, as recorded and as with a large model."""

import pytest

from benchmarks.mind.model_costs import estimated_costs, recorded_costs
from benchmarks.models.kills import REPORTING
from evaluation.commands.cli import main
from evaluation.records.run_directory import RunDirectory
from language_models.transcript.transcript import Transcript


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    folder = tmp_path_factory.mktemp("runs")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(REPORTING, lambda *_: None)
        for architecture in ("itcma", "itcma-s"):
            arguments = ["run", "--model", "scripted", "--steps", "2", "--architecture", architecture]
            assert main([*arguments, "--elimination", "model", "--out", str(folder / architecture)]) == 0
    return folder


def test_calls_and_tokens_are_those_of_the_transcript(runs):
    found = {one.name.split(" (")[0]: one for one in recorded_costs([runs / "itcma-s"])}
    with Transcript(runs / "itcma-s" / "transcript.sqlite") as transcript:
        calls = list(transcript.calls())
    assert found["calls"].value == pytest.approx(len(calls) / 12)
    tokens = sum(call.usage.prompt_tokens + call.usage.generated_tokens for call in calls)
    assert found["tokens"].value == pytest.approx(tokens / 12)
    assert found["prompt tokens from the cache"].value == 0.0
    assert found["prompt tokens from the cache"].reached is False
    assert (found["calls"].goal, found["tokens"].goal) == (1.5, 700)


def test_two_architectures_are_set_beside_each_other(runs):
    one, other = ([*recorded_costs([runs / name])][1].value for name in ("itcma", "itcma-s"))
    *rest, ratio = recorded_costs([runs / "itcma-s", runs / "itcma"])
    assert ratio.name == "tokens of itcma / itcma-s"
    assert ratio.value == pytest.approx(one / other)
    assert [row.goal for row in rest if row.name.endswith("(itcma, seed 0, 12 resident-steps)")] == [None] * 3


def test_a_large_model_is_told_more_by_every_mechanism_that_a_mind_lacks():
    rows = [*estimated_costs(lambda line: None, steps=4, seeds=(0,))]
    found = {row.name.split(", ")[0]: row for row in rows}
    tokens = {name: found[f"tokens ({name}"].value for name in ("itcma", "compressed-memory", "itcma-s")}
    assert tokens["itcma"] > 1.5 * tokens["compressed-memory"] > 3 * tokens["itcma-s"]
    ways = {way: found[f"tokens with choices by {way} (itcma-s"].value for way in ("letters", "a schema")}
    # An action is chosen of up to eight, and the matrix ranks six, but ITCMA chooses among all actions.
    assert ways["a schema"] < ways["letters"] == tokens["itcma-s"]
    assert tokens["itcma"] < found["tokens with choices by letters (itcma"].value / 2
    assert found["tokens with choices by a schema (itcma-s"].reached
    ratio = rows[-1]
    assert ratio.name == "tokens of itcma / itcma-s (a large model, seeds 0, 4 steps)"
    assert ratio.value == pytest.approx(tokens["itcma"] / tokens["itcma-s"])
    assert ratio.goal == 10


def test_elimination_by_a_model_asks_it_about_an_action_once_for_a_goal(runs):
    manifest = RunDirectory(runs / "itcma-s").read_manifest()
    assert manifest["configuration"]["effective"]["elimination"] == "model"
    for name, asked in (("itcma-s", True), ("itcma", False)):
        with Transcript(runs / name / "transcript.sqlite") as transcript:
            calls = [call for call in transcript.calls() if call.caller.module == "elimination"]
        assert bool(calls) == asked
        for call in calls:
            assert call.request.prompt.count(" will be relevant?") == 1
        prompts = [(call.caller.resident, call.request.prompt) for call in calls]
        assert len(set(prompts)) == len(prompts)
    for record in RunDirectory(runs / "itcma-s").records():
        assert set(record["relevance"]) == set(record["admissible"])
        assert all(1.0 <= score <= 5.0 for score in record["relevance"].values())
