"""The current scene in a few lines of plain English, in the second person."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from irollan_env.actions import Action, Primitive
from irollan_env.english import noun, within
from irollan_env.naming import kind, many
from irollan_env.world.observation import Observation, Percept
from itcma_s.deliberation.llm_policy.acquaintance import OF_USE, Acquaintance
from itcma_s.deliberation.plain_words import called, joined, plainly, summary
from itcma_s.wording import is_gone


def scene(
    observation: Observation,
    acquaintance: Acquaintance,
    described: Collection[str],
    offered: Collection[str] = (),
    around: str = "",
) -> list[str]:
    """Describe the place, the company, the visible things and the held things.

    Args:
        observation: The current observation.
        acquaintance: Whom the resident knows, who has what, and from whom it has things.
        described: People of whom the resident has a description: no strangers, even if they never spoke.
        offered: Things that are named among the options, and are in their usual state.
        around: Everything there with its position, in place of the short list of things; empty for the short list.
    """
    me = observation.resident
    strangers = acquaintance.strangers() - set(described)
    came = {event.actor for event in observation.events if event.deed == "came"}
    people = [
        _person(percept, me, acquaintance.held_by(percept.name), percept.name in strangers, percept.name in came)
        for percept in observation.percepts
        if percept.kind == "person"
    ]
    where = within(observation.place, you=me)
    seat = next((noun(thing) for thing in map(seat_of, observation.admissible) if thing), "")
    sitting = f", {'lying' if seat == 'bed' else 'sitting'} on a {seat}" if seat else ""
    with_you = f"with {joined(people)}" if people else "alone"
    lines = [f"It is step {observation.time}. You are {where}{sitting}, {with_you}."]
    lying = [percept for percept in observation.percepts if percept.kind == "item" and not percept.held]
    furniture = [percept.name for percept in observation.percepts if percept.kind == "furniture"]
    tools = [f"a {noun(name)}" for name in dict.fromkeys(furniture) if kind(name) in OF_USE]
    if around:
        lines.append(f"Around you: {plainly(around, me)}.")
    elif there := [*_things([p for p in lying if p.status or p.name not in offered], me), *dict.fromkeys(tools)]:
        lines.append(f"You see {joined(there)}.")
    held = [_held(p, me, acquaintance.origins.get(p.name, "")) for p in observation.percepts if p.held]
    lines.append(f"You hold {joined(held) or 'nothing'}{_doing(observation, me)}.")
    return lines


def seat_of(action: Action) -> str:
    """Return the chair or bed that an action gets up from, which shows the resident is on it; else empty."""
    return action.target if action.primitive is Primitive.LEAVE and kind(action.target) in ("chair", "bed") else ""


def _person(person: Percept, me: str, holds: Collection[str], stranger: bool, came: bool) -> str:
    """A person, what it is seen to do and to have; that it is on its way says nothing about what it does here."""
    doing = "" if person.doing in (None, "moving") else plainly(str(person.doing), me).replace(f"with {me}", "with you")
    has = joined([called(thing, me) for thing in holds if not doing.endswith(called(thing, me))])
    told = [
        *(["just came"] if came else []),
        *(["you have not spoken yet"] if stranger else []),
        *([doing] if doing else []),
        *([f"has {has}"] if has else []),
    ]
    return f"{person.name} ({'; '.join(told)})" if told else person.name


def _things(lying: Sequence[Percept], me: str) -> list[str]:
    """What lies about: things of a kind and state together, with where."""
    piles = [percept for percept in lying if percept.count > 1]
    lying = [percept for percept in lying if percept.count == 1]
    plain = [percept.name for percept in lying if not percept.status]
    where = {percept.name: noun(str(percept.on)) for percept in lying if percept.on}
    told = summary(plain, me)
    if len(plain) == 1 and plain[0] in where:
        told = [f"{called(plain[0], me)} on the {where[plain[0]]}"]
    told += [f"{many(kind(pile.name), pile.count)} on the {noun(str(pile.on))}" for pile in piles]
    return [*told, *(f"{_thing(p, me)} on the {where.get(p.name, 'floor')}" for p in lying if p.status)]


def _thing(percept: Percept, me: str) -> str:
    """A thing with its state: "food 3 (hot and eaten)"."""
    name = called(percept.name, me)
    return f"{name} ({joined(list(percept.status))})" if percept.status else name


def _held(percept: Percept, me: str, giver: str) -> str:
    """Describe a held thing, and who gave it."""
    if is_gone(percept):
        return f"what is left of {called(percept.name, me)}"
    told = [*percept.status, *([f"from {giver}"] if giver else [])]
    if percept.count > 1:
        return many(kind(percept.name), percept.count)
    return f"{called(percept.name, me)} ({', '.join(told)})" if told else called(percept.name, me)


def _doing(observation: Observation, me: str) -> str:
    """Describe what the resident is doing, unless it is only walking."""
    doing = observation.doing
    seats = map(seat_of, observation.admissible)
    if doing is None or doing == "moving" or doing in {f"using the {seat}" for seat in seats if seat}:
        return ""
    return f", and are {plainly(doing, me)}"
