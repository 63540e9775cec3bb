from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from toy_fields import ToyEmbedder, random_field

from itcma_s.emotion.emotion import emotional_intensity
from itcma_s.fields.blending import blend_plain
from itcma_s.fields.name_table import NameTable
from itcma_s.fields.phenomenal_field import Field
from itcma_s.memory.channel import Frame
from itcma_s.memory.compression import compress, key_frame, latest, segment_boundary, shorten

TABLE = NameTable(ToyEmbedder())


def segment(seed, length, jitter=0.0):
    generator = np.random.default_rng(seed)
    return [
        Frame(
            time=3 * n + 2,
            place="outside",
            field=random_field(generator, TABLE, int(generator.integers(0, 7)), jitter=jitter),
            action=("", "use bed 1", f"take cup {n} from table 1")[int(generator.integers(3))],
            result=f"answer {n}",
            said=(f"LL to SG: line {int(generator.integers(3))} " + "words " * 20,),
            witnessed=(f"SG takes book {n} from bookshelf 3, which is in LL's Home.", "LL goes outside."),
            pleasure=float(generator.uniform(-0.9, 0.9)),
            arousal=float(generator.integers(-2, 3)) / 4,
            dominance=0.5,
        )
        for n in range(length)
    ]


@settings(deadline=None)
@given(st.integers(0, 2**32), st.integers(1, 8), st.sampled_from([0.0, 1e-9, 1e-6, 1e-3]))
def test_one_memory_takes_the_place_of_a_segment(seed, length, jitter):
    frames = segment(seed, length, jitter)
    memory = compress(frames, TABLE, np.random.default_rng(seed))
    key = max(frames, key=lambda frame: frame.arousal)  # max gives the first on ties
    assert (memory.first_time, memory.last_time) == (frames[0].time, frames[-1].time)
    assert (memory.pleasure, memory.arousal, memory.dominance) == (key.pleasure, key.arousal, key.dominance)
    assert memory.weight == emotional_intensity(key.pleasure, key.arousal, key.dominance)
    assert memory.frames == length
    assert len(memory.field) <= sum(len(frame.field) for frame in [key, *frames])
    assert set(memory.actions) == {frame.action for frame in frames} - {""}
    assert sum(map(len, memory.said)) <= 400
    assert sum(map(len, memory.witnessed)) <= 240
    assert memory.witnessed[-1] == "LL goes outside."
    assert memory.witnessed[-2] == frames[-1].witnessed[0]
    # Eq. 9, written out with the printed loops
    generator = np.random.default_rng(seed)
    expected = key.field
    for frame in frames:
        expected = blend_plain(expected, frame.field, TABLE, generator)
    assert memory.field == expected


def test_the_key_frame_is_the_first_of_the_strongest():
    assert key_frame([0.1, 0.5, 0.2, 0.5]) == 1
    assert key_frame([-0.4, -0.1]) == 1


def test_an_action_done_twice_keeps_its_last_result():
    frames = [
        Frame(time=n, place="outside", field=Field.empty(), action="use bed 1", result=result)
        for n, result in enumerate(("You sleep.", "Nothing happens."))
    ]
    memory = compress(frames, TABLE, np.random.default_rng(0))
    assert memory.actions == ("use bed 1",)
    assert memory.results == ("Nothing happens.",)


def test_what_was_said_and_what_was_witnessed_have_bounds_of_their_own():
    said, witnessed = ("SG to LL: " + "x" * 500,), ("LL goes outside. " * 10, "y" * 100, "z" * 100)
    frame = Frame(time=0, place="outside", field=Field.empty(), said=said, witnessed=witnessed)
    frame = replace(frame, action="chat with SG: " + "a" * 200, result="r" * 200)
    memory = compress([frame], TABLE, np.random.default_rng(0))
    assert memory.said == ("SG to LL: " + "x" * 389 + "…",)  # 400 characters in all
    assert memory.witnessed == witnessed[1:]  # 240 characters would not hold all three
    assert memory.actions == ("chat with SG: " + "a" * 119 + "…",)  # 120 characters and whom it is said to
    assert memory.results == ("r" * 119 + "…",)
    memory = compress([frame], TABLE, np.random.default_rng(0), said_limit=20, witnessed_limit=199)
    assert memory.said == ("SG to LL: " + "x" * 9 + "…",)
    assert memory.witnessed == witnessed[2:]


