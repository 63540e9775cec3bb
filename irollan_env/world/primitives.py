"""One class for each primitive, until itcma_s reads the attributes of ``Action``; then this file goes."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from irollan_env.actions import LONGEST_CHAT as LONGEST_CHAT
from irollan_env.actions import SILENCE as SILENCE
from irollan_env.actions import Action, Primitive
from irollan_env.actions import Refusal as Refusal
from irollan_env.actions import chat_with as chat_with


@dataclass(frozen=True, slots=True)
class GoTo:
    """Through a door to another place."""

    place: str


@dataclass(frozen=True, slots=True)
class Use:
    """Furniture in the same place, or an item in one's hands."""

    thing: str


@dataclass(frozen=True, slots=True)
class Leave:
    """The place one is in, the furniture one uses, or the person one talks with."""

    target: str


@dataclass(frozen=True, slots=True)
class Take:
    """An item from furniture in the same place."""

    item: str
    source: str


@dataclass(frozen=True, slots=True)
class Put:
    """An item from one's hands in or on furniture, or into the hands of a person."""

    item: str
    target: str


@dataclass(frozen=True, slots=True)
class Chat:
    """Words to a person in the same place, which all others there overhear."""

    person: str
    text: str


Form = GoTo | Use | Leave | Take | Put | Chat


@lru_cache(maxsize=2**16)
def parse(text: str) -> Form | Refusal:
    """An action as one of the classes above."""
    action = Action.parse(text)
    if isinstance(action, Refusal):
        return action
    match action.primitive:
        case Primitive.GO_TO:
            return GoTo(action.target)
        case Primitive.USE:
            return Use(action.target)
        case Primitive.LEAVE:
            return Leave(action.target)
        case Primitive.TAKE:
            return Take(str(action.item), action.target)
        case Primitive.PUT:
            return Put(str(action.item), action.target)
        case Primitive.CHAT:
            return Chat(action.target, action.words)


def is_chat(action: str) -> bool:
    """Whether an action's text is a chat."""
    return action.startswith("chat with ")
