import math
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scenes import EMBEDDER, observe, run

from irollan_env import World
from irollan_env.actions import Action
from itcma_s.fields.name_table import NameTable
from itcma_s.fields.phenomenal_field import Field
from itcma_s.memory.channel import Moment
from itcma_s.memory.familiarity import Familiarity
from itcma_s.memory.long_term_memory import LongTermMemory
from itcma_s.memory.memory import Memory
from itcma_s.memory.past import Past
from itcma_s.model_calls import ModelCalls
from itcma_s.protention.geometric_rule import approach, as_seen_before, cartesian, enter, moved, spherical, turn
from itcma_s.protention.place_imagination import PlaceImagination
from itcma_s.protention.protention_model import ProtentionModel
from language_models.scripted import ScriptedModel
from language_models.transcript.recording import RecordedModel
from language_models.transcript.transcript import Transcript

TABLE = NameTable(EMBEDDER)
LEVEL = math.pi / 2


def field(**positions):
    """Names with underscores for spaces -> (theta, phi, gamma)."""
    names = [name.replace("_", " ") for name in positions]
    return Field(TABLE.ids(names), np.array(list(positions.values())))


def protend(
    observation,
    seen,
    *actions,
    model=None,
    memory=None,
    familiarity=None,
    imagined=None,
    lately=None,
    views=None,
    style="page",
    forecaster=None,
    calls=None,
    protention_model=None,
):
    calls = calls if calls is not None else ModelCalls("MD", 3)
    if protention_model is None:
        protention_model = ProtentionModel(
            TABLE, PlaceImagination(model or ScriptedModel(outputs=()), None, style), forecaster
        )
    protended = run(
        protention_model.protend(
            observation,
            tuple(map(Action, actions)),
            lately or {},
            memory if memory is not None else LongTermMemory(TABLE),
            views or {},
            familiarity or Familiarity(),
            imagined if imagined is not None else {},
            moment=Moment(retention=(), present=seen, imagination=seen, driver=0.0),
            calls=calls,
        )
    )
    return protended, calls.made


@given(arrays(np.float64, st.tuples(st.integers(0, 5), st.just(3)), elements=st.floats(-1e3, 1e3)))
def test_points_survive_the_round_trip(points):
    positions = spherical(points)
    theta, phi, gamma = positions.T
    assert ((theta >= 0) & (theta <= math.pi) & (phi >= 0) & (phi < 2 * math.pi) & (gamma >= 0)).all()
    np.testing.assert_allclose(cartesian(positions), points, atol=1e-4)  # an angle near a pole is known to 1e-8


def test_coordinates_by_hand():
    positions = np.array([[LEVEL, 0, 2], [LEVEL, LEVEL, 3], [0, 0, 4], [LEVEL, math.pi, 0]])
    points = [[2, 0, 0], [0, 3, 0], [0, 0, 4], [0, 0, 0]]
    np.testing.assert_allclose(cartesian(positions), points, atol=1e-12)
    # the origin has no direction: straight ahead stands for it
    np.testing.assert_allclose(spherical(np.zeros((1, 3))), [[LEVEL, 0, 0]])


def test_walking_to_something_recentres_the_field():
    # bed 3 m ahead, chair 4 m to the left, SG in the middle of both, cup in the hand. One walks to 0.6 m before the bed
    # on the side of the middle, (1.5, 2), and looks at the bed; or away from it, when it is a door one came in by.
    seen = field(bed_2=(LEVEL, 0, 3), chair_2=(LEVEL, LEVEL, 4), SG=(LEVEL, math.atan2(4, 3), 2.5), cup_1=(LEVEL, 0, 0))
    walked = approach(seen, 0)
    assert walked.ids.tolist() == seen.ids.tolist()
    np.testing.assert_allclose(cartesian(walked.positions)[:, :2], [[0.6, 0], [-4.4, 0], [-1.9, 0], [0, 0]], atol=1e-9)
    entered = cartesian(enter(seen, 0).positions)[:, :2]
    np.testing.assert_allclose(entered, [[-0.6, 0], [4.4, 0], [1.9, 0], [0, 0]], atol=1e-9)
    alone = field(bed_2=(LEVEL, 1, 3))  # of one thing alone there is no middle
    np.testing.assert_allclose(cartesian(approach(alone, 0).positions), [[0.6, 0, 0]], atol=1e-9)


