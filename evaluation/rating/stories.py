"""Blinded stories of residents for raters, step by step, without a trace of the architecture."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from itertools import groupby
from typing import Any

from evaluation.rating.plain_text import plain_text
from evaluation.records.records import Record

NOTHING = "Nothing happens."
"""Outcome of an inadmissible or filtered action, without the reason, as only LTRHA filters."""


@dataclass(frozen=True, kw_only=True, slots=True)
class StoryStep:
    """One time step of one resident, as shown to raters.

    Emotions, driver, resources and scores are left out, as their presence and size would reveal the architecture.

    Attributes:
        step: From 1.
        place: Where the resident is.
        company: Other residents in the place.
        observation: The observation sentence.
        heard: Sender, addressee and words of each line heard since the previous step.
        goal: Goal of the resident if it is new; empty otherwise.
        thought: Its thought.
        action: Its action; ``"wait"`` for none.
        outcome: Result of the action, in the world's words.
        happened: Whether the action had a result.
    """

    step: int
    place: str
    company: tuple[str, ...]
    observation: str
    heard: tuple[tuple[str, str, str], ...]
    goal: str
    thought: str
    action: str
    outcome: str
    happened: bool

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> StoryStep:
        """Build a step from JSON-ready data of ``dataclasses.asdict``.

        Raises:
            KeyError: if something is missing.
        """
        values = {field.name: data[field.name] for field in fields(cls)}
        heard = tuple((str(sender), str(addressee), str(text)) for sender, addressee, text in data["heard"])
        return cls(**{**values, "company": tuple(data["company"]), "heard": heard})

    def words(self) -> int:
        """Number of words that a rater reads, without the observation, which is collapsed."""
        texts = (self.place, *self.company, self.goal, self.thought, self.action, self.outcome)
        return sum(len(text.split()) for text in (*texts, *(" ".join(line) for line in self.heard)))


def stories(records: Sequence[Record]) -> dict[str, tuple[StoryStep, ...]]:
    """Build the story of each resident, in order of time.

    Raises:
        KeyError: if a record lacks a key.
    """
    ordered = sorted(records, key=lambda record: (str(record["resident"]), int(record["time"])))
    return {
        resident: _story(list(own)) for resident, own in groupby(ordered, key=lambda record: str(record["resident"]))
    }


def _story(records: Sequence[Record]) -> tuple[StoryStep, ...]:
    moments, goal_before = [], ""
    for record in records:
        goal = plain_text(record["goal"] or "")
        outcome, happened = _outcome(record)
        moments.append(
            StoryStep(
                step=int(record["time"]) + 1,
                place=str(record["place"]),
                company=tuple(percept["name"] for percept in record["percepts"] if percept["kind"] == "person"),
                observation=plain_text(record["observation"]),
                heard=tuple(
                    (message["sender"], message["addressee"], plain_text(message["text"]))
                    for message in record["messages"]
                ),
                goal=goal if goal != goal_before else "",
                thought=plain_text(record["thought"] or ""),
                action=plain_text(record["action"] or "wait"),
                outcome=outcome,
                happened=happened,
            )
        )
        goal_before = goal
    return tuple(moments)


def _outcome(record: Record) -> tuple[str, bool]:
    """Describe the result of an action; a failed model call counts as waiting."""
    action = record["action"] or ""
    if record["outcome"] in ("filtered", "inadmissible"):
        return NOTHING, False
    if action.startswith("chat with "):
        return "It is said.", True
    return plain_text(record["result"] if action else "Time passes."), True
