"""Whole minds in a real valley, without weights."""

from __future__ import annotations

import asyncio
import json
import math
from collections import Counter
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from scenes import EMBEDDER, observe, run

from irollan_env import World
from irollan_env.resident import Act, Resident
from itcma_s import make_mind
from itcma_s.actions import without_words
from itcma_s.elimination.elimination import ModelScorer, Way
from itcma_s.emotion.driver import DriverWeights
from itcma_s.fields.blending import blend
from itcma_s.fields.name_table import NameTable
from itcma_s.fields.phenomenal_field import Field
from itcma_s.memory.memory import Memory
from itcma_s.parameters import Mechanisms, MindParameters
from itcma_s.resident import ItcmaResident
from language_models.protocol import (
    Caller,
    GenerateRequest,
    Generation,
    LanguageModel,
    ModelError,
    ModelUnavailable,
    Refused,
)
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


def born(name: str, model: LanguageModel | None = None, table: NameTable | None = None, **more: Any) -> ItcmaResident:
    return make_mind(
        name,
        model=model if model is not None else ScriptedModel(),
        table=table if table is not None else NameTable(EMBEDDER),
        embedder=EMBEDDER,
        generator=np.random.default_rng(PEOPLE.index(name)),
        **more,
    )


def society(names: tuple[str, ...] = PEOPLE, **more: Any) -> list[ItcmaResident]:
    model, table = ScriptedModel(), NameTable(EMBEDDER)
    return [born(name, model, table, **more) for name in names]


def live(world: World, residents: list[ItcmaResident], steps: int) -> list[dict[str, Act]]:
    async def one_step() -> dict[str, Act]:
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


def check(act: Act, admissible: tuple[str, ...]) -> None:
    assert act.failure is None
    assert all(-1 < emotion < 1 for emotion in (act.pleasure, act.arousal, act.dominance))
    assert math.isfinite(act.driver)
    assert act.action is not None
    assert without_words(act.action) in {without_words(action) for action in admissible}
    values = act.explanation.values()
    joys, pains = sum(value for value in values if value > 0), -sum(value for value in values if value < 0)
    assert act.pleasure == pytest.approx(math.tanh(joys) - math.tanh(pains), abs=1e-12)
    assert act.thought.startswith(f"I want to {act.goal.split()[0]}")
    assert set(act.protention) <= set(admissible)
    assert all(act.protention.values())
    if act.relevance is not None:
        assert set(act.relevance) == set(admissible)
        assert all(1 <= score <= 5 for score in act.relevance.values())


@pytest.mark.parametrize("names", [("LL",), PEOPLE])
def test_twelve_steps(names: tuple[str, ...]) -> None:
    world, residents = World(seed=0), society(names)
    acts = []
    for _ in range(12):
        admissible = {name: world.admissible(name) for name in names}
        (step,) = live(world, residents, 1)
        for name, act in step.items():
            check(act, admissible[name])
            acts.append(act)
    assert len({act.action for act in acts}) > 3
    assert any(act.explanation for act in acts)
    if len(names) > 1:
        assert any((act.action or "").startswith("chat with") for act in acts)
    assert isinstance(residents[0], Resident)


@pytest.mark.parametrize("name", COMBINATIONS)
def test_mechanisms_differ_where_they_should(name: str) -> None:
    mechanisms = COMBINATIONS[name]
    world, (mind,) = World(seed=0), society(("LL",), mechanisms=mechanisms)
    acts, spaces = [], []
    for _ in range(12):
        spaces.append(world.admissible("LL"))
        acts.append(live(world, [mind], 1)[0]["LL"])
    assert all((act.relevance is not None) == mechanisms.elimination for act in acts)
    whole = [set(act.protention) == set(space) for act, space in zip(acts, spaces, strict=True)]
    assert all(whole) != mechanisms.elimination
    weights = DriverWeights()
    sums = np.cumsum(
        [weights.pleasure * a.pleasure + weights.arousal * a.arousal + weights.dominance * a.dominance for a in acts]
    )
    summed = np.allclose([act.driver for act in acts], sums, rtol=1e-12)
    assert summed != mechanisms.driver
    if mechanisms.driver:
        expected = by_hand(acts, weights)
        assert [act.driver for act in acts] == pytest.approx(expected)
    memories = mind.get_state()["memory"]["memories"]
    fallen = len(acts) - mind._mind.past.channel.k - 1
    assert sum(memory["frames"] for memory in memories) + len(mind._mind.past.segment) == fallen
    assert mechanisms.compressed_memory or len(memories) == fallen
    assert any(act.memories for act in acts) == bool(memories)
    # Blending is of section 3.2: ITCMA sets its memories beside the present.
    blended = [act.imagination is not None for act in acts]
    assert blended == [bool(act.memories) and mechanisms.compressed_memory for act in acts]