def test_turning_to_somebody_leaves_all_where_it_is():
    seen = field(SG=(LEVEL, 1, 2), bed_2=(1.0, 0.5, 3), cup_1=(LEVEL, 0, 0))
    expected = [[LEVEL, 0, 2], [1.0, 2 * math.pi - 0.5, 3], [LEVEL, 0, 0]]
    np.testing.assert_allclose(turn(seen, 0).positions, expected, atol=1e-9)


def test_a_hair_to_the_right_is_no_full_turn():
    assert turn(field(SG=(LEVEL, 1e-17, 2), bed_2=(LEVEL, 0, 3)), 0).positions[1, 1] == 0.0


@given(
    arrays(np.float64, st.tuples(st.integers(2, 6), st.just(3)), elements=st.floats(-50, 50)),
    st.floats(-3.2, 3.2),
    st.tuples(st.floats(-50, 50), st.floats(-50, 50)),
)
def test_what_does_not_move_tells_where_one_stands(points, angle, spot):
    points[:2, :2] = [[0, 0], [3, 1]]  # two things apart, which both views have
    turned = np.array([[math.cos(angle), -math.sin(angle)], [math.sin(angle), math.cos(angle)]])
    there = np.column_stack(((points[:, :2] - spot) @ turned, points[:, 2]))
    ids = TABLE.ids([f"thing {n}" for n in range(len(points))])
    positions = spherical(points)
    positions[positions[:, 2] == 0, 2] = 1e-12  # at no distance it would be held
    expected = spherical(there)
    found = as_seen_before(Field(ids, positions), Field(ids[:2], expected[:2]))
    np.testing.assert_allclose(cartesian(found.positions), there, atol=1e-4)


def test_of_one_thing_alone_no_direction_is_known():
    seen = field(bed_2=(LEVEL, 1, 3), cup_1=(LEVEL, 2, 2))
    assert as_seen_before(seen, field(bed_2=(LEVEL, 2, 1))) is seen


def test_what_was_walked_to_before_looks_as_it_looked_then():
    world, past = World(seed=0), Past(TABLE, np.random.default_rng(0))
    known = Familiarity()

    def after(action):
        """What is expected of an action, and what follows it."""
        now = world.observe("LL")
        seen = Field.from_percepts(now.percepts, TABLE)
        known.learn(now)
        past.remember(now, seen, (0.0, 0.0, 0.0))
        model = ScriptedModel(outputs=[" a bed and a table."])
        (expected,), _ = protend(
            now, seen, action, lately=past.last_fields(), views=past.views, familiarity=known, model=model
        )
        predicted = expected.field
        world.step({"LL": action})
        past.finish(action, world.observe("LL").result, ())
        return predicted, Field.from_percepts(world.observe("LL").percepts, TABLE)

    usable = [action for action in world.admissible("LL") if action.startswith("use ")]
    take = next(action for action in world.admissible("LL") if action.startswith("take "))
    first, second = usable[0], usable[-1]
    tour = [first, second, take, "go to outside", "go to SG's Home", "go to outside", "go to LL's Home", first, second]
    for action in tour:
        after(action)
    for action in ("go to outside", "go to SG's Home", "go to outside", "go to LL's Home", second, first):
        expected, found = after(action)
        assert sorted(expected.names(TABLE)) == sorted(found.names(TABLE)), action
        order = [expected.ids.tolist().index(id) for id in found.ids]
        np.testing.assert_allclose(
            cartesian(expected.positions)[order], cartesian(found.positions), atol=1e-2, err_msg=action
        )


