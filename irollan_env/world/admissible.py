"""Listing of admissible actions: exactly those that would succeed if the resident alone acted."""

from __future__ import annotations

from irollan_env.actions import Action
from irollan_env.world.mechanics import heavy_load, helpers, liftable
from irollan_env.world.narration import placed
from irollan_env.world.state import ValleyState, Verb


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