def test_memory_is_compressed_while_the_model_writes() -> None:
    grown = []

    class Slow(ScriptedModel):
        async def generate(self, request: GenerateRequest) -> Generation:
            before = len(mind._mind.past.memory)
            await asyncio.sleep(0)
            grown.append(len(mind._mind.past.memory) - before)
            return await super().generate(request)

    world, mind = World(seed=0), born("LL", Slow())
    live(world, [mind], 24)
    assert sum(grown) == len(mind._mind.past.memory) >= 2
    assert any(memory.frames > 1 for memory in mind._mind.past.memory)


def by_hand(acts: list[Act], weights: DriverWeights) -> list[float]:
    """Equations 13 to 15."""
    level = bias = arousal = 0.0
    levels = []
    for act in acts:
        new = weights.pleasure * act.pleasure + weights.dominance * act.dominance
        new += weights.arousal * (1 - abs(act.arousal - arousal))
        level += abs(new - bias) / 2 * new
        bias, arousal = new, act.arousal
        levels.append(level)
    return levels


def test_without_compression_memory_grows_by_one_a_step() -> None:
    world, (mind,) = (
        World(seed=0),
        society(("LL",), mechanisms=COMBINATIONS["itcma"], parameters=MindParameters(retention=2)),
    )
    sizes = []
    for _ in range(8):
        live(world, [mind], 1)
        sizes.append(len(mind.get_state()["memory"]["memories"]))
    assert sizes[0] == 0
    assert [after - before for before, after in pairwise(sizes) if after] == [1] * sizes[-1]
    assert sizes[-1] >= 5


@pytest.mark.parametrize("name", ["itcma", "itcma-s"])
@pytest.mark.parametrize("steps", [0, 9])
def test_a_restored_society_goes_on_in_the_same_way(name: str, steps: int) -> None:
    names = ("LL", "WL", "SG")
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


def test_the_imagination_is_the_present_blended_with_what_memory_calls_up() -> None:
    """Eq. 5 as composed: imagine = Blend(PI, M(PI, Re)); and Eq. 6 of ITCMA, which sets M beside the present."""
    table = NameTable(EMBEDDER)
    past, now = Field.from_names(["book 1", "bed 2"], table), Field.from_names(["book 1", "SG"], table)
    for blended in (True, False):
        mind = born("MD", table=table, mechanisms=Mechanisms(compressed_memory=blended))
        mind._mind.past.memory.append(Memory(first_time=0, last_time=0, place="outside", field=past, pleasure=0.5))
        draws = np.random.default_rng(PEOPLE.index("MD"))
        expected = blend(now, past, table, draws) if blended else now
        activated, imagination = mind._mind.past.imagine(now)
        assert [memory.field for memory in activated] == [past]
        assert imagination == expected


@pytest.mark.parametrize(("times", "action"), [(3, "chat with SG"), (4, "use bed 2")])
def test_elimination_leaves_something_else_to_do_after_four_times_the_same(times: int, action: str) -> None:
    mind = born("MD", parameters=MindParameters(elimination_threshold=5.0))
    mind.set_state({**mind.get_state(), "recent_actions": ["chat with SG"] * times})
    now = observe(
        people=["SG"], furniture=["bed 2"], admissible=("chat with SG: ...", "use bed 2"), goal="talk with SG"
    )
    assert without_words(run(mind.act(now)).action or "") == action


@pytest.mark.parametrize(("outcome", "counted"), [("executed", 2), ("inadmissible", 2), ("filtered", 1)])
def test_what_was_filtered_may_be_tried_again_as_if_for_the_first_time(outcome: str, counted: int) -> None:
    mind = born("MD")
    now = observe(furniture=["bed 2"], admissible=("use bed 2",), goal="rest")
    run(mind.act(now))
    run(mind.act(replace(now, time=now.time + 1, outcome=outcome)))
    assert mind._mind.recent_actions == ["use bed 2"] * counted


@pytest.mark.parametrize(("item", "ways"), [("a thing nobody has seen", 3), ("book 1", 0)])
def test_what_nobody_has_seen_may_be_anywhere(item: str, ways: int) -> None:
    places = ("SG's Home", "Public Canteen", "WM's Home")
    now = observe(
        "outside",
        doors=places,
        furniture=["table 2"],
        items={"book 1": "table 2"},
        admissible=("take book 1 from table 2", *(f"go to {place}" for place in places)),
        goal=f"lift {item}",
    )
    act = run(born("MD", parameters=MindParameters(elimination_threshold=4.5)).act(now))
    assert sum(action.startswith("go to ") for action in act.protention) == ways


