"""What runs cost in calls and tokens, as recorded and as with a large model."""

import pytest

from benchmarks.mind.model_costs import estimated_costs, recorded_costs
from benchmarks.models.kills import REPORTING
from evaluation.commands.cli import main
from language_models.transcript.transcript import Transcript


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    folder = tmp_path_factory.mktemp("runs")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(REPORTING, lambda *_: None)
        for architecture in ("itcma", "itcma-s"):
            arguments = ["run", "--model", "scripted", "--steps", "2", "--architecture", architecture]
            scored = ["--set", "mind.elimination=model"] if architecture == "itcma-s" else []
            assert main([*arguments, *scored, "--out", str(folder / architecture)]) == 0
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


def test_every_architecture_is_told_of_in_about_as_many_words_by_either_way_to_decide():
    rows = [*estimated_costs(lambda line: None, steps=4, seeds=(0,))]
    for way in ("llm", "similarity"):
        found = {row.name.split(", a large")[0]: row.value for row in rows if f"deliberation {way}" in row.name}
        tokens = {name: found[f"tokens ({name}"] for name in ("itcma", "compressed-memory", "itcma-s")}
        assert tokens["compressed-memory"] <= tokens["itcma"]  # nothing is compressed yet
    assert tokens["itcma-s"] < tokens["itcma"]  # by similarity it chooses among what is left
    ratios = [row for row in rows if row.name.startswith("tokens of itcma / itcma-s (")]
    assert [row.goal for row in ratios] == [None, None]
