"""HTTP requests of raters: identification, progress, and validation of answers."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Annotated

from fastapi import Depends, HTTPException, Request

from evaluation.rating.participation import Terms, agreed_to, withdrawn
from evaluation.rating.plain_text import plain_text
from evaluation.rating.rating_scale import DIMENSIONS, HIGHEST, LOWEST
from evaluation.rating.store import Answer, Conflict, Given, Store, comment_on, given_name
from evaluation.rating.study import Item, Study

LONGEST_COMMENT = 5_000
LONGEST_NAME = 80
UNKNOWN_LINK = "This link is not known here. Was it copied whole?"
BOTH = "both"
"""Choice that joins all versions of a comment."""

_COMMENTS = frozenset(comment_on(dimension) for dimension in DIMENSIONS)
_POINTS = {str(point): point for point in range(LOWEST, HIGHEST + 1)}
_SEEN, _SETTLE = ".seen", ".settle"
"""Suffixes of form fields: version of the answer that the page shows, and choice in a conflict."""
_NUMBER = re.compile("[0-9]{1,18}")
_CHOICE = re.compile(f"([0-9]{{1,18}}|{BOTH})-([0-9]{{1,18}})")


@dataclass(frozen=True, kw_only=True)
class RaterRequest:
    """A rater's request with the answers so far.

    Attributes:
        study: The study.
        store: The answers of the study.
        token: Secret of the rater's link.
        rater: The rater.
        answers: The rater's answers, by item (from 1) and question.
        conflicts: Conflicting values that the rater has to resolve, by item and question.
        terms: The texts that raters agree to.
    """

    study: Study
    store: Store
    token: str
    rater: str
    terms: Terms
    answers: Mapping[int, Mapping[str, Answer]] = field(default_factory=dict)
    conflicts: Mapping[int, Mapping[str, list[Conflict]]] = field(default_factory=dict)

    @property
    def packet(self) -> tuple[Item, ...]:
        """The items of this rater, in order."""
        return self.study.items[self.rater]

    @property
    def name(self) -> str:
        """Name that the rater gave; empty for none."""
        return given_name(self.answers)

    @property
    def agreed(self) -> bool:
        """Whether the rater has agreed to the current text."""
        return agreed_to(self.answers) == self.terms.version

    @property
    def withdrawn(self) -> bool:
        """Whether the rater has withdrawn."""
        return withdrawn(self.answers)

    @property
    def started(self) -> bool:
        """Whether the rater has answered anything about a resident."""
        return any(self.answers)

    def anew(self) -> RaterRequest:
        """Return this request with the currently stored answers."""
        answers, conflicts = self.store.all_answers(self.rater), self.store.conflicts(self.rater)
        return replace(self, answers=answers, conflicts=conflicts)

    def missing(self, number: int) -> list[str]:
        """Return the unanswered questions about an item, by its number from 1."""
        return self.packet[number - 1].missing(self.answers.get(number, ()))

    def rated(self) -> list[int]:
        """Return the numbers of the completely answered items."""
        return self.study.rated(self.rater, self.answers)

    def next(self) -> int:
        """Return the number of the first item that is not rated; one past the last if all are."""
        rated = set(self.rated())
        return next(number for number in range(1, len(self.packet) + 2) if number not in rated)


def rater_request(token: str, request: Request) -> RaterRequest:
    """Find the rater whose link was opened.

    Args:
        token: Secret of the link.
        request: The HTTP request.

    Returns:
        The rater with its answers so far.

    Raises:
        HTTPException: with status 404 for an unknown link.
    """
    study, store = request.app.state.study, request.app.state.store
    if (rater := study.rater_of.get(token)) is None:
        raise HTTPException(404, UNKNOWN_LINK)
    here = RaterRequest(study=study, store=store, token=token, rater=rater, terms=request.app.state.terms)
    return here.anew()


def item_request(number: int, here: Annotated[RaterRequest, Depends(rater_request)]) -> RaterRequest:
    """Check that a rater may open an item: a rated one, or the next.

    Args:
        number: Number of the item, from 1.
        here: The rater.

    Returns:
        The rater.

    Raises:
        HTTPException: with status 404 if there is no such item; 409 if the rater has withdrawn or has not agreed, or if
            an earlier item is not rated yet.
    """
    if not 1 <= number <= len(here.packet):
        raise HTTPException(404, "There is no such page.")
    if here.withdrawn:
        raise HTTPException(409, "You have withdrawn, and nothing more is saved.")
    if not here.agreed:
        raise HTTPException(409, "Before you go on, please read on the overview what taking part means.")
    if number > here.next():
        raise HTTPException(409, "The pages before this one come first.")
    return here


async def read_form(request: Request) -> Mapping[str, str]:
    """Read the text fields of a form."""
    return {key: value for key, value in (await request.form()).items() if isinstance(value, str)}


def cleaned(text: str, longest: int) -> str:
    """Clean a text from a rater.

    Args:
        text: The text as sent.
        longest: Maximum number of characters.

    Raises:
        HTTPException: with status 422 for a longer text.
    """
    text = plain_text(text).strip()
    if len(text) > longest:
        raise HTTPException(422, f"The text has {len(text)} characters; there is room for {longest}.")
    return text


def checked(question: str, value: int | str, item: Item) -> int | str:
    """Validate an answer.

    Args:
        question: A question about the item, or the comment on one.
        value: The value as sent.
        item: The item.

    Returns:
        A comment, or a whole number from 1 to 7.

    Raises:
        HTTPException: with status 404 for an unknown question; 422 for an invalid value.
    """
    if question in _COMMENTS:
        return cleaned(str(value), LONGEST_COMMENT)
    if question not in item.questions:
        raise HTTPException(404, "There is no such question.")
    if isinstance(value, str) or not LOWEST <= value <= HIGHEST:
        raise HTTPException(422, f"A rating is a whole number from {LOWEST} to {HIGHEST}.")
    return value


def answers_in(form: Mapping[str, str], item: Item) -> dict[str, Given]:
    """Read the ratings and comments in a form.

    Args:
        form: The fields of the form; other fields than answers are ignored.
        item: The item that it is about.

    Returns:
        Answers by question, with the versions that the form showed.
    """
    return {
        question: Given(
            checked(question, text if question in _COMMENTS else _POINTS.get(text, text), item),
            _seen(form.get(question + _SEEN, "0")),
        )
        for question, text in form.items()
        if question in item.questions or question in _COMMENTS
    }


def settle(form: Mapping[str, str], here: RaterRequest, number: int) -> None:
    """Resolve conflicts by the choices in a form; the other values stay in the file.

    Args:
        form: The fields of the form.
        here: The rater.
        number: Number of the item, from 1.
    """
    for question, waiting in here.conflicts.get(number, {}).items():
        if (said := _CHOICE.fullmatch(form.get(question + _SETTLE, ""))) is None:
            continue
        chosen, until = said.group(1), int(said.group(2))
        shown = [one for one in waiting if one.number <= until]
        if (value := _chosen(chosen, shown, here.answers[number][question])) is not None:
            seen = _seen(form.get(question + _SEEN, "0"))
            here.store.merge(here.rater, number, {question: Given(value, seen)})
            now = here.store.answers(here.rater, number)[question]
            # Changed elsewhere again, which the rater has not seen yet: the conflict stays.
            if now.value != value:
                continue
        here.store.settle(here.rater, number, question, until)


def _chosen(chosen: str, shown: Sequence[Conflict], kept: Answer) -> int | str | None:
    """Return the value that a rater chose; None for the current one."""
    if chosen == BOTH:
        return cleaned("\n\n".join([str(kept.value), *(str(one.value) for one in shown)]), LONGEST_COMMENT)
    return next((one.value for one in shown if one.number == int(chosen)), None)


def _seen(text: str) -> int:
    if _NUMBER.fullmatch(text) is None:
        raise HTTPException(422, "The version of an answer is a whole number.")
    return int(text)
