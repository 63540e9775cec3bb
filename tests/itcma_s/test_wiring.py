"""How the equations of section 3 are put together in one step, with values that cannot be taken for each other."""

import math
from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest
from decided import Decided, decided_mind
from scenes import EMBEDDER, observe, run

from irollan_env.world.observation import Observation, Percept
from itcma_s.deliberation.protocol import Progress
from itcma_s.emotion.driver import DriverWeights
from itcma_s.fields.blending import blend
from itcma_s.fields.name_table import NameTable
from itcma_s.fields.phenomenal_field import Field
from itcma_s.fields.similarity import difference, field_similarity
from itcma_s.memory.channel import Frame
from itcma_s.memory.memory import Memory
from itcma_s.memory.past import Past, recollection
from itcma_s.parameters import Mechanisms, MindParameters
from language_models.protocol import Caller

WEIGHTS = DriverWeights(pleasure=0.5, arousal=0.2, dominance=0.3)
TAKEN, BEFORE_IT, AFTER_IT = "use bed 2", "go to outside", "use table 3"
ACTIONS = (BEFORE_IT, TAKEN, AFTER_IT)
THINGS = ("sofa 1", "teapot 2", "window 3", "rug 4", "harp 5", "ladder 6", "globe 7")


def seen(time, *things, **more):
    """What MD sees at a time step: furniture, each at its distance."""
    percepts = tuple(
        Percept(name=name, kind="furniture", theta=math.pi / 2, phi=0.7 * index, gamma=gamma)
        for index, (name, gamma) in enumerate(things)
    )
    whole = observe(admissible=ACTIONS, time=time, **({"outcome": "executed"} if time else {}), **more)
    return Observation(
        time=time,
        resident="MD",
        place="LL's Home",
        sentence=whole.sentence,
        percepts=percepts,
        admissible=whole.admissible,
        outcome=whole.outcome,
    )


def views(count):
    """Steps in each of which one thing more is seen, the others farther off."""
    return [
        seen(time, *((thing, 0.4 + 0.3 * index + 0.2 * time * time) for index, thing in enumerate(THINGS[: time + 1])))
        for time in range(count)
    ]


def expected(table):
    """What is expected of each action: other names, and other numbers of them."""
    return {
        BEFORE_IT: Field.from_names(["road 1", "SG", "WM", "sofa 1"], table),
        TAKEN: Field.from_names(["teapot 2", "pillow 9"], table),
        AFTER_IT: Field.from_names(["vase 8"], table),
    }


def apart(values):
    """Whether no two of some values could be taken for each other."""
    return all(abs(one - other) > 1e-3 for one, other in combinations(values, 2))


def test_dominance_is_about_the_protention_of_the_action_that_was_taken():
    """Eq. 12: tanh(diff(PI^t, Pro^(t-1))), and Pro of no other action, nor the present, nor the other way round."""
    table = NameTable(EMBEDDER)
    first, then = views(4)[2:]
    fields = expected(table)
    mind, _ = decided_mind([TAKEN, TAKEN], fields, table)
    run(mind.act(first))
    act = run(mind.act(then))
    now, before = (Field.from_percepts(one.percepts, table) for one in (then, first))
    wrong = [difference(now, fields[other], table) for other in (BEFORE_IT, AFTER_IT)]
    wrong += [difference(now, before, table), difference(fields[TAKEN], now, table)]
    right = difference(now, fields[TAKEN], table)
    assert apart([right, *wrong, 0.0, 1.0])
    assert act.dominance == math.tanh(right)
    # What a forecaster is trained on: the moment that it was expected in, and what was.
    assert mind.predicted is not None
    moment, expectation = mind.predicted
    assert (moment.present, moment.driver) == (now, act.driver)
    assert (expectation.action, expectation.field) == (TAKEN, fields[TAKEN])
    assert moment.imagination == now


def test_who_stays_as_it_is_expects_the_present_to_go_on():
    table = NameTable(EMBEDDER)
    first, then = views(4)[2:]
    mind, _ = decided_mind([None, TAKEN], expected(table), table)
    run(mind.act(first))
    assert mind.predicted is None
    before, now = (Field.from_percepts(one.percepts, table) for one in (first, then))
    assert run(mind.act(then)).dominance == math.tanh(difference(now, before, table))
    assert apart([difference(now, before, table), difference(before, now, table)])


