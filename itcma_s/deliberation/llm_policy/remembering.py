"""Memories in words for a decision: a few lines in full, the company, and the emotion."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import replace

from irollan_env.english import within
from irollan_env.naming import is_thing
from itcma_s.deliberation.channel_in_words import PromptDetail, added, happened, moments, when
from itcma_s.deliberation.conversation import Conversation
from itcma_s.deliberation.llm_policy.budget import tokens
from itcma_s.deliberation.plain_words import joined
from itcma_s.deliberation.protocol import Context
from itcma_s.emotion.feelings import in_words
from itcma_s.fields.name_table import NameTable
from itcma_s.memory.memory import Memory

RECALLED = 35
"""Maximum tokens of the lines of speech of an activated memory; the first line may exceed it."""

_LATEST_DEEDS = 3


def recalled(context: Context, conversation: Conversation, detail: PromptDetail, told: AbstractSet[str]) -> list[str]:
    """Describe the activated memories, a line each, but those from before the run that are told elsewhere.

    Lines that compression shortened are completed from the conversation where possible.
    """
    me = context.observation.resident
    memories = [one for one in context.activated if not (one.formative and set(one.witnessed) <= told)]
    if not context.mechanisms.compressed_memory:
        return moments(memories, me, context.table, detail, told)
    lines = [remembered(in_full(memory, conversation, {me}, told, RECALLED), me, context.table) for memory in memories]
    return [*lines, *([more] if (more := added(context, detail)) else [])]


def remembered(memory: Memory, me: str, table: NameTable) -> str:
    """Describe time, place, company, emotion and events of a memory; only the text for one from before the run."""
    if memory.formative:
        return f"{when(memory)}: {'; '.join(happened(memory, me))}"
    people = [name for name in dict.fromkeys(memory.field.names(table)) if not is_thing(name) and name != me]
    with_whom = f", with {joined(people)}" if people else ""
    felt = f"you felt {in_words((memory.pleasure, memory.arousal, memory.dominance))}"
    parts = [felt, *happened(memory, me)]
    return f"{when(memory)}, {within(memory.place, you=me)}{with_whom}: {'; '.join(parts)}"


def in_full(
    memory: Memory, conversation: Conversation, nearest: Collection[str], told: Collection[str], most: float
) -> Memory:
    """Return the memory with a few of its lines in full, and its latest actions.

    Args:
        memory: A memory whose lines may be cut.
        conversation: What was said, in full.
        nearest: People whose lines come first.
        told: Spoken words that the prompt has elsewhere.
        most: The tokens that the lines may take; the first has as many as it needs.
    """
    whole = [conversation.whole(line) for line in memory.said]
    fresh = [line for line in dict.fromkeys(whole) if line.partition(": ")[2] not in told]
    fresh.reverse()
    by_nearness = sorted(fresh, key=lambda line: not _involves(line, nearest))
    kept: list[str] = []
    for line in by_nearness:
        if kept and sum(map(tokens, kept)) + tokens(line) > most:
            break
        kept.append(line)
    deeds = list(zip(memory.actions, memory.results, strict=True))[-_LATEST_DEEDS:]
    return replace(
        memory,
        said=tuple(line for line in reversed(fresh) if line in kept),
        actions=tuple(action for action, _ in deeds),
        results=tuple(result for _, result in deeds),
        witnessed=memory.witnessed[-_LATEST_DEEDS:],
    )


def _involves(line: str, people: Collection[str]) -> bool:
    head: Sequence[str] = line.partition(": ")[0].split(" to ")
    return all(name in people for name in head)
