"""What an action means, said in several ways, so that a goal in other words is still close to it."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import files
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from irollan_env.observation import Observation
from irollan_env.primitives import Chat, GoTo, Leave, Put, Refusal, Take, Use, parse
from itcma_s.wording import is_person, kind, the
from language_models.protocol import Embedder


@cache
def _table() -> dict[str, Any]:
    return tomllib.loads(files("itcma_s").joinpath("prompts/meanings.toml").read_text(encoding="utf-8"))


def meanings(action: str, lying: Mapping[str, str] | None = None, topics: Sequence[str] = ()) -> tuple[str, ...]:
    """Several ways to say what an action means.

    Args:
        action: One of the six primitives.
        lying: Furniture -> an item that lies on it; None when that is not known.
        topics: Things that a talk may be about.

    Raises:
        ValueError: if the text is none of the six primitives.
    """
    table = _table()
    match parse(action):
        case Chat(person, _):
            about = (_say(table["chat_about"], it=person, topic=the(topic)) for topic in topics)
            return (*_say(table["chat"], it=person), *chain.from_iterable(about))
        case Put(item, target) if is_person(target):
            return _say(table["give"], it=the(item), to=target)
        case Put(item, target):
            return _say(_of(table["put"], target), it=the(item), to=the(target))
        case Take(item, source):
            return _say([*_of(table["take"], item), *table["take_from"].get(kind(source), ())], it=the(item))
        case Use(thing):
            if lying is not None and thing not in lying and kind(thing) in table["nothing_on"]:
                return _say(table["nothing_on"][kind(thing)])
            on = the(lying[thing]) if lying is not None and thing in lying else "something"
            return _say(_of(table["use"], thing), it=the(thing), on=on)
        case GoTo("outside"):
            return _say(table["go_out"])
        case GoTo(place):
            return _say(table["go"], it=the(place))
        case Leave(target) if is_person(target):
            return _say(table["leave_person"], it=target)
        case Leave(target):
            return _say(_of(table["leave"], target) if target[-1:].isdigit() else table["go_out"], it=the(target))
        case Refusal(reason):
            raise ValueError(reason)


def lying_there(observation: Observation) -> dict[str, str]:
    """Furniture -> what lies on it: the first that using it would change, on a sink or a stove."""
    items = [percept for percept in observation.percepts if percept.kind == "item" and percept.on]
    return {
        str(item.on): item.name
        for item in reversed(items)
        if _table()["done"].get(kind(str(item.on))) not in item.status
    }


def likeness(goal: str, actions: Sequence[Sequence[str]], embedder: Embedder) -> NDArray[np.float64]:
    """How close a goal comes to each action: the cosine with the closest of its meanings.

    Args:
        goal: What is wanted.
        actions: The meanings of each action, at least one each.
        embedder: Embeds sentences.

    Returns:
        Shape (len(actions),), in [-1, 1].
    """
    if not actions:
        return np.empty(0)
    flat = [meaning for said in actions for meaning in said]
    vectors = embedder.embed([goal, f"I {goal}.", *flat]).astype(np.float64)
    # The goal as it stands and as a sentence: their middle is steadier than either.
    wanted = vectors[:2].sum(axis=0)
    cosines = vectors[2:] @ (wanted / np.linalg.norm(wanted))
    starts = np.cumsum([0, *(len(said) for said in actions[:-1])])
    closest: NDArray[np.float64] = np.maximum.reduceat(cosines, starts)
    return closest


def _of(entries: Mapping[str, list[str]], name: str) -> list[str]:
    return entries.get(kind(name), entries["other"])


def _say(forms: Sequence[str], **names: str) -> tuple[str, ...]:
    said = (form.format(**names) for form in forms)
    return tuple(text[:1].upper() + text[1:] for text in said)