def test_who_is_held_back_feels_and_remembers_and_expects_nothing():
    table = NameTable(EMBEDDER)
    first, then, after = views(5)[2:]
    mind, told = decided_mind([TAKEN, TAKEN], expected(table), table)
    taken = run(mind.act(first))
    act = run(mind.act(replace(then, admissible=())))
    assert (act.action, act.goal, len(told.contexts)) == (None, "rest", 1)
    assert taken.goal == "rest well"
    assert mind.predicted is None
    now = Field.from_percepts(then.percepts, table)
    assert act.dominance == math.tanh(difference(now, expected(table)[TAKEN], table))
    assert run(mind.act(after)).dominance == 0.0
    assert now in [frame.field for frame in told.contexts[-1].channel.retention]


def test_arousal_is_about_the_retained_frames_the_latest_most():
    """Eq. 11 with weights 1/10 … 4/10: the present against each frame of retention, none of before, nor itself."""
    table = NameTable(EMBEDDER)
    steps = views(6)
    mind, _ = decided_mind([TAKEN] * 6, expected(table), table)
    act = [run(mind.act(step)) for step in steps][-1]
    *before, now = (Field.from_percepts(step.percepts, table) for step in steps)

    def weighed(changes):
        return math.fsum(change * n / 10 for n, change in enumerate(changes, 1))

    changes = [difference(now, field, table) for field in before[-4:]]
    wrong = [changes[::-1], [difference(field, now, table) for field in before[-4:]]]
    wrong.append([difference(now, field, table) for field in before[:4]])
    assert apart([weighed(changes), *map(weighed, wrong)])
    assert act.arousal == pytest.approx(math.tanh(weighed(changes)), abs=1e-12)


@pytest.mark.parametrize("improved", [True, False])
def test_the_driver_is_of_this_steps_emotions_by_the_weights_that_were_given(improved):
    """Eq. 13 to 15, or ITCMA's sum, by hand, with three weights that differ."""
    table = NameTable(EMBEDDER)
    mind, _ = decided_mind(
        [TAKEN] * 5,
        expected(table),
        table,
        parameters=MindParameters(driver_weights=WEIGHTS),
        mechanisms=Mechanisms(driver=improved),
    )
    acts = [run(mind.act(step)) for step in views(5)]
    assert all(apart([act.pleasure, act.arousal, act.dominance]) for act in acts[1:])
    level = bias = aroused = 0.0
    for act in acts:
        if improved:
            new = 0.5 * act.pleasure + 0.3 * act.dominance + 0.2 * (1 - abs(act.arousal - aroused))
            level += abs(new - bias) / 2 * new
            bias, aroused = new, act.arousal
        else:
            level += 0.5 * act.pleasure + 0.2 * act.arousal + 0.3 * act.dominance
        assert act.driver == pytest.approx(level, abs=1e-12)


def remembered(table, time, names, pleasure=0.0):
    field = Field.from_names(names, table)
    return Memory(first_time=time, last_time=time, place="outside", field=field, pleasure=pleasure)


RETAINED, PRESENT = ("harp 5", "ladder 6"), ("sofa 1", "teapot 2", "rug 4")


def lived(table, *, compressed=True):
    """A past with four memories, and a retention of three frames that are unlike the present."""
    past = Past(table, np.random.default_rng(0), compressed=compressed)
    for time, names in enumerate((PRESENT, RETAINED, RETAINED, ("WM",))):
        past.memory.append(remembered(table, time, names, pleasure=-0.5 if time == 2 else 0.2))
    for time in range(4, 8):
        names = RETAINED if time < 7 else PRESENT
        past.channel.push(Frame(time=time, place="LL's Home", field=Field.from_names(names, table)))
    return past


def test_what_is_called_up_is_what_the_whole_channel_and_emotion_activate_most():
    """M(PI, Re) of Eq. 5 and 6: not the latest, nor the first, nor what is like the present alone, nor the weakest."""
    table = NameTable(EMBEDDER)
    past, now = lived(table), Field.from_names(PRESENT, table)
    frames = [Field.from_names(RETAINED, table)] * 3 + [now]
    activation = {
        memory.id: sum(n / 10 * field_similarity(frame, memory.field, table) for n, frame in enumerate(frames, 1))
        * (1 + 0.2 * memory.weight)
        for memory in past.memory
    }
    assert max(activation, key=activation.__getitem__) == 2
    assert apart(list(activation.values()))
    activated, imagination = past.imagine(now)
    assert [memory.id for memory in activated] == [2]
    assert [memory.id for memory, _ in past.memory.activate(now)] == [0]
    draws = np.random.default_rng(0)
    assert imagination == blend(now, Field.from_names(RETAINED, table), table, draws)


