"""Which actions a resident could take now: exactly those that would succeed if it alone acted."""

from __future__ import annotations

from irollan_env.state import ValleyState, Verb
from irollan_env.tables import OUTSIDE


def admissible(state: ValleyState, resident: int) -> list[str]:
    """The actions, grouped by primitive (go to, leave, chat, take, put, use), each in the sentence's order.

    A chat is listed once a person, as ``"chat with LL: ..."``.
    """
    tables, here = state.tables, state.place[resident]
    company = [other for other in state.people[here] if other != resident]
    actions = [*tables.go_to[here], *_leave(state, resident)]
    actions += [tables.chat_with[other] for other in company]
    takes = state.takes[here]
    actions += _takes(state, here) if takes is None else takes
    hands = state.hands[resident]
    for item in hands:
        if company:
            to = tables.hand_to[item]
            actions += [to[other] for other in company]
        actions += tables.puts(item, here)
    taken_seats = state.seat
    for furniture in tables.usable_in[here]:
        if furniture not in taken_seats:
            actions.append(tables.use_furniture[furniture])
    for item in hands:
        if tables.item_usable[item]:
            actions.append(tables.use_item[item])
    return actions


def _leave(state: ValleyState, resident: int) -> list[str]:
    tables, here, seat = state.tables, state.place[resident], state.seat[resident]
    verb, number = state.doing[resident]
    actions = [] if here == OUTSIDE else [tables.leave_place[here]]
    if verb is Verb.TALKING:
        actions.append(tables.leave_person[number])
    if seat >= 0:
        actions.append(tables.leave_furniture[seat])
    elif verb is Verb.USING_FURNITURE:
        actions.append(tables.leave_furniture[number])
    return actions


def _takes(state: ValleyState, place: int) -> tuple[str, ...]:
    tables = state.tables
    takes = tuple(f"take {tables.items[item]} from {tables.furniture[state.on[item]]}" for item in state.lying[place])
    state.takes[place] = takes
    return takes
