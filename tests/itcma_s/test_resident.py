"""Whole minds in a real valley, without weights."""

import asyncio
import json
import math
from dataclasses import replace

import numpy as np
import pytest
from scenes import EMBEDDER, observe, run

from irollan_env import World
from irollan_env.resident import Resident
from itcma_s import make_mind
from itcma_s.elimination.elimination import ModelScorer
from itcma_s.fields.name_table import NameTable
from itcma_s.fields.phenomenal_field import Field
from itcma_s.parameters import Mechanisms, MindParameters
from language_models.protocol import ModelError, ModelUnavailable, Refused
from language_models.scripted import ScriptedModel
from language_models.transcript.recording import RecordedModel
from language_models.transcript.transcript import Transcript

PEOPLE = ("AY", "SG", "MD", "WL", "LL", "WM")
COMBINATIONS = {
    "itcma": Mechanisms(compressed_memory=False, driver=False, elimination=False),
    "compressed-memory": Mechanisms(compressed_memory=True, driver=False, elimination=False),
    "driver": Mechanisms(compressed_memory=False, driver=True, elimination=False),
    "elimination": Mechanisms(compressed_memory=False, driver=False, elimination=True),
    "itcma-s": Mechanisms(),
}


def born(name, model=None, table=None, **more):
    return make_mind(
        name,
        model=model if model is not None else ScriptedModel(),
        table=table if table is not None else NameTable(EMBEDDER),
        embedder=EMBEDDER,
        generator=np.random.default_rng(PEOPLE.index(name)),
        **more,
    )


def society(names=PEOPLE, **more):
    model, table = ScriptedModel(), NameTable(EMBEDDER)
    return [born(name, model, table, **more) for name in names]


def live(world, residents, steps):
    async def one_step():
        seen = [world.observe(resident.name) for resident in residents]
        acts = await asyncio.gather(*(mind.act(now) for mind, now in zip(residents, seen, strict=True)))
        return {resident.name: act for resident, act in zip(residents, acts, strict=True)}

    history = []
    for _ in range(steps):
        acts = run(one_step())
        failed = {name for name, act in acts.items() if act.failure is not None}
        outcomes = world.step({name: act.action for name, act in acts.items() if name not in failed}, failed=failed)
        # In a society, others may come first; alone, whatever was admissible succeeds.
        assert all(outcomes[name].kind == "executed" for name in acts) or len(residents) > 1
        history.append(acts)
    return history


@pytest.mark.parametrize("name", COMBINATIONS)
def test_mechanisms_differ_where_they_should(name):
    mechanisms = COMBINATIONS[name]
    world, (mind,) = World(seed=0), society(("LL",), mechanisms=mechanisms)
    acts, spaces = [], []
    for _ in range(12):
        spaces.append(world.admissible("LL"))
        acts.append(live(world, [mind], 1)[0]["LL"])
    assert isinstance(mind, Resident)
    assert all((act.relevance is not None) == mechanisms.elimination for act in acts)
    whole = [set(act.protention) == set(space) for act, space in zip(acts, spaces, strict=True)]
    assert all(whole) != mechanisms.elimination
    sums = np.cumsum([0.4 * act.pleasure + 0.3 * act.arousal + 0.3 * act.dominance for act in acts])
    assert np.allclose([act.driver for act in acts], sums, rtol=1e-12) != mechanisms.driver
    memories = mind.get_state()["memory"]["memories"]
    fallen = len(acts) - mind._mind.past.channel.k - 1
    assert sum(memory["frames"] for memory in memories) + len(mind._mind.past.segment) == fallen
    assert mechanisms.compressed_memory or len(memories) == fallen
    assert any(act.memories for act in acts) == bool(memories)
    # Blending is of section 3.2: ITCMA sets its memories beside the present.
    blended = [act.imagination is not None for act in acts]
    assert blended == [bool(act.memories) and mechanisms.compressed_memory for act in acts]


def test_memory_is_compressed_while_the_model_writes():
    grown = []

    class Slow(ScriptedModel):
        async def generate(self, request):
            before = len(mind._mind.past.memory)
            await asyncio.sleep(0)
            grown.append(len(mind._mind.past.memory) - before)
            return await super().generate(request)

    world, mind = World(seed=0), born("LL", Slow())
    live(world, [mind], 24)
    assert sum(grown) == len(mind._mind.past.memory) >= 2
    assert any(memory.frames > 1 for memory in mind._mind.past.memory)


@pytest.mark.parametrize(("name", "steps"), [("itcma", 9), ("itcma-s", 0), ("itcma-s", 9)])
def test_a_restored_society_goes_on_in_the_same_way(name, steps):
    names = ("LL", "WL")
    world, minds = World(seed=1), society(names, mechanisms=COMBINATIONS[name])
    live(world, minds, steps)
    saved = json.loads(json.dumps([mind.get_state() for mind in minds]))
    text, table = json.dumps(saved), json.loads(json.dumps(minds[0]._table.get_state()))
    twin = world.copy()
    expected = live(world, minds, 2)
    for _ in range(2):  # what was saved is not changed by those who live on from it
        again = society(names, mechanisms=COMBINATIONS[name])
        again[0]._table.set_state(table)
        for mind, state in zip(again, saved, strict=True):
            mind.set_state(state)
        assert json.dumps([mind.get_state() for mind in again]) == text
        assert live(twin.copy(), again, 2) == expected
        assert json.dumps(saved) == text