def test_a_failed_call_is_a_failed_step_and_the_next_one_works() -> None:
    world, model = World(seed=0), ScriptedModel(fail_on=lambda caller, prompt: caller.time == 2)
    mind = born("LL", model)
    acts = [step["LL"] for step in live_through_failures(world, mind, 6)]
    failed = acts[2]
    assert failed.action is None
    assert failed.failure is not None
    assert "planted failure" in failed.failure
    assert failed.goal
    assert -1 < failed.pleasure < 1
    assert all(act.failure is None and act.action for act in (*acts[:2], *acts[3:]))
    assert acts[3].dominance == 0.0  # nothing was expected
    assert len(mind._mind.recent_actions) == 5


@pytest.mark.parametrize("way", ["probability", "digits"])
@pytest.mark.parametrize("failing", ["", "elimination", "writing"])
def test_a_step_names_every_call_that_was_made_for_it(way: Way, failing: str) -> None:
    answered: list[str] = []

    def fails(caller: Caller, prompt: str) -> bool:
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
def test_whatever_a_model_fails_by_the_resident_waits_and_says_why(error: ModelError) -> None:
    class Failing(ScriptedModel):
        async def generate(self, request: GenerateRequest) -> Generation:
            raise error

    act = run(born("MD", Failing()).act(observe(furniture=["bed 2"], admissible=("use bed 2",), goal="rest", time=0)))
    assert (act.action, act.failure, act.goal) == (None, str(error), "rest")


def test_a_model_that_cannot_be_asked_stops_the_run_instead() -> None:
    class Gone(ScriptedModel):
        async def generate(self, request: GenerateRequest) -> Generation:
            raise ModelUnavailable("no connection")

    with pytest.raises(ModelUnavailable, match="no connection"):
        run(born("MD", Gone()).act(observe(furniture=["bed 2"], admissible=("use bed 2",), goal="rest", time=0)))


def test_memories_of_a_life_cover_it_once_and_in_order() -> None:
    world, minds = World(seed=2), society(("LL", "WL", "SG"))
    live(world, minds, 24)
    for mind in minds:
        kept = mind._mind.past.channel.k + 1
        memories = list(mind._mind.past.memory)
        spans = [(memory.first_time, memory.last_time) for memory in memories]
        assert spans[0][0] == 0
        assert all(first <= last for first, last in spans)
        assert all(after[0] == before[1] + 1 for before, after in pairwise(spans))
        assert sum(memory.frames for memory in memories) == 24 - kept - len(mind._mind.past.segment)
        assert len(memories) <= 24 - kept
        # Who spoke is in some memory still: nothing that was said is lost without a trace.
        said = {line.partition(":")[0] for memory in memories for line in memory.said}
        assert all(" to " in speaker for speaker in said)


def live_through_failures(world: World, mind: ItcmaResident, steps: int) -> list[dict[str, Act]]:
    history = []
    for _ in range(steps):
        act = run(mind.act(world.observe(mind.name)))
        failed = {mind.name} if act.failure is not None else set()
        world.step({} if failed else {mind.name: act.action}, failed=failed)
        history.append({mind.name: act})
    return history


@pytest.mark.parametrize(("retention", "stirred"), [(0, False), (1, True)])
def test_arousal_is_about_what_is_retained(retention: int, stirred: bool) -> None:
    world, (mind,) = World(seed=0), society(("LL",), parameters=MindParameters(retention=retention))
    acts = [step["LL"] for step in live(world, [mind], 4)]
    assert any(act.arousal for act in acts) == stirred


def test_no_words_to_say_is_a_failure() -> None:
    now = observe(people=["SG"], admissible=("chat with SG: ...",), goal="talk with SG", time=0)
    texts = ('Thought: I greet SG.\nWords: ""', "Thought: I greet SG.\nWords: Hello.")
    act = run(born("MD", ScriptedModel(outputs=texts[:1]), style="instruct").act(now))
    assert act.failure == "scripted gave no words to say to SG"
    act = run(born("MD", ScriptedModel(outputs=texts[1:]), style="instruct").act(now))
    assert (act.action, act.thought) == ('chat with SG: "Hello."', "I greet SG.")


def test_the_first_step_of_somebody_who_sees_nothing_and_can_do_one_thing() -> None:
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


def test_what_was_foreseen_of_an_action_that_was_taken_is_held_against_what_is() -> None:
    """The same with the action taken, though nothing of it is to be seen: the difference is 1 (Eq. 12)."""
    mind = born("MD")
    run(mind.act(observe(admissible=("go to outside",), goal="rest", time=0)))
    again = run(mind.act(observe(admissible=("go to outside",), goal="rest", time=1, outcome="executed")))
    assert again.dominance == math.tanh(1.0)


