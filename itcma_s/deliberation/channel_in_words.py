"""The content of the ITCM in formal natural language (figure 1): the same words for the same thing in every mind.

How much is said is one setting, ``PromptDetail``. What a mind has decides the rest: ITCMA sets the awakened memory
beside retention and the primal impression, one frame a line; a mind that blends its memories into the present
(section 3.2) tells what was done and said then, and of the fields what memory adds to the present (Eq. 5).
"""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Iterator, Sequence
from enum import StrEnum

from irollan_env.actions import Action, Primitive
from irollan_env.english import within
from irollan_env.map.geometry import REACH
from irollan_env.naming import is_thing
from irollan_env.world.observation import Observation
from itcma_s.deliberation.feeling_in_words import feeling, standing
from itcma_s.deliberation.plain_words import deed, heard, joined, past, plainly, quoted, summary, without_echo
from itcma_s.deliberation.protocol import Context
from itcma_s.fields.name_table import NameTable
from itcma_s.fields.phenomenal_field import Field
from itcma_s.memory.memory import Memory
from itcma_s.protention.protention import Protention, is_fixture


class PromptDetail(StrEnum):
    """Choose how much of the present and the past a prompt contains."""

    DEEDS = "deeds"
    """With whom it was, and what was done and said."""
    NAMES = "names"
    """The things that were there, too."""
    POSITIONS = "positions"
    """Everything with its distance and direction, and how each action would change it."""


STAYED = "you stayed"
"""The text of a step in which nothing else happened."""

_WITHIN_REACH = REACH + 0.01  # positions are rounded where they are observed
_FILTERED = "(This action has been filtered"
_REFUSED = "Nothing happens"
_WITH_THINGS = re.compile(r"^(?!.* wanted to )[^:]{1,40}? (?:hands?|uses?|puts?) ")
_MOST_ADDED = 4


def field_in_words(field: Field, table: NameTable) -> str:
    """List every object of a field with its distance in metres and its direction; "nothing" for an empty field."""
    return "; ".join(_objects(field, table)) or "nothing"


def moments(
    memories: Sequence[Memory],
    me: str,
    table: NameTable,
    detail: PromptDetail,
    told: Collection[str] = (),
) -> list[str]:
    """Describe memories, oldest first, a line each, single frames and compressed segments alike.

    When, where, with whom and what was there, where that is not as in the line before; what one did, what others did
    with things, and what was said. A step of which nothing else is to be told than words that are told elsewhere has no
    line of its own.

    Args:
        memories: The memories.
        me: The reader, addressed as "you".
        table: The name table of their fields.
        detail: The level of detail about objects.
        told: Spoken words that the prompt has elsewhere.
    """
    lines: list[str] = []
    where = lay = ""
    for memory in memories:
        names = memory.field.names(table)
        people = [name for name in names if not is_thing(name) and name != me]
        was, where = where, _where(memory, me) + (f", with {joined(people)}" if people and not memory.formative else "")
        lying, lay = lay, there(memory, names, me, table, detail)
        done = [*([lay] if lay and lay != lying else []), *happened(memory, me, told)]
        if not done and memory.actions and where == was:
            continue  # words that are told elsewhere
        lines.append(f"{when(memory)}{where if where != was else ''}{_happenings(done, memory)}")
    return lines


def _happenings(done: Sequence[str], memory: Memory) -> str:
    """Return what happened, after a colon; empty for a step whose words are elsewhere in the prompt."""
    if done:
        return f": {'; '.join(done)}"
    return "" if memory.actions else f": {STAYED}"


def when(memory: Memory) -> str:
    """Return the time steps of a memory: "step 3", "steps 4 to 9", "before the valley"."""
    if memory.formative:
        return "before the valley"
    if memory.first_time == memory.last_time:
        return f"step {memory.first_time}"
    return f"steps {memory.first_time} to {memory.last_time}"


def _where(memory: Memory, me: str) -> str:
    """Return the place of a memory, as text after its time."""
    return "" if memory.formative else f", {within(memory.place, you=me)}"


def happened(memory: Memory, me: str, told: Collection[str] = ()) -> list[str]:
    """List the events of a memory: others' actions with things, speech not in `told`, and own actions."""
    if memory.formative:
        return [quoted(line) for line in memory.witnessed]
    said = {line: " ".join(line.partition(": ")[2].split()) for line in memory.said}
    pairs = dict(zip(memory.actions, memory.results, strict=True))
    own = [words for action, result in pairs.items() if (words := own_deed(action, result, me, memory.said))]
    seen = [past(plainly(without_echo(line), me)).rstrip(".") for line in memory.witnessed if _WITH_THINGS.search(line)]
    return [*seen, *(heard(line, me) for line, words in said.items() if words not in told), *own]


def added(context: Context, detail: PromptDetail) -> str:
    """Describe the objects that memory adds to the present in the imagination (Eq. 5); empty for none."""
    me = context.observation.resident
    here = {me, *(percept.name for percept in context.observation.percepts)}
    here.update(line for memory in context.activated for line in memory.witnessed)  # objects of formative memories
    rows = dict(
        zip(context.imagination.names(context.table), _objects(context.imagination, context.table), strict=True)
    )
    new = [name for name in rows if name not in here and not is_fixture(name)]
    people = [name for name in new if context.familiarity.is_person(name)]
    things = [] if detail == PromptDetail.DEEDS else [name for name in new if name not in people]
    if detail == PromptDetail.POSITIONS:
        told = [plainly(rows[name], me) for name in (*people, *things)]
    else:
        told = [*people[:_MOST_ADDED], *summary(things, me)]
    return f"here you half expect {joined(told)}" if told else ""


