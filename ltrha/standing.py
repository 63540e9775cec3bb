"""What the matrix is told about one agent (section 4.2.2): its deeds and goal, what it owns, and where it is."""

from __future__ import annotations

from dataclasses import dataclass

from irollan_env.english import without_numbers
from irollan_env.world.observation import mood
from ltrha.deeds import Deed, told
from ltrha.plain_text import quoted


@dataclass(frozen=True, kw_only=True, slots=True)
class Standing:
    """What the matrix is told about one agent.

    Attributes:
        name: Who it is.
        place: The locale it is in.
        topic: The topic of that locale, in [-1, 1].
        goal: What it is after; untrusted text.
        share: Its share of all resources before this step's changes, in [-1, 1]; see ``resources.resource_shares``.
        deeds: What it did and wanted to do in the last steps, this one included, the oldest first.

    Raises:
        ValueError: for an empty name, or a topic or share outside its range.
    """

    name: str
    place: str
    topic: float
    goal: str = ""
    share: float = 0.0
    deeds: tuple[Deed, ...] = ()

    def __post_init__(self) -> None:
        if not self.name:
            raise ValueError("an agent needs a name, got an empty string")
        if not -1.0 <= self.topic <= 1.0:
            raise ValueError(f"topic must lie in [-1, 1], got {self.topic!r} for agent {self.name!r}")
        if not -1.0 <= self.share <= 1.0:
            raise ValueError(f"share must lie in [-1, 1], got {self.share!r} for agent {self.name!r}")

    def evidence(self, *, goal_words: int, newest_words: int, older_words: int, wealth: str = "") -> str:
        """One line of the prompt for an order: place, mood, goal and the last deeds, without amounts.

        Args:
            goal_words: How many words of the goal are told, at least 1.
            newest_words: How many words of what was said in the last step; 0 tells that it talked.
            older_words: How many words of what was said before.
            wealth: How it stands, in words; not told when empty.
        """
        goal = f"wants {quoted(self.goal, goal_words)}" if self.goal.strip() else "wants nothing in particular"
        deeds = without_numbers(told(self.deeds, newest_words, older_words)) or "has done nothing yet"
        where = f"{without_numbers(self.place)}, {mood(self.topic)} mood{f', {wealth}' if wealth else ''}"
        return f"- {self.name} ({where}) {goal}; {deeds}"
