"""Choices on a server: by log-probabilities of letters, constrained to a schema, or in plain words.

"logprobs": options get letters, and the log-probabilities of the first token are those of the options, in two requests
(choosing_by_letters.py); with more than 20 options, the winners of groups of 20 are compared in a second round.
"structured": a JSON schema constrains the answer to the options, and the option chosen has probability 1, which is all
that such an answer tells. With /completions most servers ignore schemas. "logprobs+structured": by letters if there is
a letter per option, else by a schema, which reads the prompt once. "plain": as by a schema, but by the prompt only;
more answers are unusable and are retried. "auto": the best method that the server supports, as found by two
questions before the first choice. A question without an answer (the server is down) settles nothing: the choice
fails, and the questions are asked again with the next one.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal

from language_models.arguments import OPTIONS, choice_schema, one_of, option_lines
from language_models.json_answers import UnusableObject, read_choice
from language_models.protocol import Choice, ModelError, ModelUnavailable, Usage, total_usage
from language_models.remote.choosing_by_letters import LABELS, Complete, LetterChooser, UntilUsable
from language_models.remote.responses import (
    UnusableAnswer,
    adding_usage_on_failure,
    as_unusable,
    cut_off,
    text_of,
)
from language_models.remote.schemas import ChoiceMethod, response_format, stopping_where_refused, takes_schema

Choosing = Literal["auto", "logprobs", "structured", "logprobs+structured", "plain"]
CHOOSING = ("auto", "logprobs", "structured", "logprobs+structured", "plain")

_METHODS: Mapping[tuple[bool, bool], ChoiceMethod] = {
    (True, True): "logprobs+structured",
    (True, False): "logprobs",
    (False, True): "structured",
    (False, False): "plain",
}
"""The best method by (letters tell the options apart, a schema constrains answers)."""

QUESTION = "I am very hungry. What do I do?"
ANSWERS = ("go to the kitchen and eat", "read a book", "sleep in bed")
AGAINST = "Write one sentence about the sea."
"""A prompt whose request contradicts the schema, to test whether the schema wins."""


class Chooser:
    """Chooses among options by the best method that the server supports, or by a given one."""

    def __init__(
        self, choosing: Choosing, complete: Complete, until_usable: UntilUsable, *, by_chat: bool, thinking: int = 0
    ) -> None:
        """Configure the choice; nothing is sent yet.

        Args:
            choosing: Method, one of ``CHOOSING``.
            complete: Sends a request to the server.
            until_usable: Repeats a request until its answer is usable.
            by_chat: Whether `complete` uses /chat/completions instead of /completions.
            thinking: Tokens that the model may think in before an answer in JSON.

        Raises:
            ValueError: if `choosing` is none of them.
        """
        self._choosing = one_of("choosing", choosing, CHOOSING)
        self._method: ChoiceMethod | None = None if choosing == "auto" else choosing
        self._complete = complete
        self._until_usable = until_usable
        self._thinking = thinking
        self._letters = LetterChooser(complete, until_usable, by_chat=by_chat)
        self._finding: asyncio.Task[ChoiceMethod] | None = None
        self._waiting = 0
        self._spent = Usage()  # Cost of finding the method that no choice has counted yet.

    @property
    def method(self) -> ChoiceMethod | None:
        """The method in use; None until it is found."""
        return self._method

    def fix_method(self, method: ChoiceMethod) -> None:
        """Keep to the method of a resumed run, unless another one was configured.

        Raises:
            ValueError: if it is no method, or another run in this process found another method.
        """
        one_of("the way to choose", method, CHOOSING[1:])
        if self._choosing != "auto":
            return
        if self._method not in (None, method):
            raise ValueError(
                f"it chooses by {self._method!r} for another run in this process, and a run that chose by {method!r} "
                "would not go on as before; resume that one by itself"
            )
        self._method = method

    async def choose(self, prompt: str, options: Sequence[str], descriptions: Sequence[str] = ()) -> Choice:
        """Choose one of the options.

        The cost of finding the method is counted once, with the first choice that waited for it.

        Args:
            prompt: The situation.
            options: At least one.
            descriptions: Meaning or effect of each option; empty, or as many as options.

        Raises:
            ModelError: if no answer is usable.
            ModelUnavailable: if the server cannot be reached.
        """
        method, spent = await self.find_method()
        with adding_usage_on_failure(spent):
            choice = await self._choose(method, prompt, options, descriptions)
        self.settle(method)
        return replace(choice, usage=total_usage([spent, choice.usage]))

    async def try_letters(self) -> Choice:
        """Answer an easy question by letters in a single request, whatever the method.

        Raises:
            ModelError: if the server gives no log-probabilities, or the model no letters.
            ModelUnavailable: if the server cannot be reached.
        """
        try:
            choice, usage = await self._letters.once(QUESTION, ANSWERS, ())
        except UnusableAnswer as error:
            raise ModelError(str(error), usage=error.usage) from None
        if len(set(choice.probabilities)) == 1:
            same = "gives all letters one log-probability"
            raise ModelError(f"the server {same}, which tells nothing", usage=as_unusable(usage, same, choice.option))
        return choice

    async def try_schema(self) -> tuple[bool, str, Usage]:
        """Test whether a schema constrains an answer against the prompt; also return the answer and its cost.

        Raises:
            ModelError: if the server does not accept schemas.
            ModelUnavailable: if the server cannot be reached.
        """
        form = response_format(choice_schema(ANSWERS), "choice")
        body = {"max_tokens": 48 + self._thinking, "temperature": 0.0, "seed": 0, "response_format": form}
        answer, usage = await self._complete(AGAINST, body)
        try:
            text = text_of(answer, usage, as_object=True)
            read_choice(text, ANSWERS)
            held = True
        except UnusableAnswer as error:
            text, held = str(error), False
        except UnusableObject:
            held = False
        return held, text, usage

    def settle(self, method: ChoiceMethod) -> None:
        """Keep a method returned by ``find_method``, after it gave a usable answer."""
        self._method = self._method or method

    async def find_method(self) -> tuple[ChoiceMethod, Usage]:
        """Return the method, and the cost of finding it if no call has counted that yet.

        Raises:
            ModelUnavailable: if the server cannot be reached; each waiting caller gets an error of its own usage.
        """
        if self._method is not None:
            return self._method, self._count()
        task = self._finding
        if task is None or task.done() or task.get_loop() is not asyncio.get_running_loop():
            task, self._waiting = asyncio.create_task(self._find()), 0
            self._finding = task
        self._waiting += 1
        try:
            # A cancelled caller does not cancel the search for the others.
            method = await asyncio.shield(task)
        except ModelUnavailable as error:
            raise ModelUnavailable(str(error), usage=self._count()) from error
        finally:
            if task is self._finding:
                self._waiting -= 1
                if not self._waiting and not task.done():
                    self._finding = None
                    task.cancel()
        return method, self._count()

    def _count(self) -> Usage:
        """Return the cost of finding the method that no call has counted yet, and mark it as counted."""
        spent, self._spent = self._spent, Usage()
        return spent

    async def _find(self) -> ChoiceMethod:
        """Find by two requests what the server can do; both must be answered.

        A result that it can do neither is kept only after a usable plain choice: the server may be out of order.

        Raises:
            ModelUnavailable: if one of them, or both, had no answer.
        """
        letters, schema = await self._can(self._tells_letters()), await self._can(self.try_schema())
        # A resumed run may have set its method meanwhile.
        if self._method is not None:
            return self._method
        method = _METHODS[letters is True, schema is True]
        found = {"whether it can choose by letters": letters, "whether a schema holds its answers": schema}
        silent = {question: one for question, one in found.items() if isinstance(one, ModelUnavailable)}
        for question, error in silent.items():
            if len(silent) == len(found):
                raise error
            raise ModelUnavailable(
                f"{error}; so it is not known {question}, which decides how the whole run chooses; where it answers "
                f'all but this, set choosing = "{method}" {OPTIONS}'
            ) from error
        if method != "plain":
            self._method = method
        return method

    async def _tells_letters(self) -> tuple[bool, str, Usage]:
        choice = await self.try_letters()
        return True, choice.option, choice.usage

    async def _can(self, asked: Awaitable[tuple[bool, str, Usage]]) -> bool | ModelUnavailable:
        """Test a capability; return the result, or the error that leaves it unknown, and count the cost."""
        try:
            can, _, usage = await asked
        except ModelUnavailable as error:
            self._spend(error.usage)
            return error
        except ModelError as error:
            # The last request shows a missing capability, which is no failure of the run; outages before it are.
            self._spend(replace(error.usage, attempts=error.usage.attempts[:-1]))
            return False
        self._spend(usage)
        return can

    def _spend(self, usage: Usage) -> None:
        self._spent = total_usage([self._spent, usage])

    async def _choose(
        self, method: ChoiceMethod, prompt: str, options: Sequence[str], descriptions: Sequence[str]
    ) -> Choice:
        if takes_letters(method, len(options)):
            return await self._letters.choose(prompt, options, descriptions or [""] * len(options))
        return await self._until_usable(
            lambda attempt: self._choose_in_json(method, prompt, options, descriptions, attempt),
            f'; where the server gives log-probabilities, choosing = "logprobs" {OPTIONS} needs no form',
        )

    async def _choose_in_json(
        self, method: ChoiceMethod, prompt: str, options: Sequence[str], descriptions: Sequence[str], attempt: int
    ) -> tuple[Choice, Usage]:
        body: dict[str, Any] = {
            "max_tokens": most_tokens_of_choice(options) + self._thinking,
            "temperature": 0.0 if attempt == 0 else 0.7,
            "seed": attempt,
        }
        if takes_schema(method):
            body["response_format"] = response_format(choice_schema(options), "choice")
        lines = option_lines(options, descriptions)
        listed = "\n".join(f"- {line}" for line in lines)
        asked = f'{prompt}\n\nOptions:\n{listed}\n\nAnswer in JSON, {{"choice": OPTION}}, with one of the options.'
        with stopping_where_refused(method):
            answer, usage = await self._complete(asked, body)
        text, cut = text_of(answer, usage, as_object=True), cut_off(answer, body["max_tokens"])
        try:
            chosen = read_choice(text, options, lines)
        except UnusableObject as error:
            if cut is None:
                raise UnusableAnswer(text, str(error), usage) from None
            raise UnusableAnswer(text, f"{cut.reason} and {error}", usage, cut.remedy) from None
        return Choice(option=chosen, probabilities=tuple(float(o == chosen) for o in options), usage=usage), usage


def takes_letters(method: str, options: int) -> bool:
    """Return whether this method chooses among so many options by letters; "auto" assumes the best server.

    Args:
        method: A method of choosing.
        options: How many there are.
    """
    return method == "logprobs" or (method in ("auto", "logprobs+structured") and options <= len(LABELS))


def most_tokens_of_choice(options: Sequence[str]) -> int:
    """Return the most tokens that a choice in JSON may be written with."""
    return 32 + 2 * max(len(option) for option in options)