def test_take_brings_to_hand_and_put_lays_down():
    seen = field(table_2=(LEVEL, 0.5, 3), book_1=(LEVEL, 1.5, 2), food_1=(LEVEL, 0, 0))
    now = observe(furniture=["table 2"], items={"book 1": "bookshelf 1"}, held=["food 1"])
    actions = ("take book 1 from bookshelf 1", "put food 1 in/on table 2", "put food 1 in/on SG")
    (take, put, give), calls = protend(now, seen, *actions)
    assert calls == ()
    assert take.field.positions[1].tolist() == [LEVEL, 0.0, 0.0]
    assert take.sentence == "I hold the book and can read it."
    np.testing.assert_allclose(put.field.positions[[0, 2]], [[LEVEL, 0, 0.6], [LEVEL, 0, 0.6]])
    assert put.sentence == "The food lies on the table."
    assert give.sentence == "I give the food to SG, who has it now."
    assert give.field == seen  # SG is not in the field
    (give,), _ = protend(now, field(SG=(LEVEL, 1, 2), food_1=(LEVEL, 0, 0)), actions[-1])
    assert give.field == field(SG=(LEVEL, 0, 2))
    assert {p.source for p in (take, put, give)} == {"rule"}
    assert {p.place for p in (take, put, give)} == {"LL's Home"}


def test_use_recentres_and_says_what_is_washed():
    seen = field(sinkbasin_1=(LEVEL, 0, 3), toy_1=(LEVEL, 0, 3))
    full = observe(furniture=["sinkbasin 1"], items={"toy 1": "sinkbasin 1"})
    (use,), _ = protend(full, seen, "use sinkbasin 1")
    assert use.sentence == "The toy is washed, clean and damp."
    np.testing.assert_allclose(use.field.positions[:, 2], 0.6)
    washed = observe(furniture=["sinkbasin 1"], items={"toy 1": "sinkbasin 1"}, status={"toy 1": ("clean", "damp")})
    (use,), _ = protend(washed, seen, "use sinkbasin 1")
    assert use.sentence == "Nothing is washed on the sink."
    (use,), _ = protend(observe(furniture=["sinkbasin 1"]), field(sinkbasin_1=(LEVEL, 0, 3)), "use sinkbasin 1")
    assert use.sentence == "Nothing is washed on the sink."


@pytest.mark.parametrize(
    ("action", "sentence"),
    [
        ("chat with SG: ...", "I talk with SG: I tell, ask, thank or invite SG, and SG listens and answers."),
        ("leave SG", "I walk away from SG."),
        ("leave chair 2", "I get up from the chair and stand on my feet again."),
        ("leave table 2", "I step back from the table."),
        ("use table 2", "I am using the table."),
        ("take cup 9 from table 2", "I hold the cup."),  # in the sentence, not in the field
    ],
)
def test_what_the_rule_says(action, sentence):
    seen = field(table_2=(LEVEL, 0, 3))
    (expected,), calls = protend(observe(people=["SG"]), seen, action)
    assert (expected.sentence, expected.source, expected.company, calls) == (sentence, "rule", ("SG",), ())


def test_an_unknown_place_is_asked_for_once():
    model = ScriptedModel(outputs=[" a bed and somebody to talk with."])
    imagined = {}
    for _ in range(2):
        (expected,), _ = protend(observe("outside"), Field.empty(), "go to SG's Home", model=model, imagined=imagined)
        assert expected.source == "model"
        assert expected.place == "SG's Home"
        assert expected.sentence.endswith("There may be a bed and somebody to talk with.")
        assert expected.field.names(TABLE) == ("SG's Home",)
    assert model.calls == 1
    assert imagined == {"SG's Home": "a bed and somebody to talk with."}


def test_one_comes_into_a_place_never_seen_by_a_door_and_with_what_one_holds():
    seen = field(**{"door_to_SG's_Home": (1.0, 2, 5), "cup_1": (LEVEL, 0, 0), "LL": (LEVEL, 1, 2)})
    model = ScriptedModel(outputs=[" a bed and a table."])
    known = Familiarity(people={"SG": 1}, seen={"SG": "SG's Home"})
    (expected,), _ = protend(observe("outside"), seen, "go to SG's Home", model=model, familiarity=known)
    assert expected.field.names(TABLE) == ("door to outside", "SG", "cup 1")
    points = cartesian(expected.field.positions)
    np.testing.assert_allclose(points[[0, 2]], [[-0.6, 0, 5 * math.cos(1)], [0, 0, 0]], atol=1e-9)


