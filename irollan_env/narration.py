"""The sentence that describes what a resident sees (section 5.1), word for word as appendix A prints it.

``You are in SOMEWHERE. Looking around you, you see a person named N who is DOING SOMETHING, FURNITURE, ITEM placed on
SOMEWHERE, ... You are holding SOMETHING. You are DOING SOMETHING.`` People come in order of arrival, then doors,
furniture, and items with where they lie; the last two sentences appear only when there is something to say.
"""

from __future__ import annotations

from irollan_env.state import ValleyState, Verb


def sentence(state: ValleyState, resident: int) -> str:
    """What the resident sees, holds and does, in words."""
    tables, place = state.tables, state.place[resident]
    surroundings = state.surroundings[place]
    if surroundings is None:
        surroundings = state.surroundings[place] = _surroundings(state, place)
    people = [person(state, other) + ", " for other in state.people[place] if other != resident]
    if people and len(tables.scenery[place]) + len(state.lying[place]) == 1:
        surroundings = f"and {surroundings}"
    text = f"You are in {tables.places[place]}. Looking around you, you see {''.join(people)}{surroundings}."
    hands = state.hands[resident]
    if hands:
        text += f" You are holding {', '.join([_item(state, item) for item in hands])}."
    doing = doing_text(state, resident)
    return f"{text} You are {doing}." if doing else text


def person(state: ValleyState, resident: int) -> str:
    """``"a person named LL who is moving"``."""
    doing = doing_text(state, resident)
    name = state.tables.residents[resident]
    return f"a person named {name} who is {doing}" if doing else f"a person named {name}"


def doing_text(state: ValleyState, resident: int) -> str | None:
    """``"moving"``, ``"using the chair 7"``, ``"using the book 10"``, ``"talking with LL"``; None for nothing."""
    verb, number = state.doing[resident]
    if verb is Verb.NOTHING:
        return None
    if verb is Verb.MOVING:
        return "moving"
    if verb is Verb.TALKING:
        return f"talking with {state.tables.residents[number]}"
    things = state.tables.items if verb is Verb.USING_ITEM else state.tables.furniture
    return f"using the {things[number]}"


def _surroundings(state: ValleyState, place: int) -> str:
    """Doors, furniture and items of a place: what looks the same to everyone there."""
    tables = state.tables
    seen = list(tables.scenery[place])
    for item in state.lying[place]:
        phrase = tables.status_phrase[state.status[item]]
        seen.append(f"the {tables.items[item]} placed on the {tables.furniture[state.on[item]]}{phrase}")
    return ", ".join(seen) if len(seen) == 1 else f"{', '.join(seen[:-1])}, and {seen[-1]}"


def _item(state: ValleyState, item: int) -> str:
    return f"the {state.tables.items[item]}{state.tables.status_phrase[state.status[item]]}"
