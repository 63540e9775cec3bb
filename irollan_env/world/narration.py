"""The sentence that describes what a resident sees (section 5.1), word for word as appendix A prints it.

``You are in SOMEWHERE. Looking around you, you see a person named N who is DOING SOMETHING, FURNITURE, ITEM placed on
SOMEWHERE, ... You are holding SOMETHING. You are DOING SOMETHING.`` People come in order of arrival, then doors,
furniture, and items with where they lie; the last two sentences appear only when there is something to say.
"""

from __future__ import annotations

from irollan_env.actions import Action
from irollan_env.naming import many
from irollan_env.world.like_things import piles
from irollan_env.world.state import ValleyState, Verb


def sentence(state: ValleyState, resident: int) -> str:
    """Render the observation sentence: what the resident sees, holds and does."""
    tables, place = state.tables, state.place[resident]
    surroundings = state.surroundings[place] or _surroundings(state, place)
    people = state.people[place]
    others = ""
    if len(people) > 1:
        crowd = state.crowd[place] or _crowd(state, place)
        own = people.index(resident)
        others = "".join(crowd[:own]) + "".join(crowd[own + 1 :])
        if tables.only_a_door[place] and not state.lying[place]:
            surroundings = f"and {surroundings}"
    text = f"You are in {tables.places[place]}. Looking around you, you see {others}{surroundings}."
    hands = state.hands[resident]
    if hands:
        text += f" You are holding {', '.join([_held(state, *pile) for pile in piles(state, hands)])}."
    doing = doing_text(state, resident)
    return f"{text} You are {doing}." if doing else text


def placed(state: ValleyState, item: int) -> tuple[str, Action]:
    """Return an item's phrase (``"the book 1 placed on the bookshelf 1"``) and the action that takes it."""
    known = state.placed[item]
    if known is None:
        name, furniture = state.tables.items[item], state.tables.furniture[state.on[item]]
        phrase = f"the {name} placed on the {furniture}{state.tables.status_phrase[state.status[item]]}"
        state.placed[item] = known = (phrase, Action(f"take {name} from {furniture}"))
    return known


def person(state: ValleyState, resident: int) -> str:
    """Return a person's phrase: ``"a person named LL who is moving"``."""
    doing = doing_text(state, resident)
    name = state.tables.residents[resident]
    return f"a person named {name} who is {doing}" if doing else f"a person named {name}"


def doing_text(state: ValleyState, resident: int) -> str | None:
    """Return a resident's activity, such as ``"moving"``, ``"using the chair 7"`` or ``"talking with LL"``, or None."""
    verb, number = state.doing[resident]
    if verb is Verb.NOTHING:
        return None
    if verb is Verb.MOVING:
        return "moving"
    if verb is Verb.TALKING:
        return f"talking with {state.tables.residents[number]}"
    things = state.tables.items if verb is Verb.USING_ITEM else state.tables.furniture
    return f"using the {things[number]}"


def _crowd(state: ValleyState, place: int) -> list[str]:
    """Return the phrases of all residents in a place, as the others see them."""
    state.crowd[place] = crowd = [person(state, other) + ", " for other in state.people[place]]
    return crowd


def _surroundings(state: ValleyState, place: int) -> str:
    """Return the text about doors, furniture and items of a place, which is the same for everyone there."""
    items = [
        placed(state, item)[0] if count == 1 else _pile(state, item, count)
        for item, count in piles(state, state.visible(place))
    ]
    scenery, text = state.tables.scenery[place], state.tables.bare[place]
    if state.tables.closing[place]:
        *seen, last = _fixtures(state, place)
        scenery, text = ", ".join([*seen, last]), f"{', '.join(seen)}, and {last}"
    if items:
        text = f"{', '.join([scenery, *items[:-1]])}, and {items[-1]}"
    state.surroundings[place] = text
    return text


def _fixtures(state: ValleyState, place: int) -> list[str]:
    """Return phrases for the doors and furniture of a place, with what is open and what is closed."""
    tables = state.tables
    doors = [f"a {name}" for name in tables.door_names[place]]
    pieces = tables.furniture_in[place]
    return [*doors, *(f"the {tables.furniture[f]}{_how_it_stands(state, f)}" for f in pieces)]


def _how_it_stands(state: ValleyState, furniture: int) -> str:
    status = furniture_status(state, furniture)
    return f" in the {status[0]} status" if status else ""


def furniture_status(state: ValleyState, furniture: int) -> tuple[str, ...]:
    """Return ``("open",)`` or ``("closed",)`` for furniture that opens and closes, and an empty tuple otherwise."""
    if not state.tables.closes[furniture]:
        return ()
    return ("open",) if state.open[furniture] else ("closed",)


def _pile(state: ValleyState, item: int, count: int) -> str:
    tables = state.tables
    on, status = tables.furniture[state.on[item]], tables.status_phrase[state.status[item]]
    return f"{many(tables.kind_of[tables.items[item]], count)} placed on the {on}{status}"


def _held(state: ValleyState, item: int, count: int) -> str:
    status = state.tables.status_phrase[state.status[item]]
    if count > 1:
        return f"{many(state.tables.kind_of[state.tables.items[item]], count)}{status}"
    return f"the {state.tables.items[item]}{status}"