@pytest.mark.parametrize(("home", "ahead"), [("SG's Home", 1.0), ("WM's Home", -1.0)])
def test_a_door_never_come_out_of_looks_as_its_neighbour_does_towards_the_middle(home, ahead):
    # Coming out of LL's Home, one has SG's 8 m to the right in the same row, and MD's and WM's in a row 20 m away.
    doors = [f"door to {name}'s Home" for name in ("LL", "SG", "MD", "WM")]
    points = np.array([[-0.6, 0, 0.3], [-0.6, -8, 0.3], [19.4, 0, 0.3], [19.4, -8, 0.3]])
    view = Field(TABLE.ids(doors), spherical(points))
    turned = points[:, [1, 0, 2]] * (1, -1, 1) + (2, 5, 0)
    known = Familiarity(places={f"{name}'s Home": None for name in ("LL", "SG", "MD", "WM")})
    (expected,), _ = protend(
        observe(home),
        field(door_to_outside=(LEVEL, 2, 3)),
        "go to outside",
        lately={"outside": Field(view.ids, spherical(turned))},
        views={"outside": {"LL's Home": view}},
        familiarity=known,
    )
    door = doors.index(f"door to {home}")
    there = (points - points[door]) * (ahead, ahead, 1) + (-0.6, 0, points[door, 2])
    np.testing.assert_allclose(cartesian(expected.field.positions), there, atol=1e-9)


def test_who_expects_an_arrival_again_expects_it_as_things_are_by_then():
    """One protention_model that is asked step by step, against one that was never asked before."""
    home, door = "SG's Home", "door_to_SG's_Home"
    ahead, left = field(**{door: (1.0, 0, 5)}), field(**{door: (LEVEL, 2, 4)})
    holding = field(**{door: (LEVEL, 2, 4), "cup_1": (LEVEL, 0, 0)})
    seen = field(door_to_outside=(LEVEL, 2, 3), bed_1=(LEVEL, 0, 2), toy_1=(LEVEL, 1, 2))
    again = field(door_to_outside=(LEVEL, 3, 3), bed_1=(LEVEL, 1, 2), toy_1=(LEVEL, 1, 4))
    view = field(door_to_outside=(LEVEL, math.pi, 0.6), bed_1=(LEVEL, 0.5, 2))
    there = dict.fromkeys(["bed 1", "toy 1"], home)
    first = {"familiarity": Familiarity(people={"SG": 1}), "imagined": {home: "a bed."}}
    met = {**first, "familiarity": Familiarity(people={"SG": 1}, seen={"SG": home})}
    known = {"lately": {home: seen}, "familiarity": Familiarity(seen=there)}
    later = {"lately": {home: again}, "familiarity": Familiarity(seen=there)}
    taken = {"lately": {home: again}, "familiarity": Familiarity(seen={**there, "toy 1": "outside"})}
    walked = {**taken, "views": {home: {"outside": view}}}
    steps = [(ahead, first), (ahead, first), (left, first), (left, met), (left, known), (holding, known), (left, known)]
    steps += [(left, later), (left, taken), (left, walked), (left, taken), (ahead, first)]
    one = ProtentionModel(TABLE, PlaceImagination(ScriptedModel(outputs=()), None))
    found = []
    for present, more in steps:
        ((expected,), _), ((new,), _) = (
            protend(observe("outside"), present, f"go to {home}", protention_model=asked, **more)
            for asked in (one, None)
        )
        assert expected.field == new.field
        found.append(expected.field)
    assert sum(one != other for one, other in pairwise(found)) == len(steps) - 2


def test_what_was_seen_elsewhere_since_is_not_expected():
    just_now = field(book_1=(LEVEL, 0, 2), SG=(LEVEL, 1, 2), toy_1=(LEVEL, 2, 2))
    known = Familiarity(people={"SG": 1}, seen={"SG": "outside", "toy 1": "SG's Home", "book 1": "outside"})
    now, held = observe("outside", people=["SG"], held=["book 1"]), field(book_1=(LEVEL, 0, 0), SG=(LEVEL, 1, 2))
    (expected,), _ = protend(now, held, "go to SG's Home", lately={"SG's Home": just_now}, familiarity=known)
    assert expected.field == field(toy_1=(LEVEL, 2, 2), book_1=(LEVEL, 0, 0))
    assert expected.sentence == "I am in SG's Home, where SG lives; there I may find toy."


