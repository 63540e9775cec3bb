"""What a large model is told of a mind, word for word: the same words for the same thing in every mind."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from leading import LeadingModel
from led import context_of
from scenes import EMBEDDER, observe

from irollan_env import Event
from itcma_s.deliberation.channel_in_words import (
    Detail,
    added,
    content,
    field_in_words,
    moments,
    protentions_in_words,
    recalled,
)
from itcma_s.deliberation.protocol import Context
from itcma_s.fields.name_table import NameTable
from itcma_s.fields.phenomenal_field import Field
from itcma_s.memory.channel import Channel, Frame
from itcma_s.memory.memory import Memory
from itcma_s.parameters import Mechanisms
from itcma_s.protention.protention import Protention

LEVEL = math.pi / 2
TABLE = NameTable(EMBEDDER)


def field(**places: tuple[float, float]) -> Field:
    """A field of names with "_" for spaces, each with its azimuth in degrees and its distance in metres."""
    names = [name.replace("_", " ") for name in places]
    positions = [[LEVEL, math.radians(azimuth), gamma] for azimuth, gamma in places.values()]
    return Field(TABLE.ids(names), np.array(positions).reshape(-1, 3))


def expect(action: str, sentence: str, after: Field) -> Protention:
    return Protention(action=action, sentence=sentence, foresee=lambda: after, place="p", company=(), source="rule")


def memory(time: int, place: str, seen: Field, *deeds: tuple[str, str], **more: Any) -> Memory:
    actions, results = tuple(one for one, _ in deeds), tuple(one for _, one in deeds)
    return Memory(first_time=time, last_time=time, place=place, field=seen, actions=actions, results=results, **more)


TAKEN = ("take book 1 from table 2", "You take the book 1 from the table 2.")
PAST = (
    memory(0, "outside", field(WM=(0, 1), door_to_outside=(0, 3)), said=("MD to WM: Hi.",), witnessed=("WM goes in.",)),
    memory(1, "LL's Home", field(book_1=(10, 3), bed_2=(0, 1)), TAKEN, witnessed=("WM hands you food 6.",)),
    memory(
        2, "LL's Home", field(book_1=(0, 0), bed_2=(0, 2)), ("use bed 2", "(This action has been filtered by LTRHA)")
    ),
    memory(
        3,
        "LL's Home",
        field(book_1=(0, 0), bed_2=(0, 2)),
        ('chat with WM: "Bye."', "You say."),
        said=("MD to WM: Bye.",),
    ),
    memory(4, "LL's Home", field(book_1=(0, 0), bed_2=(0, 2))),
    memory(5, "LL's Home", field(book_1=(0, 0), bed_2=(0, 2)), ("use bed 3", "Nothing happens. There is none.")),
)


def test_a_field_says_where_each_object_is() -> None:
    seen = field(bed_2=(0, 4.25), AY=(90, 1), SG=(180, 2), table_1=(330, 3.04), toy_1=(0, 0), WM=(359.8, 1))
    assert field_in_words(seen, TABLE) == (
        "bed 2 at 4.2 m, ahead; AY at 1.0 m, 90° left; SG at 2.0 m, behind; table 1 at 3.0 m, 30° right; "
        "toy 1 at hand; WM at 1.0 m, ahead"
    )
    assert field_in_words(Field.empty(), TABLE) == "nothing"


def test_moments_are_told_by_what_was_done_and_said_in_them() -> None:
    assert moments(PAST, "MD", TABLE, "deeds") == [
        'step 0, outside, with WM: you to WM: "Hi."',
        "step 1, in LL's house: WM handed you food 6; you took book 1 from the table",
        "step 2: you wanted to rest on the bed, but were held back",
        'step 3: you to WM: "Bye."',
        "step 4: you stayed",
        "step 5: you wanted to rest on the bed, but could not",
    ]


def test_words_that_are_told_elsewhere_are_not_told_again() -> None:
    told = moments(PAST, "MD", TABLE, "deeds", ("Bye.", "Hi."))
    assert not any('"' in line for line in told)
    assert not any(line.startswith("step 3") for line in told)
    assert told[0] == "step 0, outside, with WM: you stayed"


def test_names_are_told_where_they_change_and_positions_with_every_object() -> None:
    assert moments(PAST[:3], "MD", TABLE, "names")[1:] == [
        "step 1, in LL's house: book 1; WM handed you food 6; you took book 1 from the table",
        "step 2: you wanted to rest on the bed, but were held back",
    ]
    assert moments(PAST[1:3], "MD", TABLE, "positions") == [
        "step 1, in LL's house: book 1 at 3.0 m, 10° left; the bed at 1.0 m, ahead; WM handed you food 6; "
        "you took book 1 from the table",
        "step 2: book 1 at hand; the bed at 2.0 m, ahead; you wanted to rest on the bed, but were held back",
    ]


def mind(compressed: bool, **more: Any) -> Context:
    """What a mind has that took book 1, remembers two steps, and imagines people and things beside what is there."""
    now = observe(
        "LL's Home",
        people=["SG"],
        time=7,
        heard=[("SG", "MD", "Hello!")],
        events=(Event(time=6, actor="SG", deed="came", other="outside"),),
        result="You take the book 1 from the table 2.",
        admissible=("go to outside",),
        **more,
    )
    frame = Frame(time=6, place="LL's Home", field=PAST[1].field, action=TAKEN[0], result=TAKEN[1])
    base = context_of(replace(now, events=(), messages=(), result="", outcome=None), LeadingModel(), table=TABLE)
    channel = Channel(4)
    channel.push(frame)
    channel.push(replace(frame, time=7, action="", result=""))
    return replace(
        base,
        channel=channel,
        observation=now,
        present=field(SG=(0, 1)),
        imagination=field(SG=(0, 1), WM=(90, 2), toy_1=(0, 3), bed_2=(0, 2)) if compressed else field(SG=(0, 1)),
        activated=PAST[:2],
        emotion=(0.6, 0.2, 0.0),
        driver=0.5,
        mechanisms=Mechanisms(compressed_memory=compressed),
    )


def test_a_memory_is_set_beside_the_present_or_told_by_what_it_adds() -> None:
    beside, blended = mind(compressed=False), mind(compressed=True)
    assert recalled(beside, "deeds") == moments(PAST[:2], "MD", TABLE, "deeds")
    assert recalled(blended, "deeds") == [
        'step 0, outside: you to WM: "Hi."',
        "step 1, in LL's house: WM handed you food 6; you took book 1 from the table",
        "here you half expect WM",
    ]
    # Of the fields of its memories a blended present has what is new, and no more.
    assert recalled(blended, "positions")[:2] == recalled(blended, "deeds")[:2]
    assert recalled(beside, "positions") == moments(PAST[:2], "MD", TABLE, "positions")


@pytest.mark.parametrize(
    ("detail", "said"),
    [
        ("deeds", "here you half expect WM"),
        ("names", "here you half expect WM and toy 1"),
        ("positions", "here you half expect WM at 2.0 m, 90° left and toy 1 at 3.0 m, ahead"),
    ],
)
def test_what_memory_adds(detail: Detail, said: str) -> None:
    assert added(mind(compressed=True), detail) == said
    assert added(mind(compressed=False), detail) == ""


def test_the_whole_content_for_a_model_that_does_not_lead() -> None:
    seen = mind(compressed=False, topic=0.4, resources=3.0, habitus={"chat with SG: ...": 0.8, "use bed 2": 0.2})
    text = content(seen, "deeds")
    assert text.startswith("The last steps:\n- ")
    assert "step 6, in LL's house: you took book 1 from the table" in text
    assert text.endswith(
        "Now, in step 7: You are in LL's Home.\n"
        "You take the book 1 from the table 2.\n"
        "SG comes in from outside.\n"
        'SG says to MD: "Hello!"\n'
        "It calls to mind:\n"
        '- step 0, outside, with WM: you to WM: "Hi."\n'
        "- step 1, in LL's house: WM handed you food 6; you took book 1 from the table\n"
        "You feel happy and curious, since you met SG, and have an urge to act.\n"
        "The mood here is friendly; the others think well of you; in moments like this you are inclined to talk."
    )
    assert "Around you: SG at 1.0 m, ahead." in content(seen, "positions")


def test_every_action_is_told_with_what_would_change() -> None:
    now = field(toy_1=(0, 2), bed_2=(90, 4), SG=(0, 1))
    protended = [
        expect("chat with SG: ...", "I talk with SG.", now),
        expect("take toy 1 from bed 2", "I hold the toy.", field(toy_1=(0, 0), bed_2=(90, 4), SG=(0, 1))),
        expect("go to outside", "I am outside.", field(AY=(180, 3))),
        expect("use bed 2", "I lie.", field(toy_1=(0, 2), bed_2=(0, 0))),
        expect("use chair 4", "I sit.", field(toy_1=(0, 5), bed_2=(10, 0.6), SG=(0, 7))),
        expect("leave SG", "I am alone.", field(toy_1=(0, 2), bed_2=(90, 4))),
        expect("go to nowhere", "I am nowhere.", Field.empty()),
    ]
    assert protentions_in_words(protended, now, TABLE, "positions").splitlines() == [
        '- "chat with SG: ...": I talk with SG.',
        '- "take toy 1 from bed 2": I hold the toy. Then toy 1 at hand.',
        '- "go to outside": I am outside. Then AY at 3.0 m, behind instead of all that is here.',
        '- "use bed 2": I lie. Then bed 2 at hand, and no more SG.',
        '- "use chair 4": I sit. Then bed 2 at 0.6 m, 10° left.',
        '- "leave SG": I am alone. Then no more SG.',
        '- "go to nowhere": I am nowhere. Then nothing instead of all that is here.',
    ]
    assert protentions_in_words(protended[:1], Field.empty(), TABLE, "positions").endswith(
        "Then toy 1 at 2.0 m, ahead; bed 2 at 4.0 m, 90° left; SG at 1.0 m, ahead."
    )
    assert protentions_in_words(protended[1:2], now, TABLE, "names") == '- "take toy 1 from bed 2": I hold the toy.'
