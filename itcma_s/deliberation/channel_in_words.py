"""What a large language model is told before it acts: the content of the ITCM in formal natural language (figure 1).

ITCMA juxtaposes the awakened memory with retention and the primal impression: its channel is told frame by frame, each
object with where it is. A mind that blends its memories into the present (section 3.2) tells the present and what
memory adds to it, which is much shorter. A mind without elimination tells all actions, each with its protention.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from irollan_env.map.geometry import REACH
from irollan_env.world.observation import Observation
from itcma_s.fields.name_table import NameTable
from itcma_s.fields.phenomenal_field import Field
from itcma_s.memory.channel import Frame
from itcma_s.memory.memory import Memory
from itcma_s.protention.protention import Protention, is_fixture

_WITHIN_REACH = REACH + 0.01  # positions are rounded where they are observed


def field_in_words(field: Field, table: NameTable) -> str:
    """Every object of a field with its distance in metres and its direction; "nothing" for an empty one."""
    return "; ".join(_objects(field, table)) or "nothing"


def juxtaposed(
    observation: Observation,
    field: Field,
    retention: Sequence[Frame],
    awakened: Sequence[Memory],
    emotion: tuple[float, float, float],
    driver: float,
    table: NameTable,
) -> str:
    """The channel of ITCMA (Eq. 6 without blending) and the driver, one time frame a line.

    Args:
        observation: What is perceived now.
        field: The field of it, PI^t.
        retention: Re^t, oldest first.
        awakened: The window of memory that the channel called up, oldest first.
        emotion: P^t, A^t, D^t.
        driver: d^t.
        table: The names of the fields.
    """
    p, a, d = emotion
    return "\n".join(
        [
            "Retention:",
            *(_frame(Memory.from_frame(frame), table) for frame in retention),
            "Primal impression:",
            f"- Time {observation.time}, {observation.place}: {field_in_words(field, table)}. {observation.sentence}",
            *_just_now(observation),
            "Awakened memory:",
            *(_frame(memory, table) for memory in awakened),
            f"Driver {driver:.2f}, pleasure {p:.2f}, arousal {a:.2f}, dominance {d:.2f}.",
        ]
    )


def blended(
    observation: Observation, imagination: Field, recalled: str, feeling: str, driver: float, table: NameTable
) -> str:
    """The present, and what memory adds to it (Eq. 5): people and things that are imagined and not perceived.

    Args:
        observation: What is perceived now.
        imagination: The present blended with what it called up.
        recalled: Words that come to mind; empty when none do.
        feeling: How the resident feels, in words.
        driver: d^t.
        table: The names of the field.
    """
    here = {percept.name for percept in observation.percepts}
    added = [name for name in imagination.names(table) if name not in here and not is_fixture(name)]
    return "\n".join(
        [
            observation.sentence,
            *_just_now(observation),
            f"I feel {feeling}; my driver is {driver:.2f}.",
            *([f"Memory adds {', '.join(dict.fromkeys(added))}."] if added else []),
            *([recalled] if recalled else []),
        ]
    )


def protentions_in_words(protended: Sequence[Protention], field: Field, table: NameTable) -> str:
    """What each action is expected to bring: its sentence, and how the field would change, one action a line.

    Args:
        protended: The actions with what is expected of them.
        field: What they start from, the present.
        table: The names of the fields.
    """
    return "\n".join(f'- "{p.action}": {p.sentence}{changes_in_words(field, p.field, table)}' for p in protended)


def _just_now(observation: Observation) -> list[str]:
    """What came of the last action, and what was done and said since."""
    done = " ".join(event.told(observation.resident) for event in observation.events)
    heard = " ".join(f'{m.sender} says to {m.addressee}: "{m.text}"' for m in observation.messages)
    return [line for line in (observation.result, done, heard) if line]


def _frame(memory: Memory, table: NameTable) -> str:
    """A frame of the past: when, where, what there was, what was said and done, what came of it, what others did."""
    parts = [f"{field_in_words(memory.field, table)}.", *(f"Said: {line}" for line in memory.said)]
    parts += [f"Done: {did}. {result}" for did, result in zip(memory.actions, memory.results, strict=True)]
    parts += [f"Seen: {line}" for line in memory.witnessed]
    return f"- Time {memory.first_time}, {memory.place}: {' '.join(parts)}"


def changes_in_words(before: Field, after: Field, table: NameTable) -> str:
    """What of a field comes, goes, or comes to hand or within reach; empty where nothing does.

    That everything else is elsewhere for somebody who walks goes without saying.
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


def _closeness(field: Field) -> list[str]:
    gammas = field.positions[:, 2].tolist()
    return ["at hand" if gamma == 0 else "within reach" if gamma <= _WITHIN_REACH else "away" for gamma in gammas]


def _objects(field: Field, table: NameTable) -> list[str]:
    rows = zip(field.names(table), field.positions.tolist(), strict=True)
    return [_object(name, phi, gamma) for name, (_, phi, gamma) in rows]


def _object(name: str, phi: float, gamma: float) -> str:
    """A name with where it is: "bed 2 at 4.2 m, 30° left"; at distance 0 it is at hand. Heights are left out."""
    if gamma == 0:
        return f"{name} at hand"
    azimuth = round(math.degrees(phi)) % 360
    turn = f"{azimuth}° left" if azimuth < 180 else f"{360 - azimuth}° right"
    return f"{name} at {gamma:.1f} m, {({0: 'ahead', 180: 'behind'}).get(azimuth, turn)}"
