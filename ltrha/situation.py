"""Kinds of situations and actions, by which the habitus learns (section 4.3)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from irollan_env.actions import Action, Primitive
from irollan_env.resident import Act

PRIMITIVES = tuple(primitive.value for primitive in Primitive)


def sign(value: float) -> int:
    """Return the sign of a topic or an amount of resources: -1, 0 or 1."""
    return (value > 0) - (value < 0)


@dataclass(frozen=True, kw_only=True, slots=True)
class Situation:
    """The kind of situation in which an agent decided.

    Attributes:
        place: The locale it was in.
        company: The others in that place, sorted.
        topic: -1, 0 or 1, the sign of the locale's topic.
        resources: -1, 0 or 1, the sign of the agent's resources.
        spoken_to: Whether it had just been spoken to.

    Raises:
        ValueError: if topic or resources is no sign.
    """

    place: str
    company: tuple[str, ...] = ()
    topic: int = 0
    resources: int = 1
    spoken_to: bool = False

    def __post_init__(self) -> None:
        object.__setattr__(self, "company", tuple(sorted(self.company)))
        for label, value in (("topic", self.topic), ("resources", self.resources)):
            if value not in (-1, 0, 1):
                raise ValueError(f"{label} of a situation must be -1, 0 or 1, got {value!r}; pass it through sign()")


# The tree's questions about a situation by level, from the most general to the most particular.
_QUESTIONS: tuple[Callable[[Situation], str], ...] = (
    lambda s: "in company" if s.company else "alone",
    lambda s: "spoken to" if s.spoken_to else "not spoken to",
    lambda s: {-1: "bad mood", 0: "neutral mood", 1: "good mood"}[s.topic],
    lambda s: {-1: "resources below 0", 0: "no resources", 1: "has resources"}[s.resources],
    lambda s: f"in {s.place}",
    lambda s: f"with {', '.join(s.company)}" if s.company else "with nobody",
)


def path(situation: Situation) -> tuple[str, ...]:
    """Return the branches from the root to the situation's leaf."""
    return tuple(question(situation) for question in _QUESTIONS)


def read_action(action: str) -> tuple[str, str | None]:
    """Return an action's primitive and partner: the addressee of a chat, or the target of a put.

    Raises:
        ValueError: if the text is no action.
    """
    read = Action(action)
    turns = read.primitive in (Primitive.PUT, Primitive.CHAT)
    return str(read.primitive), read.target if turns else read.partner


def read_actions(acts: Mapping[str, Act]) -> dict[str, tuple[str, str | None]]:
    """Return the primitive and partner of each agent's action, omitting invalid texts."""
    return {name: read_action(act.action) for name, act in acts.items() if isinstance(act.action, Action)}
