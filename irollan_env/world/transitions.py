"""The six primitives in the world: when each is admissible, what it changes, and why it is refused.

Each function checks first and changes afterwards, so that a refused action leaves the state as it was. ``admissible``
lists exactly the actions that would succeed if the resident alone acted.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import chain, islice

from irollan_env.actions import Action, Primitive, none_of_the_six
from irollan_env.hints import did_you_mean, quote
from irollan_env.map.tables import NOWHERE
from irollan_env.world.narration import furniture_status, placed
from irollan_env.world.observation import Message
from irollan_env.world.special_things import carry, heavy_load, helpers, lend_a_hand, liftable
from irollan_env.world.state import Doing, ValleyState, Verb

# More than the names of the paper's valley, and few enough to keep refusals fast on maps of thousands of residents.
_MOST_HINTS = 512


class Refused(Exception):
    """Raised for an action that cannot be done; the message says why, in a full sentence."""


def admissible(state: ValleyState, resident: int) -> list[Action]:
    """List a resident's admissible actions by primitive (go to, leave, chat, take, put, use), in the sentence's order.

    A chat is listed once a person, as ``"chat with LL: ..."``.
    """
    tables, here = state.tables, state.place[resident]
    hands = state.hands[resident]
    actions = [*tables.ways[here]] if not (hands and tables.any_heavy) or _can_go(state, resident) else []
    verb, number = state.doing[resident]
    if verb is Verb.TALKING:
        actions.append(tables.leave_person[number])
    if (seat := state.seat[resident]) >= 0:
        actions.append(tables.leave_furniture[seat])
    elif verb is Verb.USING_FURNITURE:
        actions.append(tables.leave_furniture[number])
    people = state.people[here]
    if len(people) > 1:
        chats = state.chats[here] or _chats(state, here)
        own = people.index(resident)
        actions += chats[:own]
        actions += chats[own + 1 :]
    takes = state.takes[here]
    actions += _takes(state, here) if takes is None else takes
    lifting = liftable(state, resident) if tables.any_heavy else []
    actions += [placed(state, item)[1] for item in lifting if state.on[item] >= 0 and helpers(state, item, resident)]
    for item in hands:
        if len(people) > 1 and not tables.heavy[item]:
            actions += [tables.put(item, tables.residents[other]) for other in people if other != resident]
        actions += _puts(state, item, here)
    uses = state.uses[here]
    actions += _uses(state, here) if uses is None else uses
    for item in hands:
        if tables.item_usable[item] and not (tables.item_spent[item] and state.spent(item)):
            actions.append(tables.use_item[item])
    if lifting and not heavy_load(state, resident):
        actions += [tables.use_item[item] for item in lifting]
    return actions


def _can_go(state: ValleyState, resident: int) -> bool:
    """Return whether a resident can carry everything it holds out of here."""
    return all(helpers(state, item, resident) for item in heavy_load(state, resident))


def _puts(state: ValleyState, item: int, place: int) -> tuple[Action, ...] | list[Action]:
    """Return the actions that put an item on the open receptacles of a place."""
    tables = state.tables
    if not tables.closing[place]:
        return tables.puts(item, place)
    pieces = (f for f in tables.furniture_in[place] if tables.receptacle[f] and state.open[f])
    return [tables.put(item, tables.furniture[f]) for f in pieces]


def _chats(state: ValleyState, place: int) -> list[Action]:
    state.chats[place] = chats = [state.tables.chat_with[person] for person in state.people[place]]
    return chats


def _takes(state: ValleyState, place: int) -> list[Action]:
    heavy = state.tables.heavy
    state.takes[place] = takes = [placed(state, item)[1] for item in state.visible(place) if not heavy[item]]
    return takes


def _uses(state: ValleyState, place: int) -> list[Action]:
    """Return the actions that use the furniture of a place that nobody sits on."""
    tables, sitter = state.tables, state.sitter
    uses = [tables.use_furniture[furniture] for furniture in tables.usable_in[place] if sitter[furniture] < 0]
    state.uses[place] = uses
    return uses


def execute(state: ValleyState, resident: int, action: Action) -> str:
    """Execute an action and return the result in words.

    Args:
        state: Changes where the action can be done.
        resident: The acting resident's number.
        action: The action.

    Raises:
        Refused: when it cannot be done; nothing has changed then.
    """
    target, item = action.target, action.item or ""
    match action.primitive:
        case Primitive.GO_TO:
            return _go_to(state, resident, target)
        case Primitive.TAKE:
            return _take(state, resident, item, target)
        case Primitive.PUT:
            return _put(state, resident, item, target)
        case Primitive.USE:
            return _use(state, resident, target)
        case Primitive.CHAT:
            return _chat(state, resident, target, action.words)
        case Primitive.LEAVE:
            return _leave(state, resident, target)
        case _:
            raise Refused(none_of_the_six(action))


def wait(state: ValleyState, resident: int) -> str:
    """Let one step pass; a moving resident stops."""
    if state.doing[resident].verb is Verb.MOVING:
        state.settle(resident)
    return "You wait."


def _go_to(state: ValleyState, resident: int, name: str) -> str:
    tables, here = state.tables, state.place[resident]
    target = tables.place_number.get(name)
    if target is None:
        if name in tables.furniture_number or name in tables.item_number:
            raise Refused(f"'go to' leads from place to place; take, put and use walk you to the {name} as it is.")
        if name in tables.resident_number:
            raise Refused(f"{name} is a person; go to the place where {name} is.")
        raise _unknown("place", name, (tables.places[place] for place in tables.doors[here]), tables.places)
    if target == here:
        raise Refused(f"You are already in {name}.")
    if target not in tables.doors[here]:
        raise Refused(_no_way(state, here, target))
    _check_load(state, resident)
    _move(state, resident, target)
    return f"You go to {name}."


def _move(state: ValleyState, resident: int, target: int) -> None:
    places, here = state.tables.places, state.place[resident]
    for mover in carry(state, resident, target):
        state.witness(mover, here, "left", None, places[target])
        state.witness(mover, target, "came", None, places[here])


def _check_load(state: ValleyState, resident: int) -> None:
    """Refuse to carry a heavy thing without a helper."""
    for item in heavy_load(state, resident):
        if not helpers(state, item, resident):
            raise Refused(_too_heavy(state, item, "carry"))


def _too_heavy(state: ValleyState, item: int, verb: str) -> str:
    name = state.tables.items[item]
    return f"The {name} is too heavy to {verb} alone; somebody here has to use the {name}, and keep at it."


def _no_way(state: ValleyState, here: int, target: int) -> str:
    tables = state.tables
    ground = tables.way_out[target]
    if tables.way_out[here] != NOWHERE:
        way = f"No door leads from {tables.places[here]} to {tables.places[target]}"
        return f"{way}; go to {tables.places[tables.way_out[here]]} first."
    way = f"No road leads from {tables.places[here]} to {tables.places[target]}"
    return f"{way}, which is in {tables.places[ground]}." if ground != NOWHERE else f"{way}."


def _leave(state: ValleyState, resident: int, name: str) -> str:
    tables, here = state.tables, state.place[resident]
    if (target := tables.place_number.get(name)) is not None:
        if target != here:
            raise Refused(f"You are not in {name} but in {tables.places[here]}.")
        if tables.way_out[here] == NOWHERE:
            raise Refused(f"You can only leave {name} by going to a place.")
        _check_load(state, resident)
        _move(state, resident, tables.way_out[here])
        return f"You leave {name}."
    if (furniture := tables.furniture_number.get(name)) is not None:
        if state.seat[resident] == furniture:
            state.stand_up(resident)
        elif state.doing[resident] != (Verb.USING_FURNITURE, furniture):
            raise Refused(f"You are not using the {name}.")
        if state.doing[resident] == (Verb.USING_FURNITURE, furniture):
            state.settle(resident)
        return f"You leave the {name}."
    if (person := tables.resident_number.get(name)) is not None:
        if state.doing[resident] != (Verb.TALKING, person):
            raise Refused(f"You are not talking with {name}.")
        state.settle(resident)
        return f"You stop talking with {name}."
    if name in tables.item_number:
        raise Refused(f"The {name} cannot be left; put it in/on something.")
    pieces = (tables.furniture[f] for f in tables.furniture_in[here])
    people = (tables.residents[r] for r in state.people[here])
    near = (tables.places[here], *pieces, *people)
    raise _unknown("place, furniture or person", name, near, tables.places, tables.furniture, tables.residents)


def _chat(state: ValleyState, resident: int, name: str, text: str) -> str:
    person = _person_here(state, resident, name)
    sender = state.tables.residents[resident]
    message = Message(time=state.time, sender=sender, addressee=name, text=text)
    for listener in state.people[state.place[resident]]:
        if listener != resident:
            state.deliver(listener, message)
    state.turn_to(resident, person)
    state.begin(resident, Doing(Verb.TALKING, person))
    return f'You say to {name}: "{text}"'


def _take(state: ValleyState, resident: int, name: str, source: str) -> str:
    item = _item(state, resident, name)
    furniture = _furniture_here(state, resident, source)
    _check_open(state, furniture)
    if state.on[item] != furniture:
        raise Refused(_why_not_there(state, resident, item, source))
    if state.tables.heavy[item] and not helpers(state, item, resident):
        raise Refused(_too_heavy(state, item, "take"))
    state.walk_to(resident, furniture)
    state.take(resident, item)
    state.settle(resident)
    state.witness(resident, state.place[resident], "took", name, source)
    return f"You take the {name} from the {source}."


def _check_open(state: ValleyState, furniture: int) -> None:
    if not state.open[furniture]:
        name = state.tables.furniture[furniture]
        raise Refused(f"The {name} is closed; use the {name} to open it.")


def _why_not_there(state: ValleyState, resident: int, item: int, source: str) -> str:
    tables, name = state.tables, state.tables.items[item]
    if item in state.hands[resident]:
        return f"You are already holding the {name}."
    taker = state.takers.get(item)
    if taker is not None:
        return f"{tables.residents[taker]} took the {name} first."
    return f"There is no {name} in/on the {source}."


def _put(state: ValleyState, resident: int, name: str, target: str) -> str:
    tables, item = state.tables, _item(state, resident, name)
    if item not in state.hands[resident]:
        raise Refused(f"You are not holding the {name}.")
    if target in tables.resident_number:
        person = _person_here(state, resident, target)
        if tables.heavy[item]:
            raise Refused(f"The {name} is too heavy to hand over; put it in/on something.")
        state.hand_over(resident, item, person)
        state.turn_to(resident, person)
        if state.doing[resident] != (Verb.TALKING, person):
            state.settle(resident)
        state.witness(resident, state.place[resident], "handed", name, target)
        return f"You hand the {name} to {target}."
    furniture = _furniture_here(state, resident, target)
    if not tables.receptacle[furniture]:
        raise Refused(f"Nothing can be put in/on the {target}.")
    _check_open(state, furniture)
    state.walk_to(resident, furniture)
    state.put(resident, item, furniture)
    state.settle(resident)
    state.witness(resident, state.place[resident], "put", name, target)
    return f"You put the {name} in/on the {target}."


def _use(state: ValleyState, resident: int, name: str) -> str:
    tables = state.tables
    if (item := tables.item_number.get(name)) is not None:
        if tables.heavy[item]:
            return _help(state, resident, item)
        if item not in state.hands[resident]:
            raise Refused(f"You are not holding the {name}; take it first.")
        if not tables.item_usable[item]:
            raise Refused(f"The {name} cannot be used.")
        if state.spent(item):
            raise Refused(f"The {name} is {_named(state, tables.item_adds[item])} already.")
        new = state.use_up(item)
        became = f"The {name} is now {_named(state, new)}." if new else ""
        state.begin(resident, Doing(Verb.USING_ITEM, item))
        state.witness(resident, state.place[resident], "used", name, None, became)
        return f"You use the {name}. {became}".rstrip()
    if name in tables.resident_number or name in tables.place_number:
        raise Refused(f"{name} cannot be used; use furniture that is here, or an item that you hold.")
    furniture = _furniture_here(state, resident, name)
    if not tables.usable[furniture]:
        raise Refused(f"The {name} cannot be used; things can be put in/on it, or taken from it.")
    if tables.seat[furniture]:
        if state.seat[resident] == furniture:
            raise Refused(f"You are already using the {name}.")
        if (sitter := state.sitter[furniture]) >= 0:
            raise Refused(f"{tables.residents[sitter]} is using the {name}.")
    if (first := state.togglers.get(furniture)) is not None:
        raise Refused(
            f"{tables.residents[first]} used the {name} first; it is {furniture_status(state, furniture)[0]} now."
        )
    state.walk_to(resident, furniture)
    if tables.seat[furniture]:
        state.sit_down(resident, furniture)
    state.begin(resident, Doing(Verb.USING_FURNITURE, furniture))
    if tables.closes[furniture]:
        state.toggle(resident, furniture)
        became = f"The {name} is now {furniture_status(state, furniture)[0]}."
    else:
        treated = state.treat(furniture) if tables.adds[furniture] or tables.removes[furniture] else []
        became = " ".join([_now(state, item) for item in treated])
    state.witness(resident, state.place[resident], "used", name, None, became)
    return f"You use the {name}. {became}".rstrip()


def _help(state: ValleyState, resident: int, item: int) -> str:
    name = state.tables.items[item]
    if heavy_load(state, resident):
        raise Refused(f"You cannot lend a hand with the {name} while you carry something heavy yourself.")
    if item not in liftable(state, resident):
        raise Refused(f"The {name} is not here to lend a hand with.")
    lend_a_hand(state, resident, item)
    state.witness(resident, state.place[resident], "used", name)
    return f"You use the {name}: you lend a hand with it."


def _now(state: ValleyState, item: int) -> str:
    return f"The {state.tables.items[item]} is now {_named(state, state.status[item]) or 'as it was made'}."


def _named(state: ValleyState, statuses: int) -> str:
    return " and ".join(state.tables.status_names[statuses])


def _item(state: ValleyState, resident: int, name: str) -> int:
    item = state.tables.item_number.get(name)
    if item is None:
        near = (*state.hands[resident], *state.visible(state.place[resident]))
        raise _unknown("item", name, (state.tables.items[one] for one in near), state.tables.items)
    return item


def _furniture_here(state: ValleyState, resident: int, name: str) -> int:
    tables = state.tables
    furniture = tables.furniture_number.get(name)
    if furniture is None:
        near = tables.furniture_in[state.place[resident]]
        raise _unknown("furniture", name, (tables.furniture[one] for one in near), tables.furniture)
    if tables.place_of_furniture[furniture] != state.place[resident]:
        raise Refused(f"The {name} is not here in {tables.places[state.place[resident]]}.")
    return furniture


def _person_here(state: ValleyState, resident: int, name: str) -> int:
    tables, here = state.tables, state.place[resident]
    person = tables.resident_number.get(name)
    if person is None:
        near = (tables.residents[other] for other in state.people[here])
        raise _unknown("person", name, near, tables.residents)
    if person == resident:
        raise Refused(f"You are {name} yourself.")
    if state.place[person] != here:
        left = state.leavers.get(person) == here
        raise Refused(f"{name} has just left." if left else f"{name} is not here in {tables.places[here]}.")
    return person


def _unknown(what: str, name: str, *names: Iterable[str]) -> Refused:
    """Return a refusal that suggests similar names, nearby ones first; at most ``_MOST_HINTS`` are compared."""
    hint = did_you_mean(name, islice(chain.from_iterable(names), _MOST_HINTS))
    return Refused(f"There is no {what} {quote(name)} in the valley{hint or '.'}")