@pytest.mark.parametrize(("outcome", "counted"), [("executed", 2), ("inadmissible", 2), ("filtered", 1)])
def test_what_was_filtered_may_be_tried_again_as_if_for_the_first_time(outcome, counted):
    mind = born("MD")
    now = observe(furniture=["bed 2"], admissible=("use bed 2",), goal="rest")
    run(mind.act(now))
    run(mind.act(replace(now, time=now.time + 1, outcome=outcome)))
    assert mind._mind.recent_actions == ["use bed 2"] * counted


def test_a_failed_call_is_a_failed_step_and_the_next_one_works():
    world, model = World(seed=0), ScriptedModel(fail_on=lambda caller, prompt: caller.time == 2)
    mind, acts = born("LL", model), []
    for _ in range(6):
        act = run(mind.act(world.observe("LL")))
        failed = {"LL"} if act.failure is not None else set()
        world.step({} if failed else {"LL": act.action}, failed=failed)
        acts.append(act)
    failed = acts[2]
    assert failed.action is None
    assert "planted failure" in (failed.failure or "")
    assert failed.goal
    assert -1 < failed.pleasure < 1
    assert all(act.failure is None and act.action for act in (*acts[:2], *acts[3:]))
    assert acts[3].dominance == 0.0  # nothing was expected
    assert len(mind._mind.recent_actions) == 5


@pytest.mark.parametrize("way", ["probability", "digits"])
@pytest.mark.parametrize("failing", ["", "elimination", "writing"])
def test_a_step_names_every_call_that_was_made_for_it(way, failing):
    answered = []

    def fails(caller, prompt):
        answered.append(caller.module)
        return caller.module == failing and answered.count(failing) > (2 if way == "probability" else 0)

    with Transcript(":memory:") as transcript:
        model = RecordedModel(ScriptedModel(fail_on=fails), transcript)
        mind, world = born("LL", model, scorer=ModelScorer(model, way=way)), World(seed=0)
        act = run(mind.act(world.observe("LL")))
        made = [(call.usage.call, call.caller.module) for call in transcript.calls()]
    assert sorted(act.calls) == sorted(call for call, _ in made)
    assert sum(module == "elimination" for _, module in made) >= (3 if way == "probability" else 1)


@pytest.mark.parametrize(
    "error", [Refused("it would not"), ModelError("no answer within 60 s"), ModelError("an empty text")]
)
def test_whatever_a_model_fails_by_the_resident_waits_and_says_why(error):
    class Failing(ScriptedModel):
        async def generate(self, request):
            raise error

    act = run(born("MD", Failing()).act(observe(furniture=["bed 2"], admissible=("use bed 2",), goal="rest", time=0)))
    assert (act.action, act.failure, act.goal) == (None, str(error), "rest")


def test_a_model_that_cannot_be_asked_stops_the_run_instead():
    class Gone(ScriptedModel):
        async def generate(self, request):
            raise ModelUnavailable("no connection")

    with pytest.raises(ModelUnavailable, match="no connection"):
        run(born("MD", Gone()).act(observe(furniture=["bed 2"], admissible=("use bed 2",), goal="rest", time=0)))


def test_no_words_to_say_is_a_failure():
    now = observe(people=["SG"], admissible=("chat with SG: ...",), goal="talk with SG", time=0)
    texts = ('Thought: I greet SG.\nWords: ""', "Thought: I greet SG.\nWords: Hello.")
    act = run(born("MD", ScriptedModel(outputs=texts[:1]), style="instruct").act(now))
    assert act.failure == "scripted gave no words to say to SG"
    act = run(born("MD", ScriptedModel(outputs=texts[1:]), style="instruct").act(now))
    assert (act.action, act.thought) == ('chat with SG: "Hello."', "I greet SG.")


def test_the_first_step_of_somebody_who_sees_nothing_and_can_do_one_thing():
    """At t = 1: an empty field, nothing retained, remembered or predicted, and an action space of one."""
    mind = born("MD")
    act = run(mind.act(observe(admissible=("go to outside",), goal="rest", time=0)))
    assert (act.action, tuple(act.protention), act.memories) == ("go to outside", ("go to outside",), ())
    assert (act.arousal, act.dominance) == (0.0, 0.0)
    assert mind._mind.past.imagine(Field.empty()) == ([], Field.empty())
    # Eq. 13 with the arousal before the first step 0, then Eq. 14 and 15 from 0
    bias = 0.4 * act.pleasure + 0.3
    assert act.driver == pytest.approx(bias / 2 * bias)
    # Identical fields, one after the other: nothing stirs; what was predicted was of an action that was not taken.
    again = run(mind.act(observe(admissible=("go to outside",), goal="rest", time=1, outcome="inadmissible")))
    assert again.arousal == 0.0
    assert again.dominance == 0.0
    assert again.explanation["refused"] == -0.4


