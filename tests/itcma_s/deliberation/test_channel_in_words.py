"""What a large model is told of a mind, word for word: the same words for the same thing in every mind."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from scenes import EMBEDDER

from itcma_s.deliberation.channel_in_words import (
    moments,
)
from itcma_s.fields.name_table import NameTable
from itcma_s.fields.phenomenal_field import Field
from itcma_s.memory.memory import Memory

LEVEL = math.pi / 2
TABLE = NameTable(EMBEDDER)


def field(**places: tuple[float, float]) -> Field:
    """A field of names with "_" for spaces, each with its azimuth in degrees and its distance in metres."""
    names = [name.replace("_", " ") for name in places]
    positions = [[LEVEL, math.radians(azimuth), gamma] for azimuth, gamma in places.values()]
    return Field(TABLE.ids(names), np.array(positions).reshape(-1, 3))


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


def test_words_that_are_told_elsewhere_are_not_told_again() -> None:
    told = moments(PAST, "MD", TABLE, "deeds", ("Bye.", "Hi."))
    assert not any('"' in line for line in told)
    assert not any(line.startswith("step 3") for line in told)
    assert told[0] == "step 0, outside, with WM: you stayed"
