"""The made-up life and the memories of play that minds are measured by."""

from itertools import pairwise

import numpy as np

from benchmarks.mind.sample_life import OBJECTS, memories_of_random_play, repeat_memories, sample_life, sample_memory
from irollan_env.world.world import World
from itcma_s.fields.name_table import NameTable
from language_models.embedders.hash_embedder import HashEmbedder


def test_a_made_up_life_is_in_30_objects_a_frame_of_which_few_recur():
    table = NameTable(HashEmbedder())
    frames = [*sample_life(60, table, np.random.default_rng(0))]
    assert {len(field) for _, field in frames} == {OBJECTS}
    assert len({tuple(field.rows()) for _, field in frames}) > 30
    assert len({place for place, _ in frames}) > 3
    again = [*sample_life(60, NameTable(HashEmbedder()), np.random.default_rng(0))]
    assert again == frames
    one = sample_memory("room 0", frames[0][1], 2, np.random.default_rng(0))
    assert (one.first_time, one.last_time, one.frames) == (12, 17, 6)


def test_memories_of_play_cover_their_time_and_can_be_repeated():
    table = NameTable(HashEmbedder())
    memories = memories_of_random_play(World(seed=0), ["LL"], 40, table)["LL"]
    assert sum(memory.frames for memory in memories) == memories[-1].last_time + 1 >= 34
    more = repeat_memories(memories, 3 * len(memories))
    assert [memory.field for memory in more] == [memory.field for memory in memories] * 3
    assert all(one.last_time < two.first_time for one, two in pairwise(more))
