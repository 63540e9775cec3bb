"""A language model whose answers come from a person."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from evaluation.models.model_roles import PERSON
from language_models.protocol import (
    Caller,
    Choice,
    GenerateRequest,
    Generation,
    ModelError,
    ModelUnavailable,
    Scores,
    Usage,
)


@dataclass(frozen=True, kw_only=True, slots=True)
class Question:
    """Describe one question to a person.

    Attributes:
        resident: For whom.
        time: The time step, from 0.
        prompt: What is shown, options numbered from 1 among it; untrusted text.
        options: What can be picked; empty where words are asked for.
    """

    resident: str
    time: int
    prompt: str
    options: tuple[str, ...] = ()


class HumanInterface(Protocol):
    """Ask a person questions and return their answers."""

    async def ask(self, question: Question) -> str:
        """Ask a question and return an option or the text that was typed.

        Raises:
            Left: if the person is there no more.
        """
        ...


class Left(ModelUnavailable):
    """Raised when a person has left: the run ends, and a resumed run asks the step again."""


def left(question: Question) -> str:
    """Describe who left and when."""
    return f"{question.resident}'s person has left in step {question.time + 1}"


class Person:
    """Let a person answer the calls of a model, without a time limit.

    Attributes:
        name: "person".
    """

    name = PERSON

    def __init__(self, human: HumanInterface) -> None:
        """Prepare.

        Args:
            human: Where the person sits.
        """
        self._human = human

    async def generate(self, request: GenerateRequest) -> Generation:
        """Return the text that a person types; sampling settings have no effect.

        Raises:
            Left: if the person is there no more.
            ModelError: for text of a form, or in several samples.
        """
        if request.pattern is not None or request.schema is not None or request.samples != 1:
            raise ModelError(f"a person is asked for words, and not for {request.samples} texts of a form")
        began = time.monotonic()
        asked = Question(resident=request.caller.resident, time=request.caller.time, prompt=request.prompt)
        text = await self._human.ask(asked)
        return Generation(text=text, usage=Usage(seconds=time.monotonic() - began))

    async def choose(
        self, prompt: str, options: Sequence[str], *, caller: Caller, query: str = "", descriptions: Sequence[str] = ()
    ) -> Choice:
        """Return the option that a person picks.

        Args:
            prompt: Shown above the options.
            options: What there is to choose from.
            caller: Who asks, for which module and time step.
            query: Ignored.
            descriptions: Shown beside the options.

        Raises:
            Left: if the person is there no more.
        """
        began = time.monotonic()
        asked = Question(resident=caller.resident, time=caller.time, prompt=prompt, options=tuple(options))
        picked = await self._human.ask(asked)
        return Choice(
            option=picked,
            probabilities=tuple(float(option == picked) for option in options),
            usage=Usage(seconds=time.monotonic() - began),
        )

    async def score(self, prompt: str, continuations: Sequence[str], *, caller: Caller) -> Scores:
        """Raise an error: a person gives no probabilities.

        Args:
            prompt: Ignored.
            continuations: Ignored.
            caller: Ignored.

        Raises:
            ModelError: always.
        """
        raise ModelError("a person is asked to pick or to type, and scores nothing")
