"""The last steps are told a line each, with deeds and words, and begin alike for as long as they have room."""

from __future__ import annotations

import json

from scenes import EMBEDDER

from itcma_s.deliberation.by_model.lately import Lately
from itcma_s.fields.name_table import NameTable
from itcma_s.fields.phenomenal_field import Field
from itcma_s.memory.channel import Channel, Frame

TABLE = NameTable(EMBEDDER)
TALK = 'chat with AY: "Hello."'


def told(*frames: Frame, most: float = 1000.0, lately: Lately | None = None) -> Lately:
    return (lately or Lately()).with_frames(frames, "MD", TABLE, "deeds", most)


def frame(time: int, place: str = "outside", action: str = "", **more: object) -> Frame:
    return Frame(time=time, place=place, field=Field.empty(), action=action, **more)  # type: ignore[arg-type]


def test_who_spoke_did_not_stay() -> None:
    spoke = frame(1, "Public Canteen", TALK, result='You say to AY: "Hello."', said=("MD to AY: Hello.",))
    lines = told(frame(0), spoke, frame(2), frame(3)).lines()
    assert lines == ["- step 0, outside: you stayed", '- step 1, in the canteen: you to AY: "Hello."', *lines[2:]]
    assert "you stayed" not in lines[1]


def test_ones_own_deed_is_added_when_it_is_no_longer_the_last() -> None:
    took = frame(1, "outside", "take food 1 from table 2", result="You take the food 1 from the table 2.")
    assert told(frame(0), took, frame(2)).lines() == ["- step 0, outside: you stayed"]
    assert told(took, frame(2), frame(3)).lines() == ["- step 1, outside: you took food 1 from the table"]


def test_whoever_is_held_back_again_is_told_so_with_how_often() -> None:
    wanted = ("AY wanted to say something to you, and was held back.",)
    lines = told(*(frame(time, witnessed=wanted) for time in range(3)), frame(3)).lines()
    assert lines[0].endswith("AY wanted to say something to you, and was held back")
    assert lines[1].endswith("AY was held back again, 2 times in a row")
    assert lines[2].endswith("AY was held back again, 3 times in a row")


def test_without_room_words_leave_first_and_retention_stays() -> None:
    words = "AY to WL: " + "word " * 40
    frames = [
        frame(time, witnessed=("AY uses food 1: the food 1 is now eaten.",), said=(words,), action="wait")
        for time in range(5)
    ]
    lines = told(*frames, most=60.0).lines()
    assert [line.partition(",")[0].partition(":")[0] for line in lines] == [f"- step {time}" for time in range(5)]
    assert all("ate food 1" in line for line in lines)
    assert ["word word" in line for line in lines] == [False] * 4 + [True]


def test_lines_stay_as_they_are_as_long_as_there_is_room() -> None:
    channel, lately, before = Channel(), Lately(), list[str]()
    for time in range(12):
        if time:
            done = frame(time - 1, action="take food 1 from table 2", result="You take the food 1 from the table 2.")
            channel.amend(done)
        channel.push(frame(time))
        lately = told(*channel.frames, lately=lately)
        lines = lately.lines()
        assert lines[: len(before)] == before
        before = lines
    assert len(before) == 10


def test_a_state_goes_through_json() -> None:
    lately = told(frame(0, witnessed=("AY wanted to go outside, and was held back.",)), frame(1), frame(2))
    again = Lately.from_state(json.loads(json.dumps(lately.get_state())))
    assert again.get_state() == lately.get_state()
    assert again.lines() == lately.lines()
