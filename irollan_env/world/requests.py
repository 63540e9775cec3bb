"""Formatting and parsing of the sentences with which residents ask, invite and answer.

Tasks have their residents say them, and scripted residents understand them; neither needs to know of the other.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

ACKNOWLEDGEMENT = "I hear you"
"""Phrase that marks an acknowledgement; the words repeated in one are not a request."""

INVITATION_STEPS = 15
"""Time steps for which an invitation holds, from when it was heard."""

PATIENCE = 40
"""Time steps for which an invitation of a task holds, and for which a neighbour heeds it."""

LONGEST_READ = 200
"""Characters at the end of what was said in which a request is looked for."""

_TOLD = "You know this: "
_REQUEST = re.compile(r"\bgive me (?:the )?(.+?)[\s.!?\"']*$", re.IGNORECASE)
_INVITATION = re.compile(r"\bcome to (?:the )?(.+?)[\s.!?\"']*$", re.IGNORECASE)


def request(item: str) -> str:
    """Return a request for an item: ``"Please give me the book 1."``."""
    return f"Please give me the {item}."


def requested_item(text: str) -> str | None:
    """Return the item that a text asks for, as named there; None if it asks for none."""
    found = _REQUEST.search(text[-LONGEST_READ:])
    return found[1] if found else None


def invitation(place: str) -> str:
    """Return an invitation to a place: ``"Come to Public Canteen."``."""
    return f"Come to {place}."


def invited_to(text: str) -> str | None:
    """Return the place that a text invites to, as named there; None if it invites to none, or is an acknowledgement."""
    found = None if ACKNOWLEDGEMENT in text else _INVITATION.search(text[-LONGEST_READ:])
    return found[1] if found else None


_WHO_LOST = re.compile(r"\bwho (?:has )?lost the (.+?)[\s.!?\"']*$", re.IGNORECASE)


def who_lost(item: str) -> str:
    """Return a question for an item's owner: ``"Who lost the lens 2?"``."""
    return f"Who lost the {item}?"


def asked_who_lost(text: str) -> str | None:
    """Return the item whose owner a text asks for; None if it asks for none, or is an acknowledgement."""
    found = None if ACKNOWLEDGEMENT in text else _WHO_LOST.search(text[-LONGEST_READ:])
    return found[1] if found else None


def lost_by(item: str, person: str) -> str:
    """Return a statement of an item's owner: ``"MD lost the lens 2."``.

    Args:
        item: The item's name.
        person: The owner.
    """
    return f"{person} lost the {item}."


def named_owner(text: str, item: str, people: Iterable[str]) -> str | None:
    """Return who of some people lost an item according to a text; None if the text does not say.

    Args:
        text: The words; untrusted.
        item: The thing.
        people: Names of those who may have lost it.
    """
    if (found := re.search(rf" lost the {re.escape(item)}(?!\w)", text)) is None:
        return None
    before = text[: found.start()]
    named = [name for name in people if before.endswith(name) and not before.removesuffix(name)[-1:].isalnum()]
    return max(named, key=len, default=None)


def told(fact: str) -> str:
    """Return the sentence by which a goal tells a resident a fact: ``"You know this: MD lost the lens 2."``."""
    return f"{_TOLD}{fact}"


def told_owner(goal: str, item: str) -> str | None:
    """Return the statement of an item's owner that a goal tells; None if it tells none."""
    facts = goal.split(_TOLD)[1:]
    return next((fact.strip() for fact in facts if fact.strip().endswith(f" {lost_by(item, '').strip()}")), None)
