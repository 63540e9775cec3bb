"""What the tasks that are about people share."""

from __future__ import annotations

from irollan_env.tasks.neighbourhood import Neighbourhood
from irollan_env.tasks.task import Moment, check_known, mentions
from irollan_env.world.primitives import Action, Chat


def check_other(family: str, person: str, near: Neighbourhood, resident: str) -> None:
    """Refuse a person that is not there, or is the one that has the task.

    Raises:
        ValueError: for either.
    """
    check_known(family, "resident", person, near.people)
    if person == resident:
        raise ValueError(f"a {family!r} task names {person!r}, which is the resident that has it; name another")


def said(action: Action | None, person: str, *names: str) -> bool:
    """Whether an action was to tell somebody words that name all of these."""
    return isinstance(action, Chat) and action.person == person and all(mentions(action.text, name) for name in names)


def answered(moment: Moment, person: str, name: str, since: int) -> bool:
    """Whether somebody has said to the observer, after a time step, words that name something."""
    return any(
        message.sender == person
        and message.addressee == moment.resident
        and message.time > since
        and mentions(message.text, name)
        for message in moment.messages
    )
