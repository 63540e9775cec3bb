import dataclasses
import json
import math

import pytest

from itcma_s.fields.phenomenal_field import Field
from itcma_s.memory.channel import Channel, Frame


def frame(time, **values):
    return Frame(time=time, place="LL's Home", field=Field.empty(), **values)


def test_frames_fall_out_of_retention_oldest_first():
    channel = Channel(k=4)
    assert channel.primal_impression is None
    assert [channel.push(frame(time)) for time in range(5)] == [None] * 5
    assert [f.time for f in channel.retention] == [0, 1, 2, 3]
    fallen = channel.push(frame(7))
    assert fallen is not None
    assert fallen.time == 0
    assert channel.primal_impression is not None
    assert channel.primal_impression.time == 7
    assert [f.time for f in channel.frames] == [1, 2, 3, 4, 7]
    assert len(channel) == 5


def test_nothing_is_retained_at_k_0():
    channel = Channel(k=0)
    assert channel.push(frame(0)) is None
    fallen = channel.push(frame(1))
    assert fallen is not None
    assert fallen.time == 0
    assert channel.retention == ()


def test_the_primal_impression_can_be_amended():
    channel = Channel()
    channel.push(frame(3))
    channel.amend(dataclasses.replace(channel.frames[-1], action="use bed 1", result="Nothing happens."))
    assert channel.frames[-1].action == "use bed 1"
    with pytest.raises(ValueError, match="only the frame of time 3 can be amended, got time 4"):
        channel.amend(frame(4))
    with pytest.raises(ValueError, match="only the frame of time None"):
        Channel().amend(frame(4))


def test_a_restored_channel_is_the_same(table):
    channel = Channel(k=2)
    for time in range(5):
        channel.push(
            Frame(
                time=time,
                place="outside",
                field=Field.from_names(["LL", "door to outside"][: time % 3], table),
                action="chat with LL: hello",
                result="ok",
                said=("LL: hello",),
                witnessed=("LL hands you food 6.",),
                pleasure=0.1 * time,
                arousal=-0.2,
                dominance=1 / 3,
            )
        )
    other = Channel()
    other.set_state(json.loads(json.dumps(channel.get_state())))
    assert other.frames == channel.frames
    assert other.k == 2
    assert other.get_state() == channel.get_state()


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: Channel(k=-1), "k must be at least 0, got -1"),
        (lambda: frame(-1), "time must be at least 0, got -1"),
        (lambda: Frame(time=0, place="", field=Field.empty()), "a frame needs a place"),
        (lambda: frame(2, arousal=1.0), r"arousal at time 2 must lie in \(-1, 1\), got 1.0"),
        (lambda: frame(2, pleasure=math.nan), "pleasure at time 2"),
        (
            lambda: Channel().set_state({"k": 0, "frames": [frame(n).get_state() for n in (0, 1)]}),
            "2 frames do not fit",
        ),
        (lambda: [channel.push(frame(3)) for channel in [Channel()] * 2], "later than the present one of time 3"),
    ],
)
def test_bad_values_are_named(call, message):
    with pytest.raises(ValueError, match=message):
        call()
