"""What a large model is told of a mind, word for word."""

from __future__ import annotations

import math

import numpy as np
from scenes import EMBEDDER, observe

from irollan_env import Event
from itcma_s.deliberation.channel_in_words import blended, field_in_words, juxtaposed, protentions_in_words
from itcma_s.fields.name_table import NameTable
from itcma_s.fields.phenomenal_field import Field
from itcma_s.memory.channel import Frame
from itcma_s.memory.memory import Memory
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


def test_a_field_says_where_each_object_is() -> None:
    seen = field(bed_2=(0, 4.25), AY=(90, 1), SG=(180, 2), table_1=(330, 3.04), toy_1=(0, 0), WM=(359.8, 1))
    assert field_in_words(seen, TABLE) == (
        "bed 2 at 4.2 m, ahead; AY at 1.0 m, 90° left; SG at 2.0 m, behind; table 1 at 3.0 m, 30° right; "
        "toy 1 at hand; WM at 1.0 m, ahead"
    )
    assert field_in_words(Field.empty(), TABLE) == "nothing"


def test_a_channel_is_told_frame_by_frame_with_memory_beside_it() -> None:
    now = observe(
        "LL's Home",
        people=["SG"],
        heard=[("SG", "MD", "Hello!")],
        events=(Event(time=2, actor="SG", deed="came", other="outside"),),
        result="You take the book 1 from the table 2.",
    )
    frames = [
        Frame(time=1, place="outside", field=field(AY=(0, 2))),
        Frame(
            time=2,
            place="LL's Home",
            field=field(book_1=(10, 3)),
            action="take book 1 from table 2",
            result="You take the book 1 from the table 2.",
        ),
    ]
    past = Memory(
        first_time=0,
        last_time=0,
        place="outside",
        field=field(WM=(0, 1)),
        actions=('chat with WM: "Hi."',),
        results=('You say to WM: "Hi."',),
        said=("MD to WM: Hi.",),
        witnessed=("WM hands you food 6.",),
    )
    assert juxtaposed(now, field(SG=(0, 1)), frames, [past], (0.5, 0.25, -0.125), 1.5, TABLE) == (
        "Retention:\n"
        "- Time 1, outside: AY at 2.0 m, ahead.\n"
        "- Time 2, LL's Home: book 1 at 3.0 m, 10° left. Done: take book 1 from table 2. "
        "You take the book 1 from the table 2.\n"
        "Primal impression:\n"
        "- Time 3, LL's Home: SG at 1.0 m, ahead. You are in LL's Home.\n"
        "You take the book 1 from the table 2.\n"
        "SG comes in from outside.\n"
        'SG says to MD: "Hello!"\n'
        "Awakened memory:\n"
        '- Time 0, outside: WM at 1.0 m, ahead. Said: MD to WM: Hi. Done: chat with WM: "Hi.". You say to WM: "Hi." '
        "Seen: WM hands you food 6.\n"
        "Driver 1.50, pleasure 0.50, arousal 0.25, dominance -0.12."
    )


def test_what_is_blended_is_told_as_one_present() -> None:
    now = observe("LL's Home", people=["SG"], furniture=["bed 2"])
    imagined = field(SG=(0, 1), bed_2=(0, 2), book_1=(0, 3), WM=(0, 1), chair_4=(0, 2), door_to_outside=(0, 9))
    assert blended(now, imagined, 'Before, SG said to me: "Hi."', "content and calm", 0.25, TABLE) == (
        "You are in LL's Home.\nI feel content and calm; my driver is 0.25.\nMemory adds book 1, WM.\n"
        'Before, SG said to me: "Hi."'
    )
    alone = "You are in LL's Home.\nI feel calm; my driver is 0.00."
    assert blended(now, field(SG=(0, 1)), "", "calm", 0.0, TABLE) == alone


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
    assert protentions_in_words(protended, now, TABLE).splitlines() == [
        '- "chat with SG: ...": I talk with SG.',
        '- "take toy 1 from bed 2": I hold the toy. Then toy 1 at hand.',
        '- "go to outside": I am outside. Then AY at 3.0 m, behind instead of all that is here.',
        '- "use bed 2": I lie. Then bed 2 at hand, and no more SG.',
        '- "use chair 4": I sit. Then bed 2 at 0.6 m, 10° left.',
        '- "leave SG": I am alone. Then no more SG.',
        '- "go to nowhere": I am nowhere. Then nothing instead of all that is here.',
    ]
    assert protentions_in_words(protended[:1], Field.empty(), TABLE).endswith(
        "Then toy 1 at 2.0 m, ahead; bed 2 at 4.0 m, 90° left; SG at 1.0 m, ahead."
    )
