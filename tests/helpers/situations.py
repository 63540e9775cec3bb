"""Does a model choose sensibly? Situations with one plainly sensible action each, put before a resident's own decision.

A situation is a goal, an observation sentence in the valley's format, what was just said, and the admissible actions.
The resident that decides knows the places and people of the valley, as somebody who has lived there for a while does.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from irollan_env import ValleyMap
from irollan_env.actions import Action
from irollan_env.world.observation import Message, Observation, Percept
from itcma_s import make_mind
from itcma_s.actions import without_words
from itcma_s.fields.name_table import NameTable
from itcma_s.fields.phenomenal_field import Field
from itcma_s.model_calls import ModelCalls

_PEOPLE = re.compile(r"a person named (\w+)(?: who is ([^,.]+?))?(?=,|\.| and )")
_DOORS = re.compile(r"a (door to [^,.]+?)(?=,|\.|, and )")
_ITEM = re.compile(r"the ([^,.]+?) placed on the ([^,.]+?)(?: in the ([^,.]+?) status)?(?=,|\.)")
_FURNITURE = re.compile(r"the ([a-z]+ \d+)(?=,|\.)")


@dataclass(frozen=True, kw_only=True, slots=True)
class SituationCase:
    """One situation; `sensible` is one of `actions`."""

    id: str
    goal: str
    observation: str
    heard: str
    actions: tuple[str, ...]
    sensible: str

    def __post_init__(self):
        if self.sensible not in self.actions:
            raise ValueError(f"situation {self.id!r}: {self.sensible!r} is none of the actions {list(self.actions)}")


def load(path):
    """Read situations from a JSON list."""
    cases = json.loads(Path(path).read_text(encoding="utf-8"))
    return [SituationCase(**{**case, "actions": tuple(case["actions"])}) for case in cases]


def observe(case, actions, resident="ZZ"):
    """The observation that a sentence describes; things without a place are put on a circle (as ITCMA did)."""
    sentence = case.observation
    seen, _, rest = sentence.partition(" You are holding ")
    held = re.findall(r"the ([^,.]+?)(?: in the ([^,.]+?) status)?(?=,|\.)", rest.split(". You are")[0] + ".")
    found = []
    found += [{"name": name, "kind": "person", "doing": doing or None} for name, doing in _PEOPLE.findall(seen)]
    found += [{"name": name, "kind": "door"} for name in _DOORS.findall(seen)]
    items = _ITEM.findall(seen)
    bare = _ITEM.sub("", seen)
    found += [{"name": name, "kind": "furniture"} for name in _FURNITURE.findall(bare)]
    found += [{"name": n, "kind": "item", "on": on, "status": tuple(s.split())} for n, on, s in items]
    circle = 2 * np.pi * np.arange(len(found)) / max(len(found), 1)
    percepts = [
        Percept(**{**entry, "theta": np.pi / 2, "phi": float(phi), "gamma": 1.0})
        for entry, phi in zip(found, circle, strict=True)
    ]
    percepts += [
        Percept(name=n, kind="item", theta=np.pi / 2, phi=0.0, gamma=0.0, held=True, status=tuple(s.split()))
        for n, s in held
    ]
    place = re.match(r"You are in ([^.]+)\.", sentence)
    if place is None:
        raise ValueError(
            f"situation {case.id!r}: the observation must begin 'You are in PLACE.', got {sentence[:60]!r}"
        )
    speaker = next((p.name for p in percepts if p.kind == "person" and p.name in case.heard), None)
    speaker = speaker or next((p.name for p in percepts if p.kind == "person"), None)
    messages = (Message(time=0, sender=speaker, addressee=resident, text=case.heard),) if case.heard and speaker else ()
    return Observation(
        time=1,
        resident=resident,
        place=place[1],
        sentence=sentence,
        percepts=tuple(percepts),
        messages=messages,
        admissible=tuple(map(Action, actions)),
        goal=case.goal,
    )


async def choose(case, actions, model, embedder):
    """What an ITCMA-S resident does in a situation, the words of a chat left out."""
    table = NameTable(embedder)
    resident = make_mind(
        "ZZ", model=model, embedder=embedder, table=table, generator=np.random.default_rng(0), writes=False
    )
    valley = ValleyMap.default()
    people = [resident.name for resident in valley.residents]
    places = [*(f"{name}'s Home" for name in people), "Public Canteen", "Public Reading Room", "outside"]
    known = {"places": dict.fromkeys(places, 0), "people": dict.fromkeys(people, 2)}
    unknown = {"seen": {}, "missed": {}, "bound": {}, "lying": {}}
    resident.set_state({**resident.get_state(), "familiarity": {**known, **unknown}})
    observation = observe(case, actions)
    resident.learn(observation)
    decision = await resident.decide(
        observation,
        Field.from_percepts(observation.percepts, table),
        observation.goal or "",
        ModelCalls("ZZ", observation.time),
    )
    return without_words(decision.intention.action or "")
