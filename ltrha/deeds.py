"""Recent actions of agents, and actions that were filtered, in plain words."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, get_args

from irollan_env.actions import SILENCE, Action, Primitive, Refusal
from irollan_env.english import Form, conjugate, phrase
from irollan_env.resident import Act
from irollan_env.world.observation import OutcomeKind
from irollan_env.world.state import AWAY_PLACE
from ltrha.plain_text import first_words, quoted, single_quotes

KEPT = 3
"""Number of last steps whose deeds are kept."""

NO_FAULT = "(no fault of its own)"
_LONGEST_NAME = 60
_MOST_COMPANY = 3


@dataclass(frozen=True, kw_only=True, slots=True)
class Deed:
    """An agent's action or filtered action in one time step.

    Attributes:
        action: What it decided; None for waiting. Untrusted text.
        outcome: Outcome of the action.
        partner: The agent that it spoke to or gave something; None for nobody.
        company: The others in its place at the end of the step.

    Raises:
        ValueError: for an unknown outcome.
    """

    action: Action | Refusal | None
    outcome: OutcomeKind = "executed"
    partner: str | None = None
    company: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if self.outcome not in get_args(OutcomeKind):
            raise ValueError(f"outcome of a deed must be one of {get_args(OutcomeKind)}, got {self.outcome!r}")
        object.__setattr__(self, "company", tuple(self.company))
        if isinstance(self.action, str):
            object.__setattr__(self, "action", Action.parse(self.action))

    def describe(self, most_words: int) -> str:
        """Describe the deed in one line in the third person, as in "gave food 6 to LL" after the agent's name.

        Args:
            most_words: Most words quoted from a chat; 0 only mentions the chat.
        """
        if self.outcome == "failed":
            return f"did nothing {NO_FAULT}"
        if self.outcome == "filtered":
            wanted = f" from {self._phrase('gerund')}" if self.action is not None else ""
            return f"was held back{wanted} {NO_FAULT}"
        if self.action is None:
            return f"waited{self._with_company()}"
        if self.outcome == "inadmissible":
            return f"tried in vain to {self._phrase('infinitive')}"
        if isinstance(self.action, Refusal):
            return self._phrase("past")
        if self.action.words == SILENCE:
            return f"kept {_name(self.action.target)} company in silence"
        if self.action.words and most_words:
            return f"said to {_name(self.action.target)}: {quoted(self.action.words, most_words)}"
        seen = self.action.primitive in (Primitive.GO_TO, Primitive.USE)
        return self._phrase("past") + (self._with_company() if seen else "")

    def wanted(self, most_words: int) -> str:
        """Describe the deed as if it had been carried out; empty for waiting and inadmissible actions.

        Args:
            most_words: Most words quoted from a chat; 0 only mentions the chat.
        """
        if self.action is None or self.outcome not in ("executed", "filtered"):
            return ""
        return Deed(action=self.action, partner=self.partner).describe(most_words)

    def _phrase(self, form: Form) -> str:
        if self.action is None or isinstance(self.action, Refusal):
            return f"{conjugate('do', form)} {quoted(self.action or '', 8)}"
        if self.action.primitive is not Primitive.PUT:
            return phrase(self.action, form, name=_name, talk="talk to", out="go outside", uses={})
        verb, to = ("give", "to") if self.action.target == self.partner else ("put", "on")
        return f"{conjugate(verb, form)} {_name(str(self.action.item))} {to} {_name(self.action.target)}"

    def _with_company(self) -> str:
        if not self.company:
            return ""
        more = len(self.company) - _MOST_COMPANY
        return f" ({', '.join(self.company[:_MOST_COMPANY])}{f' and {more} more' if more > 0 else ''} there)"

    def to_json(self) -> dict[str, Any]:
        """Return JSON-ready data from which ``from_json`` makes an equal deed."""
        return {**asdict(self), "company": list(self.company)}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Deed:
        """Restore a deed from ``to_json``, after any JSON round trip.

        Raises:
            TypeError: for a missing or an unknown key.
            ValueError: for an unknown outcome.
        """
        return cls(**data)


def with_new_deeds(
    kept: Mapping[str, tuple[Deed, ...]],
    acts: Mapping[str, Act],
    outcomes: Mapping[str, OutcomeKind],
    places: Mapping[str, str],
    read: Mapping[str, tuple[str, str | None]],
) -> dict[str, tuple[Deed, ...]]:
    """Add this step's deeds to those that are kept of each agent's last steps.

    Args:
        kept: Deeds of earlier steps.
        acts: What each agent decided.
        outcomes: Outcome of each action.
        places: Where each agent is after the acts.
        read: Result of ``read_actions`` for the acts.
    """
    deeds = {}
    for name, before in kept.items():
        partner = read[name][1] if name in read else None
        new = Deed(
            action=acts[name].action,
            outcome=outcomes[name],
            partner=partner if partner in kept else None,
            company=tuple(other for other in kept if other != name and places[other] == places[name]),
        )
        deeds[name] = (*before, new)[-KEPT:] if places[name] != AWAY_PLACE else before
    return deeds


def describe_deeds(deeds: tuple[Deed, ...], newest_words: int, older_words: int) -> str:
    """Describe deeds from oldest to newest, merging repeats of the same deed.

    Args:
        deeds: Deeds of one agent.
        newest_words: Most words quoted from a chat in the newest deed.
        older_words: Most words quoted from a chat in older deeds.
    """
    said: list[tuple[str, int]] = []
    for place, deed in enumerate(deeds, 1):
        words = deed.describe(newest_words if place == len(deeds) else older_words)
        times = said.pop()[1] + 1 if said and said[-1][0] == words else 1
        said.append((words, times))
    return "; ".join(words if times == 1 else f"{words}, {times} times" for words, times in said)


def _name(text: str) -> str:
    """Format a name in a deed; an action that was not carried out may name anything."""
    return first_words(single_quotes(text), 6, _LONGEST_NAME)