def test_without_blending_the_window_that_is_most_like_the_channel_is_set_beside_the_present():
    table = NameTable(EMBEDDER)
    past = Past(table, np.random.default_rng(0), compressed=False)
    for time, names in enumerate((("WM",), RETAINED, PRESENT, ("WM",), ("SG",))):
        past.memory.append(remembered(table, time, names))
    for time, names in ((5, RETAINED), (6, PRESENT)):
        past.channel.push(Frame(time=time, place="LL's Home", field=Field.from_names(names, table)))
    activated, imagination = past.imagine(Field.from_names(PRESENT, table))
    assert [memory.id for memory in activated] == [1, 2]
    assert imagination == Field.from_names(PRESENT, table)


def test_the_decision_is_told_what_was_called_up_and_what_was_imagined_from_it():
    table = NameTable(EMBEDDER)
    mind, deliberation = decided_mind(
        [TAKEN] * 2, expected(table), table, seed=5, parameters=MindParameters(driver_weights=WEIGHTS)
    )
    first, then = views(4)[2:]
    run(mind.act(first))
    mine = [[p.name for p in first.percepts], ["WM"]]
    for time, names in enumerate(mine):
        mind._mind.past.memory.append(remembered(table, time, names))
    draws = np.random.default_rng()
    draws.bit_generator.state = mind._generator.bit_generator.state
    act = run(mind.act(then))
    now = Field.from_percepts(then.percepts, table)
    context = deliberation.contexts[-1]
    assert [memory.id for memory in context.activated] == list(act.memories) == [0]
    assert context.imagination == blend(now, context.activated[0].field, table, draws)
    assert context.imagination != now == context.present
    assert context.emotion == (act.pleasure, act.arousal, act.dominance)
    assert context.driver == act.driver != 0.0
    assert [frame.time for frame in context.channel.retention] == [first.time]


def test_recollection_is_the_last_words_of_somebody_who_is_here():
    table = NameTable(EMBEDDER)
    field = Field.from_names(["sofa 1"], table)
    lines = (
        ("WM to MD: I am not here.",),
        ("SG to MD: First words.", "SG to LL: Last words.", "MD to SG: My own.", "AY to MD: Nor am I."),
        ("SG to MD: Of another memory.",),
    )
    memories = [
        Memory(first_time=time, last_time=time, place="outside", field=field, said=said)
        for time, said in enumerate(lines)
    ]
    now = observe(people=["SG", "LL"])
    assert recollection(memories, now) == 'Before, SG said to LL: "Last words."'
    assert recollection(memories[::-1], now) == 'Before, SG said to MD: "Of another memory."'
    again = observe(people=["SG"], heard=[("SG", "MD", "Last words.")])
    assert recollection(memories, again) == 'Before, SG said to MD: "First words."'
    assert recollection(memories, observe(people=["LL"])) == recollection((), now) == ""
    before_all = replace(
        memories[0], first_time=-2, last_time=-2, said=(), witnessed=("I came.", "I ate.", "SG helped me.")
    )
    assert recollection([before_all, *memories], now) == "Long before: SG helped me."


@pytest.mark.parametrize(("threshold", "left"), [(2.5, ["b", "c", "d"]), (2.6, ["c", "d"]), (4.0, ["c", "d"])])
def test_what_scores_the_threshold_is_thought_through_and_what_scores_less_is_not(threshold, left):
    """Eq. 16 with the threshold that the mind was given; scores reach the record as they were."""
    table = NameTable(EMBEDDER)
    names = {"a": "use sofa 1", "b": "use teapot 2", "c": "use rug 4", "d": "use harp 5"}
    scores = dict(zip(names.values(), (2.4, 2.5, 4.0, 4.5), strict=True))
    fields = dict.fromkeys(scores, Field.from_names(["sofa 1"], table))
    mind, deliberation = decided_mind(
        [names["d"]], fields, table, scores=scores, parameters=MindParameters(elimination_threshold=threshold)
    )
    act = run(mind.act(observe(admissible=tuple(scores), time=0)))
    kept = [names[letter] for letter in left]
    assert [expected.action for expected in deliberation.contexts[0].protended] == kept
    assert list(act.protention) == kept
    assert act.relevance == scores