@pytest.mark.parametrize("outcome", ["executed", "filtered", "inadmissible"])
def test_only_words_that_were_spoken_are_remembered_as_said(outcome: str) -> None:
    mind = born("MD")
    act = run(mind.act(observe(people=["SG"], admissible=("chat with SG: ...",), goal="talk with SG", time=0)))
    assert act.action is not None
    words = act.action.split(": ", 1)[1].strip('"')
    run(mind.act(observe(people=["SG"], admissible=("leave SG",), goal="talk with SG", time=1, outcome=outcome)))
    assert (("SG", words) in mind._mind.deliberation._said) is (outcome == "executed")
    frames = mind._mind.past.channel.retention
    assert any(words in line for frame in frames for line in frame.said) is (outcome == "executed")


def test_who_says_that_it_goes_to_your_house_goes_to_that_of_the_one_it_talks_with() -> None:
    """Said, remembered, promised and answered: "your house" is the hearer's, and "my house" the speaker's."""
    line = "I am going to your house."
    thought = ", so we go there together.\n"
    table = NameTable(EMBEDDER)
    mind = born("MD", ScriptedModel(writers={"writing": lambda _, seed: f'{thought}MD: "{line}"\n'}), table)
    ways = {"doors": ["SG's Home", "LL's Home", "MD's Home"], "people": ["SG"]}
    met = observe("outside", admissible=("chat with SG: ...",), goal="talk with SG", time=0, **ways)
    said = run(mind.act(met)).action
    assert said == f'chat with SG: "{line}"'
    homes = tuple(f"go to {name}'s Home" for name in ("LL", "SG", "MD"))
    # Its goal is its own from now on: of all there are, the promised one weighs most.
    wanted = Counter()
    for seed in range(20):
        again = born("MD", table=table)
        again.set_state(mind.get_state())
        again._mind.deliberation._goal, again._generator = None, np.random.default_rng(seed)
        act = run(again.act(observe("outside", admissible=homes, time=1, outcome="executed", **ways)))
        wanted[act.goal] += 1
    assert wanted.most_common(1)[0][0] == "go to SG's Home, as I said"
    assert not [goal for goal in wanted if goal in ("go to MD's Home, as I said", "go to LL's Home, as I said")]


def test_a_goal_from_outside_is_pursued() -> None:
    now = observe(furniture=["bed 2"], admissible=("use bed 2",), goal="rest", time=0)
    mind = born("MD")
    act = run(mind.act(now))
    assert (act.action, act.goal) == ("use bed 2", "rest")
    after = observe(furniture=["bed 2"], admissible=("leave bed 2",), goal="get up", outcome="executed", time=1)
    assert run(mind.act(after)).goal == "get up"


def test_minds_of_others_are_refused() -> None:
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


def test_a_mind_is_refused_beside_another_name_table() -> None:
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


def test_a_mind_is_refused_by_one_that_works_in_another_way() -> None:
    state = born("LL").get_state()
    for name in set(COMBINATIONS) - {"itcma-s"}:
        with pytest.raises(ValueError, match=r"the saved mind of 'LL' has the mechanisms .* with the saved ones"):
            born("LL", mechanisms=COMBINATIONS[name]).set_state(state)
    with pytest.raises(ValueError, match="retains 4 frames"):
        born("LL", parameters=MindParameters(retention=2)).set_state(state)


@pytest.fixture(scope="module")
def grown() -> ItcmaResident:
    """A mind that has lived for some steps."""
    world, (mind,) = World(seed=0), society(("LL",), scorer=ModelScorer(ScriptedModel()))
    live(world, [mind], 9)
    return mind


def _field(positions: list[list[float]]) -> dict[str, Any]:
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
def test_a_damaged_mind_is_refused_and_changes_nothing(
    grown: ItcmaResident, part: str, damaged: object, message: str
) -> None:
    before, table = json.dumps(grown.get_state()), grown._table
    state = born("LL", table=table, scorer=ModelScorer(ScriptedModel())).get_state()
    with pytest.raises(ValueError, match=message):
        grown.set_state({**state, part: damaged})
    assert json.dumps(grown.get_state()) == before


def test_a_resident_needs_a_name() -> None:
    with pytest.raises(ValueError, match="a resident needs a name"):
        make_mind(
            "",
            model=ScriptedModel(),
            table=NameTable(EMBEDDER),
            embedder=EMBEDDER,
            generator=np.random.default_rng(0),
        )
