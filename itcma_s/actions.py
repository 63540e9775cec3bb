"""Properties of actions: the item handled, whether it returns an item, and equality without words."""

from __future__ import annotations

from irollan_env.actions import Action, Primitive
from irollan_env.naming import owner


def without_words(action: str) -> str:
    """Return an action without the words of a chat, the form in which repetitions are counted."""
    return action.split(":")[0] if action.startswith("chat with ") else action


def hands_back(action: Action) -> bool:
    """Return whether an action hands an item to its owner."""
    return action.item is not None and action.partner is not None and owner(action.item) == action.partner


def handled(action: Action) -> str | None:
    """Return the item that an action takes, uses, gives or puts down."""
    return action.target if action.primitive is Primitive.USE else action.item
