"""Questionnaire about a society, with correct answers from the world's ledger."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from evaluation.interviews.past_society import PastSociety
from evaluation.records.interactions import interaction_counts
from evaluation.records.records import Record
from evaluation.runs.build_society import places_of
from irollan_env.random_streams import stream

KINDS = ("where", "holds", "said", "turns to")


@dataclass(frozen=True, kw_only=True, slots=True)
class Question:
    """A multiple-choice question.

    Attributes:
        kind: One of ``KINDS``.
        text: The question; may contain untrusted text.
        options: Possible answers, at least two.
        truth: The correct option, by the ledger.
        witnesses: Residents who witnessed it.
        about: Residents that the question is about, who are not asked.
    """

    kind: str
    text: str
    options: tuple[str, ...]
    truth: str
    witnesses: frozenset[str]
    about: frozenset[str]


def questions_of(past: PastSociety, records: Sequence[Record], most: int) -> list[Question]:
    """Make a questionnaire about places, holdings, quotations, and each resident's most frequent partner.

    Args:
        past: The society.
        records: The records of its run so far.
        most: Maximum number of questions per kind, at least 1; sampled by the run's seed if there are more.

    Returns:
        The questions, by kind in the order of ``KINDS``.

    Raises:
        ValueError: if most is below 1.
    """
    if most < 1:
        raise ValueError(f"there must be at least 1 question of a kind, got {most}")
    generator = stream(past.configuration.seed, f"beliefs {past.step}")
    by_kind = (_where(past), _holds(past), _said(past, records), _turns_to(records))
    return [question for found in by_kind for question in _drawn(found, most, generator)]


def _drawn(found: Sequence[Question], most: int, generator: np.random.Generator) -> list[Question]:
    if len(found) <= most:
        return list(found)
    return [found[place] for place in sorted(generator.choice(len(found), most, replace=False).tolist())]


def _where(past: PastSociety) -> list[Question]:
    world = past.society.world
    places = tuple(places_of(world.map))
    return [
        Question(
            kind="where",
            text=f"Where is {name} now?",
            options=places,
            truth=world.place_of(name),
            witnesses=frozenset(world.people_in(world.place_of(name))),
            about=frozenset([name]),
        )
        for name in world.residents
        if world.is_present(name)
    ]


def _holds(past: PastSociety) -> list[Question]:
    """Make questions about items that somebody holds."""
    world = past.society.world
    return [
        Question(
            kind="holds",
            text=f"Who holds the {thing} now?",
            options=tuple(world.residents),
            truth=name,
            witnesses=frozenset(world.people_in(world.place_of(name))),
            about=frozenset([name]),
        )
        for name in world.residents
        for thing in world.holding(name)
    ]


def _said(past: PastSociety, records: Sequence[Record]) -> list[Question]:
    """Make questions about words with a unique speaker."""
    names = past.society.world.residents
    messages: list[tuple[str, dict[str, Any]]] = [
        (str(record["resident"]), message) for record in records for message in record["messages"]
    ]
    messages += [(name, message) for name in names for message in past.observation(name).to_json()["messages"]]
    heard: dict[tuple[str, str], dict[str, set[str]]] = defaultdict(lambda: defaultdict(set))
    for listener, message in messages:
        heard[message["addressee"], " ".join(message["text"].split())][message["sender"]].add(listener)
    return [
        Question(
            kind="said",
            text=f'Who said to {addressee}: "{text}"?',
            options=tuple(name for name in names if name != addressee),
            truth=sender,
            witnesses=frozenset(listeners),
            about=frozenset([sender]),
        )
        for (addressee, text), senders in heard.items()
        if len(senders) == 1 and any(letter.isalnum() for letter in text)
        for sender, listeners in senders.items()
        if sender in names
    ]


def _turns_to(records: Sequence[Record]) -> list[Question]:
    """Make questions about each resident's most frequent partner."""
    if not records:
        return []
    names, counts = interaction_counts(records)
    best = [np.flatnonzero(row == row.max()) for row in counts]
    return [
        Question(
            kind="turns to",
            text=f"To whom has {name} spoken or handed something most often so far?",
            options=tuple(other for other in names if other != name),
            truth=names[int(best[number][0])],
            witnesses=frozenset([names[int(best[number][0])]]),
            about=frozenset([name]),
        )
        for number, name in enumerate(names)
        if counts[number].max() > 0 and len(best[number]) == 1
    ]
