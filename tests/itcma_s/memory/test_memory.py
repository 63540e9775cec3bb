import json
import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from toy_fields import ToyEmbedder, daily_life, random_field

from itcma_s.fields.name_table import NameTable
from itcma_s.fields.phenomenal_field import Field
from itcma_s.fields.similarity import field_similarity, similarity_to_many
from itcma_s.memory.channel import Frame
from itcma_s.memory.long_term_memory import LongTermMemory
from itcma_s.memory.memory import Memory

TABLE = NameTable(ToyEmbedder())


def memory(time, field=None, pleasure=0.0, **values):
    field = Field.empty() if field is None else field
    return Memory(first_time=time, last_time=time, place="outside", field=field, pleasure=pleasure, **values)


def filled(seed, count, **options):
    generator = np.random.default_rng(seed)
    store = LongTermMemory(TABLE, **options)
    for time in range(count):
        field = random_field(generator, TABLE, int(generator.integers(0, 8)))
        store.append(
            memory(time, field, float(generator.uniform(-1, 1)), dominance=0.7, actions=("act",), results=("ok",))
        )
    return store


def test_activation_by_hand():
    bed, cup = Field.from_names(["bed 1"], TABLE), Field.from_names(["cup 1"], TABLE)
    store = LongTermMemory(TABLE, emotion_weight=0.5)
    store.append(memory(0, bed, pleasure=-0.2))
    store.append(memory(1, cup, pleasure=0.3, dominance=0.4))
    alike = field_similarity(bed, cup, TABLE)
    (first, a), (second, b) = store.activate(bed, [cup, bed], top=2)
    # three frames weigh 1/6, 2/6 and 3/6; intensity adds half of itself
    activations = {0: (alike / 6 + 5 / 6) * 1.1, 1: (1 / 6 + alike * 5 / 6) * 1.25}
    assert {first.first_time: a, second.first_time: b} == pytest.approx(activations)
    assert a >= b
    assert first.field in (bed, cup)
    assert store.activate_exhaustively(bed, [cup, bed]) == store.activate(bed, [cup, bed]) == [(first, a)]


def test_of_memories_that_are_as_like_a_shortlist_has_as_many_as_it_takes():
    bed, cup = Field.from_names(["bed 1"], TABLE), Field.from_names(["cup 1"], TABLE)
    store = LongTermMemory(TABLE, shortlist=2)
    for time, field in enumerate([cup, bed, bed, cup, bed, cup]):
        store.append(memory(time, field))
    assert [found.first_time for found, _ in store.activate(bed, top=2)] == [1, 2]


@pytest.mark.parametrize(("count", "compared"), [(6, 2), (2999, 2), (3000, 3)])
def test_of_many_memories_two_or_one_in_a_thousand_are_compared_exactly(count, compared, monkeypatch):
    """Two are asked for, of which one is better than all others, which are as alike."""
    sizes = []

    def counted(channel, batch, *more):
        sizes.append(len(batch))
        return similarity_to_many(channel, batch, *more)

    monkeypatch.setattr("itcma_s.memory.long_term_memory.similarity_to_many", counted)
    bed, cup = Field.from_names(["bed 1"], TABLE), Field.from_names(["cup 1"], TABLE)
    store = LongTermMemory(TABLE, shortlist=2)
    for time in range(count):
        store.append(memory(time, bed if time == 1 else cup))
    assert store.activate(bed)[0][0].first_time == 1
    assert sizes == [compared]


def test_empty_fields_call_up_empty_fields():
    store = filled(0, 200)
    found, activation = store.activate(Field.empty())[0]
    assert len(found.field) == 0
    assert activation == pytest.approx(1.0 + 0.2 * found.weight)


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 2**32), st.integers(1, 5), st.integers(1, 120))
def test_a_shortlist_of_all_finds_the_best(seed, top, count):
    generator = np.random.default_rng(seed)
    store = filled(seed, count, shortlist=200)
    present = random_field(generator, TABLE, 5)
    retention = [random_field(generator, TABLE, 4) for _ in range(int(generator.integers(0, 4)))]
    assert store.activate(present, retention, top=top) == store.activate_exhaustively(present, retention, top=top)


def test_the_exact_best_is_found_in_a_life_of_1000_frames():
    generator = np.random.default_rng(0)
    table = NameTable(ToyEmbedder())
    life = daily_life(generator, table, 1400)
    store = LongTermMemory(table)
    for time, (place, field) in enumerate(life[:1000]):
        felt = float(0.87 * generator.beta(2, 4))
        emotion = {"pleasure": felt, "arousal": felt, "dominance": felt}
        store.append(Memory(first_time=time, last_time=time, place=place, field=field, **emotion))
    found = 0
    for start in range(1000, 1395, 4):
        *retention, present = (field for _, field in life[start : start + 5])
        found += store.activate(present, retention)[0][0].id == store.activate_exhaustively(present, retention)[0][0].id
    assert found >= 0.95 * 99


