import json

import pytest

from itcma_s.deliberation.channel_in_words import happened, moments, when
from itcma_s.fields.name_table import NameTable
from itcma_s.fields.phenomenal_field import Field
from itcma_s.memory.long_term_memory import LongTermMemory
from itcma_s.memory.memory import Memory, formative_memories
from itcma_s.memory.mentions import NameIndex, mentioned
from language_models.embedders.hash_embedder import HashEmbedder

NAMES = ["SG", "MD", "Public Canteen", "book 1", "book 2", "stoveburner 1"]
HELPED, CAME, COOKED = (
    "SG helped me carry my books.",
    "I came to open a shop.",
    "I cooked on stoveburner 1 in the canteen.",
)


@pytest.fixture
def table():
    return NameTable(HashEmbedder())


@pytest.mark.parametrize(
    ("sentence", "objects"),
    [
        (HELPED, ["SG", "book"]),
        (COOKED, ["stoveburner 1", "Public Canteen"]),
        ("MD owns book 2.", ["book 2", "MD"]),
        (CAME, [CAME]),
    ],
)
def test_the_field_has_what_the_sentence_speaks_of(table, sentence, objects):
    (memory,) = formative_memories([sentence], NAMES, table, ("SG", "MD"))
    assert set(memory.field.names(table)) == set(objects)
    assert len(memory.field) == len(objects)


def test_they_lie_before_the_run_the_oldest_first(table):
    memories = formative_memories([CAME, HELPED, COOKED], NAMES, table, ("SG", "MD"))
    assert [(one.first_time, one.last_time, one.frames, one.weight) for one in memories] == [
        (-3, -3, 1, 0.0), (-2, -2, 1, 0.0), (-1, -1, 1, 0.0),
    ]  # fmt: skip
    store = LongTermMemory(table)
    store.append(Memory(first_time=0, last_time=4, place="outside", field=Field.empty()))
    for memory in memories:
        store.append(memory)
    assert [one.first_time for one in store] == [-3, -2, -1, 0]
    assert store.last_seen("outside") == Field.empty()


def test_the_present_calls_them_up_by_likeness_before_and_after_they_were_saved(table):
    store = LongTermMemory(table)
    for memory in formative_memories([HELPED, COOKED, CAME], NAMES, table, ("SG", "MD")):
        store.append(memory)
    restored = LongTermMemory(table)
    restored.set_state(json.loads(json.dumps(store.get_state())))
    for there, expected in ((["SG", "bed 1"], HELPED), (["bed 1", "book"], HELPED), (["stoveburner 1", "MD"], COOKED)):
        present = Field.from_names(there, table)
        for kept in (store, restored):
            ((memory, activation),) = kept.activate(present)
            assert memory.witnessed == (expected,)
            assert activation > 0


def test_they_are_told_as_they_were_given_without_a_step_or_a_place(table):
    memories = formative_memories([HELPED], NAMES, table, ("SG", "MD"))
    assert when(memories[0]) == "before the valley"
    assert happened(memories[0], "LL") == [f'"{HELPED}"']
    for detail in ("deeds", "names", "positions"):
        assert moments(memories, "LL", table, detail) == [f'before the valley: "{HELPED}"']


def test_an_index_of_names_finds_all_that_a_text_mentions():
    houses = [f"{name}'s Home" for name in ("SG", "James", "Dr. Li", "李雷")]
    names = [*NAMES, *houses, "1 gold coin", "10 dollar", "李雷", "James", "SG's clothes 1", "Zoë", "food 12", "7"]
    people = {"SG", "MD", "李雷", "James", "Zoë"}
    index = NameIndex(names, people)
    texts = (
        HELPED, CAME, COOKED, "7", "", "…",
        "I went to James' house.", "SG is home; Dr. Li's kitchen is cold.", "你好李雷", "李雷's house",
        "Some gold coins and clothes.", "The FOOD 12 of Zoë", "He gave me the coin, ten dollars and a stove.",
    )  # fmt: skip
    for text in texts:
        found = mentioned(text, names, people)
        assert mentioned(text, index.near(text), people) == found
        assert bool(index.objects(text)) == bool(found)
    assert set(index.near(HELPED)) < set(names)
