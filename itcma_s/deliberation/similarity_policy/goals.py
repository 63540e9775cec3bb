"""Goals of the similarity policy, with the conditions for reaching and dropping them."""

from __future__ import annotations

from collections.abc import Container, Mapping
from copy import deepcopy
from dataclasses import asdict, dataclass, field
from typing import Any

from irollan_env.actions import Action, Primitive
from irollan_env.naming import kind, owner
from irollan_env.world.observation import Observation
from itcma_s.deliberation.similarity_policy.errands import CHANGERS

_EASING_PATIENCE = 8
_COUNTED = ("talked", "used", "busy")
OWN_WISH = "its own wish"
"""The condition of a goal that the resident brought along, which no rule sees fulfilled."""
WISH_PATIENCE = 12
"""Steps after which such a goal is dropped; it may come up again."""


@dataclass(kw_only=True, slots=True)
class Goal:
    """The current goal of a resident.

    Attributes:
        text: As it stands in prompts, after "I want to".
        done: The condition under which it is reached, as in prompts/goals.toml.
        since: Time step in which it was formed.
        patience: Steps after which it is dropped.
        talks: Person -> times talked with since then.
        deeds: Other things done since then, as "used food 3", "gave book 3 to WL", "busy LL's Home".
    """

    text: str
    done: str
    since: int
    patience: int
    talks: dict[str, int] = field(default_factory=dict)
    deeds: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        sort, _, rest = self.done.partition(" ")
        if sort in _COUNTED and not rest.rpartition(" ")[2].isdigit():
            raise ValueError(f"a goal with {sort!r} ends with how often, such as '{sort} ... 2', got {self.done!r}")

    def note(self, action: Action, place: str) -> None:
        """Record an executed action and the place after it."""
        match action.primitive:
            case Primitive.CHAT:
                self.talks[action.target] = self.talks.get(action.target, 0) + 1
            case Primitive.USE:
                self.deeds.append(f"used {action.target}")
            case Primitive.PUT:
                # A thing put down in somebody's house counts as given to its owner.
                if (receiver := action.partner or owner(place)) is not None:
                    self.deeds.append(f"gave {action.item} to {receiver}")
            case Primitive.GO_TO | Primitive.LEAVE:
                return
        self.deeds.append(f"busy {place}")

    def reached(self, observation: Observation) -> bool:
        """Return whether the recorded deeds and the present situation fulfil the goal."""
        sort, _, rest = self.done.partition(" ")
        match sort:
            case "talked":
                person, _, times = rest.rpartition(" ")
                count = max(self.talks.values(), default=0) if person == "anyone" else self.talks.get(person, 0)
                return count >= int(times)
            case "used" | "busy":
                deed, _, times = self.done.rpartition(" ")
                return self.deeds.count(deed) >= int(times)
            case "together":
                person, _, place = rest.partition(" in ")
                return person in observation.company and place in ("", observation.place)
            case "eased":
                need, _, level = rest.rpartition(" ")
                return observation.needs.get(need, 0.0) <= float(level)
            case "made":
                status, _, name = rest.partition(" ")
                made = [one for one in observation.percepts if one.name == name and status in one.status]
                return any(kind(one.on or "") not in CHANGERS for one in made)
            case _:
                return self.done in self.deeds

    def dropped(self, time: int, known: Container[str]) -> bool:
        """Return whether patience has run out, or the thing that the goal needs is gone.

        Args:
            time: Time step now.
            known: The things whose whereabouts are known.
        """
        needs = self._needs()
        return time - self.since >= self.patience or (needs is not None and needs not in known)

    def _needs(self) -> str | None:
        sort, _, rest = self.done.partition(" ")
        match sort:
            case "used":
                return rest.rpartition(" ")[0]
            case "made":
                return rest.partition(" ")[2]
            case "gave":
                return rest.partition(" to ")[0]
            case _:
                return None

    def get_state(self) -> dict[str, Any]:
        """Return the state as JSON-ready data."""
        return asdict(self)

    @classmethod
    def from_state(cls, state: Mapping[str, Any]) -> Goal:
        """Return the object with a state from ``get_state``."""
        return cls(**deepcopy(dict(state)))


def own_wish(text: str, time: int) -> Goal:
    """Make a goal from a resident's own wish: no rule says when it is reached, and it is dropped after a while."""
    return Goal(text=text, done=OWN_WISH, since=time, patience=WISH_PATIENCE)


def to_ease(need: str, level: float, by: str, time: int) -> Goal:
    """Make the goal to ease a need to half of its level.

    Args:
        need: ``"hunger"``.
        level: Its level, in [0, 1].
        by: What eases it: ``"some food"``; empty if nothing is known to.
        time: Time step now.
    """
    text = f"ease my {need} with {by}" if by else f"find what eases my {need}"
    return Goal(text=text, done=f"eased {need} {level / 2:.2f}", since=time, patience=_EASING_PATIENCE)


def fixed(text: str, time: int) -> Goal:
    """Make a goal set from outside: never reached or dropped by the resident itself."""
    return Goal(text=text, done="set from outside", since=time, patience=10**9)
