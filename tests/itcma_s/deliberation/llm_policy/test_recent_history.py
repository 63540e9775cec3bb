"""The last steps are told a line each, with deeds and words, and begin alike for as long as they have room."""

from __future__ import annotations

import json
from dataclasses import replace

from scenes import EMBEDDER, observe

from irollan_env.world.events import Event
from irollan_env.world.observation import Message
from itcma_s.deliberation.llm_policy.recent_history import RecentHistory
from itcma_s.fields.name_table import NameTable
from itcma_s.fields.phenomenal_field import Field
from itcma_s.memory.channel import Channel, Frame

TABLE = NameTable(EMBEDDER)


def told(*frames: Frame, most: float = 1000.0, lately: RecentHistory | None = None) -> RecentHistory:
    return (lately or RecentHistory()).with_frames(frames, "MD", TABLE, "deeds", most)


def frame(time: int, place: str = "outside", action: str = "", **more: object) -> Frame:
    return Frame(time=time, place=place, field=Field.empty(), action=action, **more)  # type: ignore[arg-type]


def lived(*steps: tuple[tuple[Event | Message, ...], str]) -> list[str]:
    """The lines of steps of MD's, each of what happened since the last one and of what MD then says to AY."""
    lately, channel = RecentHistory(), Channel()
    for time, (happened, _) in enumerate(steps):
        events = tuple(one for one in happened if isinstance(one, Event))
        messages = tuple(one for one in happened if isinstance(one, Message))
        lately = lately.noticed(replace(observe("outside", time=time), events=events, messages=messages))
        if time and (words := steps[time - 1][1]):
            channel.amend(frame(time - 1, action=f'chat with AY: "{words}"', said=(f"MD to AY: {words}",)))
        channel.push(frame(time))
        lately = told(*channel.frames, lately=lately)
        lately = RecentHistory.from_state(json.loads(json.dumps(lately.get_state())))
    return lately.lines()


def filtered_steps(time: int) -> Event:
    return Event(time=time, actor="AY", deed="held back", other="MD", text="chat with MD: ...")


def took(time: int, thing: str) -> Event:
    return Event(time=time, actor="AY", deed="took", thing=thing, other="table 2")


def said(time: int, text: str) -> Message:
    return Message(time=time, sender="AY", addressee="MD", text=text)


def test_whoever_is_held_back_again_is_told_so_with_how_often() -> None:
    lines = lived(((filtered_steps(0),), ""), ((filtered_steps(1),), ""), ((filtered_steps(2),), ""))
    wanted = "AY wanted to say something to you, and was held back"
    assert lines[0].endswith(wanted)
    assert lines[1].endswith(f"{wanted} again, 2 times in a row")
    assert lines[2].endswith(f"{wanted} again, 3 times in a row")


def test_who_did_something_in_between_or_was_out_of_sight_is_held_back_for_the_first_time() -> None:
    acted = lived(((filtered_steps(0),), ""), ((took(1, "food 1"),), ""), ((filtered_steps(2),), ""))
    away = lived(((filtered_steps(0),), ""), ((), ""), ((filtered_steps(2),), ""))
    spoke = lived(((filtered_steps(0),), ""), ((said(1, "Hello."),), ""), ((filtered_steps(2),), ""))
    assert not any("again" in line for line in (*acted, *away, *spoke))
    # One is told once, though it was seen in two steps that follow each other: after one's own act, and before it.
    twice = lived(((), ""), ((filtered_steps(0), filtered_steps(1)), ""))
    assert [line.rpartition("held back")[2] for line in twice] == ["", " again, 2 times in a row"]


def test_without_room_words_leave_first_and_retention_stays() -> None:
    words = "AY to WL: " + "word " * 40
    frames = [
        frame(time, witnessed=("AY uses food 1: the food 1 is now eaten.",), said=(words,), action="go to outside")
        for time in range(5)
    ]
    lines = told(*frames, most=60.0).lines()
    assert [line.partition(",")[0].partition(":")[0] for line in lines] == [f"- step {time}" for time in range(5)]
    assert all("ate food 1" in line for line in lines)
    assert ["word word" in line for line in lines] == [False] * 4 + [True]
