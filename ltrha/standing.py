"""What the matrix is told about one agent (section 4.2.2), in the words of each way to ask."""

from __future__ import annotations

import math
from dataclasses import dataclass

from ltrha.deeds import Deed, told
from ltrha.plain_text import quoted
from ltrha.situation import read_action

_LONGEST = 200


@dataclass(frozen=True, kw_only=True, slots=True)
class Standing:
    """What the matrix is told about one agent.

    Attributes:
        name: Who it is.
        place: The locale it is in.
        topic: The topic of that locale, in [-1, 1].
        goal: What it is after; untrusted text.
        action: What it did in this step; None when nothing was carried out. Untrusted text.
        resources: S_i before this step's changes.
        deeds: What it did and wanted to do in the last steps, this one included, the oldest first.

    Raises:
        ValueError: for an empty name, a topic outside its range, or resources that are not finite.
    """

    name: str
    place: str
    topic: float
    goal: str = ""
    action: str | None = None
    resources: float = 1.0
    deeds: tuple[Deed, ...] = ()

    def __post_init__(self) -> None:
        if not self.name:
            raise ValueError("an agent needs a name, got an empty string")
        if not -1.0 <= self.topic <= 1.0:
            raise ValueError(f"topic must lie in [-1, 1], got {self.topic!r} for agent {self.name!r}")
        if not math.isfinite(self.resources):
            raise ValueError(f"resources must be finite, got {self.resources!r} for agent {self.name!r}")

    def line(self) -> str:
        """One line of the prompt for a choice; text of the agent cannot begin a line of its own."""
        goal, action = _one_line(self.goal) or "nothing in particular", _one_line(self.action or "") or "nothing"
        return (
            f"{self.name} is in {self.place} (mood {self.topic:+.2f}), has {self.resources:g} resources, "
            f"wants: {goal}, and did: {action}"
        )

    def description(self) -> str:
        """Goal, action and atmosphere in one short sentence, for backends that choose by similarity."""
        goal = _one_line(self.goal).rstrip(".")
        wish = f"wants to {goal[0].lower()}{goal[1:]}" if goal else "wants nothing"
        return f"{mood(self.topic).capitalize()} mood: somebody {wish} and {_doing(self.action)}."

    def evidence(self, *, goal_words: int, newest_words: int, older_words: int) -> str:
        """One line of the prompt for an order: place, mood, goal and the last deeds, without amounts.

        Args:
            goal_words: How many words of the goal are told, at least 1.
            newest_words: How many words of what was said in the last step; 0 tells that it talked.
            older_words: How many words of what was said before.
        """
        goal = f"wants {quoted(self.goal, goal_words)}" if self.goal.strip() else "wants nothing in particular"
        deeds = told(self.deeds, newest_words, older_words) or "has done nothing yet"
        return f"- {self.name} ({self.place}, {mood(self.topic)} mood) {goal}; {deeds}"


def mood(topic: float) -> str:
    """A topic in one word: tense, flat, calm, friendly or lively."""
    for limit, word in ((-0.05, "tense"), (0.05, "flat"), (0.35, "calm"), (0.65, "friendly")):
        if topic < limit:
            return word
    return "lively"


def _doing(action: str | None) -> str:
    """What somebody does, in a word or two: what counts for the others is the kind of deed."""
    primitive, partner = read_action(action) if action else ("", None)
    if partner is not None:
        return "talks with others" if primitive == "chat with" else "gives something away"
    return {
        "go to": "walks",
        "leave": "leaves",
        "use": "uses a thing",
        "take": "takes a thing",
        "put": "puts a thing",
    }.get(primitive, "does nothing")


def _one_line(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _LONGEST else line[: _LONGEST - 1].rstrip() + "…"