def content(context: Context, detail: PromptDetail) -> str:
    """Describe channel, activated memory, emotion, driver and LTRHA, for a model that only chooses or writes."""
    observation, me, felt = context.observation, context.observation.resident, context.emotion
    retention = [Memory.from_frame(frame) for frame in context.channel.retention]
    parts = [
        _listed("The last steps", moments(retention, me, context.table, detail)),
        f"Now, in step {observation.time}: {observation.sentence}",
        *(
            [f"Around you: {field_in_words(context.present, context.table)}."]
            if detail == PromptDetail.POSITIONS
            else []
        ),
        *_just_now(observation),
        _listed("It calls to mind", recalled(context, detail)),
        feeling(felt, context.driver, context.causes, felt, me=me, lacks=context.lacks),
        standing(observation),
    ]
    return "\n".join(part for part in parts if part)


def recalled(context: Context, detail: PromptDetail, told: Collection[str] = ()) -> list[str]:
    """Describe the activated memories, a line each.

    The field of a memory that is blended is described only by what it adds to the present.
    """
    me = context.observation.resident
    if not context.mechanisms.compressed_memory:
        return moments(context.activated, me, context.table, detail, told)
    lines = [
        f"{when(memory)}{_where(memory, me)}: {'; '.join(parts)}"
        for memory in context.activated
        if (parts := happened(memory, me, told))
    ]
    return [*lines, *([more] if (more := added(context, detail)) else [])]


def protentions_in_words(protended: Sequence[Protention], field: Field, table: NameTable, detail: PromptDetail) -> str:
    """List the predicted outcome of each action, one per line.

    Args:
        protended: The actions with their predictions.
        field: The present field.
        table: The names of the fields.
        detail: How much is said: with "positions", how the field would change, too.
    """
    changes = changes_in_words if detail == PromptDetail.POSITIONS else lambda *_: ""
    return "\n".join(f'- "{p.action}": {p.sentence}{changes(field, p.field, table)}' for p in protended)


def changes_in_words(before: Field, after: Field, table: NameTable) -> str:
    """Describe the objects that appear, vanish, or come to hand or within reach; empty for no change.

    Other changes of position, which any walk causes, are left out.
    """
    here, there = dict(zip(before.names(table), _closeness(before), strict=True)), after.names(table)
    new, close = _objects(after, table), _closeness(after)
    left = set(there)
    gone = [name for name in here if name not in left]
    changed = [words for name, words, now in zip(there, new, close, strict=True) if here.get(name) != now]
    if not changed and not gone:
        return ""
    if here and len(gone) == len(here):
        return f" Then {'; '.join(new) or 'nothing'} instead of all that is here."
    parts = [*(["; ".join(changed)] if changed else []), *([f"no more {', '.join(gone)}"] if gone else [])]
    return f" Then {', and '.join(parts)}."


def there(memory: Memory, names: Sequence[str], me: str, table: NameTable, detail: PromptDetail) -> str:
    """List the things in a memory, with or without positions; empty at the detail "deeds"."""
    if detail == PromptDetail.DEEDS or memory.formative:
        return ""
    if detail == PromptDetail.POSITIONS:
        return plainly(field_in_words(memory.field, table), me)
    return joined(summary([name for name in dict.fromkeys(names) if is_thing(name) and not is_fixture(name)], me))


def own_deed(action: str, result: str, me: str, said: Collection[str]) -> str:
    """Describe the resident's own action or attempt; empty for speech among the lines in `said`."""
    done = Action(action)
    if result.startswith(_FILTERED):
        return f"you wanted to {deed(done, me)}, but were held back"
    if result.startswith(_REFUSED):
        return f"you wanted to {deed(done, me)}, but could not"
    if done.primitive is Primitive.CHAT:
        mine = f"{me} to {done.target}: "
        return "" if any(line.startswith(mine) for line in said) else f"you spoke to {done.target}"
    words = past(plainly(without_echo(result), me)).rstrip(".")
    return words[:1].lower() + words[1:]


def _listed(head: str, lines: Sequence[str]) -> str:
    return "\n".join([f"{head}:", *(f"- {line}" for line in lines)]) if lines else ""


def _just_now(observation: Observation) -> Iterator[str]:
    """Yield the result of the last action, and what was done and said since."""
    done = " ".join(event.describe(observation.resident, observation.places) for event in observation.events)
    words = " ".join(f'{m.sender} says to {m.addressee}: "{m.text}"' for m in observation.messages)
    yield from (line for line in (observation.result, done, words) if line)


def _closeness(field: Field) -> list[str]:
    gammas = field.positions[:, 2].tolist()
    return ["at hand" if gamma == 0 else "within reach" if gamma <= _WITHIN_REACH else "away" for gamma in gammas]


def _objects(field: Field, table: NameTable) -> list[str]:
    rows = zip(field.names(table), field.positions.tolist(), strict=True)
    return [_object(name, phi, gamma) for name, (_, phi, gamma) in rows]


def _object(name: str, phi: float, gamma: float) -> str:
    """Return a name with its position: "bed 2 at 4.2 m, 30° left"; at distance 0 it is at hand. Heights are omitted."""
    if gamma == 0:
        return f"{name} at hand"
    azimuth = round(math.degrees(phi)) % 360
    turn = f"{azimuth}° left" if azimuth < 180 else f"{360 - azimuth}° right"
    return f"{name} at {gamma:.1f} m, {({0: 'ahead', 180: 'behind'}).get(azimuth, turn)}"