def test_a_restored_memory_activates_the_same():
    store = filled(3, 200, shortlist=8)
    other = LongTermMemory(TABLE, shortlist=8)
    other.append(memory(0))
    other.set_state(json.loads(json.dumps(store.get_state())))
    assert list(other) == list(store)
    assert other.get_state() == store.get_state()
    generator = np.random.default_rng(9)
    for _ in range(20):
        present, before = random_field(generator, TABLE, 6), random_field(generator, TABLE, 6)
        assert other.activate(present, [before], top=4) == store.activate(present, [before], top=4)
    assert other.last_seen("outside") == store.last_seen("outside")
    assert other.append(memory(200)) == store.append(memory(200)) == 200


def test_memories_are_in_the_order_of_time_whatever_was_stored_first():
    store = LongTermMemory(TABLE)
    fields = [Field.from_names([f"cup {n}"], TABLE) for n in range(5)]
    for time in (3, 0, 4, 1, 2):
        store.append(memory(time, fields[time]))
    assert [m.first_time for m in store] == [0, 1, 2, 3, 4]
    assert [store.fields()[n] for n in range(5)] == fields
    assert [m.field for m in store.between(1, 3)] == fields[1:3]
    assert store.between(2, 2) == []


@settings(max_examples=30, deadline=None)
@given(st.lists(st.tuples(st.sampled_from(["outside", "LL's Home"]), st.integers(0, 9)), max_size=30))
def test_a_place_was_last_seen_in_the_memory_of_it_that_reaches_latest(history):
    store = LongTermMemory(TABLE)
    for number, (place, last) in enumerate(history):
        field = Field.from_names([f"cup {number}"], TABLE)
        store.append(Memory(first_time=last // 2, last_time=last, place=place, field=field))
    for place in ("outside", "LL's Home", "nowhere"):
        latest = max((m for m in store if m.place == place), key=lambda m: m.last_time, default=None)
        assert store.last_seen(place) == (None if latest is None else latest.field)


def test_from_frame():
    frame = Frame(
        time=2, place="outside", field=Field.empty(), pleasure=0.3, arousal=-0.4, dominance=0.2, said=("LL: hi",)
    )
    frame = replace(frame, witnessed=("LL comes in from outside.",))
    assert Memory.from_frame(frame) == memory(
        2, pleasure=0.3, arousal=-0.4, dominance=0.2, said=("LL: hi",), witnessed=("LL comes in from outside.",)
    )
    assert Memory.from_frame(frame).weight == pytest.approx(math.hypot(0.3, 0.4, 0.2))


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: Memory(first_time=-1, last_time=0, place="x", field=Field.empty()), "below 0 or none, got -1 to 0"),
        (lambda: Memory(first_time=3, last_time=2, place="x", field=Field.empty()), "got 3 to 2"),
        (lambda: memory(0, actions=("a",)), "got 1 actions and 0 results"),
        (lambda: memory(0, pleasure=math.nan), "pleasure must lie in"),
        (lambda: memory(0, dominance=-1.0), "dominance must lie in"),
        (lambda: memory(0, arousal=1.0), "arousal must lie in"),
        (lambda: memory(0, frames=0), "stands for at least 1 frame, got 0"),
        (lambda: LongTermMemory(TABLE, emotion_weight=math.inf), "emotion_weight must be a finite number, got inf"),
        (lambda: LongTermMemory(TABLE, shortlist=0), "shortlist must be at least 1, got 0"),
        (lambda: LongTermMemory(TABLE).activate(Field.empty(), top=0), "top must be at least 1, got 0"),
        (
            lambda: LongTermMemory(TABLE).append(memory(0, Field(np.array([10**6]), np.zeros((1, 3))))),
            "make the field with the memory's own table",
        ),
        (lambda: LongTermMemory(TABLE).set_state({**filled(0, 3).get_state(), "rows": [1, 2]}), "the state is damaged"),
    ],
)
def test_bad_values_are_named(call, message):
    with pytest.raises(ValueError, match=message):
        call()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"rows": [1, 2]}, "the state is damaged"),
        ({"positions": "AAAA"}, "cannot reshape|buffer size"),
        ({"ids": "?"}, "base64"),
        ({"next_id": 2}, "must count up to next_id = 2"),
    ],
)
def test_a_state_that_is_refused_changes_nothing(change, message):
    store = filled(5, 6)
    before = store.get_state()
    with pytest.raises(ValueError, match=message):
        store.set_state({**filled(0, 3).get_state(), **change})
    spoilt = filled(0, 3).get_state()
    spoilt["memories"][2]["pleasure"] = math.nan
    with pytest.raises(ValueError, match="pleasure must lie in"):
        store.set_state(spoilt)
    assert store.get_state() == before
    assert store.append(memory(9)) == 6
