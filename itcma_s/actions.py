"""What an action does: what it handles, what it hands back, and what counts as doing the same again."""

from __future__ import annotations

from irollan_env.actions import Action, Primitive
from irollan_env.naming import owner


def without_words(action: str) -> str:
    """An action without the words of a chat: what counts as doing the same again."""
    return action.split(":")[0] if action.startswith("chat with ") else action


def hands_back(action: Action) -> bool:
    """Whether an action hands a thing to the person whose it is by its name."""
    return action.item is not None and action.partner is not None and owner(action.item) == action.partner


def handled(action: Action) -> str | None:
    """What an action takes, uses, gives or puts down."""
    return action.target if action.primitive is Primitive.USE else action.item
