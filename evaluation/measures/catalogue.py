"""Catalogue of the measures: dimension, level, range and meaning of each."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

Level = Literal["resident", "place", "society"]


@dataclass(frozen=True, slots=True)
class Measure:
    """A measure; docs/measures.md has its formula and its source.

    Attributes:
        name: Name in the table of measures.
        dimension: Group that it belongs to, such as "exploration".
        level: What has a value: each resident (with a mean for the society), each place, or the society.
        low: Smallest possible value.
        high: Largest possible value.
        meaning: Meaning in a few words.
        embedder: Whether it needs an embedder.
    """

    name: str
    dimension: str
    level: Level
    low: float
    high: float
    meaning: str
    embedder: bool = False


_INFINITY = math.inf
MEASURES = {
    one.name: one
    for one in (
        Measure("places", "exploration", "resident", 1, _INFINITY, "places visited"),
        Measure("objects", "exploration", "resident", 0, _INFINITY, "objects seen"),
        Measure("people", "exploration", "resident", 0, _INFINITY, "people met"),
        Measure("places_curve", "exploration", "resident", 0, 1, "how early and how many of all places"),
        Measure("objects_curve", "exploration", "resident", 0, 1, "how early and how many of all objects"),
        Measure("people_curve", "exploration", "resident", 0, 1, "how early and how many of all people"),
        Measure("place_entropy", "exploration", "resident", 0, _INFINITY, "evenness of time over places, in bits"),
        Measure("turns", "proactiveness", "resident", 0, _INFINITY, "turns to another resident"),
        Measure("begun_rate", "proactiveness", "resident", 0, 1, "conversations begun per time step"),
        Measure(
            "begun_answered", "proactiveness", "resident", 0, 1, "share of conversations it began that was answered"
        ),
        Measure(
            "answer_rate", "proactiveness", "resident", 0, 1, "share of conversations begun with it that it answered"
        ),
        Measure("active", "proactiveness", "resident", 0, 1, "share of steps not spent resting or waiting"),
        Measure("thought_action", "consistency", "resident", 0, 1, "action fits the thought; chance 0.5", True),
        Measure("goal_action", "consistency", "resident", 0, 1, "action fits the goal; chance 0.5", True),
        Measure("driver_action", "consistency", "resident", 0, 1, "driver higher when active; chance 0.5"),
        Measure("goal_persistence", "consistency", "resident", 0, 1, "share of steps that keep the goal"),
        Measure("precondition_failures", "logicality", "resident", 0, 1, "tried inadmissible actions"),
        Measure("overtaken", "logicality", "resident", 0, 1, "tried what another resident had just made inadmissible"),
        Measure("undone", "logicality", "resident", 0, 1, "undid its previous action"),
        Measure("repeated", "logicality", "resident", 0, 1, "repeated its previous action"),
        Measure("distinct_bigrams", "personification", "resident", 0, 1, "variety of speech"),
        Measure("reply_fit", "personification", "resident", 0, 1, "replies fit what was said; chance 0.5", True),
        Measure("burstiness", "personification", "resident", -1, 1, "turns come in bursts; by chance 0"),
        Measure("emotional_inertia", "personification", "resident", -1, 1, "pleasure carries over"),
        Measure("lines", "talk", "resident", 0, _INFINITY, "lines said or attempted"),
        Measure("lines_lost", "talk", "resident", 0, 1, "share of lines filtered or refused"),
        Measure("lines_recovered", "talk", "resident", 0, 1, "share of lost lines that it said later", True),
        Measure("questions", "talk", "resident", 0, _INFINITY, "questions and requests", True),
        Measure("questions_answerable", "talk", "resident", 0, _INFINITY, "questions that could be answered", True),
        Measure("questions_answered", "talk", "resident", 0, 1, "share answered of those that could be", True),
        Measure(
            "questions_repeated", "talk", "resident", 0, 1, "share of questions put to the same person before", True
        ),
        Measure("promises", "talk", "resident", 0, _INFINITY, "promises and plans it announced"),
        Measure("promises_due", "talk", "resident", 0, _INFINITY, "promises kept or broken within 5 steps"),
        Measure("promises_kept", "talk", "resident", 0, 1, "share kept of promises kept or broken"),
        Measure("promises_filtered", "talk", "resident", 0, 1, "share of promises tried and filtered each time"),
        Measure("statements", "talk", "resident", 0, _INFINITY, "statements that the records can verify"),
        Measure("statements_true", "talk", "resident", 0, 1, "share of statements that is true"),
        Measure("thoughts_agreeing", "talk", "resident", 0, 1, "share of thoughts that agree with the act"),
        Measure("thoughts_against", "talk", "resident", 0, 1, "share of thoughts that argue against the act"),
        Measure("goals_new", "talk", "resident", 0, _INFINITY, "goals that differ from the step before", True),
        Measure("goals_from_talk", "talk", "resident", 0, 1, "share of new goals that arose from talk", True),
        Measure("action_entropy", "roles", "resident", 0, 1, "variety of actions"),
        Measure("specialisation", "roles", "resident", 0, 1, "how far its activities differ from the mean"),
        Measure("role_entropy", "roles", "society", 0, 1, "variety of roles"),
        Measure("division_of_labour", "roles", "society", 0, 1, "mutual information of resident and activity"),
        Measure("gini", "resources", "society", 0, 1, "inequality at the end"),
        Measure("mobility", "resources", "society", 0, 1, "how much the order of residents changes"),
        Measure("resources_end", "resources", "resident", -_INFINITY, _INFINITY, "resources at the end"),
        Measure("time_alone", "company", "resident", 0, 1, "share of steps with nobody around"),
        Measure("topic_mean", "topics", "place", -1, 1, "topic while somebody is there"),
        Measure("topic_trend", "topics", "place", -1, 1, "whether it rises over time"),
        Measure("occupied", "topics", "place", 0, 1, "share of steps with somebody there"),
        Measure("gathering", "topics", "place", 1, _INFINITY, "people there, when there are any"),
    )
}
