"""What a mind has behind it: which frame goes where, and when."""

import json

import numpy as np
import pytest
from scenes import EMBEDDER, observe

from irollan_env.world.events import Event
from itcma_s.emotion.emotion import emotional_intensity
from itcma_s.fields.name_table import NameTable
from itcma_s.fields.phenomenal_field import Field
from itcma_s.memory.channel import Frame
from itcma_s.memory.compression import compress
from itcma_s.memory.past import Past, waited_for
from itcma_s.parameters import MindParameters

FELT = (0.5, 0.25, 0.125)
HOME, CANTEEN = "LL's Home", "Public Canteen"


def new_past(*, retention=2, compressed=True):
    table = NameTable(EMBEDDER)
    return Past(
        table, np.random.default_rng(0), parameters=MindParameters(retention=retention), compressed=compressed
    ), table


def remember(past, table, now, felt=FELT):
    field = Field.from_percepts(now.percepts, table)
    past.remember(now, field, felt)
    return field


def lived(past, table, places):
    """A step in each of some places, each with another thing, felt more and more."""
    return [
        remember(past, table, observe(place, furniture=[f"table {time}"], time=time), (0.07 * time, 0.05 * time, 0.02))
        for time, place in enumerate(places)
    ]


def test_the_present_keeps_all_that_was_felt_said_and_seen():
    past, table = new_past()
    now = observe(heard=[("SG", "MD", "Hello.")], furniture=["bed 2"], time=4)
    field = remember(past, table, now)
    frame = past.channel.primal_impression
    assert frame is not None
    assert (frame.time, frame.place, frame.field) == (4, HOME, field)
    assert (frame.pleasure, frame.arousal, frame.dominance) == FELT
    assert frame.said == ("SG to MD: Hello.",)
    past.finish("use bed 2", "You sleep.", ["MD to SG: Good night."])
    frame = past.channel.primal_impression
    assert frame is not None
    assert (frame.action, frame.result) == ("use bed 2", "You sleep.")
    assert frame.said == ("SG to MD: Hello.", "MD to SG: Good night.")


def test_before_the_first_step_there_is_nothing_to_finish():
    past, _ = new_past()
    past.finish("use bed 2", "You sleep.", [])
    assert past.channel.primal_impression is None
    assert past.retained() == []
    assert past.last_fields() == {}


def test_what_is_retained_is_what_precedes_the_next_step():
    """Called before the present is pushed: the last k frames, of which the present so far is the latest."""
    past, table = new_past(retention=2)
    fields = lived(past, table, [HOME] * 4)
    assert past.retained() == fields[-2:]
    assert [frame.field for frame in past.channel.retention] == fields[-3:-1]


@pytest.mark.parametrize("compressed", [True, False])
def test_frames_fall_out_of_retention_into_a_segment_and_from_there_into_memory(compressed):
    """Eight steps at home and four in the canteen, of which two are retained beside the present."""
    past, table = new_past(compressed=compressed)
    fields = lived(past, table, [HOME] * 8 + [CANTEEN] * 5)
    spans = [(memory.first_time, memory.last_time, memory.place) for memory in past.memory]
    if compressed:
        # A segment has at most 6 frames, and ends with the place.
        assert spans == [(0, 5, HOME), (6, 7, HOME)]
        assert [frame.time for frame in past.segment] == [8, 9]
        assert next(iter(past.memory)).weight == pytest.approx(emotional_intensity(0.35, 0.25, 0.02))
        assert past.last_fields() == {CANTEEN: fields[-1]}
    else:
        assert spans == [(time, time, HOME if time < 8 else CANTEEN) for time in range(10)]
        assert past.segment == []
        assert [memory.field for memory in past.memory] == fields[:10]


def test_the_last_field_of_a_place_is_the_latest_that_is_not_in_memory_yet():
    past, table = new_past(retention=1)
    fields = lived(past, table, [HOME, HOME, HOME, CANTEEN, CANTEEN])
    assert past.last_fields() == {HOME: fields[2], CANTEEN: fields[4]}


def test_where_nothing_else_is_said_four_frames_are_retained_and_what_falls_out_is_compressed():
    table = NameTable(EMBEDDER)
    past = Past(table, np.random.default_rng(0))
    lived(past, table, [HOME] * 7)
    assert len(past.channel.retention) == 4
    assert [frame.time for frame in past.segment] == [0, 1]
    assert len(past.memory) == 0


