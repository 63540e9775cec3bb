"""What an action does, by its text: to whom it turns, what it hands back, what counts as doing the same again."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from irollan_env.naming import is_person, owner
from irollan_env.world.primitives import Chat, Put, Take, Use, is_chat, parse


def without_words(action: str) -> str:
    """An action without the words of a chat: what counts as doing the same again."""
    return action.split(":")[0] if is_chat(action) else action


@lru_cache(maxsize=2**16)
def hands_back(action: str) -> bool:
    """Whether an action hands a thing to the one whose it is by its name."""
    match parse(action):
        case Put(item, target):
            return is_person(target) and owner(item) == target
        case _:
            return False


@lru_cache(maxsize=2**16)
def partner(action: str) -> str | None:
    """Whom an action turns to: whom it speaks to, or gives something to."""
    match parse(action):
        case Chat(person, _):
            return person
        case Put(_, target) if is_person(target):
            return target
        case _:
            return None


@lru_cache(maxsize=2**16)
def handled(action: str) -> str | None:
    """What an action takes, uses, gives or puts down."""
    match parse(action):
        case Take(item, _) | Put(item, _):
            return item
        case Use(thing):
            return thing
        case _:
            return None


def lays_down(action: str, carried: Sequence[str]) -> bool:
    """Whether an action puts down, or uses up, one of the things that are carried."""
    match parse(action):
        case Put(item, target):
            return item in carried and not is_person(target)
        case Use(thing):
            return thing in carried
        case _:
            return False
