"""Helpers for tasks that involve other people."""

from __future__ import annotations

from collections.abc import Iterable

from irollan_env.actions import Action, chat_with
from irollan_env.map.catalogue import WAIT
from irollan_env.tasks.neighbourhood import Neighbourhood
from irollan_env.tasks.planning import Leg, do
from irollan_env.tasks.task import Moment, Progress, check_named, mentions
from irollan_env.tasks.views import View


def check_other(family: str, person: str, near: Neighbourhood, resident: str) -> None:
    """Check that a person lives nearby and is not the resident who has the task.

    Args:
        family: The task's family.
        person: The person that the task names.
        near: The surroundings.
        resident: The resident that has the task.

    Raises:
        ValueError: for either.
    """
    check_named(family, "resident", person, near.people)
    if person == resident:
        raise ValueError(f"a {family!r} task names {person!r}, which is the resident that has it; name another")


def said(action: Action | None, person: str, *names: str) -> bool:
    """Return whether an action told a person words that contain all of the names.

    Args:
        action: The executed action; None for none.
        person: The listener.
        names: Names of things, people and places.
    """
    if action is None or not action.words or action.target != person:
        return False
    return all(mentions(action.words, name) for name in names)


def answered(moment: Moment, person: str, name: str, since: int) -> bool:
    """Return whether a person has told the resident, after a time step, words that contain a name.

    Args:
        moment: The step.
        person: The person who should answer.
        name: The name that the words must contain.
        since: A time step.
    """
    return any(
        message.sender == person
        and message.addressee == moment.resident
        and message.time > since
        and mentions(message.text, name)
        for message in moment.messages
    )


ASKED = "asked "
"""Prefix of the marks of progress that say whom the resident asked, and when."""

_ANSWER, _ASK_AGAIN = 2, 12


def ask_around(progress: Progress, view: View, start: Leg, words: str, people: Iterable[str]) -> Leg | None:
    """Ask the first person present who was not asked recently; None if there is none.

    After asking, it waits for that person's answer before it asks the next.

    Args:
        progress: The progress of the task.
        view: The knowledge that the plan relies on.
        start: The plan so far.
        words: The question.
        people: The people, in the order in which they are asked.
    """
    for person in people:
        since = view.time - progress.get(f"{ASKED}{person}", -_ASK_AGAIN)
        if person != view.resident and view.place_of(person) == view.place:
            if since <= _ANSWER:
                return do(start, WAIT, ends=True)
            if since >= _ASK_AGAIN:
                return do(start, chat_with(person, words), WAIT, ends=True)
    return None


def latest(progress: Progress, kind: str) -> str | None:
    """Return the name in the latest mark that begins with some words; None where there is none.

    Args:
        progress: The progress of the task.
        kind: The words, a space at their end.
    """
    told = [mark for mark in progress if mark.startswith(kind)]
    return max(told, key=lambda mark: progress[mark]).removeprefix(kind) if told else None
