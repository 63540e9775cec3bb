"""An expert's duties to others: answering messages and following invitations."""

from __future__ import annotations

from collections.abc import Mapping

from irollan_env.actions import chat_with
from irollan_env.map.catalogue import WAIT
from irollan_env.tasks.known import Known
from irollan_env.world.requests import ACKNOWLEDGEMENT, INVITATION_STEPS, asked_who_lost, invited_to

_IN_TIME, _LONGEST_REPEAT = 8, 200


def duty(known: Known, facts: Mapping[str, str], *, own_over: bool) -> tuple[str, ...]:
    """Return the actions that are due now; empty for none.

    Args:
        known: The expert's knowledge: what it has seen and heard.
        facts: Sentences that say who lost a thing, by thing.
        own_over: Whether its own task is over; until then it follows invitations only from people listed before it.
    """
    for sender, said, time in reversed(known.heard):
        if time < known.time - _IN_TIME or known.place_of(sender) != known.place or sender in known.answered(time):
            continue
        fact = facts.get(asked_who_lost(said) or "")
        if fact is not None or not said.endswith("?"):
            return (chat_with(sender, fact or f"{sender}, {ACKNOWLEDGEMENT}: {said[:_LONGEST_REPEAT]}"),)
    return _come(known, own_over=own_over)


def _come(known: Known, *, own_over: bool) -> tuple[str, ...]:
    order = known.near.people
    for sender, said, time in reversed(known.heard):
        place = invited_to(said)
        fresh = known.time - time < INVITATION_STEPS
        if place in known.near.places and fresh and (own_over or order.index(sender) < order.index(known.resident)):
            return known.route(known.place, str(place)) or (WAIT,)
    return ()
