"""Memories of a time before the run: told to a mind in sentences, and stored as it stores what it lives."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence

from irollan_env.english import noun
from itcma_s.fields.name_table import NameTable
from itcma_s.fields.phenomenal_field import Field
from itcma_s.memory.memory import Memory
from itcma_s.memory.mentions import mentioned


def formative_memories(sentences: Sequence[str], names: Collection[str], table: NameTable) -> list[Memory]:
    """A memory for each of some sentences, at the time steps -n to -1, with no feeling.

    Its field has the people, places and things that the sentence speaks of, without positions
    (``Field.from_names``): by their names, or by the word for several of a kind. Of a sentence that speaks of none of
    them, the field has the sentence itself. So the present calls it up by likeness, as it calls up what was lived.

    Args:
        sentences: The oldest first.
        names: All that there is in the valley.
        table: Where names stand; those that are new are added.
    """
    return [
        Memory(
            first_time=time,
            last_time=time,
            place="",
            field=Field.from_names(_objects(sentence, names), table),
            witnessed=(sentence,),
        )
        for time, sentence in enumerate(sentences, -len(sentences))
    ]


def _objects(sentence: str, names: Collection[str]) -> list[str]:
    """What a sentence speaks of, each once."""
    spoken = mentioned(sentence, names)
    kinds = Counter(noun(name) for name in spoken)
    return list(dict.fromkeys(name if kinds[noun(name)] == 1 else noun(name) for name in spoken)) or [sentence]