class ByWords:
    """Scores by what it is asked about, and notes by whom."""

    def __init__(self, scores):
        self._scores = scores
        self.callers = []

    async def score(self, goal, actions, calls):
        self.callers.append(calls.caller("elimination"))
        calls.add(len(self.callers))
        return {action: self._scores[goal][action] for action in actions}

    def get_state(self):
        """Nothing is kept."""

    def set_state(self, state):
        """Nothing is kept."""


def test_an_action_scores_what_it_does_for_the_goal_or_for_what_was_just_said():
    table = NameTable(EMBEDDER)
    fields = dict.fromkeys(("use sofa 1", "use rug 4"), Field.from_names(["sofa 1"], table))
    scorer = ByWords({"rest": {"use sofa 1": 4.5, "use rug 4": 1.5}, "Dance!": {"use sofa 1": 1.25, "use rug 4": 4.0}})
    mind, _ = decided_mind(["use rug 4"], fields, table, scorer=scorer)
    act = run(mind.act(observe(heard=[("SG", "MD", "Dance!")], admissible=tuple(fields), time=3)))
    assert act.relevance == {"use sofa 1": 4.5, "use rug 4": 4.0}
    assert scorer.callers == [Caller(module="elimination", resident="MD", time=3)] * 2
    assert act.calls == (1, 2)


class Wants(Decided):
    """Asks a model what it wants, and fares well with it."""

    async def aim(self, *told):
        told[-1].add(11)
        return self._goal

    def progress(self, *_):
        return Progress(reached="sit down", nearer=0.5)


def test_a_goal_is_reached_or_comes_nearer_and_calls_for_it_are_of_the_step():
    table = NameTable(EMBEDDER)
    mind, _ = decided_mind([], expected(table), table, deliberation=Wants([TAKEN]))
    act = run(mind.act(views(1)[0]))
    assert act.explanation == pytest.approx({"reached the goal to sit down": 0.6, "came nearer to the goal": 0.15})
    assert act.calls == (11,)


@pytest.mark.parametrize(("more", "heard_as"), [({}, "SG spoke to me"), ({"in_turn": True}, "SG answered")])
def test_words_heard_after_ones_own_are_an_answer_only_where_people_take_turns(more, heard_as):
    table, chat = NameTable(EMBEDDER), "chat with SG: ..."
    mind, _ = decided_mind([chat, chat], {chat: Field.empty()}, table, **more)
    run(mind.act(observe(people=["SG"], admissible=(chat,), time=0)))
    heard = [("SG", "MD", "Good day to you.")]
    act = run(mind.act(observe(people=["SG"], heard=heard, admissible=(chat,), time=1, outcome="executed")))
    assert heard_as in act.explanation


def test_a_mind_tells_what_it_was_given_to_remember_and_what_it_wants():
    table = NameTable(EMBEDDER)
    before = replace(remembered(table, 0, ["SG"]), first_time=-1, last_time=-1, witnessed=("SG helped me.",))
    mind, _ = decided_mind([TAKEN], expected(table), table, memories=[before])
    assert [memory.witnessed for memory in mind._mind.past.memory] == [("SG helped me.",)]
    before_the_run = 'before the valley: "SG helped me."'
    assert mind.answer() == [before_the_run, "you want to rest"]
    run(mind.act(observe(heard=[("SG", "MD", "Good day.")], people=["SG"], admissible=(TAKEN,), time=0)))
    heard = 'step 0, in LL\'s house, with SG: SG to you: "Good day."'
    assert mind.answer()[:2] == [before_the_run, heard]
    assert mind.answer()[-1] == "you want to rest"


def test_a_record_has_what_was_decided_felt_and_recalled_each_in_its_place():
    table = NameTable(EMBEDDER)
    chat = "chat with SG: ..."
    mind, deliberation = decided_mind([TAKEN, chat], {**expected(table), chat: Field.empty()}, table)
    run(mind.act(views(4)[2]))
    act = run(mind.act(replace(views(4)[3], admissible=(*ACTIONS, chat))))
    (told,) = deliberation.contexts[1:]
    assert (act.action, act.goal) == ('chat with SG: "Good day."', "rest well")
    assert (act.thought, act.plan) == (f"I think of {chat}.", (f"{chat} first", "then sleep"))
    assert act.protention == {one.action: one.sentence for one in told.protended}
    assert (act.pleasure, act.arousal, act.dominance, act.driver) == (*told.emotion, told.driver)
    assert apart([act.pleasure, act.arousal, act.dominance, act.driver])
    assert (told.goal, told.recent_actions) == ("rest", [TAKEN])
    assert act.explanation == told.causes
    assert act.memories == tuple(memory.id for memory in told.activated)
