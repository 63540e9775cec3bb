"""Paraphrases of actions, so that a goal in other words is still close to the right action."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from functools import cache, lru_cache
from importlib.resources import files
from itertools import accumulate, chain
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from irollan_env.actions import Action, Primitive
from irollan_env.english import the
from irollan_env.naming import is_person, kind
from language_models.protocol import Embedder


@cache
def _table() -> dict[str, Any]:
    return tomllib.loads(files("itcma_s.elimination").joinpath("meanings.toml").read_text(encoding="utf-8"))


def meanings(action: str, lying: Mapping[str, str] | None = None, topics: Sequence[str] = ()) -> tuple[str, ...]:
    """Return several paraphrases of an action.

    Args:
        action: One of the six primitives.
        lying: Furniture -> an item that lies on it; None if unknown.
        topics: Possible topics of a chat.

    Raises:
        ValueError: if the text is none of the six primitives.
    """
    talks, used = _depends_on(action)
    if talks:
        return _meanings(action, None, tuple(topics))
    return _meanings(action, None if lying is None or used is None else lying.get(used, ""), ())


@lru_cache(maxsize=2**16)
def _depends_on(action: str) -> tuple[bool, str | None]:
    """Return whether the paraphrases depend on topics, and the furniture whose item they depend on."""
    read = Action(action)
    return read.primitive is Primitive.CHAT, read.target if read.primitive is Primitive.USE else None


@lru_cache(maxsize=2**16)
def _meanings(action: str, on: str | None, topics: tuple[str, ...]) -> tuple[str, ...]:
    """Return the paraphrases, given the item on the used furniture: None if unknown, empty if there is none."""
    table = _table()
    read = Action(action)
    target, item = read.target, read.item or ""
    match read.primitive:
        case Primitive.CHAT:
            about = (_say(table["chat_about"], it=target, topic=the(topic)) for topic in topics)
            return (*_say(table["chat"], it=target), *chain.from_iterable(about))
        case Primitive.PUT if is_person(target):
            return _say(table["give"], it=the(item), to=target)
        case Primitive.PUT:
            return _say(_of(table["put"], target), it=the(item), to=the(target))
        case Primitive.TAKE:
            return _say([*_of(table["take"], item), *table["take_from"].get(kind(target), ())], it=the(item))
        case Primitive.USE:
            if on == "" and kind(target) in table["nothing_on"]:
                return _say(table["nothing_on"][kind(target)])
            return _say(_of(table["use"], target), it=the(target), on=the(on) if on else "something")
        case Primitive.GO_TO:
            return _say(table["go_out"]) if target == "outside" else _say(table["go"], it=the(target))
        case Primitive.LEAVE if is_person(target):
            return _say(table["leave_person"], it=target)
        case Primitive.LEAVE:
            return _say(_of(table["leave"], target) if target[-1:].isdigit() else table["go_out"], it=the(target))


def sentences(goal: str) -> tuple[str, str]:
    """Return a goal as it is and as a sentence; the mean of both embeddings is more stable than either."""
    return goal, f"I {goal}."


def likeness(goal: str, actions: Sequence[Sequence[str]], embedder: Embedder) -> NDArray[np.float64]:
    """Return the similarity of a goal to each action: the cosine with the closest of its paraphrases.

    Args:
        goal: The goal.
        actions: The paraphrases of each action, at least one each.
        embedder: Embeds sentences.

    Returns:
        Shape (len(actions),), in [-1, 1].
    """
    return _aim(goal, embedder).closeness(actions, embedder)


class _Aim:
    """The embedding of a goal, with a cache of its similarities.

    Each cosine is a sum over one row alone, so that its bits do not depend on the batch in which it is computed.
    """

    def __init__(self, goal: str, embedder: Embedder) -> None:
        wanted = embedder.embed(sentences(goal)).astype(np.float64).sum(axis=0)
        self._wanted = wanted / np.linalg.norm(wanted)
        self._known: dict[tuple[str, ...], float] = {}

    def closeness(self, actions: Sequence[Sequence[str]], embedder: Embedder) -> NDArray[np.float64]:
        """Return the similarities as ``likeness`` does, from the cache where possible."""
        said = [tuple(meanings) for meanings in actions]
        if fresh := list(dict.fromkeys(meanings for meanings in said if meanings not in self._known)):
            vectors = embedder.embed([meaning for meanings in fresh for meaning in meanings])
            cosines = (vectors * self._wanted).sum(axis=1)  # in float64
            starts = list(accumulate(map(len, fresh[:-1]), initial=0))
            self._known.update(zip(fresh, np.maximum.reduceat(cosines, starts).tolist(), strict=True))
        return np.array([self._known[meanings] for meanings in said], dtype=np.float64)


# By embedder, weakly: an embedder of one run is released together with its cached goals.
_AIMS: WeakKeyDictionary[Embedder, dict[str, _Aim]] = WeakKeyDictionary()
_MOST_AIMS = 2**13
"""Number of cached goals: enough for the goals and heard lines of a thousand residents."""


def _aim(goal: str, embedder: Embedder) -> _Aim:
    aims = _AIMS.setdefault(embedder, {})
    if (aim := aims.get(goal)) is None:
        if len(aims) >= _MOST_AIMS:
            aims.pop(next(iter(aims)), None)
        aim = aims[goal] = _Aim(goal, embedder)
    return aim


def _of(entries: Mapping[str, list[str]], name: str) -> list[str]:
    return entries.get(kind(name), entries["other"])


def _say(forms: Sequence[str], **names: str) -> tuple[str, ...]:
    said = [form.format_map(names) for form in forms]
    return tuple([text[:1].upper() + text[1:] for text in said])