@pytest.mark.parametrize("outcome", ["executed", "filtered", "inadmissible"])
def test_only_words_that_were_spoken_are_remembered_as_said(outcome):
    mind = born("MD")
    act = run(mind.act(observe(people=["SG"], admissible=("chat with SG: ...",), goal="talk with SG", time=0)))
    assert act.action is not None
    words = act.action.split(": ", 1)[1].strip('"')
    run(mind.act(observe(people=["SG"], admissible=("leave SG",), goal="talk with SG", time=1, outcome=outcome)))
    assert (("SG", words) in mind._mind.deliberation._said) is (outcome == "executed")
    frames = mind._mind.past.channel.retention
    assert any(words in line for frame in frames for line in frame.said) is (outcome == "executed")


def test_minds_of_others_are_refused():
    state = born("LL").get_state()
    for change, message in (
        ({"version": 2}, "version 11, got 2"),
        ({"version": None}, "version 11, got None"),
        ({"name": "SG"}, "'SG', and the resident is 'LL'"),
    ):
        with pytest.raises(ValueError, match=message):
            born("LL").set_state({**state, **change})
    for part in set(state) - {"version", "name"}:
        with pytest.raises(ValueError, match=f"the saved mind of 'LL' has no '{part}'"):
            born("LL").set_state({key: value for key, value in state.items() if key != part})


def test_a_mind_is_refused_beside_another_name_table():
    world, (mind,) = World(seed=0), society(("LL",))
    live(world, [mind], 3)
    state, table = json.loads(json.dumps(mind.get_state())), mind._table
    others = [NameTable(EMBEDDER), NameTable(EMBEDDER)]
    others[1].ids(reversed(table.names))
    for other in others:
        stranger = born("LL", table=other)
        before = json.dumps(stranger.get_state())
        with pytest.raises(ValueError, match=rf"another name table: it knows {len(table)} names.*restore its table"):
            stranger.set_state(state)
        assert json.dumps(stranger.get_state()) == before
    table.ids(["a name that came later"])
    again = born("LL", table=table)
    again.set_state(state)
    assert again.get_state()["channel"] == state["channel"]


def test_a_mind_is_refused_by_one_that_works_in_another_way():
    state = born("LL").get_state()
    for name in set(COMBINATIONS) - {"itcma-s"}:
        with pytest.raises(ValueError, match=r"the saved mind of 'LL' has the mechanisms .* with the saved ones"):
            born("LL", mechanisms=COMBINATIONS[name]).set_state(state)
    with pytest.raises(ValueError, match="retains 4 frames"):
        born("LL", parameters=MindParameters(retention=2)).set_state(state)


@pytest.fixture(scope="module")
def grown():
    """A mind that has lived for some steps."""
    world, (mind,) = World(seed=0), society(("LL",), scorer=ModelScorer(ScriptedModel()))
    live(world, [mind], 9)
    return mind


def _field(positions):
    return {"ids": [0] * len(positions), "positions": positions}


@pytest.mark.parametrize(
    ("part", "damaged", "message"),
    [
        ("channel", None, "the saved mind of 'LL' is damaged"),
        ("channel", {"k": -1, "frames": []}, "k must be at least 0, got -1"),
        ("segment", [{"time": 3}], "the saved mind of 'LL' has no 'field'"),
        ("memory", {"rows": []}, "the saved mind of 'LL' has no 'ids'"),
        ("familiarity", {}, "the saved mind of 'LL' has no 'places'"),
        ("events", {"unknown": 1}, "the saved mind of 'LL' is damaged"),
        ("expected", _field([[1.0, 0.0, -1.0]]), r"gamma of row 0 must lie in \[0, inf\), got -1.0"),
        ("levels", [0.0], "must be 5 finite numbers, got"),
        ("levels", [0.0, 0.0, 0.0, 0.0, math.nan], "must be 5 finite numbers, got"),
        ("deliberation", {}, "the saved mind of 'LL' has no 'kind'"),
        ("deliberation", {"kind": "by model"}, "the saved mind deliberates 'by model', this one 'by likeness'"),
        ("deliberation", {"kind": "by likeness", "near": math.nan}, "nearness to the goal must be a finite number"),
        ("scorer", {}, "the saved mind of 'LL' has no 'known'"),
        ("generator", {"bit_generator": "MT19937"}, "PCG64|damaged|has no"),
    ],
)
def test_a_damaged_mind_is_refused_and_changes_nothing(grown, part, damaged, message):
    before, table = json.dumps(grown.get_state()), grown._table
    state = born("LL", table=table, scorer=ModelScorer(ScriptedModel())).get_state()
    with pytest.raises(ValueError, match=message):
        grown.set_state({**state, part: damaged})
    assert json.dumps(grown.get_state()) == before


def test_a_resident_needs_a_name():
    with pytest.raises(ValueError, match="a resident needs a name"):
        make_mind(
            "", model=ScriptedModel(), table=NameTable(EMBEDDER), embedder=EMBEDDER, generator=np.random.default_rng(0)
        )