def test_a_known_place_comes_from_memory():
    store = LongTermMemory(TABLE)
    for time, names in ((0, ["toy 1"]), (5, ["bed 2", "door to outside", "book 1", "book 2"]), (3, ["food 1"])):
        seen = Field.from_names(names, TABLE)
        store.append(Memory(first_time=time, last_time=time, place="SG's Home", field=seen))
    known = Familiarity(people={"SG": 1}, seen={"SG": "SG's Home", "toy 1": "SG's Home"})
    known.seen.update(dict.fromkeys(["bed 2", "book 1", "book 2"], "SG's Home"))
    (expected,), calls = protend(observe("outside"), Field.empty(), "go to SG's Home", memory=store, familiarity=known)
    assert (expected.source, expected.company, calls) == ("memory", ("SG",), ())
    assert expected.field == Field.from_names(["bed 2", "door to outside", "book 1", "book 2"], TABLE)
    assert expected.sentence.startswith("I am in SG's Home, where SG lives; there I may find SG, book")
    assert "bed" not in expected.sentence
    assert "toy" not in expected.sentence


def test_a_place_left_a_moment_ago_is_remembered_before_it_is_in_long_term_memory():
    store, old = LongTermMemory(TABLE), Field.from_names(["toy 1"], TABLE)
    store.append(Memory(first_time=0, last_time=0, place="SG's Home", field=old))
    just_now = Field.from_names(["book 1"], TABLE)
    (expected,), calls = protend(
        observe("outside"),
        Field.empty(),
        "go to SG's Home",
        memory=store,
        lately={"SG's Home": just_now},
        familiarity=Familiarity(seen={"book 1": "SG's Home", "toy 1": "SG's Home"}),
    )
    assert (expected.source, expected.field, calls) == ("memory", just_now, ())
    assert expected.sentence == "I am in SG's Home, where SG lives; there I may find book."


@pytest.mark.parametrize(
    "answer", ["a bed, and perhaps SG. It is a home", " There may be a bed, and perhaps SG.\n", "a bed, and perhaps SG"]
)
def test_a_large_model_is_asked_by_instruction(answer):
    imagined = {}
    protend(
        observe("outside"),
        Field.empty(),
        "go to SG's Home",
        model=ScriptedModel(outputs=[answer]),
        imagined=imagined,
        style="instruct",
    )
    assert imagined == {"SG's Home": "a bed, and perhaps SG."}


def test_outside_needs_no_memory_and_no_model():
    out, leave = protend(observe(), Field.empty(), "go to outside", "leave LL's Home")[0]
    assert (out.place, out.source) == ("outside", "rule")
    assert (leave.place, leave.sentence) == (out.place, out.sentence)
    assert out.sentence == "I am outside, on the way to other people and places."


def test_where_one_answer_fails_the_decision_goes_on_without_it():
    homes = ("SG's Home", "WL's Home", "WM's Home", "AY's Home")
    imagined = {}
    calls = ModelCalls("MD", 3)
    with Transcript(":memory:") as transcript:
        failing = ScriptedModel(fail_on=lambda caller, prompt: "WL's" in prompt or "WM's" in prompt)
        expected, _ = protend(
            observe("outside"),
            Field.empty(),
            *(f"go to {home}" for home in homes),
            model=RecordedModel(failing, transcript),
            imagined=imagined,
            calls=calls,
        )
        asked = [call.usage.call for call in transcript.calls()]
    assert [home for home in homes if imagined[home]] == ["SG's Home", "AY's Home"]
    assert ["There may be" in one.sentence for one in expected] == [True, False, False, True]
    assert sorted(calls.made) == sorted(asked)
    assert len(set(asked)) == len(homes)


