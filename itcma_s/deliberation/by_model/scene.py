"""Where one is and what is there, in a few lines of plain English, told to the one who sees it."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from irollan_env.world.naming import kind
from irollan_env.world.observation import Observation, Percept
from itcma_s.deliberation.by_model.acquaintance import OF_USE
from itcma_s.deliberation.plain_words import called, joined, plainly, summary
from itcma_s.wording import noun, within


def scene(
    observation: Observation, strangers: Collection[str], givers: Mapping[str, str], around: str = ""
) -> list[str]:
    """Where one is, with whom, what there is, and what one holds.

    Args:
        observation: What is perceived now.
        strangers: Those whom one never spoke with.
        givers: Thing -> who handed it to one.
        around: All that is there with where it is, told in place of what lies there; empty to tell that in short.
    """
    me = observation.resident
    people = [percept for percept in observation.percepts if percept.kind == "person"]
    where = within(observation.place, you=me)
    with_you = (
        f"with {joined([_person(person, me, person.name in strangers) for person in people])}" if people else "alone"
    )
    lines = [f"It is step {observation.time}. You are {where}, {with_you}."]
    lying = [percept for percept in observation.percepts if percept.kind == "item" and not percept.held]
    furniture = [percept.name for percept in observation.percepts if percept.kind == "furniture"]
    tools = [f"a {noun(name)}" for name in dict.fromkeys(furniture) if kind(name) in OF_USE]
    if around:
        lines.append(f"Around you: {plainly(around, me)}.")
    elif there := [*_things(lying, me), *dict.fromkeys(tools)]:
        lines.append(f"You see {joined(there)}.")
    held = [_held(percept, me, givers.get(percept.name)) for percept in observation.percepts if percept.held]
    lines.append(f"You hold {joined(held) or 'nothing'}{_doing(observation, me)}.")
    return lines


def _person(person: Percept, me: str, stranger: bool) -> str:
    """A person, and what it is seen to do; that somebody is on its way says nothing about what it does here."""
    doing = "" if person.doing in (None, "moving") else plainly(str(person.doing), me).replace(f"with {me}", "with you")
    told = [*([doing] if doing else []), *(["a stranger to you"] if stranger else [])]
    return f"{person.name} ({'; '.join(told)})" if told else person.name


def _things(lying: Sequence[Percept], me: str) -> list[str]:
    """What lies about: things of a kind and state together, with where."""
    plain = [percept.name for percept in lying if not percept.status]
    where = {percept.name: noun(str(percept.on)) for percept in lying if percept.on}
    told = summary(plain, me)
    if len(plain) == 1 and plain[0] in where:
        told = [f"{called(plain[0], me)} on the {where[plain[0]]}"]
    return [*told, *(f"{_thing(p, me)} on the {where.get(p.name, 'floor')}" for p in lying if p.status)]


def _thing(percept: Percept, me: str) -> str:
    """A thing with its state: "food 3 (hot and eaten)"."""
    name = called(percept.name, me)
    return f"{name} ({joined(list(percept.status))})" if percept.status else name


def _held(percept: Percept, me: str, giver: str | None) -> str:
    """A thing in one's hands, with whom one has it from."""
    told = [*percept.status, *([f"from {giver}"] if giver else [])]
    return f"{called(percept.name, me)} ({', '.join(told)})" if told else called(percept.name, me)


def _doing(observation: Observation, me: str) -> str:
    """What one is doing oneself, where that is more than walking."""
    doing = observation.doing
    if doing is None or doing == "moving":
        return ""
    return f", and are {plainly(doing, me)}"
