"""What runs cost, as `irollan bench mind` says it; and the lives that it measures minds by."""

from itertools import pairwise

import numpy as np
import pytest

from benchmarks.minds import measure, spent
from benchmarks.sample_life import OBJECTS, life, played, remembered, repeated
from benchmarks.tokens import prompted
from evaluation.commands.cli import main
from evaluation.records.run_directory import RunDirectory
from irollan_env.world.world import World
from itcma_s.fields.name_table import NameTable
from language_models.embedders.hash_embedder import HashEmbedder
from language_models.transcript.transcript import Transcript


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    folder = tmp_path_factory.mktemp("runs")
    for architecture in ("itcma", "itcma-s"):
        arguments = ["run", "--model", "scripted", "--steps", "2", "--architecture", architecture]
        assert main([*arguments, "--elimination", "model", "--out", str(folder / architecture)]) == 0
    return folder


def test_calls_and_tokens_are_those_of_the_transcript(runs):
    found = {one.name.split(" (")[0]: one for one in spent([runs / "itcma-s"])}
    with Transcript(runs / "itcma-s" / "transcript.sqlite") as transcript:
        calls = list(transcript.calls())
    assert found["calls"].value == pytest.approx(len(calls) / 12)
    tokens = sum(call.usage.prompt_tokens + call.usage.generated_tokens for call in calls)
    assert found["tokens"].value == pytest.approx(tokens / 12)
    assert found["prompt tokens from the cache"].value == 0.0
    assert found["prompt tokens from the cache"].reached is False
    assert (found["calls"].goal, found["tokens"].goal) == (1.5, 700)


def test_two_architectures_are_set_beside_each_other(runs):
    one, other = ([*spent([runs / name])][1].value for name in ("itcma", "itcma-s"))
    *rest, ratio = spent([runs / "itcma-s", runs / "itcma"])
    assert ratio.name == "tokens of itcma / itcma-s"
    assert ratio.value == pytest.approx(one / other)
    assert [row.goal for row in rest if row.name.endswith("(itcma, seed 0, 12 resident-steps)")] == [None] * 3


def test_a_large_model_is_told_more_by_every_mechanism_that_a_mind_lacks():
    rows = [*prompted(lambda line: None, steps=8, seeds=(0,))]
    found = {row.name.split(", ")[0]: row for row in rows}
    tokens = {name: found[f"tokens ({name}"].value for name in ("itcma", "compressed-memory", "itcma-s")}
    assert tokens["itcma"] > 1.5 * tokens["compressed-memory"] > 3 * tokens["itcma-s"]
    ways = {way: found[f"tokens with choices by {way} (itcma-s"].value for way in ("letters", "a schema")}
    # An action is chosen of up to eight, and the matrix ranks six, but ITCMA chooses among all actions.
    assert ways["a schema"] < ways["letters"] == tokens["itcma-s"]
    assert tokens["itcma"] < found["tokens with choices by letters (itcma"].value / 2
    assert found["tokens with choices by a schema (itcma-s"].reached
    ratio = rows[-1]
    assert ratio.name == "tokens of itcma / itcma-s (a large model, seeds 0, 8 steps)"
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


def test_a_made_up_life_is_in_30_objects_a_frame_of_which_few_recur():
    table = NameTable(HashEmbedder())
    frames = [*life(60, table, np.random.default_rng(0))]
    assert {len(field) for _, field in frames} == {OBJECTS}
    assert len({tuple(field.rows()) for _, field in frames}) > 30
    assert len({place for place, _ in frames}) > 3
    again = [*life(60, NameTable(HashEmbedder()), np.random.default_rng(0))]
    assert again == frames
    one = remembered("room 0", frames[0][1], 2, np.random.default_rng(0))
    assert (one.first_time, one.last_time, one.frames) == (12, 17, 6)


def test_memories_of_play_cover_their_time_and_can_be_repeated():
    table = NameTable(HashEmbedder())
    memories = played(World(seed=0), ["LL"], 40, table)["LL"]
    assert sum(memory.frames for memory in memories) == memories[-1].last_time + 1 >= 34
    more = repeated(memories, 3 * len(memories))
    assert [memory.field for memory in more] == [memory.field for memory in memories] * 3
    assert all(one.last_time < two.first_time for one, two in pairwise(more))


def test_steps_are_measured_alone_and_together_with_the_memory_that_minds_take() -> None:
    lines: list[str] = []
    measured, _ = measure([], lines.append, parts=["steps"], society=2)
    found = {one.name: one for one in measured}
    assert [one.goal for one in measured] == [2.0, None, None, 1.0, None, None]
    for who in ("one resident", "2 residents together, each"):
        assert found[f"a step of {who}, without the language model"].value > 0
        assert 0.1 < found[f"memory of {who}"].value < 20
    assert lines[0] == "1 resident remembering 1,000 frames each"


def test_what_cannot_be_measured_is_said() -> None:
    with pytest.raises(
        ValueError, match="part must be one of activation, blending, steps, tokens, got 'step'; did you mean"
    ):
        measure([], print, parts=["step"])
    with pytest.raises(ValueError, match="at least 2 residents are stepped together, got 1"):
        measure([], print, parts=["steps"], society=1)
