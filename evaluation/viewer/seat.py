"""Human interface on the viewer page: answering questions of a run, and taking over residents."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from evaluation.models.person import Left, Question, left
from irollan_env.actions import LONGEST_CHAT, Action, Primitive
from irollan_env.hints import did_you_mean, quote


@dataclass(frozen=True, slots=True)
class _Asked:
    """A question that waits for an answer.

    Attributes:
        number: Serial number in this process, from 1.
        question: The question.
        answered: Future of the answer, in the event loop of the run.
    """

    number: int
    question: Question
    answered: asyncio.Future[str]


class NotAsked(LookupError):
    """Raised for an answer to a question that is not waiting."""


class NotHeld(LookupError):
    """Raised for a resident that is taken over already, or is not taken over and cannot be handed back."""


class PageSeat:
    """Holds the pending question of a run and the residents taken over from the page.

    The run asks one question at a time in its event loop; the page's server answers in another thread.
    """

    def __init__(self) -> None:
        self._one_by_one = asyncio.Lock()
        self._changing = threading.Lock()
        self._count = 0
        self._asked: _Asked | None = None
        self._free: dict[str, bool] = {}

    async def ask(self, question: Question) -> str:
        """See ``HumanInterface.ask``.

        Raises:
            Left: if the person ends the run.
        """
        async with self._one_by_one:
            self._count += 1
            asked = _Asked(self._count, question, asyncio.get_running_loop().create_future())
            self._asked = asked
            try:
                return await asked.answered
            finally:
                self._asked = None

    def open_to(self, residents: Sequence[str]) -> None:
        """See ``TakeoverInterface.open_to``."""
        self._free = dict.fromkeys(residents, False)

    def holds(self, resident: str) -> bool:
        """See ``TakeoverInterface.holds``."""
        return self._free.get(resident, False)

    def let_go(self, resident: str) -> None:
        """See ``TakeoverInterface.let_go``."""
        self._free[resident] = False

    @property
    def free(self) -> dict[str, bool]:
        """Residents that can be taken over, with whether each is taken over."""
        return dict(self._free)

    def take_over(self, resident: str) -> None:
        """Take over a resident from its next decision on.

        Raises:
            ValueError: for an unknown resident.
            NotHeld: if it is taken over already.
        """
        self._change(resident, taken=True)

    def hand_back(self, resident: str) -> None:
        """Return a resident to its own mind, including a pending question of it.

        Raises:
            ValueError: for an unknown resident.
            NotHeld: if it is not taken over.
        """
        self._change(resident, taken=False)
        asked = self._asked
        if asked is not None and asked.question.resident == resident and asked.question.options:
            with suppress(NotAsked):  # Answered concurrently.
                self._settle(asked.number, asked.question.options[-1])

    def _change(self, resident: str, *, taken: bool) -> None:
        if resident not in self._free:
            hint = did_you_mean(resident, self._free)
            raise ValueError(f"{quote(resident)} is no resident of this run who has a mind of its own{hint}")
        with self._changing:
            if self._free[resident] == taken:
                why = (
                    "taken over already; hand it back first"
                    if taken
                    else "not taken over; there is nothing to hand back"
                )
                raise NotHeld(f"{resident} is {why}")
            self._free[resident] = taken

    @property
    def waiting(self) -> dict[str, Any] | None:
        """The pending question as page data; None if there is none."""
        if (asked := self._asked) is None:
            return None
        question = asked.question
        # The page has a button for each option in place of the list.
        actions = [action for action in map(Action.parse, question.options) if isinstance(action, Action)]
        seen = question.prompt.partition("\n\nYou can:\n")[0] if question.options else question.prompt
        return {
            "number": asked.number,
            "resident": question.resident,
            "time": question.time,
            "seen": seen,
            "options": list(question.options),
            "kinds": list(dict.fromkeys(str(kind) for kind in (*Primitive, *(one.primitive for one in actions)))),
            "longest": LONGEST_CHAT,
            "taken": self.holds(question.resident),
        }

    def pick(self, number: int, index: int) -> None:
        """Answer a question with an option, counted from 0.

        Raises:
            NotAsked: if the question is not waiting.
            ValueError: if it has no such option.
        """
        options = self._waiting(number).question.options
        if not 0 <= index < len(options):
            raise ValueError(f"pick must be from 0 to {len(options) - 1}, got {index}")
        self._settle(number, options[index])

    def say(self, number: int, words: str) -> None:
        """Answer a question in words.

        Raises:
            NotAsked: if the question is not waiting.
            ValueError: if the question has options, or the words are too long or not printable.
        """
        if self._waiting(number).question.options:
            raise ValueError("one of the options is to be picked here")
        if len(words) > LONGEST_CHAT or not words.isprintable():
            raise ValueError(f"words must be at most {LONGEST_CHAT} characters that can be shown, got {len(words)}")
        self._settle(number, words.strip())

    def leave(self, number: int) -> None:
        """End the run; the question is asked again after a resume.

        Raises:
            NotAsked: if the question is not waiting.
        """
        self._settle(number, Left(left(self._waiting(number).question)))

    def _waiting(self, number: int) -> _Asked:
        if (asked := self._asked) is None or asked.number != number:
            raise NotAsked(f"question {number} does not wait for an answer")
        return asked

    def _settle(self, number: int, answer: str | Left) -> None:
        with self._changing:
            answered = self._waiting(number).answered
            self._asked = None

        def settle() -> None:
            if answered.done():
                return
            if isinstance(answer, Left):
                answered.set_exception(answer)
            else:
                answered.set_result(answer)

        answered.get_loop().call_soon_threadsafe(settle)
