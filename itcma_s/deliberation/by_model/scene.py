"""Where one is and what is there, in a few lines of plain English, told to the one who sees it."""

from __future__ import annotations

from collections.abc import Sequence

from irollan_env.world.naming import kind
from irollan_env.world.observation import Observation, Percept
from itcma_s.deliberation.by_model.plain_words import joined, summary, yours
from itcma_s.wording import noun, within


def scene(observation: Observation) -> list[str]:
    """Where one is, with whom, what there is, and what one holds."""
    me = observation.resident
    people = [percept for percept in observation.percepts if percept.kind == "person"]
    where = within(observation.place, you=me)
    with_you = f"with {joined([_person(person, me) for person in people])}" if people else "alone"
    lines = [f"It is step {observation.time}. You are {where}, {with_you}."]
    lying = [percept for percept in observation.percepts if percept.kind == "item" and not percept.held]
    furniture = dict.fromkeys(noun(p.name) for p in observation.percepts if p.kind == "furniture")
    if lying:
        lines.append(f"There is {joined(_things(lying, me))}.")
    if furniture:
        lines.append(f"Furniture: {', '.join(furniture)}.")
    held = [_thing(percept, me) for percept in observation.percepts if percept.held]
    lines.append(f"You hold {joined(held) or 'nothing'}{_doing(observation, me)}.")
    return lines


def _person(person: Percept, me: str) -> str:
    """A person, and what it is seen to do; that somebody is on its way says nothing about what it does here."""
    if person.doing is None or person.doing == "moving":
        return person.name
    doing = person.doing.replace("using the ", "using ")
    return f"{person.name} ({doing.replace(f'with {me}', 'with you')})"


def _things(lying: Sequence[Percept], me: str) -> list[str]:
    """What lies about: things of a kind and state together, with where."""
    plain = [percept.name for percept in lying if not percept.status]
    where = {percept.name: noun(str(percept.on)) for percept in lying if percept.on}
    told = summary(plain, me)
    if len(plain) == 1 and plain[0] in where:
        told = [f"{yours(plain[0], me)} on the {where[plain[0]]}"]
    return [*told, *(f"{_thing(p, me)} on the {where.get(p.name, 'floor')}" for p in lying if p.status)]


def _thing(percept: Percept, me: str) -> str:
    """A thing with its state: "food 3, which is hot and eaten"."""
    name = yours(percept.name, me)
    return f"{name}, which is {joined(list(percept.status))}," if percept.status else name


def _doing(observation: Observation, me: str) -> str:
    """What one is doing oneself, where that is more than walking."""
    doing = observation.doing
    if doing is None or doing == "moving":
        return ""
    if kind(doing.removeprefix("using the ")) in ("chair",):
        return f", and are sitting on {doing.removeprefix('using the ')}"
    return f", and are {doing.replace('using the ', 'using ')}"
