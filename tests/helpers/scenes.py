"""Observations for tests, in a few words: what is seen from the middle of a place."""

import asyncio
import math
from typing import TypeVar

from irollan_env.world.observation import Message, Observation, Percept
from language_models.embedders.hash_embedder import HashEmbedder
from language_models.protocol import Caller

EMBEDDER = HashEmbedder()
SIX = frozenset(("AY", "SG", "MD", "WL", "LL", "WM"))
CALLER = Caller(module="test", resident="MD", time=3)
T = TypeVar("T")


def run(coroutine):
    return asyncio.run(coroutine)


def observe(
    place="LL's Home",
    *,
    people=(),
    doors=(),
    furniture=(),
    items=None,
    held=(),
    status=None,
    heard=(),
    resident="MD",
    time=3,
    **more,
):
    """What MD observes; `items` are thing -> furniture, `heard` is (sender, addressee, text)."""
    items, status = items or {}, status or {}
    ahead = {"theta": math.pi / 2, "phi": 0.0}
    percepts = [Percept(name=name, kind="person", gamma=1.0, **ahead) for name in people]
    percepts += [Percept(name=f"door to {name}", kind="door", gamma=2.0, **ahead) for name in doors]
    percepts += [Percept(name=name, kind="furniture", gamma=3.0, **ahead) for name in furniture]
    percepts += [
        Percept(name=name, kind="item", gamma=3.0, on=on, status=status.get(name, ()), **ahead)
        for name, on in items.items()
    ]
    percepts += [
        Percept(name=name, kind="item", gamma=0.0, held=True, status=status.get(name, ()), **ahead) for name in held
    ]
    return Observation(
        time=time,
        resident=resident,
        place=place,
        sentence=f"You are in {place}.",
        percepts=tuple(percepts),
        messages=tuple(Message(time=time - 1, sender=s, addressee=to, text=text) for s, to, text in heard),
        **{"admissible": (), **more},
    )
