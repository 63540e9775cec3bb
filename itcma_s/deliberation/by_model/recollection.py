"""What memory adds to the present, in words: blended with it (section 3.2), or set beside it frame by frame (ITCMA)."""

from __future__ import annotations

import re
from collections.abc import Collection

from irollan_env.world.naming import is_person
from itcma_s.deliberation.channel_in_words import field_in_words
from itcma_s.deliberation.plain_words import joined, past, plainly, quoted
from itcma_s.deliberation.protocol import Context
from itcma_s.fields.name_table import NameTable
from itcma_s.memory.memory import Memory
from itcma_s.wording import within

_BETWEEN_PEOPLE = re.compile(r"^\w+ (?:hands?|uses?|puts?) ")
_BROKEN = re.compile(r"\s+\S*…$")  # a word that was cut with its line
_TRIVIAL = ("You say", "You go", "You leave", "You wait", "You stop", "You take", "You put")
_MOST_LINES = 3


def recalled(context: Context, told: Collection[str]) -> list[str]:
    """What comes to mind, a memory a line, the strongest first, and what the present is blended with.

    Args:
        context: What the mind has; its memories are blended into the present.
        told: Words that are told anyway.
    """
    observation, me = context.observation, context.observation.resident
    lines = [remembered(memory, me, told) for memory in context.activated]
    here = {percept.name for percept in observation.percepts} | {me}
    added = dict.fromkeys(
        name for name in context.imagination.names(context.table) if name not in here and is_person(name)
    )
    if added:
        lines.append(f"Here you half expect {joined(list(added)[:4])}.")
    return [line for line in lines if line]


def remembered(memory: Memory, me: str, told: Collection[str] = ()) -> str:
    """A memory in one line: when, where, what one did, what was said and seen; empty where nothing of it is left."""
    said = [line for line in memory.said if line.partition(": ")[2] not in told][-_MOST_LINES:]
    did = [plainly(result, me) for result in dict.fromkeys(memory.results) if result.startswith("You ")]
    did = [past(result) for result in did if not result.startswith(_TRIVIAL)]
    seen = [past(plainly(line, me)) for line in memory.witnessed if _BETWEEN_PEOPLE.search(line)]
    parts = [*did[-_MOST_LINES:], *seen[-_MOST_LINES:], *(_quoted(line, me) for line in said)]
    return f"{_when(memory)}, {within(memory.place, you=me)}: {' '.join(parts)}" if parts else ""


def frame_by_frame(context: Context) -> list[str]:
    """Retention and the memory that was called up, a frame a line, each object with where it was (Eq. 6, ITCMA)."""
    me, table = context.observation.resident, context.table
    lines = ["The last steps, as you saw them:"]
    lines += [_frame(Memory.from_frame(frame), me, table) for frame in context.channel.retention]
    lines += ["Now:", f"- {plainly(field_in_words(context.present, table), me)}."]
    if context.activated:
        lines.append("It calls to mind:")
        lines += [_frame(memory, me, table) for memory in context.activated]
    return lines


def _frame(memory: Memory, me: str, table: NameTable) -> str:
    parts = [plainly(f"{field_in_words(memory.field, table)}.", me)]
    parts += [_quoted(line, me) for line in memory.said]
    parts += [past(plainly(line, me)) for line in memory.witnessed]
    parts += [past(plainly(result, me)) for result in memory.results if result and not result.startswith("You say")]
    return f"- {_when(memory)}, {within(memory.place, you=me)}: {' '.join(parts)}"


def _when(memory: Memory) -> str:
    if memory.first_time == memory.last_time:
        return f"Step {memory.first_time}"
    return f"Steps {memory.first_time} to {memory.last_time}"


def _quoted(line: str, me: str) -> str:
    """A line of memory, "AY to WM: Hello.", as it is told to one of those who heard it."""
    head, _, words = line.partition(": ")
    speaker, _, addressee = head.partition(" to ")
    who = [("you" if name == me else name) for name in (speaker, addressee) if name]
    return f"{' to '.join(who)}: {quoted(_BROKEN.sub('…', words))}"
