"""What a mind knows, in words for whoever asks it: all that it carries from step to step, and not a page of a step."""

from __future__ import annotations

from itcma_s.deliberation.channel_in_words import moments
from itcma_s.deliberation.plain_words import joined
from itcma_s.emotion.feelings import in_words
from itcma_s.fields.name_table import NameTable
from itcma_s.memory.memory import Memory
from itcma_s.mind_state import MindState
from itcma_s.protention.protention import is_fixture


def told(me: str, mind: MindState, table: NameTable) -> list[str]:
    """Long-term memory, the segment and the channel as moments; where people and things were seen; feeling; goal.

    Args:
        me: Whose mind it is, called "you".
        mind: What it carries; is not changed.
        table: The names of its fields.

    Returns:
        A line each, the oldest moment first, the goal last.
    """
    past = mind.past
    frames = [Memory.from_frame(frame) for frame in (*past.segment, *past.channel.frames)]
    where: dict[str, list[str]] = {}
    for name, place in mind.familiarity.seen.items():
        if name != me and not is_fixture(name):
            where.setdefault(place, []).append(name)
    now, goal = past.channel.primal_impression, mind.deliberation.goal()
    return [
        *moments([*past.memory, *frames], me, table, "deeds"),
        *(f"you last knew of {joined(names)} in {place}" for place, names in where.items()),
        *([f"you feel {in_words((now.pleasure, now.arousal, now.dominance))}"] if now is not None else []),
        *([f"you want to {goal}"] if goal else []),
    ]
