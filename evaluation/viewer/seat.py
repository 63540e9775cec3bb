"""The page as the seat of a person who lives in the run that it shows."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from evaluation.models.person import Left, Question, left
from irollan_env.actions import LONGEST_CHAT
from irollan_env.hints import did_you_mean, quote


@dataclass(frozen=True, slots=True)
class _Asked:
    """A question that waits.

    Attributes:
        number: The how many-th it is in this process, from 1.
        question: What is asked.
        answered: Comes to the answer, in the event loop of the run.
    """

    number: int
    question: Question
    answered: asyncio.Future[str]


class NotAsked(LookupError):
    """An answer to a question that does not wait, or not any more."""


class NotHeld(LookupError):
    """A resident that cannot be taken over or handed back as things stand."""


class PageSeat:
    """Holds one question at a time until somebody answers it from the page, and who is taken over from there.

    The run asks in its event loop; the page's server answers in another thread.
    """

    def __init__(self) -> None:
        self._one_by_one = asyncio.Lock()
        self._changing = threading.Lock()
        self._count = 0
        self._asked: _Asked | None = None
        self._free: dict[str, bool] = {}

    async def ask(self, question: Question) -> str:
        """As ``HumanInterface.ask``.

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
        """As ``TakeoverInterface.open_to``."""
        self._free = dict.fromkeys(residents, False)

    def holds(self, resident: str) -> bool:
        """As ``TakeoverInterface.holds``."""
        return self._free.get(resident, False)

    def let_go(self, resident: str) -> None:
        """As ``TakeoverInterface.let_go``."""
        self._free[resident] = False

    @property
    def free(self) -> dict[str, bool]:
        """The residents who can be taken over, and whether each is."""
        return dict(self._free)

    def take_over(self, resident: str) -> None:
        """Decide for a resident from its next decision on.

        Raises:
            ValueError: if there is none of this name.
            NotHeld: if somebody has taken it over.
        """
        self._change(resident, taken=True)

    def hand_back(self, resident: str) -> None:
        """Let a resident's own mind decide again, also what is asked of the person at this moment.

        Raises:
            ValueError: if there is none of this name.
            NotHeld: if nobody has taken it over.
        """
        self._change(resident, taken=False)
        asked = self._asked
        if asked is not None and asked.question.resident == resident and asked.question.options:
            with suppress(NotAsked):  # answered at this very moment
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
        """The question that waits, as the page is told it; None where none does."""
        if (asked := self._asked) is None:
            return None
        question = asked.question
        # The page has a button for each option in place of the list.
        seen = question.prompt.partition("\n\nYou can:\n")[0] if question.options else question.prompt
        return {
            "number": asked.number,
            "resident": question.resident,
            "time": question.time,
            "seen": seen,
            "options": list(question.options),
            "longest": LONGEST_CHAT,
            "taken": self.holds(question.resident),
        }

    def pick(self, number: int, index: int) -> None:
        """Pick an option, from 0.

        Raises:
            NotAsked: if the question of this number does not wait.
            ValueError: if it has no such option.
        """
        options = self._waiting(number).question.options
        if not 0 <= index < len(options):
            raise ValueError(f"pick must be from 0 to {len(options) - 1}, got {index}")
        self._settle(number, options[index])

    def say(self, number: int, words: str) -> None:
        """Answer in words.

        Raises:
            NotAsked: if the question of this number does not wait.
            ValueError: if it is one where an option is to be picked, or the words cannot be said.
        """
        if self._waiting(number).question.options:
            raise ValueError("one of the options is to be picked here")
        if len(words) > LONGEST_CHAT or not words.isprintable():
            raise ValueError(f"words must be at most {LONGEST_CHAT} characters that can be shown, got {len(words)}")
        self._settle(number, words.strip())

    def leave(self, number: int) -> None:
        """End the run; the question is asked again when it goes on.

        Raises:
            NotAsked: if the question of this number does not wait.
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