def test_segment_boundary():
    here = [Frame(time=n, place="outside", field=Field.empty()) for n in range(7)]
    there = Frame(time=9, place="LL's Home", field=Field.empty())
    assert not segment_boundary([], there)
    assert not segment_boundary(here[:5], here[5])
    assert segment_boundary(here[:6], here[6])
    assert segment_boundary(here[:2], there)
    assert segment_boundary(here[:1], there)
    assert not segment_boundary([there, *here[:2]], here[2])  # the place of the frame before is what changes
    assert segment_boundary(here[:2], here[2], length=2)
    with pytest.raises(ValueError, match="length must be at least 1, got 0"):
        segment_boundary(here, there, length=0)


def test_shorten_keeps_what_fits():
    assert shorten(["LL: hello", "SG: hi", "LL: hello"], 20) == ("LL: hello", "SG: hi")
    assert shorten([], 0) == ()
    # four characters of text each: "LL: " + 4 + "SG: " + 2
    assert shorten(["LL: hello there", "SG: hi"], 14) == ("LL: hel…", "SG: hi")
    # what is just as long as what fits is not cut
    assert shorten(["LL: hello there", "SG: four"], 16) == ("LL: hel…", "SG: four")


@pytest.mark.parametrize("room", range(1, 40))
def test_shorten_cuts_no_more_than_it_must(room):
    """Two texts of 40 characters, of which each is cut to half of what there is room for."""
    one, other = "x" * 40, "y" * 40
    for spare in (0, 1):
        limit = len("LL: ") + len("SG: ") + 2 * room + spare
        cut = tuple(f"{name}: {text[: room - 1]}…" for name, text in (("LL", one), ("SG", other)))
        assert shorten([f"LL: {one}", f"SG: {other}"], limit) == cut


def test_what_is_longer_than_a_name_can_be_is_none():
    longest, longer = "n" * 60, "n" * 61
    assert shorten([f"{longest}: {'y' * 90}"], 70) == (f"{longest}: {'y' * 7}…",)
    assert shorten([f"{longer}: {'y' * 90}"], 70) == (f"{longer}: {'y' * 6}…",)
    assert shorten([f"{longest}: {'y' * 90}"], 62) == (longest,)
    assert shorten([f"{longer}: {'y' * 90}"], 62) == (f"{longer}…",)


@given(st.lists(st.tuples(st.sampled_from(["AY", "SG", "MD"]), st.text(max_size=80))), st.integers(0, 200))
def test_shorten_is_bounded_and_complete(said, limit):
    lines = [f"{name}: {text}" for name, text in said]
    short = shorten(lines, limit)
    assert {line.partition(":")[0] for line in short} == {name for name, _ in said}
    assert sum(map(len, short)) <= max(limit, 2 * len(short))
    assert len(short) <= len(lines)


@pytest.mark.parametrize(
    ("limit", "kept"), [(0, ()), (2, ("cc",)), (4, ("cc",)), (5, ("bbb", "cc")), (9, ("a", "bbb", "cc"))]
)
def test_of_what_was_witnessed_the_latest_is_kept_each_line_once(limit, kept):
    assert latest(["cc", "a", "bbb", "a", "bbb", "cc"], limit) == kept


def test_what_cannot_be_compressed():
    generator = np.random.default_rng(0)
    with pytest.raises(ValueError, match="at least one frame, got none"):
        compress([], TABLE, generator)
    with pytest.raises(ValueError, match="got time 2 after 5"):
        compress(segment(0, 2)[::-1], TABLE, generator)
    for shortened in (latest, shorten):
        with pytest.raises(ValueError, match="at least 0 characters"):
            shortened([], -1)