def test_compression_draws_from_the_generator_of_the_mind():
    past, table = new_past(retention=1)
    things = ("bed 2", "SG", "book 1", "sinkbasin 4", "WM", "toy 3", "door to outside", "food 6")
    fields = [
        remember(past, table, observe(HOME, furniture=[thing], items={"pen 1": thing}, time=time), FELT)
        for time, thing in enumerate(things)
    ]
    past.compress()
    draws = np.random.default_rng(0)
    segment = [Frame(time=time, place=HOME, field=field) for time, field in enumerate(fields[:6])]
    assert [memory.field for memory in past.memory] == [compress(segment, table, draws).field]
    assert draws.bit_generator.state != np.random.default_rng(0).bit_generator.state


def test_what_was_seen_of_others_is_kept_in_a_frame():
    past, table = new_past()
    used = Event(time=3, actor="SG", deed="used", thing="bed 2")
    handed = Event(time=3, actor="SG", deed="handed", thing="book 1", other="MD")
    remember(past, table, observe(events=(used, handed), time=4))
    frame = past.channel.primal_impression
    assert frame is not None
    assert frame.witnessed == ("SG uses bed 2.", "SG hands you book 1.")
    assert frame.said == ()


SEEN = {"furniture": ["bed 2", "table 3"], "doors": ["outside"]}


def walked(action, place, outcome, **seen):
    """A past of two steps: an action in LL's Home, and where it led."""
    past, table = new_past()
    remember(past, table, observe(HOME, time=0, **SEEN))
    past.finish(action, "", [])
    now = observe(place, time=1, outcome=outcome, items={"book 1": "table 3"}, people=["SG"], **{**SEEN, **seen})
    return past, table, remember(past, table, now)


@pytest.mark.parametrize(
    ("action", "place", "spot"),
    [
        ("use bed 2", HOME, "bed 2"),
        ("take book 1 from table 3", HOME, "table 3"),
        ("put book 1 in/on table 3", HOME, "table 3"),
        ("go to outside", "outside", HOME),
    ],
)
def test_how_doors_and_furniture_stand_is_kept_by_where_one_walked(action, place, spot):
    past, table, _ = walked(action, place, "executed")
    (view,) = past.views[place].values()
    assert set(past.views) == {place}
    assert set(past.views[place]) == {spot}
    assert view.names(table) == ("door to outside", "bed 2", "table 3")
    again, _ = new_past()
    restored = again.restored(json.loads(json.dumps(past.get_state())))
    assert restored.views == past.views


@pytest.mark.parametrize(
    ("action", "place", "outcome"),
    [
        ("use bed 2", HOME, "filtered"),
        ("go to outside", "outside", "inadmissible"),
        ("chat with SG: hi", HOME, "executed"),
        ("use bed 9", HOME, "executed"),
        ("leave SG", HOME, "executed"),
    ],
)
def test_no_view_is_kept_where_nobody_walked_to_anything_that_is_seen(action, place, outcome):
    past, _, _ = walked(action, place, outcome)
    assert past.views == {}


def test_what_follows_is_expected_of_the_present_and_what_precedes_it():
    past, table = new_past(retention=2)
    imagined = Field.from_names(["vase 8"], table)
    assert past.moment(imagined, 0.5).present == imagined
    fields = lived(past, table, [HOME] * 4)
    moment = past.moment(imagined, 0.75)
    assert (moment.retention, moment.present) == (tuple(fields[1:3]), fields[3])
    assert (moment.imagination, moment.driver) == (imagined, 0.75)


def test_without_memories_nothing_is_called_up():
    past, table = new_past()
    (now,) = lived(past, table, [HOME])
    assert past.imagine(now) == ([], now)


@pytest.mark.parametrize(
    ("steps", "waited"),
    [
        (f"{HOME}, {HOME}, {HOME}", True),
        (f"{HOME}, {HOME}", False),
        (f"{CANTEEN}, {HOME}, {HOME}", False),
        (f"{CANTEEN}, {HOME}, {HOME}, {HOME}", True),
        (f"{HOME}, {HOME}, {HOME}, {CANTEEN}", False),
        (f"{HOME}, {HOME} with SG, {HOME}", False),
        (f"{HOME} with SG, {HOME}, {HOME}, {HOME}", True),
    ],
)
def test_somebody_is_waited_for_where_one_was_in_both_steps_before_without_it(steps, waited):
    past, table = new_past(retention=3)
    for time, step in enumerate(steps.split(", ")):
        place, _, person = step.partition(" with ")
        remember(past, table, observe(place, people=[person] if person else [], furniture=["bed 2"], time=time))
    assert waited_for("SG", past.channel, table) == waited