def test_a_forecaster_says_what_is_in_places_never_seen_and_no_model_is_asked():
    toy, seen = Forecasts("book 3", "table 9"), field(door_1=(LEVEL, 0, 1), table_2=(LEVEL, 0.5, 3))
    actions = ("go to SG's Home", "go to LL's Home", "go to outside", "use bed 1", "use table 2")
    known = {"LL's Home": field(bed_1=(LEVEL, 0, 3))}
    (new, old, out, here, moves), calls = protend(observe("outside"), seen, *actions, lately=known, forecaster=toy)
    assert (toy.asked, calls) == (["go to SG's Home"], ())
    assert new.sentence == "I am in SG's Home, where SG lives; there I may find book."
    assert new.field.names(TABLE) == here.field.names(TABLE) == ("book 3", "table 9")
    # Where the rule moves nothing, the forecaster is asked once the field is looked at.
    assert not np.array_equal(moves.field.positions, seen.positions)
    assert toy.asked == ["go to SG's Home", "use bed 1"]
    assert [p.source for p in (new, old, out, here)] == ["learned", "memory", "rule", "rule"]


def test_what_a_forecaster_does_not_know_is_asked_of_the_rule_and_the_model():
    seen = field(bed_2=(LEVEL, 0, 3), cup_1=(LEVEL, 1, 2))
    model = ScriptedModel(outputs=[" a bed and somebody to talk with."])
    actions = ("go to SG's Home", "chat with LL: ...", "take cup 1 from bed 2")
    protended, _ = protend(observe("outside"), seen, *actions, model=model, forecaster=Forecasts())
    new, chat, take = protended
    assert [p.source for p in protended] == ["model", "rule", "rule"]
    assert new.sentence.endswith("There may be a bed and somebody to talk with.")
    assert chat.field is seen
    assert take.field.positions[1].tolist() == [LEVEL, 0.0, 0.0]


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        ("a bed, LL, and WM's chair.", "a bed, WM's chair."),
        ("a table where book 1 lies and a quiet corner.", "a quiet corner."),
        ("a table with cup 1, with a bed.", "a bed."),
        ("a bed and many books.", "a bed and many books."),
        ("LL.", None),
    ],
)
def test_what_is_here_or_in_ones_hands_is_not_imagined_elsewhere(answer, said):
    now = observe("outside", people=["LL", "WM"], items={"book 1": "table 1"}, held=["cup 1"])
    (expected,), _ = protend(now, Field.empty(), "go to SG's Home", imagined={"SG's Home": answer})
    begin = "I am in SG's Home, where SG lives."
    assert expected.sentence == (begin if said is None else f"{begin} There may be {said}")


def test_who_is_here_is_not_forecast_elsewhere():
    now = observe("outside", people=["LL"], held=["cup 1"])
    (expected,), _ = protend(now, Field.empty(), "go to SG's Home", forecaster=Forecasts("LL", "SG", "cup 1"))
    assert expected.field.names(TABLE) == ("SG", "cup 1")
    assert "LL" not in expected.sentence


def test_what_is_done_here_is_imagined_to_move_what_is_imagined():
    """Eq. 7 takes the imagination, too: the rule moves it for what is done, as it moves the present."""
    now = observe(furniture=["bed 2"])
    table = NameTable(EMBEDDER)
    present = Field.from_percepts(now.percepts, table)
    imagination = Field.from_names(["harp 5", "bed 2", "rug 4"], table)
    moment = Moment(retention=(), present=present, imagination=imagination, driver=0.0)

    def expected(moment):
        protention_model = ProtentionModel(table, PlaceImagination(ScriptedModel(), None))
        memory, known = LongTermMemory(table), Familiarity()
        asked = protention_model.protend(
            now, [Action("use bed 2")], {}, memory, {}, known, {}, moment=moment, calls=ModelCalls("MD", 3)
        )
        return run(asked)[0]

    found = expected(moment)
    assert found.imagine is not None
    assert found.imagine() == moved(imagination, Action("use bed 2"), ["harp 5", "bed 2", "rug 4"])
    assert found.field == moved(present, Action("use bed 2"), ["bed 2"])
    assert expected(replace(moment, imagination=present)).imagine is None


class Forecasts:
    """Forecasts the same field for each action, or knows nothing; notes which it is asked about."""

    name = "toy"

    def __init__(self, *names):
        self._names = names
        self.asked = []

    def forecast(self, moment, actions, table):
        self.asked += actions
        return [Field.from_names(self._names, table) if self._names else None for _ in actions]
